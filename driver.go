package ucrypt

import "fmt"

// Type is the kind of an algorithm, as /proc/crypto calls it.
type Type uint8

const (
	TypeCipher   Type = iota // one block
	TypeSkcipher             // any length, without authentication
	TypeAEAD                 // authenticated encryption with associated data
	TypeShash                // hash or MAC
)

func (t Type) String() string {
	switch t {
	case TypeCipher:
		return "cipher"
	case TypeSkcipher:
		return "skcipher"
	case TypeAEAD:
		return "aead"
	case TypeShash:
		return "shash"
	}
	return fmt.Sprintf("Type(%d)", uint8(t))
}

// MarshalText returns the type's name.
func (t Type) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// Status is what is known of a driver on this machine.
type Status uint8

const (
	Untested    Status = iota // nothing has asked for it yet
	Passed                    // its known answers came out right
	Failed                    // they did not: it is never used
	Unavailable               // it cannot run here
)

func (s Status) String() string {
	switch s {
	case Untested:
		return "untested"
	case Passed:
		return "passed"
	case Failed:
		return "failed"
	case Unavailable:
		return "unavailable"
	}
	return fmt.Sprintf("Status(%d)", uint8(s))
}

// MarshalText returns the status's name.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Driver describes one implementation of an algorithm. Sizes are in bytes.
type Driver struct {
	Name, DriverName       string // "ctr(sm4)", "ctr-sm4-aesni-avx2"
	Type                   Type
	Priority               int
	BlockSize, IVSize      int // BlockSize is 1 for stream modes
	ChunkSize, WalkSize    int // as /proc/crypto prints them
	MinKeySize, MaxKeySize int
	DigestSize, MaxTagSize int
	Features               []string // processor features it needs
	ConstantTime           bool     // no branch or address depends on a key or on data
	Status                 Status
	Reason                 string // why it failed or is unavailable
}
