package main

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"path"
	"slices"
	"strings"

	"ucrypt"
)

// question is a message for whoever has the same algorithm.
type question struct {
	driver    ucrypt.Driver // one that has the algorithm
	decrypt   bool          // never for AEADs
	key, iv   []byte        // the iv of an AEAD is its nonce
	message   []byte
	data      []byte // associated data
	algorithm string
}

// oracle answers questions: a message's ciphertext, that of an AEAD with the tag
// behind it, or its digest.
type oracle interface {
	// name says who answers; an error that nobody does.
	name() (string, error)
	answer(question) ([]byte, error)
}

// errNotThere is the answer to an algorithm that the oracle does not have, or cannot
// be asked for.
var errNotThere = errors.New("cannot be asked for it")

var oracles = map[string]oracle{"openssl": opensslOracle{}, "afalg": runningKernel}

// againstLengths are around the sizes of blocks and of what assembly takes at
// once; a socket of AF_ALG takes 64 KiB at most.
var againstLengths = []int{0, 1, 15, 16, 17, 31, 32, 48, 64, 127, 128, 255, 256, 272, 1024, 1420, 4096, 4101, 32768}

// against compares every driver of the algorithms that names match with an oracle.
func against(w io.Writer, o oracle, names []string, seed uint64) error {
	who, err := o.name()
	if err != nil {
		return fmt.Errorf("nothing could be compared: %w", err)
	}
	if seed == 0 {
		seed = rand.Uint64()
	}
	drivers := map[string][]ucrypt.Driver{}
	var order []string
	for _, d := range ucrypt.Drivers() {
		if d.Type == ucrypt.TypeCipher || !namedBy(names, d) {
			continue
		}
		if d, err := ucrypt.Lookup(d.DriverName); err == nil {
			if drivers[d.Name] == nil {
				order = append(order, d.Name)
			}
			drivers[d.Name] = append(drivers[d.Name], d)
		}
	}
	if len(order) == 0 {
		return usagef("no usable driver of %s", strings.Join(names, " "))
	}
	compared, wrong := 0, 0
	for _, name := range order {
		n, bad, err := compareWith(w, o, drivers[name], rand.New(rand.NewPCG(seed, 1)))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if n == 0 {
			fmt.Fprintf(w, "not run: %s: %s %v\n", name, who, errNotThere)
			continue
		}
		compared, wrong = compared+n, wrong+bad
		verdict := "equal"
		if bad > 0 {
			verdict = fmt.Sprintf("%d DIFFER", bad)
		}
		if _, err := fmt.Fprintf(w, "%-24s %s, %s: %s\n", name, plural(len(drivers[name]), "driver"), plural(n, "answer"), verdict); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprintf(w, "\nseed %d: %s compared with %s, %d differ\n", seed, plural(compared, "answer"), who, wrong); err != nil {
		return err
	}
	switch {
	case wrong > 0:
		return fmt.Errorf("%d of %s differ from %s", wrong, plural(compared, "answer"), who)
	case compared == 0:
		return fmt.Errorf("nothing could be compared with %s", who)
	}
	return nil
}

func namedBy(names []string, d ucrypt.Driver) bool {
	for _, n := range names {
		a, _ := path.Match(n, d.Name)
		b, _ := path.Match(n, d.DriverName)
		if a || b || n == d.Name || n == d.DriverName {
			return true
		}
	}
	return len(names) == 0
}

// compareWith asks one algorithm's questions, and has each driver answer them too.
func compareWith(w io.Writer, o oracle, drivers []ucrypt.Driver, random *rand.Rand) (compared, wrong int, err error) {
	noise := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		return b
	}
	d := drivers[0]
	for _, size := range againstKeys(d) {
		for _, n := range againstLengths {
			if d.Type == ucrypt.TypeSkcipher && !takes(d, n) {
				continue
			}
			for _, decrypt := range []bool{false, true} {
				if decrypt && d.Type != ucrypt.TypeSkcipher {
					continue
				}
				q := question{driver: d, algorithm: d.Name, decrypt: decrypt, key: noise(size), iv: noise(d.IVSize), message: noise(n)}
				if d.Type == ucrypt.TypeAEAD {
					q.iv, q.data = noise(12), noise(n%37)
				}
				want, err := o.answer(q)
				if errors.Is(err, errNotThere) {
					continue
				}
				if err != nil {
					return 0, 0, err
				}
				for _, d := range drivers {
					got, err := ours(d, q)
					if compared++; err == nil && bytes.Equal(got, want) {
						continue
					}
					if wrong++; wrong <= 5 {
						fmt.Fprintf(w, "DIFFERS %s, decrypt %v, %d bytes, key %x, iv %x, data %x, message %s: error %v\n got %s\nwant %s\n",
							d.DriverName, decrypt, n, q.key, q.iv, q.data, abridged(q.message), err, abridged(got), abridged(want))
					}
				}
			}
		}
	}
	return compared, wrong, nil
}

