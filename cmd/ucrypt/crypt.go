package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ucrypt"
)

// crypt is a run of enc or dec: what its flags say.
type crypt struct {
	decrypt bool
	name    string
	key     string
	keyFile string
	iv      string
	in, out string
	noPad   bool
	threads int
	part    part
	sectors sectorFlags
	aead    aeadFlags

	given func(flag string) bool
}

// maxThreads bounds --threads, so that the buffers stay within bufferMemory.
const maxThreads = 256

// cryptCommand completes the command of enc or dec.
func cryptCommand(decrypt bool, c *cobra.Command) *cobra.Command {
	r := &crypt{decrypt: decrypt}
	f := c.Flags()
	f.StringVarP(&r.name, "cipher", "c", "", "algorithm or driver `NAME`, such as 'ctr(sm4)'")
	f.StringVar(&r.key, "key", "", "key in `HEX`")
	f.StringVar(&r.keyFile, "key-file", "", "`FILE` that holds the raw key")
	f.StringVar(&r.iv, "iv", "", "initial value in `HEX`, the nonce of gcm and ccm; in modes of sectors, the input is then one data unit")
	f.StringVar(&r.aead.data, "aad", "", "associated data in `HEX`, which gcm and ccm authenticate too")
	f.StringVar(&r.aead.dataFile, "aad-file", "", "`FILE` that holds the associated data")
	r.aead.tagSize = usualTag
	f.Var(decimalFlag[int]{&r.aead.tagSize}, "tag-size", "tags of `N` bytes in gcm and ccm")
	f.StringVarP(&r.in, "in", "i", "", "input `FILE` instead of standard input")
	f.StringVarP(&r.out, "out", "o", "", "output `FILE`, - for standard output even if it is a terminal")
	f.BoolVar(&r.noPad, "nopad", false, "no padding in ecb and cbc")
	f.Var(decimalFlag[uint64]{&r.sectors.first}, "first-sector", "work on sectors, of which the first has number `M`")
	r.sectors.size = dmSector
	f.Var(decimalFlag[int]{&r.sectors.size}, "sector-size", "sectors of `N` bytes")
	f.BoolVar(&r.sectors.large, "iv-large-sectors", false, "number the sectors by 1, whatever their size")
	f.Var(decimalFlag[int64]{&r.part.from}, "offset", "start at byte `N` of the input")
	f.Var(decimalFlag[int64]{&r.part.length}, "length", "work on `N` bytes of the input only")
	f.Var(decimalFlag[int]{&r.threads}, "threads", "work with `N` threads; 0 for one a processor")
	c.Args = noArguments
	c.DisableFlagsInUseLine = true
	c.RunE = func(c *cobra.Command, _ []string) error {
		ignoreClosedPipe()
		r.given = c.Flags().Changed
		r.part.limited = r.given("length")
		return r.run()
	}
	return c
}

// run checks everything that can be known before the first byte is read, does
// the work, and puts the output in its place.
func (r *crypt) run() error {
	d, m, err := r.cipher()
	if err != nil {
		return err
	}
	p := &pipeline{mode: m, decrypt: r.decrypt, pad: m.pad && !r.noPad, part: r.part}
	if p.iv, err = r.initialValue(d, p); err != nil {
		return err
	}
	if err := r.checkAEAD(d, m, p.iv); err != nil {
		return err
	}
	if err := r.checkPart(d, p); err != nil {
		return err
	}
	if p.threads, err = r.threadCount(); err != nil {
		return err
	}
	if r.given("key") && r.given("key-file") {
		return usagef("--key and --key-file exclude each other")
	}
	for flag, name := range map[string]string{"in": r.in, "out": r.out} {
		if r.given(flag) && name == "" {
			return usagef("--%s: an empty file name; want a file, or - for the standard %sput", flag, flag)
		}
	}
	if r.noPad && !m.pad {
		return usagef("--nopad is for modes that pad, which %s is not", d.Name)
	}
	if !r.given("out") {
		if err := refuseTerminal(os.Stdout); err != nil {
			return err
		}
	}
	in, err := openInput(r.in)
	if err != nil {
		return err
	}
	defer in.close()
	if err := r.refuseSameFile(in); err != nil {
		return err
	}
	key, err := r.readKey(d)
	if err != nil {
		return err
	}
	if m.aead {
		p.sealing, err = r.newSealing(d, key, p.iv)
	} else {
		p.cipher, err = ucrypt.NewSkcipher(d.DriverName, key)
	}
	if err != nil {
		return err
	}
	if p.in = in; in.size >= 0 {
		p.inAt, p.total = in, in.size
	} else if err := in.skip(p.start(), p.part.from); err != nil {
		return err
	}
	if err := p.check(); err != nil {
		return in.named(err)
	}
	if p.sealing != nil {
		size, kept, err := p.sealing.gather(p, in)
		if err != nil {
			return err
		}
		defer kept.close()
		p.sealing.begin(size, r.decrypt)
	}
	// Plaintext whose tag was not checked is nobody's to see.
	unchecked := p.sealing != nil && r.decrypt
	out, err := openOutputAs(r.out, unchecked)
	if err != nil {
		return err
	}
	var held spool
	defer held.close()
	switch p.out = out; {
	case out.target != "":
		p.outAt = out
	case unchecked:
		p.out = &held
	}
	bar := newProgress(p.part.of(in.size))
	err = p.run(bar.add)
	bar.close()
	if err == nil && p.out == &held {
		err = held.release(out)
	}
	if err != nil {
		out.abort()
		return err
	}
	in.leave(p.offset)
	return out.commit()
}

