//go:build !arm.7

package blake2s_test

const arm7 = false
