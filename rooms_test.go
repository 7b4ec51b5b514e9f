package ucrypt_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// rooms gives each folder its floor. A package may import only packages of
// lower floors, so that the library can be read, and used, from the bottom up.
var rooms = map[string]int{
	"cmd/ucrypt":             9,
	"internal/icount":        9,
	"internal/selftest":      8,
	"internal/speed":         8,
	".":                      7,
	"modes":                  6,
	"sm4":                    6,
	"aes":                    6,
	"blake2s":                6,
	"internal/mode":          5,
	"internal/sm4":           4,
	"internal/aes":           4,
	"internal/ghash":         4,
	"internal/ghash/amd64":   3,
	"internal/ghash/arm64":   3,
	"internal/blake2s":       4,
	"internal/sm4/amd64":     3,
	"internal/sm4/arm64":     3,
	"internal/aes/amd64":     3,
	"internal/aes/arm64":     3,
	"internal/aes/386":       3,
	"internal/blake2s/amd64": 3,
	"internal/blake2s/arm64": 3,
	"internal/blake2s/arm":   3,
	"internal/blake2s/386":   3,
	"internal/selection":     3,
	"internal/routinetest":   3,
	"internal/cpu":           2,
	"internal/kat":           2,
	"internal/alias":         2,
	"internal/guard":         2,
	"internal/vectors":       2,
}

func TestImportsRunDownwards(t *testing.T) {
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			// The go tool ignores these too; a folder with a go.mod is a module of its own.
			_, err := os.Stat(filepath.Join(path, "go.mod"))
			if path != "." && (err == nil || name == "testdata" || name[0] == '.' || name[0] == '_') {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		room := filepath.ToSlash(filepath.Dir(path))
		floor, ok := rooms[room]
		if !ok {
			t.Errorf("%s: folder %s is in no room; add it to the table with its floor", path, room)
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			to, ours := strings.CutPrefix(imported, "ucrypt")
			if !ours || to != "" && to[0] != '/' {
				continue
			}
			if to = strings.TrimPrefix(to, "/"); to == "" {
				to = "."
			}
			if below, ok := rooms[to]; !ok || below >= floor {
				t.Errorf("%s imports %s, which is not below it", path, imported)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
