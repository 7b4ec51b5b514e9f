// Command gmsm measures github.com/emmansun/gmsm for the comparison: see
// package serve. With the tag purego it is gmsm's pure Go code.
package main

import (
	"ucrypt/bench/peers"
	"ucrypt/bench/serve"
	"ucrypt/internal/speed"
)

func main() {
	serve.Run(nil, func(q serve.Request) (speed.Work, error) {
		return peers.Work(q.Mode, q.Decrypt, q.Bytes)
	})
}
