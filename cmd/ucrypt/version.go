package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"ucrypt/internal/cpu"
)

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Version, build and processor",
		Args:  noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(c.OutOrStdout(), "ucrypt %s\nbuilt with %s for %s/%s\nprocessor %s\n",
				version(), runtime.Version(), runtime.GOOS, runtime.GOARCH, processor())
			return err
		},
	}
}

// version returns the module's version, and the revision it was built from if
// that is known.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	v := info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && v == "(devel)" {
			v += " " + s.Value
		}
		if s.Key == "-tags" {
			v += " tags " + s.Value
		}
	}
	return v
}

// processor names the processor as it names itself.
func processor() string {
	if brand := cpu.Brand(); brand != "" {
		return brand
	}
	return "unknown (" + runtime.GOARCH + ")"
}

func noArguments(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("unexpected argument %q: this verb takes only flags", args[0])
	}
	return nil
}
