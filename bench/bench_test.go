package bench

import (
	"bytes"
	"fmt"
	"testing"

	"ucrypt"
	"ucrypt/bench/peers"
	"ucrypt/internal/speed"
)

var lengths = []int{16, 256, 1024, 4096}

// BenchmarkSM4 runs every SM4 driver that can run here and gmsm, mode by mode.
func BenchmarkSM4(b *testing.B) {
	for _, mode := range peers.Modes {
		for _, op := range []speed.Op{speed.Encrypt, speed.Decrypt} {
			for _, n := range lengths {
				bench := func(impl string, open func() (speed.Work, error)) {
					b.Run(fmt.Sprintf("mode=%s/op=%s/bytes=%d/impl=%s", mode, op, n, impl), func(b *testing.B) {
						w, err := open()
						if err != nil {
							b.Fatal(err)
						}
						b.SetBytes(int64(n))
						b.ReportAllocs()
						b.ResetTimer()
						if err := w(b.N); err != nil {
							b.Fatal(err)
						}
					})
				}
				for _, d := range ucrypt.Drivers() {
					if _, err := ucrypt.Lookup(d.DriverName); err != nil || d.Name != mode+"(sm4)" {
						continue
					}
					bench(d.DriverName, func() (speed.Work, error) { return speed.Registry.Open(d, op, 128, n) })
				}
				bench("gmsm", func() (speed.Work, error) { return peers.Work(mode, op == speed.Decrypt, n) })
			}
		}
	}
}

// TestPeers makes sure that what is compared does the same: a message gives the
// same ciphertext with both, and gmsm's decryption of it gives the message.
func TestPeers(t *testing.T) {
	message, key, iv := make([]byte, 1424), make([]byte, 16), make([]byte, 16)
	for _, b := range [][]byte{message, key, iv} {
		for i := range b {
			b[i] = byte(i*i + 3*i + len(b))
		}
	}
	for _, mode := range peers.Modes {
		s, err := ucrypt.NewSkcipher(mode+"(sm4)", key)
		if err != nil {
			t.Fatal(err)
		}
		ours, theirs := bytes.Clone(message), bytes.Clone(message)
		if err := s.Encrypt(ours, ours, bytes.Clone(iv[:s.Driver().IVSize])); err != nil {
			t.Fatal(err)
		}
		for _, decrypt := range []bool{false, true} {
			crypt, err := peers.GMSM(mode, decrypt, key)
			if err != nil {
				t.Fatal(err)
			}
			crypt(theirs, bytes.Clone(iv))
			if want := ours; !decrypt && !bytes.Equal(theirs, want) || decrypt && !bytes.Equal(theirs, message) {
				t.Errorf("%s, decryption %v: gmsm differs from %s", mode, decrypt, s.Driver().DriverName)
			}
		}
	}
}

// TestAESPeers is the same for the peers of AES.
func TestAESPeers(t *testing.T) {
	for peer, mode := range peers.AESPeers {
		for _, keySize := range []int{16, 24, 32} {
			name := mode + "(aes)"
			switch {
			case mode == "cts":
				name = "cts(cbc(aes))"
			case mode == "xts" && keySize == 24:
				continue
			case mode == "xts":
				keySize *= 2
			}
			message, key, iv := make([]byte, 1424), make([]byte, keySize), make([]byte, 16)
			for _, b := range [][]byte{message, key, iv[:8]} {
				for i := range b {
					b[i] = byte(i*i + 3*i + len(b))
				}
			}
			if peer == "aescts" {
				clear(iv) // the only one that it decrypts with
				message = message[:1421]
			}
			s, err := ucrypt.NewSkcipher(name, key)
			if err != nil {
				t.Fatal(err)
			}
			ours, theirs := bytes.Clone(message), bytes.Clone(message)
			if err := s.Encrypt(ours, ours, bytes.Clone(iv)); err != nil {
				t.Fatal(err)
			}
			for _, decrypt := range []bool{false, true} {
				crypt, err := peers.OpenAES(peer, decrypt, key)
				if err == nil {
					err = crypt(theirs, iv)
				}
				if err != nil {
					t.Fatal(err)
				}
				if want := ours; !decrypt && !bytes.Equal(theirs, want) || decrypt && !bytes.Equal(theirs, message) {
					t.Errorf("%s, key of %d bytes, decryption %v: %s differs from %s", name, keySize, decrypt, peer, s.Driver().DriverName)
				}
			}
		}
	}
}
