package main

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/crypto/blake2b"

	"ucrypt"
	"ucrypt/blake2s"
)

// family is a hash whose digests have any length.
type family struct {
	tag     string // in the lines of --tag
	name    string // of its algorithms, before the length
	maxBits int    // of a digest
	newHash func(size int, key []byte) (hash.Hash, error)

	// sumMany appends the digests of many messages; nil if they gain nothing from each
	// other.
	sumMany func(dst []byte, size int, key []byte, messages [][]byte) ([]byte, error)

	mac *ucrypt.Driver // of a MAC over a cipher, see macFamily
}

var families = []*family{
	{"BLAKE2b", "blake2b", 512, blake2b.New, nil, nil},
	{"BLAKE2s", "blake2s", 256, blake2s.New, blake2s.AppendSumMany, nil},
}

// checksum is a run of the verb: what its flags say, and how far it is.
type checksum struct {
	algorithm string
	length    string
	keyFile   string
	binary    bool
	text      bool
	tag       bool
	zero      bool
	check     bool

	// With check only.
	ignoreMissing bool
	strict        bool
	quiet         bool
	status        bool
	warn          bool

	given  func(flag string) bool
	family *family
	bits   int    // of digests, unless a line that is checked says otherwise
	driver string // if one was named
	key    []byte

	out    *bufio.Writer
	failed bool
	layout layout
}

func sumCommand() *cobra.Command {
	s := &checksum{}
	c := &cobra.Command{
		Use:   "sum [-a NAME] [FILE…]",
		Short: "Digests of files, and files checked against them, as b2sum",
		Long: `sum prints the digest of each FILE, or of standard input without one or for -, as
b2sum does: BLAKE2b of 512 bits unless -a names another hash. NAME is blake2b or
blake2s, an algorithm such as blake2s-128, or a driver: see "ucrypt list".

With -c the FILEs hold such lines, and the files that the lines name are checked.
The forms that are read are b2sum's, that of --tag, and that of "openssl dgst".
Without -a, a line with a tag may be of either hash, and one without is BLAKE2b.

With --key-file, which holds a raw key of 1 to 64 bytes (blake2s: 32), the digests
are MACs; nothing in a line says so, and -c takes no line with a MAC of another
length than -l gives, or the full one. The MACs of a cipher, -a 'cmac(sm4)' for one
or xcbc, cbcmac and those over aes, need the cipher's key; -l cuts them to their
first bits. cbcmac is for messages that all have the same length: of others it can
be forged.

Many files are read at once; the output is in the order of the arguments. Options,
messages and exit status are b2sum's: 1 if a file could not be read or did not
match, and for options of b2sum that do not go together.`,
		Example: `  ucrypt sum *.iso >SUMS
  ucrypt sum -c SUMS
  ucrypt sum -a blake2s --tag *.iso
  openssl dgst -blake2s256 *.iso | ucrypt sum -c
  ucrypt sum -a 'cmac(sm4)' --key-file key *.iso >MACS
  ucrypt sum -a 'cmac(sm4)' --key-file key -c MACS`,
		RunE: func(c *cobra.Command, files []string) error {
			s.given = c.Flags().Changed
			return s.run(files)
		},
	}
	c.DisableFlagsInUseLine = true
	f := c.Flags()
	f.StringVarP(&s.algorithm, "algorithm", "a", "", "blake2b, blake2s, cmac(sm4), an algorithm or a driver `NAME` (default blake2b)")
	f.StringVarP(&s.length, "length", "l", "", "length of a digest in `BITS`, a multiple of 8 (default the hash's longest)")
	f.StringVar(&s.keyFile, "key-file", "", "`FILE` that holds the raw key of a MAC")
	f.BoolVarP(&s.check, "check", "c", false, "read lines from the FILEs, and check the files that they name")
	f.BoolVarP(&s.zero, "zero", "z", false, "end each line with a NUL instead of a newline, and escape no names")
	f.BoolVar(&s.ignoreMissing, "ignore-missing", false, "with -c: pass over files that do not exist")
	f.BoolVar(&s.strict, "strict", false, "with -c: a line of no known form is a failure")
	// Of those that contradict each other the last one counts.
	last := func(name, short, usage string, set func()) {
		f.BoolFuncP(name, short, usage, func(value string) error {
			if value != "true" {
				return errors.New("it takes no value")
			}
			set()
			return nil
		})
	}
	last("binary", "b", "a * before the name, for binary mode", func() { s.binary, s.text = true, false })
	last("text", "t", "a space before the name, for text mode (default)", func() { s.binary, s.text = false, true })
	last("tag", "", "lines in BSD's form, which name the hash", func() { s.tag, s.binary, s.text = true, true, false })
	last("quiet", "", "with -c: no line for a file that matches", func() { s.quiet, s.status, s.warn = true, false, false })
	last("status", "", "with -c: no lines at all, only the exit status", func() { s.quiet, s.status, s.warn = false, true, false })
	last("warn", "w", "with -c: say which lines have no known form", func() { s.quiet, s.status, s.warn = false, false, true })
	return c
}

