package ghash

// BlockSize is the size of a block, of a key and of a digest in bytes.
const BlockSize = 16

// powersSize is the room that a tier has for the powers of a key.
const powersSize = 1024

// parallelCall bounds the bytes that one call of a routine works on. Assembly
// cannot be preempted, so a longer call would hold up the garbage collector.
const parallelCall = 64 << 10

// Key is a key in the form that its tier's routines read. It is not changed
// after NewTier, so many goroutines may use it.
type Key struct {
	powers [powersSize]byte
	tier   Tier
}

// New returns the Key of h for the best tier.
func New(h *[BlockSize]byte) *Key { return NewTier(Best(), h) }

// NewTier returns the Key of h for tier t, which must be usable (see
// Tier.Check).
func NewTier(t Tier, h *[BlockSize]byte) *Key {
	k := new(Key)
	k.Init(t, h)
	return k
}

// Init makes k, which must be zero, the Key of h for tier t.
func (k *Key) Init(t Tier, h *[BlockSize]byte) {
	damaged := *h
	if tierTable.Faulty(t) {
		damaged[0] ^= 1
	}
	k.tier = t
	if t == Generic || !initialize(t, &k.powers, &damaged) {
		k.tier = Generic
		initGeneric(&k.powers, &damaged)
	}
}

// Tier returns the tier whose routines k uses.
func (k *Key) Tier() Tier { return k.tier }

// Powers returns what the tier's routine wrote, and the size of its vectors in
// bytes, for routines that do GHASH beside something else. The size is 0 if none
// do.
func (k *Key) Powers() (powers *[powersSize]byte, vector int) {
	switch k.tier {
	case CLMUL:
		vector = 16
	case VPCLMULAVX2:
		vector = 32
	case VPCLMULAVX512:
		vector = 64
	}
	return &k.powers, vector
}

// Update absorbs the whole blocks of p: for each, acc = (acc xor block) times
// the key. Bytes behind the last whole block are left out.
func (k *Key) Update(acc *[BlockSize]byte, p []byte) {
	p = p[:len(p)-len(p)%BlockSize]
	if k.tier == Generic {
		updateGeneric(&k.powers, acc, p)
		return
	}
	for len(p) > 0 {
		n := min(len(p), parallelCall)
		update(k.tier, &k.powers, acc, p[:n])
		p = p[n:]
	}
}
