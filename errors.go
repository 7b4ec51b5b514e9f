package ucrypt

import (
	"fmt"
	"strconv"
)

// UnknownAlgorithmError is the error of a name that is neither an algorithm's
// nor a driver's, or is one of another type than the function works with.
type UnknownAlgorithmError struct {
	Name string
	Want string // the type wanted: "skcipher"; empty if any would do
	Got  string // the type of the algorithm that has this name
}

func (e *UnknownAlgorithmError) Error() string {
	if e.Got != "" {
		return fmt.Sprintf("ucrypt: %s is of type %s, want %s", e.Name, e.Got, e.Want)
	}
	return fmt.Sprintf("ucrypt: unknown algorithm or driver %q", e.Name)
}

// UnavailableError is the error of a driver that cannot be used here.
type UnavailableError struct {
	Driver string
	Status Status // Failed or Unavailable
	Reason string
}

func (e *UnavailableError) Error() string {
	return fmt.Sprintf("ucrypt: driver %s is %s: %s", e.Driver, e.Status, e.Reason)
}

// KeySizeError is the error of a key of a wrong length, in bytes. Right are Min,
// Max, and what lies between them in steps of Step.
type KeySizeError struct {
	Name           string
	Got            int
	Min, Max, Step int
}

func (e *KeySizeError) Error() string {
	want := strconv.Itoa(e.Min)
	if (e.Max-e.Min)/max(1, e.Step) > 3 {
		return fmt.Sprintf("ucrypt: %s: key of %d bytes, want %d to %d", e.Name, e.Got, e.Min, e.Max)
	}
	step := max(1, e.Step)
	for n := e.Min + step; n <= e.Max; n += step {
		if n+step > e.Max {
			want += " or "
		} else {
			want += ", "
		}
		want += strconv.Itoa(n)
	}
	return fmt.Sprintf("ucrypt: %s: key of %d bytes, want %s", e.Name, e.Got, want)
}

// IVSizeError is the error of an iv of a wrong length, in bytes.
type IVSizeError struct {
	Name      string
	Got, Want int
}

func (e *IVSizeError) Error() string {
	if e.Want == 0 {
		return fmt.Sprintf("ucrypt: %s: iv of %d bytes, want none", e.Name, e.Got)
	}
	return fmt.Sprintf("ucrypt: %s: iv of %d bytes, want %d", e.Name, e.Got, e.Want)
}

// NonceSizeError is the error of a nonce size that the AEAD does not have, in
// bytes.
type NonceSizeError struct {
	Name string
	Got  int
	Want string
}

func (e *NonceSizeError) Error() string {
	return fmt.Sprintf("ucrypt: %s: nonces of %d bytes, want %s", e.Name, e.Got, e.Want)
}

// TagSizeError is the error of a tag size that the AEAD does not have, in bytes.
type TagSizeError struct {
	Name string
	Got  int
	Want string
}

func (e *TagSizeError) Error() string {
	return fmt.Sprintf("ucrypt: %s: tags of %d bytes, want %s", e.Name, e.Got, e.Want)
}

// LengthError is the error of a source whose length, in bytes, the algorithm
// cannot work on.
type LengthError struct {
	Name string
	Got  int
	Want string
}

func (e *LengthError) Error() string {
	return fmt.Sprintf("ucrypt: %s: input of %d bytes, want %s", e.Name, e.Got, e.Want)
}

// ShortBufferError is the error of a destination shorter than the source.
type ShortBufferError struct {
	Name      string
	Got, Want int // bytes
}

func (e *ShortBufferError) Error() string {
	return fmt.Sprintf("ucrypt: %s: output buffer of %d bytes, want at least %d", e.Name, e.Got, e.Want)
}

// OverlapError is the error of buffers that share memory in a way that would
// make one overwrite the other too early.
type OverlapError struct {
	Name string
}

func (e *OverlapError) Error() string {
	return fmt.Sprintf("ucrypt: %s: invalid buffer overlap: dst must be src exactly or lie apart from it, and iv apart from both", e.Name)
}