func (s *checksum) run(files []string) error {
	if err := s.prepare(); err != nil {
		return err
	}
	if len(files) == 0 {
		files = []string{"-"}
	}
	s.out = bufio.NewWriterSize(os.Stdout, 64<<10)
	debug.SetGCPercent(400) // what there is to collect is little, and none of it stays
	if s.check {
		for _, name := range files {
			s.checkFile(name)
		}
	} else {
		s.printSums(files)
	}
	if err := s.out.Flush(); err != nil {
		return named("standard output", err)
	}
	if s.failed {
		return errSaid
	}
	return nil
}

// prepare finds the hash, and refuses, in b2sum's order and with its exit status, options
// that do not go together.
func (s *checksum) prepare() error {
	if err := s.findHash(); err != nil {
		return err
	}
	switch {
	case s.tag && s.text:
		return errors.New("--tag does not support --text mode")
	case s.zero && s.check:
		return errors.New("the --zero option is not supported when verifying checksums")
	case s.tag && s.check:
		return errors.New("the --tag option is meaningless when verifying checksums")
	case (s.binary || s.text) && s.check:
		return errors.New("the --binary and --text options are meaningless when verifying checksums")
	}
	for _, option := range []struct {
		name  string
		given bool
	}{
		{"ignore-missing", s.ignoreMissing}, {"status", s.status}, {"warn", s.warn}, {"quiet", s.quiet}, {"strict", s.strict},
	} {
		if option.given && !s.check {
			return fmt.Errorf("the --%s option is meaningful only when verifying checksums", option.name)
		}
	}
	if s.family.mac != nil {
		return s.prepareMAC()
	}
	if s.given("key-file") {
		// With an empty key the digests would be no MACs.
		key, err := readKeyFile(s.keyFile, ucrypt.Driver{Name: s.family.name, MinKeySize: 1, MaxKeySize: s.family.maxBits / 8})
		if err != nil {
			return err
		}
		s.key = key
	}
	_, err := s.newHash(kind{s.family, s.bits}) // fails once rather than for each file
	return err
}

// findHash finds the hash that --algorithm and --length name.
func (s *checksum) findHash() error {
	const want = `want blake2b, blake2s, what "ucrypt list 'blake2*'" names, or a MAC such as cmac(sm4)`
	s.family = families[0]
	if s.given("algorithm") {
		i := slices.IndexFunc(families, func(f *family) bool { return f.name == s.algorithm })
		if i < 0 {
			d, err := ucrypt.Lookup(s.algorithm)
			var unknown *ucrypt.UnknownAlgorithmError
			if errors.As(err, &unknown) {
				return usagef("unknown hash %q, %s", s.algorithm, want)
			}
			if err != nil {
				return err
			}
			if isMAC(d) {
				s.family = macFamily(d)
				s.bits, err = s.macLength()
				return err
			}
			i = slices.IndexFunc(families, func(f *family) bool { return strings.HasPrefix(d.Name, f.name+"-") })
			if d.Type != ucrypt.TypeShash || i < 0 {
				return usagef("%s (%s) has no digests of files, %s", s.algorithm, d.Type, want)
			}
			s.bits = 8 * d.DigestSize
			if s.algorithm == d.DriverName {
				s.driver = d.DriverName
			}
		}
		s.family = families[i]
	}
	bits, err := s.parseLength()
	switch {
	case err != nil:
		return err
	case s.bits == 0 && bits == 0:
		s.bits = s.family.maxBits
	case s.bits == 0:
		s.bits = bits
	case bits > 0 && bits != s.bits:
		return usagef("--length %d: digests of %s have %d bits", bits, s.algorithm, s.bits)
	}
	return nil
}

