package ucrypt

import (
	"fmt"
	"slices"

	"golang.org/x/crypto/blake2b"

	"ucrypt/internal/aes"
	"ucrypt/internal/blake2s"
	"ucrypt/internal/cpu"
	"ucrypt/internal/ghash"
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
	gcm
	ccm
	cmac
	xcbc
	cbcmac
	ghashHash
	blake2 // blake2s or blake2b, by the tier
)

// tier is what the tables of the ciphers and hashes tell of a set of routines:
// sm4.Tier, aes.Tier, ghash.Tier, blake2s.Tier and blake2bTier.
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
	part         tier // of the other routines: GHASH's for gcm, CBC-MAC's for a template of ccm
	template     bool // composed of the tier's simpler drivers
	digest       int  // size in bytes of a hash's digest
}

// table lists every driver that is part of ucrypt, on any processor. Names and
// priorities are the kernel's where the kernel has the driver, and follow its
// pattern elsewhere.
var table = slices.Concat(
	suite{cipher: "sm4", tier: sm4.Generic, name: "sm4-generic", priority: 100, oneBlock: 100, ghash: ghash.Generic}.rows(),
	suite{cipher: "sm4", tier: sm4.AESNIAVX, name: "sm4-aesni-avx", priority: 400, xts: 400, cts: 400, mac: 400, ghash: ghash.CLMUL}.rows(),
	suite{cipher: "sm4", tier: sm4.AESNIAVX2, name: "sm4-aesni-avx2", priority: 500, xts: 500, cts: 500, ghash: ghash.CLMUL}.rows(),
	suite{cipher: "sm4", tier: sm4.VAESAVX2, name: "sm4-vaes-avx2", priority: 550, xts: 550, cts: 550, ghash: ghash.VPCLMULAVX2}.rows(),
	suite{cipher: "sm4", tier: sm4.GFNIAVX2, name: "sm4-gfni-avx2", priority: 600, xts: 600, cts: 600, mac: 600, ghash: ghash.VPCLMULAVX2}.rows(),
	suite{cipher: "sm4", tier: sm4.GFNIAVX512, name: "sm4-gfni-avx512", priority: 800, xts: 800, cts: 800, mac: 800, ghash: ghash.VPCLMULAVX512}.rows(),
	suite{cipher: "sm4", tier: sm4.NEON, name: "sm4-neon", priority: 200, mac: 200, ghash: ghash.Generic}.rows(),
	suite{cipher: "sm4", tier: sm4.AESE, name: "sm4-aese", priority: 250, mac: 250, ghash: ghash.PMULL}.rows(),
	suite{cipher: "sm4", tier: sm4.CE, name: "sm4-ce", priority: 400, xts: 400, cts: 400, oneBlock: 300, mac: 400, ghash: ghash.PMULL}.rows(),

	suite{cipher: "aes", tier: aes.Go, name: "aes-go", priority: 100, oneBlock: 100}.rows(),
	suite{cipher: "aes", tier: aes.AESNI, name: "aes-aesni", priority: 400, xts: 401, cts: 400, oneBlock: 300, mac: 400}.rows(),
	suite{cipher: "aes", tier: aes.VAESAVX2, name: "aes-vaes-avx2", priority: 600, xts: 600, cts: 600}.rows(),
	suite{cipher: "aes", tier: aes.VAESAVX512, name: "aes-vaes-avx512", priority: 800, xts: 800, cts: 800}.rows(),
	suite{cipher: "aes", tier: aes.CE, name: "aes-ce", priority: 300, xts: 300, cts: 300, oneBlock: 250, mac: 300}.rows(),

	ghashRows(),
	blake2Rows("blake2s", "generic", 100, blake2s.Generic, 128, 160, 224, 256),
	blake2Rows("blake2s", "arm", 200, blake2s.Arm, 128, 160, 224, 256),
	blake2Rows("blake2s", "arm64", 200, blake2s.Arm64, 128, 160, 224, 256),
	blake2Rows("blake2s", "x86", scalarPriority(), blake2s.X86, 128, 160, 224, 256),
	blake2Rows("blake2s", "sse41", 250, blake2s.SSE41, 128, 160, 224, 256),
	blake2Rows("blake2s", "avx512", 300, blake2s.AVX512, 128, 160, 224, 256),
	blake2Rows("blake2b", "xcrypto", 100, blake2bTier{}, 160, 256, 384, 512),
)

// ghashDrivers gives the drivers of GHASH in the order of its tiers.
var ghashDrivers = []struct {
	name     string
	priority int
}{
	ghash.Generic:       {"ghash-generic", 100},
	ghash.CLMUL:         {"ghash-clmulni", 400},
	ghash.VPCLMULAVX2:   {"ghash-vpclmul-avx2", 500},
	ghash.VPCLMULAVX512: {"ghash-vpclmul-avx512", 800},
	ghash.PMULL:         {"ghash-ce", 300},
}

func ghashRows() []row {
	var rows []row
	for i, d := range ghashDrivers {
		rows = append(rows, row{name: "ghash", driver: d.name, priority: d.priority, algorithm: ghashHash, tier: ghash.Tier(i), digest: ghash.BlockSize})
	}
	return rows
}

