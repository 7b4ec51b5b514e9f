package aes

import (
	"ucrypt/internal/cpu"
	"ucrypt/internal/selection"
)

// Tier names a set of routines. Tiers are ordered: a later one is faster.
type Tier uint8

const (
	Go Tier = iota // crypto/aes, one block at a time
	AESNI
	VAESAVX2
	VAESAVX512
	CE // Armv8's AES instructions
	numTiers
)

var facts = [numTiers]selection.Facts{
	Go: {Name: "go"},
	AESNI: {
		Name: "aesni", Archs: []string{"amd64", "386"},
		Features: []cpu.Feature{cpu.AES, cpu.SSSE3}, ConstantTime: true,
	},
	VAESAVX2: {
		Name: "vaes-avx2", Archs: []string{"amd64"},
		Features: []cpu.Feature{cpu.AES, cpu.SSSE3, cpu.AVX, cpu.AVX2, cpu.VAES, cpu.VPCLMULQDQ}, ConstantTime: true,
	},
	VAESAVX512: {
		Name: "vaes-avx512", Archs: []string{"amd64"},
		Features: []cpu.Feature{cpu.AES, cpu.SSSE3, cpu.AVX, cpu.AVX2, cpu.VAES, cpu.VPCLMULQDQ, cpu.AVX512}, ConstantTime: true,
	},
	CE: {
		Name: "ce", Archs: []string{"arm64"},
		Features: []cpu.Feature{cpu.ASIMD, cpu.AES}, ConstantTime: true,
	},
}

var tierTable = selection.NewTable[Tier](assembly, facts[:])

// Tiers lists all tiers, slowest first, built in or not.
func Tiers() []Tier { return tierTable.All() }

func (t Tier) String() string { return facts[t].Name }

// ConstantTime reports whether no branch and no address depends on a key or on
// data. Of crypto/aes this is not promised: on processors for which Go has no
// AES instructions it looks bytes up in tables.
func (t Tier) ConstantTime() bool { return facts[t].ConstantTime }

// Features names the processor features that the tier needs.
func (t Tier) Features() []string { return cpu.Names(facts[t].Features) }

// Available says why the tier cannot run here, and returns nil if it can. It does
// not run the self-test.
func (t Tier) Available() error { return tierTable.Available(t) }

// Check says why the tier must not be used: see Available; or its known
// answers, which are computed on the first call, are wrong.
func (t Tier) Check() error { return tierTable.Check(t, selfTest) }

// SelfTest computes the tier's known answers on the first call and returns
// their verdict on every call. The tier must be Available, or be Go.
func (t Tier) SelfTest() error { return tierTable.SelfTest(t, selfTest) }

// Best returns the fastest tier that may be used. Go is the floor: it serves
// even when it is disabled, since a key must be usable by something.
func Best() Tier { return tierTable.Best(nil, selfTest) }

// SetFault makes every key that tier t expands wrong in one bit, and forgets t's
// verdict; undo repairs both. It is for tests.
func SetFault(t Tier) (undo func()) { return tierTable.SetFault(t) }
