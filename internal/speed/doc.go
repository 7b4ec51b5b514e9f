// Package speed measures the registry's drivers. It returns structs and prints
// nothing.
//
// What is compared is measured together: the drivers of a Cell take turns in
// samples of half a millisecond, on one thread, so that another program's load
// meets all of them alike and the ratios between them hold. A figure is the
// median of its samples; the spread says how far it can be trusted.
//
// It also runs the numbers of the kernel's tcrypt (Modes), sends messages through
// a ucrypt.Queue (Queued), compares with earlier figures (Earlier), and counts
// instructions instead of time under an emulator (InstructionsVariable).
package speed
