// Command sm4 sets ucrypt's best SM4 drivers beside github.com/emmansun/gmsm with
// its own assembly, and the fused drivers beside the templates of their tier.
//
//	cd bench && go run ./sm4 [--rounds 7] [--time 30ms]
//
// Package bars says how it measures. It exits with status 0 whatever the figures
// are.
package main

import (
	"crypto/cipher"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	gmsmcipher "github.com/emmansun/gmsm/cipher"
	gmsm "github.com/emmansun/gmsm/sm4"

	"ucrypt"
	"ucrypt/bench/bars"
	"ucrypt/bench/peers"
	"ucrypt/internal/speed"
	"ucrypt/sm4"
)

func main() {
	rounds := flag.Int("rounds", 7, "rounds")
	each := flag.Duration("time", 30*time.Millisecond, "time for a figure in a round")
	flag.Parse()
	if err := run(os.Stdout, *rounds, *each); err != nil {
		fmt.Fprintln(os.Stderr, "sm4:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, rounds int, each time.Duration) error {
	return bars.Report(w, lines(), rounds, each)
}

const sector = 512

// lines are the comparisons. The bars are for what serves on the processor; the
// other tiers' drivers stand beside their templates without one.
func lines() []bars.Line {
	var all []bars.Line
	add := func(what string, bytes int, ours, peer bars.Side, bar float64) {
		all = append(all, bars.Line{What: what, Bytes: bytes, Ours: ours, Peer: peer, Bar: bar})
	}
	over := func(mode string, decrypt bool, bytes int, bar float64) {
		op := operation(decrypt)
		add(mode+" "+op.String(), bytes, bars.Driver(bars.Best(mode+"(sm4)"), op, 128, bytes), peer(mode, decrypt, bytes), bar)
	}
	both := []bool{false, true}
	for _, decrypt := range both {
		over("ecb", decrypt, 256, 1.4)
		over("ecb", decrypt, 4096, 3.6)
		over("ecb", decrypt, 1<<20, 3.6)
	}
	over("ctr", false, 16, 6)
	over("ctr", false, 4096, 9)
	over("ctr", false, 1<<20, 9)
	over("cbc", true, 4096, 4)
	over("cfb", true, 4096, 40)
	over("cbc", false, 4096, 2.1)
	over("cfb", false, 4096, 2.1)
	for _, decrypt := range both {
		op := operation(decrypt).String()
		add("one block, "+op+", elsewhere", 16, block(decrypt, false), gmsmBlock(decrypt, false), 1.8)
		add("one block, "+op+", in place", 16, block(decrypt, true), gmsmBlock(decrypt, true), 0)
	}
	xts := bars.Best("xts(sm4)")
	for _, decrypt := range both {
		op := operation(decrypt)
		for _, bytes := range []int{sector, 4096} {
			add("xts "+op.String()+", a unit", bytes, bars.Driver(xts, op, 256, bytes), gmsmXTS(decrypt, bytes), 3.6)
		}
	}
	for _, decrypt := range both {
		add("xts "+operation(decrypt).String()+", 8 units of 512", 4096, units(decrypt, true), units(decrypt, false), 1.5)
	}
	for _, tier := range []string{"gfni-avx512", "gfni-avx2", "vaes-avx2", "aesni-avx2", "aesni-avx"} {
		d, template := "xts-sm4-"+tier, "xts(ecb-sm4-"+tier+")"
		if !bars.Usable(d) {
			continue
		}
		serving := func(bar float64) float64 {
			if d == xts {
				return bar
			}
			return 0
		}
		for _, decrypt := range both {
			op := operation(decrypt)
			add("xts "+op.String(), 16, bars.Driver(d, op, 256, 16), bars.Driver(template, op, 256, 16), serving(1.1))
			add("xts "+op.String(), 4096, bars.Driver(d, op, 256, 4096), bars.Driver(template, op, 256, 4096), serving(1.05))
		}
		add("cts encrypt", 32, bars.Driver("cts-cbc-sm4-"+tier, speed.Encrypt, 128, 32), bars.Driver("cts(cbc-sm4-"+tier+")", speed.Encrypt, 128, 32), serving(1.15))
	}
	add("cbc encrypt, 16 messages", 16*4096, messages(true), messages(false), 8)
	if d := "ecb-sm4-gfni-avx2"; bars.Usable(d) {
		add("ecb encrypt", 4096, bars.Driver(d, speed.Encrypt, 128, 4096), peer("ecb", false, 4096), 1.7)
	}
	return all
}

func operation(decrypt bool) speed.Op {
	if decrypt {
		return speed.Decrypt
	}
	return speed.Encrypt
}

// peer is gmsm in a mode.
func peer(mode string, decrypt bool, bytes int) bars.Side {
	return bars.Side{Name: "gmsm", Open: func() (speed.Work, error) { return peers.Work(mode, decrypt, bytes) }}
}

// block is one block after the other through the package's cipher.Block, each by
// itself or, in place, each being the result of the one before.
func block(decrypt, inPlace bool) bars.Side {
	b, _ := sm4.NewCipher(bars.Pattern(16))
	return oneBlock("sm4's cipher.Block", b, decrypt, inPlace)
}

func gmsmBlock(decrypt, inPlace bool) bars.Side {
	b, _ := gmsm.NewCipher(bars.Pattern(16))
	return oneBlock("gmsm's cipher.Block", b, decrypt, inPlace)
}

func oneBlock(name string, b cipher.Block, decrypt, inPlace bool) bars.Side {
	crypt, src := b.Encrypt, bars.Pattern(16)
	if decrypt {
		crypt = b.Decrypt
	}
	dst := make([]byte, 16)
	if inPlace {
		dst = src
	}
	return bars.Call(name, func() error {
		crypt(dst, src)
		return nil
	})
}

// gmsmXTS takes a data unit the one way that gmsm has: a mode of its own, made
// for the sector.
func gmsmXTS(decrypt bool, bytes int) bars.Side {
	open := gmsmcipher.NewXTSEncrypterWithSector
	if decrypt {
		open = gmsmcipher.NewXTSDecrypterWithSector
	}
	keys, buf := bars.Pattern(32), bars.Pattern(bytes)
	return bars.Call("gmsm, by sector", func() error {
		m, err := open(gmsm.NewCipher, keys[:16], keys[16:], 1)
		if err != nil {
			return err
		}
		m.CryptBlocks(buf, buf)
		return nil
	})
}

// units takes 8 data units of 512 bytes in one call, or in 8.
func units(decrypt, together bool) bars.Side {
	name, size := "8 calls", sector
	if together {
		name, size = bars.Best("xts(sm4)"), 8*sector
	}
	return bars.Side{Name: name, Open: func() (speed.Work, error) {
		s, err := ucrypt.NewSkcipher("xts(sm4)", bars.Pattern(32))
		if err != nil {
			return nil, err
		}
		crypt := s.EncryptUnits
		if decrypt {
			crypt = s.DecryptUnits
		}
		buf := bars.Pattern(8 * sector)
		return bars.Call(name, func() error {
			for i := 0; i < len(buf); i += size {
				if err := crypt(buf[i:i+size], buf[i:i+size], sector, uint64(i/sector)); err != nil {
					return err
				}
			}
			return nil
		}).Open()
	}}
}

// messages encrypts 16 messages of 4 KiB side by side, or one after the other.
func messages(together bool) bars.Side {
	name := "16 calls"
	if together {
		name = bars.Best("cbc(sm4)")
	}
	return bars.Side{Name: name, Open: func() (speed.Work, error) {
		s, err := ucrypt.NewSkcipher("cbc(sm4)", bars.Pattern(16))
		if err != nil {
			return nil, err
		}
		var m [16]ucrypt.Message
		for i := range m {
			buf := bars.Pattern(4096)
			m[i] = ucrypt.Message{Dst: buf, Src: buf, IV: bars.Pattern(16)}
		}
		return bars.Call(name, func() error {
			if together {
				return s.EncryptMany(m[:])
			}
			for _, m := range m {
				if err := s.Encrypt(m.Dst, m.Src, m.IV); err != nil {
					return err
				}
			}
			return nil
		}).Open()
	}}
}
