// Package selftest is the engine of the test matrix: every driver that ucrypt has runs
// through every property of its type. go test and the command both run it, so it returns
// what it found and prints nothing.
//
// A driver joins by being in ucrypt's table, a property by being in the table here. What
// a driver gives is compared with references that share no code with it: the modes are
// written down from their definitions, block by block (reference.go), over a textbook SM4
// (sm4.go) and the standard library's AES; BLAKE2 follows the text of RFC 7693 (blake2.go).
//
// Each property is a numbered sequence of cases, and everything random in a case comes
// from the seed, the property and the number alone. So a seed replays a run exactly, and
// seed, property and number replay one case of any driver.
//
// A failure carries the whole configuration of its case. What did not run is a Skip with
// its reason and never a Pass.
package selftest
