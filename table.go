package ucrypt

import "ucrypt/internal/sm4"

// algorithm tells a driver's mode apart in the hot path.
type algorithm uint8

const (
	oneBlock algorithm = iota
	ecb
	cbc
	cfb
	ctr
	xts
	xtsGB
	ctsCS1
	ctsCS2
	ctsCS3
)

// row is one driver of the table: its description, and what its constructor
// needs.
type row struct {
	name, driver string
	priority     int
	algorithm    algorithm
	tier         sm4.Tier
}

// table lists every driver that is part of ucrypt, on any processor. Names and
// priorities are the kernel's where the kernel has the driver. An algorithm's
// rows may stand in any order, but no two may have the same driver name, and a
// driver must stand before a template of the same algorithm and priority.
var table = [...]row{
	{"sm4", "sm4-generic", 100, oneBlock, sm4.Generic},

	{"ecb(sm4)", "ecb(sm4-generic)", 100, ecb, sm4.Generic},
	{"cbc(sm4)", "cbc(sm4-generic)", 100, cbc, sm4.Generic},
	{"cfb(sm4)", "cfb(sm4-generic)", 100, cfb, sm4.Generic},
	{"ctr(sm4)", "ctr(sm4-generic)", 100, ctr, sm4.Generic},
	{"xts(sm4)", "xts(ecb(sm4-generic))", 100, xts, sm4.Generic},
	{"xts-gb(sm4)", "xts-gb(ecb(sm4-generic))", 100, xtsGB, sm4.Generic},
	{"cts(cbc(sm4))", "cts(cbc(sm4-generic))", 100, ctsCS3, sm4.Generic},
	{"cts-cs1(cbc(sm4))", "cts-cs1(cbc(sm4-generic))", 100, ctsCS1, sm4.Generic},
	{"cts-cs2(cbc(sm4))", "cts-cs2(cbc(sm4-generic))", 100, ctsCS2, sm4.Generic},

	{"ecb(sm4)", "ecb-sm4-aesni-avx", 400, ecb, sm4.AESNIAVX},
	{"cbc(sm4)", "cbc-sm4-aesni-avx", 400, cbc, sm4.AESNIAVX},
	{"cfb(sm4)", "cfb-sm4-aesni-avx", 400, cfb, sm4.AESNIAVX},
	{"ctr(sm4)", "ctr-sm4-aesni-avx", 400, ctr, sm4.AESNIAVX},
	{"xts(sm4)", "xts(ecb-sm4-aesni-avx)", 400, xts, sm4.AESNIAVX},
	{"xts-gb(sm4)", "xts-gb(ecb-sm4-aesni-avx)", 400, xtsGB, sm4.AESNIAVX},
	{"cts(cbc(sm4))", "cts(cbc-sm4-aesni-avx)", 400, ctsCS3, sm4.AESNIAVX},
	{"cts-cs1(cbc(sm4))", "cts-cs1(cbc-sm4-aesni-avx)", 400, ctsCS1, sm4.AESNIAVX},
	{"cts-cs2(cbc(sm4))", "cts-cs2(cbc-sm4-aesni-avx)", 400, ctsCS2, sm4.AESNIAVX},

	{"ecb(sm4)", "ecb-sm4-aesni-avx2", 500, ecb, sm4.AESNIAVX2},
	{"cbc(sm4)", "cbc-sm4-aesni-avx2", 500, cbc, sm4.AESNIAVX2},
	{"cfb(sm4)", "cfb-sm4-aesni-avx2", 500, cfb, sm4.AESNIAVX2},
	{"ctr(sm4)", "ctr-sm4-aesni-avx2", 500, ctr, sm4.AESNIAVX2},
	{"xts(sm4)", "xts(ecb-sm4-aesni-avx2)", 500, xts, sm4.AESNIAVX2},
	{"xts-gb(sm4)", "xts-gb(ecb-sm4-aesni-avx2)", 500, xtsGB, sm4.AESNIAVX2},
	{"cts(cbc(sm4))", "cts(cbc-sm4-aesni-avx2)", 500, ctsCS3, sm4.AESNIAVX2},
	{"cts-cs1(cbc(sm4))", "cts-cs1(cbc-sm4-aesni-avx2)", 500, ctsCS1, sm4.AESNIAVX2},
	{"cts-cs2(cbc(sm4))", "cts-cs2(cbc-sm4-aesni-avx2)", 500, ctsCS2, sm4.AESNIAVX2},
}

// facts are the sizes that an algorithm has with every driver. A key size of 0
// stands for that of the block cipher.
var facts = [...]Driver{
	oneBlock: {Type: TypeCipher, BlockSize: sm4.BlockSize},
	ecb:      {Type: TypeSkcipher, BlockSize: sm4.BlockSize, ChunkSize: sm4.BlockSize, WalkSize: sm4.BlockSize},
	cbc:      {Type: TypeSkcipher, BlockSize: sm4.BlockSize, IVSize: sm4.BlockSize, ChunkSize: sm4.BlockSize, WalkSize: sm4.BlockSize},
	cfb:      {Type: TypeSkcipher, BlockSize: 1, IVSize: sm4.BlockSize, ChunkSize: sm4.BlockSize, WalkSize: sm4.BlockSize},
	ctr:      {Type: TypeSkcipher, BlockSize: 1, IVSize: sm4.BlockSize, ChunkSize: sm4.BlockSize, WalkSize: sm4.BlockSize},
	xts:      {Type: TypeSkcipher, BlockSize: sm4.BlockSize, IVSize: sm4.BlockSize, ChunkSize: sm4.BlockSize, WalkSize: sm4.BlockSize, MinKeySize: 2 * sm4.KeySize, MaxKeySize: 2 * sm4.KeySize},
	xtsGB:    {Type: TypeSkcipher, BlockSize: sm4.BlockSize, IVSize: sm4.BlockSize, ChunkSize: sm4.BlockSize, WalkSize: sm4.BlockSize, MinKeySize: 2 * sm4.KeySize, MaxKeySize: 2 * sm4.KeySize},
	ctsCS1:   {Type: TypeSkcipher, BlockSize: sm4.BlockSize, IVSize: sm4.BlockSize, ChunkSize: sm4.BlockSize, WalkSize: sm4.BlockSize},
	ctsCS2:   {Type: TypeSkcipher, BlockSize: sm4.BlockSize, IVSize: sm4.BlockSize, ChunkSize: sm4.BlockSize, WalkSize: sm4.BlockSize},
	ctsCS3:   {Type: TypeSkcipher, BlockSize: sm4.BlockSize, IVSize: sm4.BlockSize, ChunkSize: sm4.BlockSize, WalkSize: sm4.BlockSize},
}

// describe returns the driver of r without its state.
func (r *row) describe() Driver {
	d := facts[r.algorithm]
	d.Name, d.DriverName, d.Priority = r.name, r.driver, r.priority
	if d.MaxKeySize == 0 {
		d.MinKeySize, d.MaxKeySize = sm4.KeySize, sm4.KeySize
	}
	d.Features, d.ConstantTime = r.tier.Features(), r.tier.ConstantTime()
	return d
}
