//go:build !linux

package speed

import "time"

func threadTime() time.Duration { return 0 }
