package main

import (
	"encoding/binary"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// emitter writes one file.
type emitter struct {
	*build.Context
	tier tier
	pool *pool
}

// begin starts a routine.
func (e *emitter) begin(name, signature string, doc []string) {
	e.Function(name)
	e.Attributes(attr.NOSPLIT)
	e.Doc(append(doc, "Source: RFC 7693 section 3.2. Constant-time. Features: "+e.tier.features+".")...)
	e.Pragma("noescape")
	e.SignatureExpr(signature)
}

const singleSignature = "func(h *[8]uint32, counter uint64, last uint32, p *byte, n int)"

func singleDoc(name string) []string {
	return []string{
		name + " takes n blocks of 64 bytes from p on into the chaining value h, as compressGeneric does. The counter is the",
		"number of bytes before the first of them, last the finalisation word. n is from 1 to 256, so that the garbage",
		"collector never waits long. p may have any alignment; nothing outside the blocks is read.",
	}
}

func ref(label string) operand.LabelRef { return operand.LabelRef(label) }

func at(base reg.Register, disp int) operand.Mem { return operand.Mem{Base: base, Disp: disp} }

func index(base, index reg.Register, disp int) operand.Mem {
	return operand.Mem{Base: base, Index: index, Scale: 1, Disp: disp}
}

// iv is the initialisation vector of RFC 7693, section 2.6.
var iv = [8]uint32{
	0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
	0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
}

// sigma gives the message words of each round in the order of their use, RFC
// 7693, section 2.7.
var sigma = [10][16]int{
	{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
	{14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
	{11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
	{7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
	{9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
	{2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
	{12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
	{13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
	{6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
	{10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
}

// pool is the table of constants of one file. An entry is added when a routine
// first asks for it.
//
// Go's linker aligns a table of 32 bytes or more to 32 bytes, so that no entry
// crosses a cache line, and SSE instructions, which need an alignment of 16, can
// have them as operands.
type pool struct {
	symbol operand.Symbol
	at     map[string]int
	data   []byte
}

func newPool() *pool {
	return &pool{symbol: operand.NewStaticSymbol("constants"), at: map[string]int{}}
}

// entry returns the address of a constant of 4, 16 or 32 bytes.
func (p *pool) entry(bytes []byte) operand.Mem {
	off, ok := p.at[string(bytes)]
	if !ok {
		for len(p.data)%len(bytes) != 0 {
			p.data = append(p.data, 0)
		}
		off = len(p.data)
		p.at[string(bytes)] = off
		p.data = append(p.data, bytes...)
	}
	return operand.NewDataAddr(p.symbol, off)
}

// words is an entry of 32-bit numbers.
func (p *pool) words(numbers ...uint32) operand.Mem {
	var bytes []byte
	for _, n := range numbers {
		bytes = binary.LittleEndian.AppendUint32(bytes, n)
	}
	return p.entry(bytes)
}

// rotations are byte shuffles that rotate every word right by n bits, 8 or 16,
// in a register of the given number of bytes.
func (p *pool) rotation(n, bytes int) operand.Mem {
	var shuffle []byte
	for i := range bytes {
		shuffle = append(shuffle, byte(i%16/4*4+(i+n/8)%4))
	}
	return p.entry(shuffle)
}

func (p *pool) emit(c *build.Context) {
	if len(p.data) == 0 {
		return
	}
	for len(p.data)%32 != 0 {
		p.data = append(p.data, 0)
	}
	c.StaticGlobal(p.symbol.Name)
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := 0; i < len(p.data); i += 8 {
		c.AppendDatum(operand.U64(binary.LittleEndian.Uint64(p.data[i:])))
	}
}
