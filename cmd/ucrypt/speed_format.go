package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"runtime"
	"strconv"
	"strings"

	"ucrypt/internal/speed"
)

// Formats of figures for other programs, which rely on them.

var speedFormats = []string{"table", "tcrypt", "cryptsetup", "json", "csv", "benchstat"}

// figureText is a figure in one of the formats that print them singly.
func figureText(format string, r speed.Result) (string, error) {
	switch format {
	case "json":
		line, err := json.Marshal(r)
		return string(line) + "\n", err
	case "csv":
		return csvLine(r.Name, r.Driver, r.Op.String(), strconv.Itoa(r.KeyBits), strconv.Itoa(r.Bytes),
			decimal(r.OpsPerSecond(), 0), decimal(r.MBPerSecond(), 3), decimal(r.Seconds*1e9, 3),
			decimal(r.Low*1e9, 3), decimal(r.High*1e9, 3), decimal(r.Spread, 3),
			strconv.Itoa(r.Samples), strconv.Itoa(r.Outliers), strconv.FormatBool(r.Unreliable)), nil
	case "benchstat":
		return benchmarkLines(r), nil
	}
	return "", nil
}

// formatHead is what comes before the figures.
func formatHead(format string) string {
	switch format {
	case "csv":
		return csvLine("name", "driver", "op", "keybits", "bytes", "ops_per_s", "mb_per_s", "ns", "ns_low", "ns_high", "spread", "samples", "outliers", "unreliable")
	case "benchstat":
		return fmt.Sprintf("goos: %s\ngoarch: %s\npkg: ucrypt\ncpu: %s\n", runtime.GOOS, runtime.GOARCH, speed.ThisMachine().Processor)
	}
	return ""
}

func csvLine(fields ...string) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.Write(fields)
	w.Flush()
	return b.String()
}

func decimal(x float64, digits int) string { return strconv.FormatFloat(x, 'f', digits, 64) }

// benchmarkLines is a figure as go test's benchmarks print it, a line for each of
// the samples that are kept.
func benchmarkLines(r speed.Result) string {
	name := fmt.Sprintf("BenchmarkSpeed/name=%s/op=%s/keybits=%d/bytes=%d/driver=%s", r.Name, r.Op, r.KeyBits, r.Bytes, r.Driver)
	each := max(1, r.Samples/max(1, len(r.Groups)))
	var b strings.Builder
	for _, s := range r.Groups {
		mb := 0.0
		if s > 0 {
			mb = float64(r.Bytes) / s / 1e6
		}
		digits := 2
		if mb < 1 { // under an emulator, say; readers take a rate of 0.00 for none
			digits = 6
		}
		fmt.Fprintf(&b, "%s\t%8d\t%12.2f ns/op\t%9.*f MB/s\n", name, each, s*1e9, digits, mb)
	}
	return b.String()
}

// cryptsetupBytes is the size of the messages of cryptsetup's benchmark.
const cryptsetupBytes = 1 << 20

const cryptsetupHead = "# Tests are approximate using memory only (no storage IO).\n" +
	"#     Algorithm |       Key |      Encryption |      Decryption\n"

// cryptsetupRow is a row of cryptsetup's table; 0 means that there is no such
// cipher. Its MiB are 2^20 bytes.
func cryptsetupRow(name string, keyBits int, encrypt, decrypt float64) string {
	if encrypt <= 0 || decrypt <= 0 {
		return fmt.Sprintf("%15s  %9db %17s %17s\n", cryptsetupName(name), keyBits, "N/A", "N/A")
	}
	const mib = 1 << 20
	return fmt.Sprintf("%15s  %9db  %10.1f MiB/s  %10.1f MiB/s\n", cryptsetupName(name), keyBits, encrypt*1e6/mib, decrypt*1e6/mib)
}

// cryptsetupName is the name that cryptsetup gives an algorithm: aes-xts for
// xts(aes).
func cryptsetupName(name string) string {
	mode, cipher, ok := strings.Cut(strings.TrimSuffix(name, ")"), "(")
	if !ok || strings.ContainsAny(cipher, "(),") {
		return name
	}
	return cipher + "-" + mode
}

// cryptsetupRows are what cryptsetup measures if it is not told what, and behind
// that what its users may want to know of SM4.
var cryptsetupRows = func() (rows []speed.Cell) {
	add := func(mode string, bits int, ciphers ...string) {
		for _, c := range ciphers {
			rows = append(rows, speed.Cell{Name: mode + "(" + c + ")", KeyBits: bits})
		}
	}
	add("cbc", 128, "aes", "serpent", "twofish")
	add("cbc", 256, "aes", "serpent", "twofish")
	add("xts", 256, "aes", "serpent", "twofish")
	add("xts", 512, "aes", "serpent", "twofish")
	add("cbc", 128, "sm4")
	add("xts", 256, "sm4")
	return rows
}()
