// Package routinetest holds what the tests of the routines in assembly share: SM4,
// the modes and GHASH as their standards describe them, one step at a time; the
// suites that compare a routine with them; and what may stand in assembly for
// 64-bit Arm. It shares no code with the packages under test.
package routinetest
