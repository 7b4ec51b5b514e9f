/* Encrypts standard input in XTS, sector by sector, with libgcrypt:
 *   gcrypt_xts SM4|AES|AES256 KEY-IN-HEX SECTOR-SIZE FIRST-NUMBER STEP
 * The numbers are those of dm-crypt's plain64. */
#include <gcrypt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call)                                                           \
	do {                                                                  \
		gcry_error_t err = (call);                                    \
		if (err) {                                                    \
			fprintf(stderr, "%s: %s\n", #call, gcry_strerror(err)); \
			exit(1);                                              \
		}                                                             \
	} while (0)

int main(int argc, char **argv)
{
	unsigned char key[64], iv[16], *sector;
	gcry_cipher_hd_t cipher;
	unsigned long long number, step;
	size_t size, n, keylen;

	if (argc != 6 || !gcry_check_version(NULL))
		return 2;
	gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
	keylen = strlen(argv[2]) / 2;
	if (keylen > sizeof key)
		return 2;
	for (n = 0; n < keylen; n++)
		if (sscanf(argv[2] + 2 * n, "%2hhx", &key[n]) != 1)
			return 2;
	size = strtoul(argv[3], NULL, 10);
	number = strtoull(argv[4], NULL, 10);
	step = strtoull(argv[5], NULL, 10);
	sector = malloc(size);
	CHECK(gcry_cipher_open(&cipher, gcry_cipher_map_name(argv[1]), GCRY_CIPHER_MODE_XTS, 0));
	CHECK(gcry_cipher_setkey(cipher, key, keylen));
	while ((n = fread(sector, 1, size, stdin)) > 0) {
		for (int i = 0; i < 16; i++)
			iv[i] = i < 8 ? number >> 8 * i : 0;
		CHECK(gcry_cipher_setiv(cipher, iv, sizeof iv));
		CHECK(gcry_cipher_encrypt(cipher, sector, n, NULL, 0));
		if (fwrite(sector, 1, n, stdout) != n)
			return 1;
		number += step;
	}
	return fflush(stdout) || ferror(stdin);
}
