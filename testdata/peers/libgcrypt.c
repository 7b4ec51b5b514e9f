/*
 * libgcrypt as a peer: what it makes of messages, for the tests that compare.
 *
 *   libgcrypt messages
 *     Reads a line a message, CIPHER MODE OP KEY IV TEXT, and answers each with
 *     a line: the result in hex, or "error: " and a reason. CIPHER is aes or
 *     sm4, MODE is cbc, cts or xts, OP is enc or dec; the rest is in hex, and a
 *     text of no bytes is "-".
 *     CIPHER gcm|ccm enc KEY NONCE TEXT AAD TAGSIZE is answered with the
 *     ciphertext and the tag, CIPHER cmac enc KEY - TEXT with the MAC.
 *
 *   libgcrypt sectors CIPHER KEY SIZE FIRST <image >plain
 *     Decrypts a disk image in xts-plain64, one sector of SIZE bytes at a time.
 *     The iv of a sector is its number, from FIRST on, in little-endian order.
 *
 * Build: gcc -o libgcrypt libgcrypt.c -lgcrypt (Debian: libgcrypt20-dev).
 */
#include <gcrypt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char hex_digits[] = "0123456789abcdef";

/* unhex returns the bytes of a hex string and their number, or -1. */
static unsigned char *unhex(const char *s, long *n)
{
	size_t digits = strcmp(s, "-") ? strlen(s) : 0;
	unsigned char *b = calloc(1, digits / 2 + 1);

	*n = digits % 2 || !b ? -1 : (long)(digits / 2);
	for (size_t i = 0; i < digits && *n >= 0; i++) {
		const char *digit = strchr(hex_digits, s[i]);
		if (digit)
			b[i / 2] = b[i / 2] << 4 | (digit - hex_digits);
		else
			*n = -1;
	}
	return b;
}

/* open_cipher returns an error and, without one, a handle with the key. */
static gcry_error_t open_cipher(gcry_cipher_hd_t *h, const char *cipher, const char *mode, const unsigned char *key, long key_size)
{
	int xts = !strcmp(mode, "xts"), algorithm = 0;
	gcry_error_t err;

	if (!strcmp(cipher, "sm4"))
		algorithm = GCRY_CIPHER_SM4;
	else if (!strcmp(cipher, "aes"))
		switch (xts ? key_size / 2 : key_size) {
		case 16: algorithm = GCRY_CIPHER_AES128; break;
		case 24: algorithm = GCRY_CIPHER_AES192; break;
		case 32: algorithm = GCRY_CIPHER_AES256; break;
		}
	err = gcry_cipher_open(h, algorithm, xts ? GCRY_CIPHER_MODE_XTS : GCRY_CIPHER_MODE_CBC,
			       strcmp(mode, "cts") ? 0 : GCRY_CIPHER_CBC_CTS);
	if (err)
		return err;
	err = gcry_cipher_setkey(*h, key, key_size);
	if (err)
		gcry_cipher_close(*h);
	return err;
}

static void print_hex(const unsigned char *b, long n)
{
	for (long i = 0; i < n; i++) {
		putchar(hex_digits[b[i] >> 4]);
		putchar(hex_digits[b[i] & 15]);
	}
}

static void message(char *cipher, char *mode, char *op, char *key_hex, char *iv_hex, char *text_hex)
{
	long key_size, iv_size, n;
	unsigned char *key = unhex(key_hex, &key_size), *iv = unhex(iv_hex, &iv_size), *text = unhex(text_hex, &n);
	gcry_cipher_hd_t h;
	gcry_error_t err;

	if (key_size < 0 || iv_size < 0 || n < 0) {
		puts("error: not hex");
		goto out;
	}
	err = open_cipher(&h, cipher, mode, key, key_size);
	if (err) {
		printf("error: %s\n", gcry_strerror(err));
		goto out;
	}
	err = gcry_cipher_setiv(h, iv, iv_size);
	if (!err && n > 0)
		err = strcmp(op, "dec") ? gcry_cipher_encrypt(h, text, n, NULL, 0) : gcry_cipher_decrypt(h, text, n, NULL, 0);
	gcry_cipher_close(h);
	if (err) {
		printf("error: %s\n", gcry_strerror(err));
		goto out;
	}
	print_hex(text, n);
	putchar('\n');
out:
	free(key);
	free(iv);
	free(text);
}

