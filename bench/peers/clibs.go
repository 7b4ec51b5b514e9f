//go:build clibs

package peers

/*
#cgo LDFLAGS: -lcrypto -lgcrypt
#include <gcrypt.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdlib.h>

// Whole loops run in C, so that what a call from Go costs is no part of them. Each
// returns 1 if all went well.

static int ossl_cipher(EVP_CIPHER_CTX *c, unsigned char *iv, unsigned char *buf, int len, long n) {
	int out;
	for (; n > 0; n--)
		if (!EVP_CipherInit_ex(c, NULL, NULL, NULL, iv, -1) || !EVP_CipherUpdate(c, buf, &out, buf, len) || out != len)
			return 0;
	return 1;
}

static int ossl_aead(EVP_CIPHER_CTX *c, int ccm, unsigned char *iv, unsigned char *aad, int aadlen, unsigned char *buf, int len, long n) {
	int out;
	for (; n > 0; n--) {
		if (!EVP_EncryptInit_ex(c, NULL, NULL, NULL, iv) || ccm && !EVP_EncryptUpdate(c, NULL, &out, NULL, len) ||
		    !EVP_EncryptUpdate(c, NULL, &out, aad, aadlen) || !EVP_EncryptUpdate(c, buf, &out, buf, len) ||
		    !EVP_EncryptFinal_ex(c, buf + len, &out) || !EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, 16, buf + len))
			return 0;
	}
	return 1;
}

static int ossl_hash(EVP_MD_CTX *c, const EVP_MD *md, unsigned char *buf, int len, long n) {
	for (; n > 0; n--)
		if (!EVP_DigestInit_ex(c, md, NULL) || !EVP_DigestUpdate(c, buf, len) || !EVP_DigestFinal_ex(c, buf + len, NULL))
			return 0;
	return 1;
}

static void gcry_start(void) {
	gcry_check_version(NULL);
	gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
	gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
}

static int gcry_cipher(gcry_cipher_hd_t h, int decrypt, int ctr, void *iv, int ivlen, void *buf, int len, long n) {
	for (; n > 0; n--) {
		if (ivlen && (ctr ? gcry_cipher_setctr(h, iv, ivlen) : gcry_cipher_setiv(h, iv, ivlen)))
			return 0;
		if (decrypt ? gcry_cipher_decrypt(h, buf, len, NULL, 0) : gcry_cipher_encrypt(h, buf, len, NULL, 0))
			return 0;
	}
	return 1;
}

static int gcry_aead(gcry_cipher_hd_t h, int ccm, void *iv, int ivlen, void *aad, int aadlen, char *buf, int len, long n) {
	for (; n > 0; n--) {
		uint64_t lengths[3] = {len, aadlen, 16};
		if (gcry_cipher_setiv(h, iv, ivlen) || ccm && gcry_cipher_ctl(h, GCRYCTL_SET_CCM_LENGTHS, lengths, sizeof lengths) ||
		    gcry_cipher_authenticate(h, aad, aadlen) || gcry_cipher_encrypt(h, buf, len, NULL, 0) || gcry_cipher_gettag(h, buf + len, 16))
			return 0;
	}
	return 1;
}

static void gcry_hash(int algo, char *buf, int len, long n) {
	for (; n > 0; n--)
		gcry_md_hash_buffer(algo, buf + len, buf, len);
}
*/
import "C"

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"unsafe"
)

func cLibraries() []Library {
	return []Library{
		{Name: "openssl", Open: openOpenSSL, Version: func() string { return C.GoString(C.OpenSSL_version(C.OPENSSL_VERSION)) }},
		{Name: "libgcrypt", Open: openGcrypt, Version: func() string { return "libgcrypt " + C.GoString(C.gcry_check_version(nil)) }},
	}
}

// inC copies what lasts as long as the program: keys, ivs and messages.
func inC(b []byte) *C.uchar {
	if len(b) == 0 {
		return nil
	}
	return (*C.uchar)(C.CBytes(b))
}

// looped makes a loop in C over a copy of buf, which gets the copy back.
func looped(name string, buf []byte, f func(buf *C.uchar, n C.long) C.int) func(n int) error {
	copied := inC(buf)
	return func(n int) error {
		if f(copied, C.long(n)) != 1 {
			return errors.New(name + " failed")
		}
		copy(buf, unsafe.Slice((*byte)(copied), len(buf)))
		return nil
	}
}

// openSSLName is openssl's name of a cipher: "AES-128-XTS".
func openSSLName(t Task) (name, mode string) {
	for _, c := range []string{"aes", "sm4"} {
		mode, ok := stripCipher(t.Algorithm, c)
		if !ok {
			continue
		}
		bits := len(t.Key) * 8
		if mode == "xts" {
			bits /= 2
		}
		if c == "sm4" {
			return "SM4-" + strings.ToUpper(mode), mode
		}
		return fmt.Sprintf("AES-%d-%s", bits, strings.ToUpper(mode)), mode
	}
	return "", ""
}

