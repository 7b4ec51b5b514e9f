package vectors

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Kernel holds the answers that a running kernel gave.
type Kernel struct {
	Release  string    `json:"kernel"`
	Machine  string    `json:"machine"`
	Vectors  []Answer  `json:"vectors"`
	Streams  []Stream  `json:"streams"`
	Refusals []Refusal `json:"errnos"`
}

// Answer is one message: Ciphertext is the kernel's encryption of Plaintext, or the
// digest of it.
type Answer struct {
	Alg        string   `json:"alg"`
	Driver     string   `json:"driver"` // the one that answered
	Also       []string `json:"also"`   // further ones that gave the same
	Keybits    int      `json:"keybits"`
	Len        int      `json:"len"`
	AuthSize   int      `json:"authsize"`
	Key        Hex      `json:"key"`
	IV         Hex      `json:"iv"`
	Assoc      Hex      `json:"assoc"`
	AssocLen   int      `json:"assoc_len"`  // of an Assoc that is not written out
	AssocRule  string   `json:"assoc_rule"` // how to make it
	Plaintext  Hex      `json:"plaintext"`
	Ciphertext Hex      `json:"ciphertext"`
	IVOutEnc   Hex      `json:"iv_out_enc"`
	IVOutDec   Hex      `json:"iv_out_dec"`
	Note       string   `json:"note"`
}

// NextIV is the iv that has to be left behind by either direction, nil where it is not
// to be compared: only cbc, cfb and ctr define one. The kernel's own drivers of the other
// modes leave what they please.
func (a *Answer) NextIV(encrypt bool) []byte {
	switch {
	case !chains(a.Alg):
		return nil
	case encrypt:
		return a.IVOutEnc
	default:
		return a.IVOutDec
	}
}

// chains reports whether the mode of the algorithm hands on an iv.
func chains(alg string) bool {
	mode, _, _ := strings.Cut(alg, "(")
	return mode == "cbc" || mode == "cfb" || mode == "ctr"
}

// Stream is a message that was given to the kernel in pieces: as requests that hand on
// the iv, or through a socket with MSG_MORE.
type Stream struct {
	Alg           string  `json:"alg"`
	Driver        string  `json:"driver"`
	Via           string  `json:"via"` // "request-chain", "af_alg-msg_more"
	Op            string  `json:"op"`  // "encrypt", "decrypt"
	Key           Hex     `json:"key"`
	IV            Hex     `json:"iv"`
	EqualsOneShot bool    `json:"equals_one_shot"`
	Chunks        []Chunk `json:"chunks"` // of a request-chain
	In            Hex     `json:"in"`     // of a socket: the whole message
	Out           Hex     `json:"out"`
}

// Chunk is one piece of a Stream.
type Chunk struct {
	Len    int    `json:"len"`
	Result string `json:"result"` // "OK" or an errno name
	In     Hex    `json:"in"`
	Out    Hex    `json:"out"`
	IVOut  Hex    `json:"iv_out"`
}

// Call is one call that has to give what the kernel gave.
type Call struct {
	Key, IV, In, Out []byte
	NextIV           []byte // nil: not to be compared
	Encrypt, Refused bool
}

// Calls turns the stream into single calls: each chunk of a request chain runs with the
// iv recorded before it; a socket's stream is one call if it equals one. Other socket
// streams show only how a socket cuts them, and give no calls.
func (s *Stream) Calls() []Call {
	one := Call{Key: s.Key, IV: s.IV, In: s.In, Out: s.Out, Encrypt: s.Op == "encrypt"}
	if s.Via != "request-chain" {
		if s.EqualsOneShot {
			return []Call{one}
		}
		return nil
	}
	calls := make([]Call, len(s.Chunks))
	iv := s.IV
	for i, c := range s.Chunks {
		call := one
		call.IV, call.In, call.Out, call.Refused = iv, c.In, c.Out, c.Result != "OK"
		if chains(s.Alg) {
			call.NextIV = c.IVOut
		}
		calls[i] = call
		iv = c.IVOut
	}
	return calls
}

// Refusal is a length or a key that the kernel was offered, and what it said.
type Refusal struct {
	Via    string `json:"via"` // "kernel", "af_alg"
	Alg    string `json:"alg"` // an algorithm or a driver
	Case   string `json:"case"`
	Result string `json:"result"` // "OK" or an errno name
}

// Compared reports whether we have to answer as the kernel did: what it said to its own
// callers, and about keys. The other rows are rules of the socket.
func (r *Refusal) Compared() bool {
	return r.Via == "kernel" || strings.HasPrefix(r.Case, "setkey ")
}

// Message parses a row about the length of a message: "encrypt len=17".
func (r *Refusal) Message() (encrypt bool, length int, ok bool) {
	var op string
	if n, _ := fmt.Sscanf(r.Case, "%s len=%d", &op, &length); n == 2 && (op == "encrypt" || op == "decrypt") {
		return op == "encrypt", length, true
	}
	return false, 0, false
}

// KeyLength parses a row about the length of a key: "setkey len=17", or "setkey 32
// bytes, equal halves".
func (r *Refusal) KeyLength() (length int, equalHalves, ok bool) {
	if n, _ := fmt.Sscanf(r.Case, "setkey len=%d", &length); n == 1 {
		return length, false, true
	}
	if n, _ := fmt.Sscanf(r.Case, "setkey %d bytes", &length); n == 1 && strings.HasSuffix(r.Case, " bytes, equal halves") {
		return length, true, true
	}
	return 0, false, false
}

// ReadKernel reads the kernel's answers.
func ReadKernel() (*Kernel, error) {
	dir, err := Dir()
	if err != nil {
		return nil, err
	}
	file, err := os.Open(filepath.Join(dir, "kernel", "vectors.json.gz"))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	zip, err := gzip.NewReader(file)
	if err != nil {
		return nil, fmt.Errorf("vectors: %s: %w", file.Name(), err)
	}
	k := new(Kernel)
	if err := json.NewDecoder(zip).Decode(k); err != nil {
		return nil, fmt.Errorf("vectors: %s: %w", file.Name(), err)
	}
	return k, nil
}
