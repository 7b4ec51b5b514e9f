//go:build clibs

package main

/*
#cgo LDFLAGS: -lcrypto
#include <openssl/core_names.h>
#include <openssl/evp.h>

// crypt answers in one piece. The cipher may have a parameter that is a text. A tag of taglen bytes goes behind what it encrypts. It
// returns 1 if all went well, -1 if the library has no such cipher.
static int crypt(const char *name, const char *parameter, const char *value, int encrypt, const unsigned char *key, const unsigned char *iv, int ivlen,
		const unsigned char *aad, int aadlen, const unsigned char *in, int len, unsigned char *out, int taglen) {
	EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, name, NULL);
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string(parameter, (char *)value, 0), OSSL_PARAM_construct_end()};
	int ok = -1, n, ccm;
	unsigned char none[1] = {0};
	if (!cipher || !c)
		goto end;
	ok = 0;
	ccm = EVP_CIPHER_get_mode(cipher) == EVP_CIPH_CCM_MODE;
	if (!EVP_CipherInit_ex2(c, cipher, NULL, NULL, encrypt, *parameter ? parameters : NULL) ||
	    taglen && !EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IVLEN, ivlen, NULL) ||
	    ccm && !EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, taglen, NULL) ||
	    !EVP_CipherInit_ex2(c, NULL, key, iv, encrypt, NULL) || !EVP_CIPHER_CTX_set_padding(c, 0) ||
	    ccm && !EVP_CipherUpdate(c, NULL, &n, NULL, len) ||
	    aadlen && !EVP_CipherUpdate(c, NULL, &n, aad, aadlen) ||
	    (len || ccm) && !EVP_CipherUpdate(c, out, &n, len ? in : none, len) ||
	    !EVP_CipherFinal_ex(c, out + len, &n) ||
	    taglen && !EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, taglen, out + len))
		goto end;
	ok = 1;
end:
	EVP_CIPHER_CTX_free(c);
	EVP_CIPHER_free(cipher);
	return ok;
}
*/
import "C"

import (
	"fmt"
	"strings"
	"unsafe"

	"ucrypt"
)

func init() { opensslLibrary = askOpenSSL }

// askOpenSSL has libcrypto answer for xts, cts and AEADs.
func askOpenSSL(q question) ([]byte, error) {
	mode, name := opensslMode(q)
	parameter, value, tag := "", "", 0
	switch {
	case mode == "xts-gb" && name == "sm4":
		mode, parameter, value = "xts", "xts_standard", "GB"
	case mode == "xts" && name == "sm4":
		parameter, value = "xts_standard", "IEEE"
	case mode == "xts":
	case mode == "cts":
		mode, parameter, value = "cbc-cts", "cts_mode", "CS3"
	case mode == "cts-cs1" || mode == "cts-cs2":
		mode, parameter, value = "cbc-cts", "cts_mode", strings.ToUpper(mode[4:])
	case (mode == "gcm" || mode == "ccm") && q.driver.Type == ucrypt.TypeAEAD:
		tag = q.driver.MaxTagSize
	default:
		return nil, errNotThere
	}
	text := func(s string) *C.char { return (*C.char)(unsafe.Pointer(&append([]byte(s), 0)[0])) }
	bytes := func(b []byte) *C.uchar { return (*C.uchar)(unsafe.Pointer(unsafe.SliceData(b))) }
	out := make([]byte, len(q.message)+max(tag, 1))
	encrypt := C.int(1)
	if q.decrypt {
		encrypt = 0
	}
	switch C.crypt(text(strings.ToUpper(name+"-"+mode)), text(parameter), text(value), encrypt, bytes(q.key), bytes(q.iv), C.int(len(q.iv)),
		bytes(q.data), C.int(len(q.data)), bytes(q.message), C.int(len(q.message)), bytes(out), C.int(tag)) {
	case 1:
		return out[:len(q.message)+tag], nil
	case -1:
		return nil, errNotThere
	}
	return nil, fmt.Errorf("libcrypto fails at %s", q.algorithm)
}
