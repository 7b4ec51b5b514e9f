package ucrypt

import (
	"fmt"
	"slices"

	"golang.org/x/crypto/blake2b"

	"ucrypt/internal/aes"
	"ucrypt/internal/blake2s"
	"ucrypt/internal/sm4"
)

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
	essiv
	blake2 // blake2s or blake2b, by the tier
)

// tier is what the tables of the ciphers and hashes tell of a set of routines:
// sm4.Tier, aes.Tier, blake2s.Tier and blake2bTier.
type tier interface {
	Available() error   // why it cannot run here
	SelfTest() error    // its verdict
	Features() []string // processor features it needs
	ConstantTime() bool
}

// cipherTier is a tier of a block cipher.
type cipherTier interface {
	tier
	HasXTS() error // why it has no routine for the whole of xts in this build
	HasCTS() error // the same for cts
}

// row is one driver of the table: its description, and what its constructor
// needs.
type row struct {
	name, driver string
	priority     int
	algorithm    algorithm
	tier         tier
	template     bool // composed of the tier's simpler drivers
	digest       int  // size in bytes of a hash's digest
}

// table lists every driver that is part of ucrypt, on any processor. Names and
// priorities are the kernel's where the kernel has the driver, and follow its
// pattern elsewhere.
var table = slices.Concat(
	suite{cipher: "sm4", tier: sm4.Generic, name: "sm4-generic", priority: 100, oneBlock: 100}.rows(),
	suite{cipher: "sm4", tier: sm4.AESNIAVX, name: "sm4-aesni-avx", priority: 400, xts: 400, cts: 400}.rows(),
	suite{cipher: "sm4", tier: sm4.AESNIAVX2, name: "sm4-aesni-avx2", priority: 500, xts: 500, cts: 500}.rows(),
	suite{cipher: "sm4", tier: sm4.VAESAVX2, name: "sm4-vaes-avx2", priority: 550, xts: 550, cts: 550}.rows(),
	suite{cipher: "sm4", tier: sm4.GFNIAVX2, name: "sm4-gfni-avx2", priority: 600, xts: 600, cts: 600}.rows(),
	suite{cipher: "sm4", tier: sm4.GFNIAVX512, name: "sm4-gfni-avx512", priority: 800, xts: 800, cts: 800}.rows(),
	suite{cipher: "sm4", tier: sm4.NEON, name: "sm4-neon", priority: 200}.rows(),
	suite{cipher: "sm4", tier: sm4.AESE, name: "sm4-aese", priority: 250}.rows(),
	suite{cipher: "sm4", tier: sm4.CE, name: "sm4-ce", priority: 400, xts: 400, cts: 400, oneBlock: 300}.rows(),

	suite{cipher: "aes", tier: aes.Go, name: "aes-go", priority: 100, oneBlock: 100}.rows(),
	suite{cipher: "aes", tier: aes.AESNI, name: "aes-aesni", priority: 400, xts: 401, cts: 400, oneBlock: 300}.rows(),
	suite{cipher: "aes", tier: aes.VAESAVX2, name: "aes-vaes-avx2", priority: 600, xts: 600, cts: 600}.rows(),
	suite{cipher: "aes", tier: aes.VAESAVX512, name: "aes-vaes-avx512", priority: 800, xts: 800, cts: 800}.rows(),
	suite{cipher: "aes", tier: aes.CE, name: "aes-ce", priority: 300, xts: 300, cts: 300, oneBlock: 250}.rows(),

	blake2Rows("blake2s", "generic", 100, blake2s.Generic, 128, 160, 224, 256),
	blake2Rows("blake2s", "arm", 200, blake2s.Arm, 128, 160, 224, 256),
	blake2Rows("blake2s", "arm64", 200, blake2s.Arm64, 128, 160, 224, 256),
	blake2Rows("blake2b", "xcrypto", 100, blake2bTier{}, 160, 256, 384, 512),
)

// blake2Rows returns a tier's drivers for digests of the given sizes in bits.
func blake2Rows(hash, tierName string, priority int, t tier, bits ...int) []row {
	var rows []row
	for _, n := range bits {
		name := fmt.Sprintf("%s-%d", hash, n)
		rows = append(rows, row{name: name, driver: name + "-" + tierName, priority: priority, algorithm: blake2, tier: t, digest: n / 8})
	}
	return rows
}

// suite describes the drivers that one tier gives.
type suite struct {
	cipher   string
	tier     tier
	name     string // of the tier's drivers, behind the mode
	priority int
	oneBlock int // priority of the one-block driver, 0 if there is none
	xts, cts int // priorities of the drivers that do the whole mode, 0 if there are none
}

