package main

import "github.com/spf13/cobra"

func decCommand() *cobra.Command {
	return cryptCommand(true, &cobra.Command{
		Use:   "dec -c NAME (--key HEX | --key-file FILE) [--iv HEX | --first-sector M] [-i FILE] [-o FILE]",
		Short: "Decrypt a file or a pipe",
		Long: `dec undoes enc: it decrypts standard input, or the file of -i, to standard
output, or the file of -o. NAME is an algorithm or one of its drivers: see
"ucrypt list".

ecb and cbc take the padding away (PKCS#7); wrong padding means a wrong key or iv,
or another file. --nopad leaves the padding where it is.

A pipe gets data before the end of the input is known, so before wrong padding can
be noticed: heed the exit status, or use -o. The last part of the data, all of it
if it is short, is held back until its padding is right. No mode here notices that
a ciphertext was changed, and a wrong key gives wrong data, not an error.

` + sectorHelp() + `

` + partHelp + `

` + keyHelp + `

` + outputHelp,
		Example: `  ucrypt dec -c 'ctr(sm4)' --key-file key --iv 000102030405060708090a0b0c0d0e0f -i secret -o plain
  ucrypt dec -c 'cbc(sm4)' --iv 000102030405060708090a0b0c0d0e0f <secret | tar x`,
	})
}
