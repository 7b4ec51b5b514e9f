package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func encCommand() *cobra.Command {
	return cryptCommand(false, &cobra.Command{
		Use:   "enc -c NAME (--key HEX | --key-file FILE) [--iv HEX | --first-sector M] [--aad HEX] [-i FILE] [-o FILE]",
		Short: "Encrypt a file or a pipe",
		Long: `enc encrypts standard input, or the file of -i, to standard output, or the file
of -o. The output is the ciphertext and nothing else, as "openssl enc -K -iv"
gives it. NAME is an algorithm or one of its drivers: see "ucrypt list".

ecb and cbc pad the input to whole blocks as openssl does (PKCS#7); with --nopad
they refuse a length that is not a multiple of 16. cts, cts-cs1 and cts-cs2 take
one message of 16 bytes or more. They hold back two blocks, not
the message: memory is constant whatever the size, in every mode.

` + aeadHelp + `

ccm begins with the length of the input: a pipe is read to its end before there is
any output, up to 4 MiB into memory, more into a temporary file (in the folder of
TMPDIR, or /tmp) that is encrypted with a random key and has no name.

` + sectorHelp() + `

` + partHelp + `

` + keyHelp + `

The iv is not part of the output: keep it with the ciphertext, and never use one
twice with the same key. Only gcm and ccm notice that a ciphertext was changed.

` + outputHelp,
		Example: `  head -c 16 /dev/urandom >key
  ucrypt enc -c 'ctr(sm4)' --key-file key --iv 000102030405060708090a0b0c0d0e0f -i plain -o secret
  ucrypt enc -c 'gcm(sm4)' --key-file key --iv 000102030405060708090a0b -i plain -o sealed
  head -c 32 /dev/urandom >keys
  ucrypt enc -c 'xts(sm4)' --key-file keys --first-sector 0 --sector-size 4096 -i image -o secret
  tar c folder | ucrypt enc -c 'cbc(sm4)' --iv 000102030405060708090a0b0c0d0e0f >secret`,
	})
}

const (
	aeadHelp = `gcm and ccm authenticate: behind the ciphertext comes a tag of --tag-size bytes,
16 unless it is given (gcm has 4, 8 and 12 to 16, ccm 4 to 16 in steps of 2), as in
the files of gmssl's sm4_gcm. --aad, in hex, or the file of --aad-file is
authenticated too, and has to be given again to dec. Take an --iv of 12 bytes, which
is 24 hex digits; gcm takes any other length too, ccm 7 to 13 bytes. The longest
input of gcm is 64 GiB less 32 bytes. That of ccm depends on the iv: 65535 bytes with
one of 13, 16 MiB less a byte with 12, 4 GiB less a byte with 11, and so on.`

	partHelp = `With --offset and --length only that part of the input is worked, and the output is
just that part of the whole output, so that many machines can share a file. ctr has
parts from any byte on, ecb of whole blocks, modes of sectors of whole sectors; a
part that reaches the input's end may have any length, and it has the padding.
--offset counts from the start of the input: of a pipe, the bytes before it are
read and dropped.`

	keyHelp = `The key comes from --key-file, which holds the raw bytes; from --key in hex, which
other users of the machine can see while the command runs; or, with neither,
from a prompt on the terminal, in hex and not shown. It is never a passphrase.`

	outputHelp = `With -o FILE the output appears whole or not at all: it is written to a temporary
file in the same folder, which takes FILE's name when all is on the disk. FILE is
as it was after any error. Only a kill -9 or a power cut can leave the temporary
file, .ucrypt-*.tmp, behind. A FILE that is a device or a named pipe is written to
directly, as is standard output, in parts of up to 256 KiB.`
)

func sectorHelp() string {
	return fmt.Sprintf(`Modes of sectors (%s) work on them with --first-sector M, numbered as dm-crypt's
plain64 does: M is the first one's number, --sector-size their size (512 unless it
is given). The numbers count units of 512 bytes, so those of 4096-byte sectors are
8 apart; with --iv-large-sectors, dm-crypt's option of that name, they count the
sectors. In xts the last sector may be shorter, down to 16 bytes. With --iv instead,
the whole input is one data unit of at most 16 MiB (2^20 blocks, the limit of IEEE
Std 1619), which is held in memory. xts is IEEE Std 1619's, xts-gb GB/T 17964-2021's.`,
		modeNames(func(m mode) bool { return m.units }))
}