// parseLength returns the number of --length, 0 if there is none or it is 0.
func (s *checksum) parseLength() (int, error) {
	if !s.given("length") {
		return 0, nil
	}
	n, err := strconv.ParseUint(strings.TrimPrefix(strings.TrimLeft(s.length, " \t\n\v\f\r"), "+"), 10, 64)
	why := ""
	switch {
	case errors.Is(err, strconv.ErrRange):
		why = ": Value too large for defined data type"
	case err != nil:
	case n > uint64(s.family.maxBits):
		why = fmt.Sprintf(": maximum digest length for '%s' is %d bits", s.family.tag, s.family.maxBits)
	case n%8 != 0:
		why = ": length is not a multiple of 8"
	default:
		return int(n), nil
	}
	return 0, fmt.Errorf("invalid length: '%s'%s", s.length, why)
}

// hasDriver reports whether digests of a kind are to come from the driver that was named.
func (s *checksum) hasDriver(k kind) bool { return s.driver != "" && k == kind{s.family, s.bits} }

// newHash returns a hash of a kind: the driver's that was named if that has such digests,
// else that of the registry's best driver, else, for a length that the registry has not,
// that of the direct package.
func (s *checksum) newHash(k kind) (hash.Hash, error) {
	if k.mac != nil {
		return s.newMAC(k)
	}
	if s.hasDriver(k) {
		return ucrypt.NewHash(s.driver, s.key)
	}
	h, err := ucrypt.NewHash(fmt.Sprintf("%s-%d", k.name, k.bits), s.key)
	var unknown *ucrypt.UnknownAlgorithmError
	if errors.As(err, &unknown) {
		return k.newHash(k.bits/8, s.key)
	}
	return h, err
}

// printSums prints the digests of files.
func (s *checksum) printSums(files []string) {
	s.digests(func(submit func(*item)) {
		for _, file := range files {
			submit(&item{file: file, kind: kind{s.family, s.bits}})
		}
	}, func(i *item) {
		if i.err != nil {
			s.complain(i.file, i.err)
			return
		}
		s.out.Write(s.appendLine(s.out.AvailableBuffer(), i))
	})
}

// appendLine appends the line of a digest.
func (s *checksum) appendLine(b []byte, i *item) []byte {
	name, end := i.file, byte('\n')
	if s.zero {
		end = 0
	} else if strings.ContainsAny(name, "\\\n\r") {
		b, name = append(b, '\\'), escapeName(name)
	}
	if s.tag {
		b = append(b, i.tag...)
		if i.bits < i.maxBits {
			b = strconv.AppendInt(append(b, '-'), int64(i.bits), 10)
		}
		b = append(append(append(b, " ("...), name...), ") = "...)
		b = hex.AppendEncode(b, i.digest)
	} else {
		b = append(hex.AppendEncode(b, i.digest), ' ')
		if s.binary {
			b = append(b, '*')
		} else {
			b = append(b, ' ')
		}
		b = append(b, name...)
	}
	return append(b, end)
}

// escapeName writes a name as it stands in a line that begins with a backslash.
func escapeName(name string) string {
	return strings.NewReplacer("\\", `\\`, "\n", `\n`, "\r", `\r`).Replace(name)
}

// message prints a message, in its place among the lines.
func (s *checksum) message(format string, args ...any) {
	s.out.Flush() // an error stays, and is found at the end
	fmt.Fprintf(os.Stderr, "ucrypt sum: "+format+"\n", args...)
}

// complain is the message about a file that cannot be read, in the words of the C library
// where the error is the system's.
func (s *checksum) complain(file string, err error) {
	s.failed = true
	text := oneLine(cause(err))
	if _, ok := errors.AsType[syscall.Errno](err); ok {
		text = strings.ToUpper(text[:1]) + text[1:]
	}
	s.message("%s: %s", quoteName(file), text)
}