// cipher returns the driver that is to do the work, and how its mode's work is
// cut up.
func (r *crypt) cipher() (ucrypt.Driver, mode, error) {
	if r.name == "" {
		return ucrypt.Driver{}, mode{}, usagef("no cipher: give an algorithm or a driver with -c, such as -c 'ctr(sm4)'; \"ucrypt list\" names them")
	}
	d, err := ucrypt.Lookup(r.name)
	var unknown *ucrypt.UnknownAlgorithmError
	if errors.As(err, &unknown) {
		return d, mode{}, usagef("unknown algorithm or driver %q; \"ucrypt list\" names them", r.name)
	}
	if err != nil {
		return d, mode{}, err
	}
	m, ok := modeOf(d)
	if !ok {
		return d, mode{}, usagef("%s (%s) does not encrypt files; want one of the modes %s, such as ctr(sm4)", r.name, d.Type, modeNames(func(mode) bool { return true }))
	}
	return d, m, nil
}

// initialValue returns the iv, which has to be given exactly if there is one. If
// it is a sector's number, p is made to work on sectors.
func (r *crypt) initialValue(d ucrypt.Driver, p *pipeline) ([]byte, error) {
	if sectors, err := r.checkSectors(d, p.mode); err != nil {
		return nil, err
	} else if sectors {
		return r.sectors.apply(p), nil
	}
	switch {
	case p.mode.aead:
		return r.nonce(d)
	case d.IVSize == 0 && r.given("iv"):
		return nil, usagef("--iv: %s has no iv", d.Name)
	case d.IVSize == 0:
		return nil, nil
	case r.given("iv"):
		return parseHex("--iv", r.iv, d.IVSize, d.IVSize)
	case p.mode.units:
		return nil, usagef("%s needs an iv: give --first-sector with the first sector's number, or, for an input that is one data unit, --iv with %s",
			d.Name, hexDigits(d.IVSize, d.IVSize))
	}
	return nil, usagef("%s needs an iv: give --iv with %s", d.Name, hexDigits(d.IVSize, d.IVSize))
}

func (r *crypt) threadCount() (int, error) {
	if r.threads < 0 || r.threads > maxThreads {
		return 0, usagef("--threads: %d, want 1 to %d, or 0 for one a processor", r.threads, maxThreads)
	}
	if r.threads == 0 {
		return min(runtime.GOMAXPROCS(0), maxThreads), nil
	}
	return r.threads, nil
}

