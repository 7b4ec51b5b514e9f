// Package alias answers whether two byte slices share memory.
//
// The ciphers here accept an output that is the input exactly, and refuse every other
// overlap before they write anything. Only the bytes within a slice's length count;
// what lies between its length and its capacity does not.
package alias
