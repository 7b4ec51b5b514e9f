package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ucrypt"
	"ucrypt/internal/cpu"
)

func main() { os.Exit(run(rootCommand(), os.Args[1:])) }

// run executes the command line and returns the exit status.
func run(root *cobra.Command, args []string) int {
	name := root.Name()
	// The verb is the first word that is no flag; there may be thousands of files behind it.
	words := slices.IndexFunc(args, func(a string) bool { return !strings.HasPrefix(a, "-") }) + 1
	if verb, _, err := root.Find(args[:words]); err == nil {
		name = verb.CommandPath()
	}
	watchSignals(name)
	root.SetArgs(args)
	err := root.Execute()
	if err == nil {
		return 0
	}
	if err == errSaid {
		return 1
	}
	fmt.Fprintf(os.Stderr, "%s: %s\n", name, oneLine(err))
	if isUsage(err) {
		return 2
	}
	return 1
}

// errSaid is a failure about which the verb has said what there is to say.
var errSaid = errors.New("failed")

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "ucrypt",
		Short: "The Linux kernel's symmetric ciphers and hashes in user space",
		Long: `ucrypt is the Linux kernel's symmetric crypto in user space: its algorithms and
drivers, their tests, their speed, files encrypted with them, and digests of files.`,
		Example: `  ucrypt speed                  what this processor gains
  ucrypt list                   algorithms, drivers and their state here
  ucrypt test                   every driver through the test matrix
  ucrypt enc -c 'ctr(sm4)' --key-file key --iv 000102030405060708090a0b0c0d0e0f -i plain -o secret
  ucrypt sum -a blake2s *.iso   digests, as b2sum prints and checks them`,
		Args:          knownVerb,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       version(),
		// A misspelt word in the environment would otherwise go unnoticed.
		PersistentPreRunE: func(*cobra.Command, []string) error {
			if _, err := cpu.DisabledWords(); err != nil {
				return usageError{err}
			}
			return nil
		},
	}
	root.SuggestionsMinimumDistance = 2
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.AddCommand(listCommand(), testCommand(), speedCommand(), encCommand(), decCommand(), sumCommand(), versionCommand())
	root.SetHelpCommand(helpCommand(root))
	return root
}

func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [VERB]",
		Short: "Help about a verb",
		RunE: func(_ *cobra.Command, args []string) error {
			verb, rest, err := root.Find(args)
			if err == nil && len(rest) > 0 {
				err = knownVerb(root, rest)
			}
			if err != nil {
				return err
			}
			return verb.Help()
		},
	}
}

// knownVerb refuses what is left of a command line in which no verb was found.
func knownVerb(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var verbs []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			verbs = append(verbs, c.Name())
		}
	}
	meant := ""
	if like := root.SuggestionsFor(args[0]); len(like) > 0 {
		meant = "; did you mean " + like[0] + "?"
	}
	return usagef("unknown verb %q%s (there are %s)", args[0], meant, strings.Join(verbs, ", "))
}

// usageError is the error of a command line that asks for something that cannot
// be: exit status 2.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// isUsage reports whether the command line is to blame for err.
func isUsage(err error) bool {
	var (
		usage   usageError
		unknown *ucrypt.UnknownAlgorithmError
		key     *ucrypt.KeySizeError
		iv      *ucrypt.IVSizeError
	)
	return errors.As(err, &usage) || errors.As(err, &unknown) || errors.As(err, &key) || errors.As(err, &iv)
}

// oneLine returns the message of err without the registry's prefix, which would
// repeat the command's, and joined errors in one line.
func oneLine(err error) string {
	lines := strings.Split(strings.TrimSpace(err.Error()), "\n")
	for i := range lines {
		lines[i] = strings.TrimPrefix(lines[i], "ucrypt: ")
	}
	return strings.Join(lines, "; ")
}
