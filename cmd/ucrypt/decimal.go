package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// decimalFlag is the value of a flag that is a number, decimal or with 0x. To the
// flag library's own numbers 010 is octal, and a sector number that is read wrong
// makes data that nobody can read again.
type decimalFlag[T int | int64 | uint64] struct{ to *T }

func (d decimalFlag[T]) String() string {
	if d.to == nil {
		return "0"
	}
	return fmt.Sprint(*d.to)
}

func (d decimalFlag[T]) Type() string { return "N" }

func (d decimalFlag[T]) Set(s string) error {
	digits, base := s, 10
	if hex, ok := strings.CutPrefix(s, "0x"); ok {
		digits, base = hex, 16
	}
	var zero T
	if _, unsigned := any(zero).(uint64); unsigned {
		n, err := strconv.ParseUint(digits, base, 64)
		if err != nil {
			return numberError(s, err)
		}
		*d.to = T(n)
		return nil
	}
	bits := 64
	if _, short := any(zero).(int); short {
		bits = strconv.IntSize
	}
	n, err := strconv.ParseInt(digits, base, bits)
	if err != nil {
		return numberError(s, err)
	}
	*d.to = T(n)
	return nil
}

func numberError(s string, err error) error {
	if errors.Is(err, strconv.ErrRange) {
		return fmt.Errorf("%s is too large or too small", s)
	}
	return errors.New("want a number, decimal or with 0x")
}
