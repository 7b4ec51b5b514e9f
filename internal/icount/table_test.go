package main

import (
	"strings"
	"testing"
)

func TestParseCells(t *testing.T) {
	const out = `goos: linux
BenchmarkDriver/ecb-x/128/encrypt/16   	       9	       100.0 ns/op	 160.00 MB/s
BenchmarkDriver/ecb-x/128/encrypt/1424 	       9	      1000 ns/op	1424.00 MB/s
BenchmarkDriver/hash(x)/0/digest/32    	       9	       100.0 ns/op	 320.00 MB/s
PASS
`
	cells, err := parseCells(out, "103\n823\n1007\n8031\n5\n5\n", 9)
	if err != nil {
		t.Fatal(err)
	}
	want := []cell{
		{"ecb-x", "128", "encrypt", 16, 90},
		{"ecb-x", "128", "encrypt", 1424, 878},
		{"hash(x)", "", "digest", 32, 0},
	}
	if len(cells) != len(want) {
		t.Fatalf("%d cells", len(cells))
	}
	for i := range want {
		if cells[i] != want[i] {
			t.Errorf("%+v, want %+v", cells[i], want[i])
		}
	}
	for _, totals := range []string{"", "1\n2\n3\n", "1\n2\n3\n4\n5\n6\n7\n8\n", "x\n"} {
		if _, err := parseCells(out, totals, 9); err == nil {
			t.Errorf("counts %q: no error", totals)
		}
	}
	var text strings.Builder
	writeTables(&text, cells)
	if got, want := text.String(), `
| driver | key | | 16 | 1420/1424 |
|---|---|---|---|---|
| `+"`ecb-x`"+` | 128 | encrypt | 90 (5.62) | 878 (0.62) |

| driver | key | | 32 |
|---|---|---|---|
| `+"`hash(x)`"+` |  | digest | 0 (0.00) |
`; got != want {
		t.Errorf("table:%s\nwant:%s", got, want)
	}
}

func TestCutLoop(t *testing.T) {
	const code = `
0000000000001000 <f>:
    1000:      	ldr	x0, [sp, #0x8]
    1004:      	cbz	x0, 0x1018 <f+0x18>
    1008:      	ld1	{ v0.16b }, [x0], #16
    100c:      	tbz	w3, #0x2, 0x1014 <f+0x14>
    1010:      	adrp	x5, 0x2000 <table>
    1014:      	b.ne	0x1008 <f+0x8>
    1018:      	cbnz	x1, 0x1004 <f+0x4>
    101c:      	bl	0x3000 <runtime.morestack>
    1020:      	b	0x1000 <f>
`
	text, n, err := cutLoop(code, 0)
	if err != nil {
		t.Fatal(err)
	}
	if want := `.L1008: ld1 { v0.16b }, [x0], #16
.L100c: tbz w3, #0x2, .L1014
.L1010: adrp x5, 0x2000
.L1014: b.ne .L1008
.Lout:
`; text != want || n != 4 {
		t.Errorf("%d instructions:\n%s\nwant:\n%s", n, text, want)
	}
	if text, n, err = cutLoop(code, 1); err != nil || n != 6 || !strings.Contains(text, "cbz x0, .L1018") {
		t.Errorf("the outer loop: %d instructions, %v:\n%s", n, err, text)
	}
	if _, _, err = cutLoop(code, 2); err == nil {
		t.Error("a third loop")
	}
}

func TestLLVMMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, _, err := llvm()
	if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "Debian") {
		t.Errorf("without llvm-mca: %v", err)
	}
}
