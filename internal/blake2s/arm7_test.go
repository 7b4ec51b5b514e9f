//go:build arm.7

package blake2s_test

// arm7 says that this is built with GOARM=7.
const arm7 = true