func abridged(b []byte) string {
	if len(b) > 64 {
		return hex.EncodeToString(b[:64]) + "…"
	}
	return hex.EncodeToString(b)
}

// againstKeys are key sizes in bytes.
func againstKeys(d ucrypt.Driver) (sizes []int) {
	if d.Type == ucrypt.TypeShash && d.MinKeySize == 0 {
		return []int{0, 1, d.MaxKeySize}
	}
	step := 8
	if strings.HasPrefix(d.Name, "xts") {
		step = 32
	}
	for n := d.MinKeySize; n <= d.MaxKeySize; n += step {
		sizes = append(sizes, n)
	}
	return sizes
}

// takes reports whether a driver takes messages of n bytes.
func takes(d ucrypt.Driver, n int) bool {
	mode, _, _ := strings.Cut(d.Name, "(")
	switch {
	case d.BlockSize == 1:
		return n > 0
	case strings.HasPrefix(mode, "xts") || strings.HasPrefix(mode, "cts"):
		return n >= d.BlockSize
	}
	return n > 0 && n%d.BlockSize == 0
}

// ours is a driver's answer.
func ours(d ucrypt.Driver, q question) ([]byte, error) {
	switch d.Type {
	case ucrypt.TypeAEAD:
		a, err := ucrypt.NewAEAD(d.DriverName, q.key, len(q.iv), d.MaxTagSize)
		if err != nil {
			return nil, err
		}
		return a.Seal(nil, q.iv, q.message, q.data), nil
	case ucrypt.TypeShash:
		h, err := ucrypt.NewHash(d.DriverName, q.key)
		if err != nil {
			return nil, err
		}
		h.Write(q.message)
		return h.Sum(nil), nil
	}
	s, err := ucrypt.NewSkcipher(d.DriverName, q.key)
	if err != nil {
		return nil, err
	}
	out, crypt := make([]byte, len(q.message)), s.Encrypt
	if q.decrypt {
		crypt = s.Decrypt
	}
	return out, crypt(out, q.message, bytes.Clone(q.iv))
}

// opensslOracle is the openssl command.
type opensslOracle struct{}

func (opensslOracle) name() (string, error) {
	out, err := exec.Command("openssl", "version").Output()
	if err != nil {
		return "", fmt.Errorf("openssl: %w", err)
	}
	fields := strings.Fields(string(out))
	return strings.Join(fields[:min(2, len(fields))], " "), nil
}

// opensslLibrary asks the library what the command cannot be asked for, if the
// build has it.
var opensslLibrary = func(question) ([]byte, error) { return nil, errNotThere }

func (opensslOracle) answer(q question) ([]byte, error) {
	args := opensslArgs(q)
	mode, _ := opensslMode(q)
	stealing := strings.HasPrefix(mode, "cts")
	if args == nil || stealing && len(q.message) > opensslPiece {
		return opensslLibrary(q)
	}
	if stealing {
		return q.viaCS1(func(message []byte) ([]byte, error) { return runOpenSSL(args, message) })
	}
	return runOpenSSL(args, q.message)
}