func openOpenSSL(t Task, buf []byte) (func(n int) error, error) {
	if t.Algorithm == "blake2s-256" {
		c, md := C.EVP_MD_CTX_new(), C.EVP_blake2s256()
		return looped("openssl", buf, func(b *C.uchar, n C.long) C.int { return C.ossl_hash(c, md, b, C.int(len(buf)-64), n) }), nil
	}
	name, mode := openSSLName(t)
	if name == "" || t.Algorithm == "xts(sm4)" { // whose XTS is GB/T 17964's by default
		return nil, nil
	}
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	evp := C.EVP_CIPHER_fetch(nil, text, nil)
	if evp == nil {
		return nil, nil
	}
	c, key, iv, aad := C.EVP_CIPHER_CTX_new(), inC(t.Key), inC(t.IV), inC(AssociatedData)
	encrypt := C.int(1)
	if t.Decrypt {
		encrypt = 0
	}
	if mode == "gcm" || mode == "ccm" {
		ccm := C.int(0)
		if mode == "ccm" {
			ccm = 1
		}
		if t.Decrypt || C.EVP_EncryptInit_ex(c, evp, nil, nil, nil) != 1 ||
			C.EVP_CIPHER_CTX_ctrl(c, C.EVP_CTRL_AEAD_SET_IVLEN, 12, nil) != 1 ||
			ccm == 1 && C.EVP_CIPHER_CTX_ctrl(c, C.EVP_CTRL_AEAD_SET_TAG, 16, nil) != 1 ||
			C.EVP_EncryptInit_ex(c, nil, nil, key, iv) != 1 {
			return nil, nil
		}
		return looped("openssl", buf, func(b *C.uchar, n C.long) C.int {
			return C.ossl_aead(c, ccm, iv, aad, C.int(len(AssociatedData)), b, C.int(len(buf)-16), n)
		}), nil
	}
	if C.EVP_CipherInit_ex(c, evp, nil, key, iv, encrypt) != 1 || C.EVP_CIPHER_CTX_set_padding(c, 0) != 1 {
		return nil, errors.New("openssl refuses " + name)
	}
	return looped("openssl", buf, func(b *C.uchar, n C.long) C.int { return C.ossl_cipher(c, iv, b, C.int(len(buf)), n) }), nil
}

var startGcrypt = sync.OnceFunc(func() { C.gcry_start() })

func openGcrypt(t Task, buf []byte) (func(n int) error, error) {
	startGcrypt()
	if t.Algorithm == "blake2s-256" {
		return looped("libgcrypt", buf, func(b *C.uchar, n C.long) C.int {
			C.gcry_hash(C.GCRY_MD_BLAKE2S_256, (*C.char)(unsafe.Pointer(b)), C.int(len(buf)-64), n)
			return 1
		}), nil
	}
	algo, mode := C.int(C.GCRY_CIPHER_SM4), ""
	if m, ok := stripCipher(t.Algorithm, "sm4"); ok {
		mode = m
	} else if m, ok := stripCipher(t.Algorithm, "aes"); ok {
		mode = m
		size := len(t.Key)
		if mode == "xts" {
			size /= 2
		}
		algo = map[int]C.int{16: C.GCRY_CIPHER_AES128, 24: C.GCRY_CIPHER_AES192, 32: C.GCRY_CIPHER_AES256}[size]
	} else if t.Algorithm == "cts(cbc(aes))" {
		mode = "cts"
		algo = map[int]C.int{16: C.GCRY_CIPHER_AES128, 24: C.GCRY_CIPHER_AES192, 32: C.GCRY_CIPHER_AES256}[len(t.Key)]
	}
	modes := map[string]C.int{"ecb": C.GCRY_CIPHER_MODE_ECB, "cbc": C.GCRY_CIPHER_MODE_CBC, "cts": C.GCRY_CIPHER_MODE_CBC, "cfb": C.GCRY_CIPHER_MODE_CFB,
		"ctr": C.GCRY_CIPHER_MODE_CTR, "xts": C.GCRY_CIPHER_MODE_XTS, "gcm": C.GCRY_CIPHER_MODE_GCM, "ccm": C.GCRY_CIPHER_MODE_CCM}
	m, ok := modes[mode]
	if !ok {
		return nil, nil
	}
	flags := C.uint(0)
	if mode == "cts" {
		flags = C.GCRY_CIPHER_CBC_CTS
	}
	var h C.gcry_cipher_hd_t
	key, iv, aad := inC(t.Key), inC(t.IV), inC(AssociatedData)
	if C.gcry_cipher_open(&h, algo, m, flags) != 0 || C.gcry_cipher_setkey(h, unsafe.Pointer(key), C.size_t(len(t.Key))) != 0 {
		return nil, nil
	}
	decrypt, ctr, ccm, ivLen := C.int(0), C.int(0), C.int(0), C.int(len(t.IV))
	if t.Decrypt {
		decrypt = 1
	}
	switch mode {
	case "ecb":
		ivLen = 0
	case "ctr":
		ctr = 1
	case "gcm", "ccm":
		if t.Decrypt {
			return nil, nil
		}
		if mode == "ccm" {
			ccm = 1
		}
		return looped("libgcrypt", buf, func(b *C.uchar, n C.long) C.int {
			return C.gcry_aead(h, ccm, unsafe.Pointer(iv), 12, unsafe.Pointer(aad), C.int(len(AssociatedData)), (*C.char)(unsafe.Pointer(b)), C.int(len(buf)-16), n)
		}), nil
	}
	return looped("libgcrypt", buf, func(b *C.uchar, n C.long) C.int {
		return C.gcry_cipher(h, decrypt, ctr, unsafe.Pointer(iv), ivLen, unsafe.Pointer(b), C.int(len(buf)), n)
	}), nil
}
