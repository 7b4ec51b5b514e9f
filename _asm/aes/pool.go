package main

import (
	"encoding/binary"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
)

// pool is the table of constants of one file. An entry is added when a routine
// first asks for it.
type pool struct {
	symbol operand.Symbol
	at     map[string]int
	data   []byte
}

func newPool() *pool {
	return &pool{symbol: operand.NewStaticSymbol("constants"), at: map[string]int{}}
}

// entry returns the address of the constant of that name, which it fills up to
// a multiple of 16 bytes.
func (p *pool) entry(name string, bytes []byte) operand.Mem {
	off, ok := p.at[name]
	if !ok {
		off = len(p.data)
		p.at[name] = off
		p.data = append(p.data, bytes...)
		for len(p.data)%16 != 0 {
			p.data = append(p.data, 0)
		}
	}
	return operand.NewDataAddr(p.symbol, off)
}

// quads is an entry of 64-bit numbers.
func (p *pool) quads(name string, numbers ...uint64) operand.Mem {
	var bytes []byte
	for _, n := range numbers {
		bytes = binary.LittleEndian.AppendUint64(bytes, n)
	}
	return p.entry(name, bytes)
}

// doublewords is an entry of 32-bit numbers.
func (p *pool) doublewords(name string, numbers ...uint32) operand.Mem {
	var bytes []byte
	for _, n := range numbers {
		bytes = binary.LittleEndian.AppendUint32(bytes, n)
	}
	return p.entry(name, bytes)
}

func (p *pool) emit(c *build.Context) {
	c.StaticGlobal(p.symbol.Name)
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := 0; i < len(p.data); i += 8 {
		c.AppendDatum(operand.U64(binary.LittleEndian.Uint64(p.data[i:])))
	}
}

// Ciphertext stealing moves the bytes of a block by a distance that only its
// length decides. PSHUFB does it with 16 bytes cut out of a longer row:
// an index with the top bit set gives 0.

// moves is the row 80 x16, 00 01 ... 0f, 80 x16. Cut at n it moves bytes up, the
// first n of them to the end; cut at 32-n it moves bytes down, the last n of
// them to the front. Zeros fill the rest.
func (p *pool) moves() operand.Mem {
	var row [48]byte
	for i := range row {
		row[i] = 0x80
		if i/16 == 1 {
			row[i] = byte(i - 16)
		}
	}
	return p.entry("moves", row[:])
}

// upper is the row 00 x16, ff x16. Cut at 16-n it selects all bytes but the
// first n.
func (p *pool) upper() operand.Mem {
	var row [32]byte
	for i := 16; i < 32; i++ {
		row[i] = 0xff
	}
	return p.entry("upper", row[:])
}