// scalarPriority is that of scalar BLAKE2s on x86-64: behind the vector code, but
// before it on AMD's Zen 5, whose vector latencies make that slower.
func scalarPriority() int {
	if cpu.Zen5() {
		return 350
	}
	return 200
}

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
	oneBlock int        // priority of the one-block driver, 0 if there is none
	xts, cts int        // priorities of the drivers that do the whole mode, 0 if there are none
	mac      int        // priority of the MACs' drivers, 0 if another tier has the same serial routine
	ghash    ghash.Tier // of gcm
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
	if s.cipher == "sm4" {
		rows = append(rows, s.aeadRows(inner("ctr"), template)...)
	}
	rows = append(rows, s.macRows()...)
	if s.cipher == "aes" { // whose keys may be as long as a SHA-256 digest
		add("essiv(cbc(aes),sha256)", "essiv("+inner("cbc")+",sha256-go)", s.priority, essiv, true)
	}
	return rows
}

// aeadRows returns gcm and ccm. The templates are composed of ctr and of the hash
// or of the one-block cipher, each of which does its own part of a message in
// calls of its own; their priorities are the means of their parts'. A driver
// encrypts the block that hides the tag together with those of a short message,
// with the last ones of a long one, or beside the hash, and hashes a short message
// in one call and a long one piece by piece after its encryption; its CBC-MAC is the
// tier's serial routine, and counter mode goes beside it or piece by piece.
func (s suite) aeadRows(ctr string, generic bool) []row {
	h := ghashDrivers[s.ghash]
	mean := (s.priority + h.priority) / 2
	mac, macName, macPriority := tier(sm4.Generic), "sm4-generic", 100
	if s.oneBlock > 0 {
		mac, macName, macPriority = s.tier, s.name, s.oneBlock
	}
	var rows []row
	if !generic {
		rows = append(rows,
			row{name: "gcm(sm4)", driver: "gcm-" + s.name, priority: max(s.priority, mean), algorithm: gcm, tier: s.tier, part: s.ghash},
			row{name: "ccm(sm4)", driver: "ccm-" + s.name, priority: s.priority, algorithm: ccm, tier: s.tier})
	}
	return append(rows,
		row{name: "gcm(sm4)", driver: "gcm_base(" + ctr + "," + h.name + ")", priority: mean,
			algorithm: gcm, tier: s.tier, part: s.ghash, template: true},
		row{name: "ccm(sm4)", driver: "ccm_base(" + ctr + ",cbcmac(" + macName + "))", priority: (s.priority + macPriority) / 2,
			algorithm: ccm, tier: s.tier, part: mac, template: true})
}

// macRows returns cmac, xcbc and cbcmac: the drivers of the serial routine, and
// the templates over the one-block cipher.
func (s suite) macRows() []row {
	var rows []row
	for _, m := range []struct {
		name      string
		algorithm algorithm
	}{{"cmac", cmac}, {"xcbc", xcbc}, {"cbcmac", cbcmac}} {
		name := m.name + "(" + s.cipher + ")"
		if s.mac > 0 {
			rows = append(rows, row{name: name, driver: m.name + "-" + s.name, priority: s.mac, algorithm: m.algorithm, tier: s.tier, digest: blockSize})
		}
		if s.oneBlock > 0 {
			rows = append(rows, row{name: name, driver: m.name + "(" + s.name + ")", priority: s.oneBlock,
				algorithm: m.algorithm, tier: s.tier, digest: blockSize, template: true})
		}
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

// tiers returns the tiers that the driver runs on.
func (r *row) tiers() []tier {
	if r.part == nil {
		return []tier{r.tier}
	}
	return []tier{r.tier, r.part}
}

// available says why the driver cannot run here.
func (r *row) available() error {
	for _, t := range r.tiers() {
		if err := t.Available(); err != nil {
			return err
		}
	}
	if r.template {
		return nil
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
	case ghash.Tier:
		return ghash.BlockSize, ghash.BlockSize, 1
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

const (
	blockSize = 16 // of SM4 and AES
	gcmIVSize = 12 // the kernel's; that of ccm is a counter block
)

// describe returns the driver of r without its state.
func (r *row) describe() Driver {
	d := Driver{
		Name: r.name, DriverName: r.driver, Priority: r.priority,
		Type: TypeSkcipher, BlockSize: blockSize, IVSize: blockSize, ChunkSize: blockSize, WalkSize: blockSize,
		ConstantTime: true,
	}
	for _, t := range r.tiers() {
		d.ConstantTime = d.ConstantTime && t.ConstantTime()
		for _, f := range t.Features() {
			if !slices.Contains(d.Features, f) {
				d.Features = append(d.Features, f)
			}
		}
	}
	d.MinKeySize, d.MaxKeySize, _ = r.keySizes()
	switch r.algorithm {
	case oneBlock:
		d.Type, d.IVSize, d.ChunkSize, d.WalkSize = TypeCipher, 0, 0, 0
	case ecb:
		d.IVSize = 0
	case cfb, ctr:
		d.BlockSize = 1
	case gcm, ccm:
		d.Type, d.BlockSize, d.ChunkSize, d.WalkSize, d.MaxTagSize = TypeAEAD, 1, 0, 0, blockSize
		d.IVSize = gcmIVSize
		if r.algorithm == ccm {
			d.IVSize = blockSize
		}
	case cmac, xcbc, cbcmac, ghashHash:
		d.Type, d.IVSize, d.ChunkSize, d.WalkSize, d.DigestSize = TypeShash, 0, 0, 0, r.digest
		if r.algorithm == cbcmac {
			d.BlockSize = 1
		}
	case blake2:
		d.Type, d.IVSize, d.ChunkSize, d.WalkSize = TypeShash, 0, 0, 0
		d.BlockSize, d.DigestSize = blake2s.BlockSize, r.digest
		if _, ok := r.tier.(blake2bTier); ok {
			d.BlockSize = blake2b.BlockSize
		}
	}
	return d
}