// refuseSameFile refuses an output that is the input or a flag's file, and an input
// that is a flag's and can be read once only, whatever names they are called by.
func (r *crypt) refuseSameFile(in *input) error {
	for _, other := range []struct{ flag, file, what string }{
		{"key-file", r.keyFile, "key file"},
		{"aad-file", r.aead.dataFile, "file of the associated data"},
	} {
		// What can be read once, as a pipe, would be empty the second time.
		i, err := in.file.Stat()
		if k, keyErr := os.Stat(other.file); r.given(other.flag) && err == nil && keyErr == nil && !i.Mode().IsRegular() && os.SameFile(i, k) {
			return usagef("%s is the input and the %s as well", in.name, other.what)
		}
	}
	var (
		out os.FileInfo
		err error
	)
	if isStandard(r.out) {
		out, err = os.Stdout.Stat()
	} else {
		out, err = os.Stat(r.out)
	}
	if err != nil || !out.Mode().IsRegular() {
		return nil // it does not exist yet, or can be both
	}
	name := r.out
	if isStandard(name) {
		name = "standard output"
	}
	if i, err := in.file.Stat(); err == nil && os.SameFile(i, out) {
		return usagef("input and output are the same file (%s, %s)", in.name, name)
	}
	for _, other := range []struct{ flag, file, what string }{
		{"key-file", r.keyFile, "key file"},
		{"aad-file", r.aead.dataFile, "file of the associated data"},
	} {
		if k, err := os.Stat(other.file); r.given(other.flag) && err == nil && os.SameFile(k, out) {
			return usagef("the output would replace the %s (%s)", other.what, name)
		}
	}
	return nil
}

// readKey returns the key, of one of the sizes that the driver takes.
func (r *crypt) readKey(d ucrypt.Driver) ([]byte, error) {
	if r.given("key") {
		return parseHex("--key", r.key, d.MinKeySize, d.MaxKeySize)
	}
	if r.given("key-file") {
		return readKeyFile(r.keyFile, d)
	}
	text, err := promptHidden(fmt.Sprintf("Key for %s, %s (not shown): ", d.Name, hexDigits(d.MinKeySize, d.MaxKeySize)))
	if errors.Is(err, errNoTerminal) {
		return nil, usagef("no key: give --key-file or --key; there is no terminal to ask for it on")
	}
	if err != nil {
		return nil, fmt.Errorf("reading the key from the terminal: %w", err)
	}
	return parseHex("key", text, d.MinKeySize, d.MaxKeySize)
}

func readKeyFile(name string, d ucrypt.Driver) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, named(name, err)
	}
	defer f.Close()
	// One byte more than is wanted shows that there are too many.
	key, err := io.ReadAll(io.LimitReader(f, int64(d.MaxKeySize)+1))
	if err != nil {
		return nil, named(name, err)
	}
	want := rawSizes(d)
	switch {
	case len(key) > d.MaxKeySize:
		return nil, usagef("--key-file: %s holds more than %d bytes, want %s raw bytes (not hex, no newline)", name, d.MaxKeySize, want)
	case len(key) < d.MinKeySize:
		return nil, usagef("--key-file: %s holds %d bytes, want %s raw bytes", name, len(key), want)
	}
	return key, nil
}

// rawSizes says how many bytes a key has.
func rawSizes(d ucrypt.Driver) string {
	if d.MinKeySize == d.MaxKeySize {
		return strconv.Itoa(d.MinKeySize)
	}
	return fmt.Sprintf("%d to %d", d.MinKeySize, d.MaxKeySize)
}

// parseHex returns the bytes of a hex string that has to stand for low to high
// bytes. Its errors never show the string, which may be a key.
func parseHex(what, s string, low, high int) ([]byte, error) {
	b, err := decodeHex(what, s, hexDigits(low, high))
	if err == nil && (len(b) < low || len(b) > high) {
		return nil, usagef("%s: %d hex digits, want %s", what, len(s), hexDigits(low, high))
	}
	return b, err
}

// decodeHex returns the bytes of a hex string.
func decodeHex(what, s, want string) ([]byte, error) {
	for i, c := range s {
		if !strings.ContainsRune("0123456789abcdefABCDEF", c) {
			return nil, usagef("%s: character %d is not a hex digit; want %s", what, i+1, want)
		}
	}
	if len(s)%2 != 0 {
		return nil, usagef("%s: an odd number of hex digits, %d; want %s", what, len(s), want)
	}
	return hex.DecodeString(s)
}

// hexDigits says how many hex digits low to high bytes are.
func hexDigits(low, high int) string {
	if low == high {
		return fmt.Sprintf("%d hex digits (%d bytes)", 2*low, low)
	}
	return fmt.Sprintf("%d to %d hex digits (%d to %d bytes)", 2*low, 2*high, low, high)
}
