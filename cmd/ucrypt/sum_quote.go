package main

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// quoteName writes a file's name as coreutils does in messages: as it is if a shell takes
// it for itself, otherwise in quotes that a shell undoes.
func quoteName(name string) string {
	needed := name == ""
	apostrophe, double := false, true // double: double quotes would do
	for i, c := range name {
		switch {
		case c == '\'':
			needed, apostrophe = true, true
		case strings.ContainsRune(" :", c), strings.ContainsRune("#~", c) && i == 0:
			needed = true
		case strings.ContainsRune("{}", c):
			needed = needed || len(name) == 1
		case strings.ContainsRune("!\"$&()*;<=>?[\\^|`", c), !printable(name[i:]):
			needed, double = true, false
		}
	}
	switch {
	case !needed:
		return name
	case apostrophe && double:
		return `"` + name + `"`
	}
	b := []byte{'\''}
	escaped := false // what stands last in b is within $'…'
	for len(name) > 0 {
		_, size := utf8.DecodeRuneInString(name)
		c := name[:size]
		if printable(name) {
			if escaped {
				b = append(b, "''"...)
				escaped = false
			}
			if c == "'" {
				c = `'\''`
			}
			b = append(b, c...)
		} else {
			if !escaped {
				b = append(b, "'$'"...)
				escaped = true
			}
			if at := strings.Index("\a\b\t\n\v\f\r", c); at >= 0 {
				b = append(b, '\\', "abtnvfr"[at])
			} else {
				for _, x := range []byte(c) {
					b = fmt.Appendf(b, `\%03o`, x)
				}
			}
		}
		name = name[size:]
	}
	return string(append(b, '\''))
}

// printable reports whether the first character of a text can be shown as it is.
func printable(text string) bool {
	c, size := utf8.DecodeRuneInString(text)
	return strconv.IsPrint(c) && (c != utf8.RuneError || size > 1)
}
