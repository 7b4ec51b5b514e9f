package main

import "github.com/spf13/cobra"

func encCommand() *cobra.Command {
	return cryptCommand(false, &cobra.Command{
		Use:   "enc -c NAME (--key HEX | --key-file FILE) [--iv HEX] [-i FILE] [-o FILE]",
		Short: "Encrypt a file or a pipe",
		Long: `enc encrypts standard input, or the file of -i, to standard output, or the file
of -o. The output is the ciphertext and nothing else, as "openssl enc -K -iv"
gives it. NAME is an algorithm or one of its drivers: see "ucrypt list".

ecb and cbc pad the input to whole blocks as openssl does (PKCS#7); with --nopad
they refuse a length that is not a multiple of 16.

` + keyHelp + `

The iv is not part of the output: keep it with the ciphertext, and never use one
twice with the same key. No mode here notices that a ciphertext was changed.

` + outputHelp,
		Example: `  head -c 16 /dev/urandom >key
  ucrypt enc -c 'ctr(sm4)' --key-file key --iv 000102030405060708090a0b0c0d0e0f -i plain -o secret
  tar c folder | ucrypt enc -c 'cbc(sm4)' --iv 000102030405060708090a0b0c0d0e0f >secret`,
	})
}

const (
	keyHelp = `The key comes from --key-file, which holds the raw bytes; from --key in hex, which
other users of the machine can see while the command runs; or, with neither,
from a prompt on the terminal, in hex and not shown. It is never a passphrase.`

	outputHelp = `With -o FILE the output appears whole or not at all: it is written to a temporary
file in the same folder, which takes FILE's name when all is on the disk. FILE is
as it was after any error. Only a kill -9 or a power cut can leave the temporary
file, .ucrypt-*.tmp, behind. A FILE that is a device or a named pipe is written to
directly, as is standard output, in parts of up to 256 KiB.`
)
