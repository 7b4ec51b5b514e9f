package main

import (
	"go/parser"
	"go/token"
	"testing"
)

func TestFigure(t *testing.T) {
	for _, test := range []struct{ pattern, out string }{
		{timePattern, "BenchmarkHandshake \t     123\t    812345 ns/op\t  1234.5 cpu-ns/op\nPASS\n"},
		{countPattern, "BenchmarkHandshake\ninstructions   by byte\n    1234.5            all\n   12.0           main.f\n"},
	} {
		if got, err := figure(test.out, test.pattern); got != 1234.5 || err != nil {
			t.Errorf("%q: %v, %v", test.out, got, err)
		}
	}
	if _, err := figure("PASS", timePattern); err == nil {
		t.Error("a figure where there is none")
	}
}

func TestBenchmarkParses(t *testing.T) {
	if _, err := parser.ParseFile(token.NewFileSet(), "handshake_test.go", benchmark, 0); err != nil {
		t.Error(err)
	}
}