// opensslPiece is what the command hands to a cipher at once, whatever -bufsize says;
// ciphertext can be stolen in one piece only.
const opensslPiece = 4096

// viaCS1 answers a question about any variant of ciphertext stealing by CS1, which
// is all that the command has. The others swap its last two blocks, CS2 only if
// the last one is not whole.
func (q question) viaCS1(cs1 func(message []byte) ([]byte, error)) ([]byte, error) {
	rest := (len(q.message)+15)%16 + 1
	swapped := len(q.message) > 16 && (strings.HasPrefix(q.algorithm, "cts(") || strings.HasPrefix(q.algorithm, "cts-cs2(") && rest < 16)
	if !swapped {
		return cs1(q.message)
	}
	swap := func(b []byte, first int) []byte {
		at := len(b) - 16 - rest
		return slices.Concat(b[:at], b[at+first:], b[at:at+first])
	}
	if q.decrypt {
		return cs1(swap(q.message, 16))
	}
	out, err := cs1(q.message)
	if err != nil {
		return nil, err
	}
	return swap(out, rest), nil
}

func runOpenSSL(args []string, message []byte) ([]byte, error) {
	c := exec.Command("openssl", args...)
	c.Stdin = bytes.NewReader(message)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	text := stderr.String()
	switch {
	case err == nil:
		return out, nil
	case strings.Contains(text, "Unknown") || strings.Contains(text, "nvalid command") || strings.Contains(text, "unsupported") || strings.Contains(text, "nknown option"):
		return nil, errNotThere
	}
	return nil, fmt.Errorf("openssl %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(text))
}

// opensslMode is the mode and openssl's name of the cipher.
func opensslMode(q question) (mode, cipher string) {
	mode, cipher, _ = strings.Cut(strings.TrimRight(q.algorithm, ")"), "(")
	if inner, of, ok := strings.Cut(cipher, "("); ok && inner == "cbc" {
		cipher = of
	}
	if cipher == "aes" {
		bits := 8 * len(q.key)
		if mode == "xts" {
			bits /= 2
		}
		cipher = fmt.Sprintf("aes-%d", bits)
	}
	return mode, cipher
}

// opensslArgs are those of the command that answers, or nil if none does: enc
// knows neither xts nor AEADs. The keys are made up, so they may be seen.
func opensslArgs(q question) []string {
	mode, name := opensslMode(q)
	key := hex.EncodeToString(q.key)
	blake2, size, _ := strings.Cut(q.algorithm, "-")
	switch {
	case len(q.key) == 0 && (q.algorithm == "blake2s-256" || q.algorithm == "blake2b-512"):
		return []string{"dgst", "-" + blake2 + size, "-binary"}
	case len(q.key) > 0 && (blake2 == "blake2s" || blake2 == "blake2b"):
		return []string{"mac", "-macopt", "hexkey:" + key, "-macopt", fmt.Sprintf("size:%d", q.driver.DigestSize), "-binary", strings.ToUpper(blake2) + "MAC"}
	case mode == "cmac":
		return []string{"mac", "-cipher", strings.ToUpper(name) + "-CBC", "-macopt", "hexkey:" + key, "-binary", "CMAC"}
	case mode == "ecb" || mode == "cbc" || mode == "cfb" || mode == "ctr":
	case strings.HasPrefix(mode, "cts"):
		mode = "cbc-cts"
	default:
		return nil
	}
	args := []string{"enc", "-" + name + "-" + mode, "-K", key, "-nopad"}
	if len(q.iv) > 0 {
		args = append(args, "-iv", hex.EncodeToString(q.iv))
	}
	if q.decrypt {
		args = append(args, "-d")
	}
	return args
}
