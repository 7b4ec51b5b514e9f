package sm4

// Message is one of the messages of CBCEncryptMany.
type Message struct {
	Dst, Src []byte
	IV       *[BlockSize]byte // replaced by the next iv
}

const (
	manyLanes    = 32 // messages in flight
	manyPointers = 3  // dst, src and iv
)

// CBCEncryptMany encrypts independent messages in CBC mode. They may be of any
// number and of different lengths; each has the same rules as the message of
// CBCEncrypt, and no Dst overlaps anything of another message.
//
// A block waits for the one before it in its own message only, so up to 32
// messages go through the cipher side by side.
func (c *Cipher) CBCEncryptMany(messages []Message) bool {
	if !hasMany(c.tier) {
		return false
	}
	var lanes [manyPointers * manyLanes]*byte
	var left [manyLanes]Message        // what is to be done of the messages in flight
	var iv [manyLanes]*[BlockSize]byte // where their last ciphertext blocks go
	active := 0
	for {
		for ; active < manyLanes && len(messages) > 0; messages = messages[1:] {
			if m := messages[0]; len(m.Src) > 0 {
				left[active], iv[active] = m, m.IV
				active++
			}
		}
		if active == 0 {
			return true
		}
		few := active <= manyLanes/2
		n := parallelCall / manyLanes
		for i := range active {
			n = min(n, len(left[i].Src))
			lanes[manyPointers*i] = &left[i].Dst[0]
			lanes[manyPointers*i+1] = &left[i].Src[0]
			lanes[manyPointers*i+2] = &left[i].IV[0]
		}
		if active == 1 {
			n = min(len(left[0].Src), serialCall)
			last := *left[0].IV
			cbcEncrypt(c.tier, &c.enc, left[0].Dst[:n], left[0].Src[:n], &last)
		} else {
			// Where messages are missing, the first one is done again.
			for i := manyPointers * active; i < len(lanes); i++ {
				lanes[i] = lanes[i%manyPointers]
			}
			cbcEncryptMany(c.tier, &c.enc, &lanes, few, n/BlockSize)
		}
		for i := active - 1; i >= 0; i-- {
			// Not through a pointer to left[i]: the messages would escape.
			last := (*[BlockSize]byte)(left[i].Dst[n-BlockSize:])
			left[i].Dst, left[i].Src, left[i].IV = left[i].Dst[n:], left[i].Src[n:], last
			if len(left[i].Src) == 0 {
				*iv[i] = *last
				active--
				left[i], iv[i] = left[active], iv[active]
			}
		}
	}
}