// rows returns the suite's drivers and templates.
//
// The tiers that work on one block at a time have only templates, whose names
// the kernel writes as ecb(sm4-generic); the others' are ecb-sm4-aesni-avx.
func (s suite) rows() []row {
	var rows []row
	add := func(name, driver string, priority int, a algorithm, template bool) {
		rows = append(rows, row{name: name, driver: driver, priority: priority, algorithm: a, tier: s.tier, template: template})
	}
	template := s.tier == sm4.Generic || s.tier == aes.Go
	inner := func(mode string) string {
		if template {
			return mode + "(" + s.name + ")"
		}
		return mode + "-" + s.name
	}
	if s.oneBlock > 0 {
		add(s.cipher, s.name, s.oneBlock, oneBlock, false)
	}
	add("ecb("+s.cipher+")", inner("ecb"), s.priority, ecb, template)
	add("cbc("+s.cipher+")", inner("cbc"), s.priority, cbc, template)
	if s.cipher == "sm4" {
		add("cfb(sm4)", inner("cfb"), s.priority, cfb, template)
		add("ctr(sm4)", inner("ctr"), s.priority, ctr, template)
	}

	if s.xts > 0 {
		add("xts("+s.cipher+")", "xts-"+s.name, s.xts, xts, false)
		if s.cipher == "sm4" {
			add("xts-gb(sm4)", "xts-gb-"+s.name, s.xts, xtsGB, false)
		}
	}
	if s.cts > 0 {
		add("cts(cbc("+s.cipher+"))", "cts-cbc-"+s.name, s.cts, ctsCS3, false)
	}
	add("xts("+s.cipher+")", "xts("+inner("ecb")+")", s.priority, xts, true)
	if s.cipher == "sm4" {
		add("xts-gb(sm4)", "xts-gb("+inner("ecb")+")", s.priority, xtsGB, true)
	}
	add("cts(cbc("+s.cipher+"))", "cts("+inner("cbc")+")", s.priority, ctsCS3, true)
	add("cts-cs1(cbc("+s.cipher+"))", "cts-cs1("+inner("cbc")+")", s.priority, ctsCS1, true)
	add("cts-cs2(cbc("+s.cipher+"))", "cts-cs2("+inner("cbc")+")", s.priority, ctsCS2, true)
	if s.cipher == "aes" { // whose keys may be as long as a SHA-256 digest
		add("essiv(cbc(aes),sha256)", "essiv("+inner("cbc")+",sha256-go)", s.priority, essiv, true)
	}
	return rows
}

// before reports whether r serves rather than s, both being usable drivers of
// the same algorithm: priority decides, and a driver beats a template.
func (r *row) before(s *row) bool {
	if r.priority != s.priority {
		return r.priority > s.priority
	}
	return !r.template && s.template
}

// available says why the driver cannot run here.
func (r *row) available() error {
	if err := r.tier.Available(); err != nil || r.template {
		return err
	}
	t, _ := r.tier.(cipherTier)
	switch r.algorithm {
	case xts, xtsGB:
		return t.HasXTS()
	case ctsCS3:
		return t.HasCTS()
	}
	return nil
}

// keySizes returns the smallest and the largest key size in bytes and the step
// between the sizes.
func (r *row) keySizes() (low, high, step int) {
	switch r.tier.(type) {
	case sm4.Tier:
		low, high, step = sm4.KeySize, sm4.KeySize, 1
	case aes.Tier:
		low, high, step = 16, 32, 8
	case blake2s.Tier:
		return 0, blake2s.KeySize, 1
	case blake2bTier:
		return 0, blake2b.Size, 1
	default:
		panic(fmt.Sprintf("ucrypt: driver %s has no key size", r.driver))
	}
	if r.algorithm == xts || r.algorithm == xtsGB {
		return 2 * low, 2 * high, 2 * step
	}
	return low, high, step
}

const blockSize = 16 // of SM4 and AES

// describe returns the driver of r without its state.
func (r *row) describe() Driver {
	d := Driver{
		Name: r.name, DriverName: r.driver, Priority: r.priority,
		Type: TypeSkcipher, BlockSize: blockSize, IVSize: blockSize, ChunkSize: blockSize, WalkSize: blockSize,
		Features: r.tier.Features(), ConstantTime: r.tier.ConstantTime(),
	}
	d.MinKeySize, d.MaxKeySize, _ = r.keySizes()
	switch r.algorithm {
	case oneBlock:
		d.Type, d.IVSize, d.ChunkSize, d.WalkSize = TypeCipher, 0, 0, 0
	case ecb:
		d.IVSize = 0
	case cfb, ctr:
		d.BlockSize = 1
	case blake2:
		d.Type, d.IVSize, d.ChunkSize, d.WalkSize = TypeShash, 0, 0, 0
		d.BlockSize, d.DigestSize = blake2s.BlockSize, r.digest
		if _, ok := r.tier.(blake2bTier); ok {
			d.BlockSize = blake2b.BlockSize
		}
	}
	return d
}
