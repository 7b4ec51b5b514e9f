package ucrypt_test

import (
	"bytes"
	"crypto/cipher"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"

	"ucrypt"
	"ucrypt/aes"
	"ucrypt/modes"
)

// records is one direction of TLS 1.3's record layer (RFC 8446 section 5.2), for tests.
type records struct {
	aead cipher.AEAD
	iv   [12]byte
	next uint64 // sequence number
}

const (
	tlsAlert       = 21
	tlsHandshake   = 22
	tlsApplication = 23
	tlsHeader      = 5
)

// nonce is the iv plus the sequence number of this record.
func (r *records) nonce() []byte {
	nonce := make([]byte, len(r.iv))
	binary.BigEndian.PutUint64(nonce[4:], r.next)
	for i := range nonce {
		nonce[i] ^= r.iv[i]
	}
	r.next++
	return nonce
}

// inner is what is encrypted: the content, its type, and padding of zeros.
func inner(contentType byte, content []byte, padding int) []byte {
	return append(append(bytes.Clone(content), contentType), make([]byte, padding)...)
}

func header(length int) []byte {
	return []byte{tlsApplication, 3, 3, byte(length >> 8), byte(length)}
}

func (r *records) seal(contentType byte, content []byte, padding int) []byte {
	text := inner(contentType, content, padding)
	record := header(len(text) + r.aead.Overhead())
	return r.aead.Seal(record, r.nonce(), text, record)
}

var errRecord = errors.New("no content")

func (r *records) open(record []byte) (contentType byte, content []byte, err error) {
	text, err := r.aead.Open(nil, r.nonce(), record[tlsHeader:], record[:tlsHeader])
	if err != nil {
		return 0, nil, err
	}
	text = bytes.TrimRight(text, "\x00")
	if len(text) == 0 {
		return 0, nil, errRecord
	}
	return text[len(text)-1], text[:len(text)-1], nil
}

// TestRecordsRFC8448: this record layer is TLS 1.3's: it makes the records of RFC 8448
// section 3, "Simple 1-RTT Handshake", which are in AES-128-GCM.
func TestRecordsRFC8448(t *testing.T) {
	b, err := aes.NewCipher(unhex(t, "17422dda596ed5d9acd890e3c63f5051"))
	if err != nil {
		t.Fatal(err)
	}
	a, err := modes.NewGCM(b, 12, 16)
	if err != nil {
		t.Fatal(err)
	}
	r := records{aead: a, iv: [12]byte(unhex(t, "5b78923dee08579033e523d9"))}
	payload := make([]byte, 50)
	for i := range payload {
		payload[i] = byte(i)
	}
	for _, c := range []struct {
		contentType byte
		content     []byte
		want        string
	}{
		{tlsApplication, payload, "1703030043a23f7054b62c94d0affafe8228ba55cbefacea42f914aa66bcab3f2b9819a8a5b46b395bd54a9a20441e2b62974e1f5a6292a2977014bd1e3deae63aeebb21694915e4"},
		{tlsAlert, []byte{1, 0}, "1703030013c9872760655666b74d7ff1153efd6db6d0b0e3"},
	} {
		if got := hex.EncodeToString(r.seal(c.contentType, c.content, 0)); got != c.want {
			t.Errorf("record %d: %s, want %s", r.next-1, got, c.want)
		}
	}
}

// tlsMessages are what one side of a connection sends.
var tlsMessages = []struct {
	contentType byte
	content     []byte
	padding     int
	records     map[string]string // by AEAD, with tlsKey and tlsIV
}{
	{tlsHandshake, append([]byte{20, 0, 0, 32}, bytes.Repeat([]byte{0x5a}, 32)...), 0, map[string]string{
		"gcm(sm4)": "1703030035a959337a7c97251ef8313d7888255a9cc942f945e3f21f9016d035053ca780b26c93a47ea42dfc7a8566bb25e42be3fb379863789f",
		"ccm(sm4)": "1703030035f60539daef56da2b2ca0ad2f81d539744b37291985b992b61fe192f560cfb71349a651ac369bc59d0921cb2ab36ea2fd4eb094511b",
	}},
	{tlsApplication, []byte("GET / HTTP/1.1\r\n\r\n"), 0, map[string]string{
		"gcm(sm4)": "1703030023d5fef3013e72115a3cacdb6398f0a2a177e4fc8c281ba0a50625dde6c9fb17ed380083",
		"ccm(sm4)": "17030300236c95f300dc3011bca7d89b12963806722059ffb53415c52535f74fcd8dd5312094dcf3",
	}},
	{tlsApplication, []byte("padded"), 9, map[string]string{
		"gcm(sm4)": "170303002047df0b171418b7cfb1d317dc78521c641b98874ef237d242386da8a19f430617",
		"ccm(sm4)": "1703030020ae32282d1d7425b5c03d373333ece00019f281042846c0c7346a9c796eec6d07",
	}},
	{tlsApplication, nil, 0, map[string]string{
		"gcm(sm4)": "1703030011ca9477dcba58e84034c07ceea25168099b",
		"ccm(sm4)": "1703030011c012f34068c95560b7fade28bd771eb5c1",
	}},
	{tlsAlert, []byte{1, 0}, 0, map[string]string{
		"gcm(sm4)": "170303001341c666cd83bb207fb0dc7090acda96ef79e9fd",
		"ccm(sm4)": "1703030013ccaa9e2be2c039e565a2434f6b6debf5b14381",
	}},
}

const (
	tlsKey = "0123456789abcdeffedcba9876543210"
	tlsIV  = "00001234567800000000abcd"
)

// tlsSuites are the cipher suites of RFC 8998 section 2, TLS_SM4_GCM_SM3 and
// TLS_SM4_CCM_SM3: both have nonces of 12 bytes and tags of 16.
var tlsSuites = []string{"gcm(sm4)", "ccm(sm4)"}

