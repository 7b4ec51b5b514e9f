package main

import (
	"encoding/binary"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
)

// pool is the table of constants of one file. A row is 16 bytes, repeated in
// files with ymm and zmm routines, and is added when a routine first asks for it.
//
// Go's linker aligns a data symbol to 32 bytes at most, which is enough: no row
// of 32 bytes crosses a cache line.
type pool struct {
	symbol operand.Symbol
	repeat int // copies of each row: 1 for xmm, 2 for ymm, 4 for zmm
	at     map[string]int
	data   []byte
}

func newPool(symbol string, repeat int) *pool {
	return &pool{symbol: operand.NewStaticSymbol(symbol), repeat: repeat, at: map[string]int{}}
}

// row returns the address of a row of that name.
func (p *pool) row(name string, bytes [16]byte) operand.Mem {
	off, ok := p.at[name]
	if !ok {
		off = len(p.data)
		p.at[name] = off
		for range p.repeat {
			p.data = append(p.data, bytes[:]...)
		}
	}
	return operand.NewDataAddr(p.symbol, off)
}

// array returns the address of data that is not made of rows.
func (p *pool) array(name string, bytes []byte) operand.Mem {
	off, ok := p.at[name]
	if !ok {
		off = len(p.data)
		p.at[name] = off
		p.data = append(p.data, bytes...)
		for len(p.data)%(16*p.repeat) != 0 {
			p.data = append(p.data, 0)
		}
	}
	return operand.NewDataAddr(p.symbol, off)
}

func (p *pool) emit(c *build.Context) {
	c.StaticGlobal(p.symbol.Name)
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := 0; i < len(p.data); i += 8 {
		c.AppendDatum(operand.U64(binary.LittleEndian.Uint64(p.data[i:])))
	}
}

// The helpers below make rows.

// same fills a row with one byte.
func same(b byte) (row [16]byte) {
	for i := range row {
		row[i] = b
	}
	return row
}

// byteSwap reverses the bytes of each word.
func byteSwap() (row [16]byte) {
	for i := range row {
		row[i] = byte(i ^ 3)
	}
	return row
}
