// Package cpu tells which processor features may be used: what the processor
// and the system have, less what UCRYPT_DISABLE and GODEBUG=cpu.NAME=off take
// away. Detection itself, XCR0 included, is github.com/klauspost/cpuid's.
package cpu