func newRecords(t *testing.T, driver string, key []byte, iv [12]byte) *records {
	t.Helper()
	a, err := ucrypt.NewAEAD(driver, key, 12, 16)
	if err != nil {
		t.Fatal(err)
	}
	return &records{aead: a, iv: iv}
}

// TestRecords: every driver makes the records that libgcrypt 1.10.1 made.
func TestRecords(t *testing.T) {
	for _, suite := range tlsSuites {
		driversOf(t, suite, func(t *testing.T, d ucrypt.Driver) {
			out := newRecords(t, d.DriverName, unhex(t, tlsKey), [12]byte(unhex(t, tlsIV)))
			in := newRecords(t, d.DriverName, unhex(t, tlsKey), [12]byte(unhex(t, tlsIV)))
			for i, m := range tlsMessages {
				record := out.seal(m.contentType, m.content, m.padding)
				if got := hex.EncodeToString(record); got != m.records[suite] {
					t.Errorf("record %d: %s, want %s", i, got, m.records[suite])
				}
				if contentType, content, err := in.open(record); err != nil || contentType != m.contentType || !bytes.Equal(content, m.content) {
					t.Errorf("record %d: opened as %x of type %d, error %v", i, content, contentType, err)
				}
			}
		})
	}
}

// TestRecordsLibgcrypt lets libgcrypt make the records.
func TestRecordsLibgcrypt(t *testing.T) {
	query := queryLibgcrypt(t)
	for _, suite := range tlsSuites {
		r := records{iv: [12]byte(unhex(t, tlsIV))}
		for i, m := range tlsMessages {
			text := inner(m.contentType, m.content, m.padding)
			record := header(len(text) + 16)
			record = append(record, query(fmt.Sprintf("sm4 %s enc %s %x %x %x 16", suite[:3], tlsKey, r.nonce(), text, record))...)
			if got := hex.EncodeToString(record); got != m.records[suite] {
				t.Errorf("%s, record %d: %s, want %s", suite, i, got, m.records[suite])
			}
		}
	}
}

// TestRecordsExchange: a client and a server, each with its own driver, talk through a
// connection. A record that was changed, or comes again, is refused.
func TestRecordsExchange(t *testing.T) {
	for _, suite := range tlsSuites {
		driversOf(t, suite, func(t *testing.T, d ucrypt.Driver) {
			clientKey, serverKey := random(1, 16), random(2, 16)
			clientIV, serverIV := [12]byte(random(3, 12)), [12]byte(random(4, 12))
			client, server := net.Pipe()
			defer client.Close()
			defer server.Close()
			lengths := []int{0, 1, 15, 16, 17, 1400, 16384} // the last is the longest
			served := make(chan error, 1)
			// The server answers with what it is sent, backwards, in the best driver.
			asked, answers := newRecords(t, suite, clientKey, clientIV), newRecords(t, suite, serverKey, serverIV)
			go func() {
				defer server.Close()
				for {
					contentType, content, err := receive(server, asked)
					if err == nil && contentType == tlsApplication {
						_, err = server.Write(answers.seal(tlsApplication, backwards(content), min(len(content)%7, 16384-len(content))))
					}
					if err != nil || contentType == tlsAlert {
						served <- err
						return
					}
				}
			}()
			in, out := newRecords(t, d.DriverName, serverKey, serverIV), newRecords(t, d.DriverName, clientKey, clientIV)
			for i, n := range lengths {
				content := random(byte(i), n)
				if _, err := client.Write(out.seal(tlsApplication, content, min(i, 16384-n))); err != nil {
					t.Fatal(err)
				}
				contentType, answer, err := receive(client, in)
				if err != nil || contentType != tlsApplication || !bytes.Equal(answer, backwards(content)) {
					t.Fatalf("%d bytes: %d bytes of type %d came back, error %v", n, len(answer), contentType, err)
				}
			}
			if _, err := client.Write(out.seal(tlsAlert, []byte{1, 0}, 0)); err != nil {
				t.Fatal(err)
			}
			if err := <-served; err != nil {
				t.Fatal(err)
			}

			record := out.seal(tlsApplication, []byte("once"), 3)
			for bit := range 8 * len(record) {
				changed := bytes.Clone(record)
				changed[bit/8] ^= 1 << (bit % 8)
				in := newRecords(t, d.DriverName, clientKey, clientIV)
				in.next = out.next - 1
				if _, _, err := in.open(changed); !errors.Is(err, ucrypt.ErrAuthentication) {
					t.Fatalf("bit %d is wrong: error %v", bit, err)
				}
			}
			in = newRecords(t, d.DriverName, clientKey, clientIV)
			in.next = out.next - 1
			if _, content, err := in.open(record); err != nil || string(content) != "once" {
				t.Errorf("%q, error %v", content, err)
			}
			if _, _, err := in.open(record); !errors.Is(err, ucrypt.ErrAuthentication) {
				t.Errorf("the same record again: error %v", err)
			}
		})
	}
}

func backwards(b []byte) []byte {
	out := make([]byte, len(b))
	for i := range b {
		out[len(b)-1-i] = b[i]
	}
	return out
}

func receive(from io.Reader, r *records) (contentType byte, content []byte, err error) {
	record := make([]byte, tlsHeader, tlsHeader+16384+256)
	if _, err := io.ReadFull(from, record); err != nil {
		return 0, nil, err
	}
	record = record[:tlsHeader+int(binary.BigEndian.Uint16(record[3:]))]
	if _, err := io.ReadFull(from, record[tlsHeader:]); err != nil {
		return 0, nil, err
	}
	return r.open(record)
}
