// Package output is what the generators have in common: the command line, and
// the two files of a tier.
package output

import (
	"bytes"
	"flag"
	"log"
	"os"
	"path/filepath"
	"regexp"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
)

// Dir returns the directory that the command line names for the files.
func Dir() string {
	log.SetFlags(0)
	dir := flag.String("dir", ".", "write the files to `directory`")
	flag.Parse()
	return *dir
}

var trailingSpace = regexp.MustCompile(`(?m)[ \t]+$`)

// Write writes the assembly in c and its Go stubs, as name.s and name.go. It
// ends the program if that fails. The generator is named in their first lines.
func Write(c *build.Context, generator, dir, name string) {
	c.ConstraintExpr("amd64,!purego")
	file, err := c.Result()
	if err == nil {
		err = pass.Compile.Execute(file)
	}
	if err != nil {
		log.Fatalf("%s: %v", name, err)
	}
	cfg := printer.Config{Argv: []string{"go", "run", "./" + generator}, Pkg: "amd64"}
	for ending, p := range map[string]printer.Printer{
		".s":  printer.NewGoAsm(cfg),
		".go": printer.NewStubs(cfg),
	} {
		text, err := p.Print(file)
		if err != nil {
			log.Fatalf("%s: %v", name, err)
		}
		text = append(bytes.TrimRight(trailingSpace.ReplaceAll(text, nil), "\n"), '\n')
		if err := os.WriteFile(filepath.Join(dir, name+ending), text, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}
