// Command ours measures ucrypt's drivers for the comparison: see package serve.
package main

import (
	"ucrypt"
	"ucrypt/bench/peers"
	"ucrypt/bench/serve"
	"ucrypt/internal/speed"
)

func main() {
	var drivers []string
	for _, mode := range peers.Modes {
		for _, d := range ucrypt.Drivers() {
			if _, err := ucrypt.Lookup(d.DriverName); err == nil && d.Name == mode+"(sm4)" {
				drivers = append(drivers, d.DriverName)
			}
		}
	}
	serve.Run(drivers, func(q serve.Request) (speed.Work, error) {
		d, err := ucrypt.Lookup(q.Driver)
		if err != nil {
			return nil, err
		}
		op := speed.Encrypt
		if q.Decrypt {
			op = speed.Decrypt
		}
		return speed.Registry.Open(d, op, 8*d.MinKeySize, q.Bytes)
	})
}
