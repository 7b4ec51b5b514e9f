package main

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// layout is which of the two forms without a tag has been seen. They are not to be
// mixed: whoever names a file could have it taken for another one.
type layout uint8

const (
	anyLayout      layout = iota
	layoutGNU             // a mode, ' ' or '*', before the name
	layoutReversed        // BSD's -r: none
)

// checkFile checks the files that the lines of a file name.
func (s *checksum) checkFile(name string) {
	in, shown := os.Stdin, "standard input"
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			s.complain(name, err)
			return
		}
		defer f.Close()
		in, shown = f, name
	}
	shown = quoteName(shown)

	var formatted, misformatted, unreadable, mismatched, matched int
	var readErr error
	s.digests(func(submit func(*item)) {
		lines := bufio.NewReader(in)
		for number := 1; ; number++ {
			line, err := lines.ReadString('\n')
			if err != nil && err != io.EOF {
				readErr = err
				return
			}
			if line == "" {
				return
			}
			line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
			if line == "" || line[0] == '#' {
				continue
			}
			i := s.parseLine(line)
			if i == nil || in == os.Stdin && i.file == "-" || s.key != nil && i.bits != s.macBits(i.family) {
				i = &item{note: func() {
					misformatted++
					if s.warn {
						s.message("%s: %d: improperly formatted %s checksum line", shown, number, s.family.tag)
					}
				}}
			}
			submit(i)
		}
	}, func(i *item) {
		formatted++
		result := ""
		switch {
		case i.err != nil && s.ignoreMissing && errors.Is(i.err, fs.ErrNotExist):
			return
		case i.err != nil:
			unreadable++
			s.complain(i.file, i.err)
			result = "FAILED open or read"
		case !i.matches():
			mismatched++
			result = "FAILED"
		default:
			matched++
			if s.quiet {
				return
			}
			result = "OK"
		}
		if s.status {
			return
		}
		name := i.file
		if strings.Contains(name, "\n") {
			name = `\` + escapeName(name)
		}
		fmt.Fprintf(s.out, "%s: %s\n", name, result)
	})

	switch {
	case readErr != nil:
		s.failed = true
		s.message("%s: read error", shown)
		return
	case formatted == 0:
		s.failed = true
		s.message("%s: no properly formatted checksum lines found", shown)
		return
	}
	if unreadable+mismatched > 0 || matched == 0 || s.strict && misformatted > 0 {
		s.failed = true
	}
	if s.status {
		return
	}
	warn := func(n int, one, many string) {
		switch {
		case n == 1:
			s.message("WARNING: 1 %s", one)
		case n > 1:
			s.message("WARNING: %d %s", n, many)
		}
	}
	warn(misformatted, "line is improperly formatted", "lines are improperly formatted")
	warn(unreadable, "listed file could not be read", "listed files could not be read")
	warn(mismatched, "computed checksum did NOT match", "computed checksums did NOT match")
	if s.ignoreMissing && matched == 0 {
		s.message("%s: no file was verified", shown)
	}
}

// macBits is the length of the MACs of a family that are accepted. A line must not
// choose it: eight bits are soon guessed.
func (s *checksum) macBits(f *family) int {
	if f == s.family {
		return s.bits
	}
	return f.maxBits
}

// parseLine takes a line apart, or returns nil if it has no known form.
func (s *checksum) parseLine(line string) *item {
	line = strings.TrimLeft(line, " \t")
	line, escaped := strings.CutPrefix(line, `\`)
	for _, f := range s.tagged() {
		if s.given("algorithm") && f != s.family {
			continue
		}
		if rest, ok := strings.CutPrefix(line, f.tag); ok {
			return parseTagged(f, rest, escaped)
		}
		if rest, ok := strings.CutPrefix(line, strings.ToUpper(f.tag)+"-"); ok { // openssl's
			return parseTagged(f, "-"+rest, escaped)
		}
	}
	digits := 0
	for digits < len(line) && strings.IndexByte("0123456789abcdefABCDEF", line[digits]) >= 0 {
		digits++
	}
	rest := line[digits:]
	want, err := hex.DecodeString(line[:digits])
	if err != nil || digits == 0 || 4*digits > s.family.maxBits || rest == "" || rest[0] != ' ' && rest[0] != '\t' {
		return nil
	}
	rest = rest[1:]
	switch {
	case len(rest) < 2 || rest[0] != ' ' && rest[0] != '*':
		if s.layout == layoutGNU {
			return nil
		}
		s.layout = layoutReversed
	case s.layout != layoutReversed:
		s.layout = layoutGNU
		rest = rest[1:]
	}
	return newItem(kind{s.family, 4 * digits}, rest, want, escaped)
}

// parseTagged takes apart what follows the tag: "-128 (name) = digest".
func parseTagged(f *family, rest string, escaped bool) *item {
	bits := f.maxBits
	if number, ok := strings.CutPrefix(rest, "-"); ok {
		end := strings.IndexFunc(number, func(c rune) bool { return c < '0' || c > '9' })
		if end < 0 {
			return nil
		}
		n, err := strconv.Atoi(number[:end])
		if err != nil || n < 8 || n > f.maxBits || n%8 != 0 {
			return nil
		}
		bits, rest = n, number[end:]
	} else {
		rest = strings.TrimPrefix(rest, " ") // here b2sum takes two
	}
	rest, ok := strings.CutPrefix(strings.TrimPrefix(rest, " "), "(")
	end := strings.LastIndexByte(rest, ')')
	if !ok || end < 0 {
		return nil
	}
	name := rest[:end]
	digest, ok := strings.CutPrefix(strings.TrimLeft(rest[end+1:], " \t"), "=")
	want, err := hex.DecodeString(strings.TrimLeft(digest, " \t"))
	if !ok || err != nil || 8*len(want) != bits {
		return nil
	}
	return newItem(kind{f, bits}, name, want, escaped)
}

// newItem returns the item of a line, nil if its name is not escaped as it should be.
func newItem(k kind, name string, want []byte, escaped bool) *item {
	if escaped {
		var b strings.Builder
		for i := 0; i < len(name); i++ {
			c := name[i]
			if c == '\\' {
				i++
				if i == len(name) {
					return nil
				}
				at := strings.IndexByte(`\nr`, name[i])
				if at < 0 {
					return nil
				}
				c = "\\\n\r"[at]
			}
			b.WriteByte(c)
		}
		name = b.String()
	}
	if strings.IndexByte(name, 0) >= 0 {
		return nil
	}
	return &item{file: name, kind: k, want: want}
}