/* sealed answers with what GCM or CCM makes of a message. */
static void sealed(char *cipher, char *mode, char *key_hex, char *nonce_hex, char *text_hex, char *aad_hex, char *tag_size)
{
	long key_size, nonce_size, n, aad_size, tag_n = strtol(tag_size, NULL, 10);
	unsigned char *key = unhex(key_hex, &key_size), *nonce = unhex(nonce_hex, &nonce_size);
	unsigned char *text = unhex(text_hex, &n), *aad = unhex(aad_hex, &aad_size), tag[16];
	int algorithm = strcmp(cipher, "sm4") ? key_size == 16 ? GCRY_CIPHER_AES128 : key_size == 24 ? GCRY_CIPHER_AES192 : GCRY_CIPHER_AES256 : GCRY_CIPHER_SM4;
	int ccm = !strcmp(mode, "ccm");
	gcry_cipher_hd_t h = NULL;
	gcry_error_t err = gcry_cipher_open(&h, algorithm, ccm ? GCRY_CIPHER_MODE_CCM : GCRY_CIPHER_MODE_GCM, 0);

	if (!err)
		err = gcry_cipher_setkey(h, key, key_size);
	if (!err)
		err = gcry_cipher_setiv(h, nonce, nonce_size);
	if (!err && ccm) {
		uint64_t lengths[3] = { n, aad_size, tag_n };
		err = gcry_cipher_ctl(h, GCRYCTL_SET_CCM_LENGTHS, lengths, sizeof lengths);
	}
	if (!err && aad_size > 0)
		err = gcry_cipher_authenticate(h, aad, aad_size);
	if (!err && n > 0)
		err = gcry_cipher_encrypt(h, text, n, NULL, 0);
	if (!err)
		err = gcry_cipher_gettag(h, tag, tag_n);
	if (err) {
		printf("error: %s\n", gcry_strerror(err));
	} else {
		print_hex(text, n);
		print_hex(tag, tag_n);
		putchar('\n');
	}
	gcry_cipher_close(h);
	free(key);
	free(nonce);
	free(text);
	free(aad);
}

static void cmac(char *cipher, char *key_hex, char *text_hex)
{
	long key_size, n;
	unsigned char *key = unhex(key_hex, &key_size), *text = unhex(text_hex, &n), mac[16];
	size_t size = sizeof mac;
	gcry_mac_hd_t h = NULL;
	gcry_error_t err = gcry_mac_open(&h, strcmp(cipher, "sm4") ? GCRY_MAC_CMAC_AES : GCRY_MAC_CMAC_SM4, 0, NULL);

	if (!err)
		err = gcry_mac_setkey(h, key, key_size);
	if (!err)
		err = gcry_mac_write(h, text, n);
	if (!err)
		err = gcry_mac_read(h, mac, &size);
	if (err) {
		printf("error: %s\n", gcry_strerror(err));
	} else {
		print_hex(mac, size);
		putchar('\n');
	}
	gcry_mac_close(h);
	free(key);
	free(text);
}

static int messages(void)
{
	char *line = NULL, *word[8];
	size_t size = 0;

	while (getline(&line, &size, stdin) > 0) {
		int words = 0;
		for (char *w = strtok(line, " \n"); w && words < 8; w = strtok(NULL, " \n"))
			word[words++] = w;
		if (words == 8)
			sealed(word[0], word[1], word[3], word[4], word[5], word[6], word[7]);
		else if (words == 6 && !strcmp(word[1], "cmac"))
			cmac(word[0], word[3], word[5]);
		else if (words == 6)
			message(word[0], word[1], word[2], word[3], word[4], word[5]);
		else
			puts("error: want CIPHER MODE OP KEY IV TEXT");
		fflush(stdout);
	}
	free(line);
	return 0;
}

static int sectors(const char *cipher, const char *key_hex, const char *size_text, const char *first)
{
	size_t size = strtoul(size_text, NULL, 10), got;
	unsigned long long number = strtoull(first, NULL, 10);
	unsigned char *sector = malloc(size), iv[16];
	long key_size;
	unsigned char *key = unhex(key_hex, &key_size);
	gcry_cipher_hd_t h;
	gcry_error_t err = open_cipher(&h, cipher, "xts", key, key_size);

	for (; !err && (got = fread(sector, 1, size, stdin)) > 0; number++) {
		for (int i = 0; i < 16; i++)
			iv[i] = i < 8 ? number >> 8 * i : 0;
		err = gcry_cipher_setiv(h, iv, sizeof iv);
		if (!err)
			err = gcry_cipher_decrypt(h, sector, got, NULL, 0);
		if (!err)
			fwrite(sector, 1, got, stdout);
	}
	if (err)
		fprintf(stderr, "sector %llu: %s\n", number, gcry_strerror(err));
	return err || fflush(stdout) ? 1 : 0;
}

int main(int argc, char **argv)
{
	if (!gcry_check_version(NULL))
		return 1;
	gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
	gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
	if (argc == 2 && !strcmp(argv[1], "messages"))
		return messages();
	if (argc == 6 && !strcmp(argv[1], "sectors"))
		return sectors(argv[2], argv[3], argv[4], argv[5]);
	fputs("usage: libgcrypt messages | sectors CIPHER KEY SIZE FIRST\n", stderr);
	return 2;
}
