package main

import "github.com/spf13/cobra"

func decCommand() *cobra.Command {
	return cryptCommand(true, &cobra.Command{
		Use:   "dec -c NAME (--key HEX | --key-file FILE) [--iv HEX | --first-sector M] [--aad HEX] [-i FILE] [-o FILE]",
		Short: "Decrypt a file or a pipe",
		Long: `dec undoes enc: it decrypts standard input, or the file of -i, to standard
output, or the file of -o. NAME is an algorithm or one of its drivers: see
"ucrypt list".

ecb and cbc take the padding away (PKCS#7); wrong padding means a wrong key or iv,
or another file. --nopad leaves the padding where it is.

A pipe gets data before the end of the input is known, so before wrong padding can
be noticed: heed the exit status, or use -o. The last part of the data, all of it
if it is short, is held back until its padding is right. In all modes but gcm and ccm
a changed ciphertext or a wrong key gives wrong data, not an error.

` + aeadHelp + `

With gcm and ccm dec writes nothing unless the tag is right. Until then FILE's
temporary file can be read by its owner only. What is for standard output, a device
or a named pipe is held back: up to 4 MiB in memory, more in a temporary file (in the
folder of TMPDIR, or /tmp) that is encrypted with a random key and has no name.

` + sectorHelp() + `

` + partHelp + `

` + keyHelp + `

` + outputHelp,
		Example: `  ucrypt dec -c 'ctr(sm4)' --key-file key --iv 000102030405060708090a0b0c0d0e0f -i secret -o plain
  ucrypt dec -c 'gcm(sm4)' --key-file key --iv 000102030405060708090a0b -i sealed -o plain
  ucrypt dec -c 'cbc(sm4)' --iv 000102030405060708090a0b0c0d0e0f <secret | tar x`,
	})
}
