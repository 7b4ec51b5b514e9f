package main

import (
	"encoding/binary"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
)

// pool is the table of constants of one file, each of 16 bytes. One is added
// when a routine first asks for it.
type pool struct {
	symbol operand.Symbol
	at     map[[2]uint64]int
	data   [][2]uint64
}

func newPool() *pool {
	return &pool{symbol: operand.NewStaticSymbol("constants"), at: map[[2]uint64]int{}}
}

// quads returns the address of a constant, the lower half first.
func (p *pool) quads(lo, hi uint64) operand.Mem {
	c := [2]uint64{lo, hi}
	i, ok := p.at[c]
	if !ok {
		i = len(p.data)
		p.at[c] = i
		p.data = append(p.data, c)
	}
	return operand.NewDataAddr(p.symbol, 16*i)
}

// reversal is the shuffle that turns the order of a block's bytes round.
func (p *pool) reversal() operand.Mem {
	var b [16]byte
	for i := range b {
		b[i] = byte(15 - i)
	}
	return p.quads(binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint64(b[8:]))
}

func (p *pool) emit(c *build.Context) {
	c.StaticGlobal(p.symbol.Name)
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	for _, q := range p.data {
		c.AppendDatum(operand.U64(q[0]))
		c.AppendDatum(operand.U64(q[1]))
	}
}
