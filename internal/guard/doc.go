// Package guard gives tests memory with an inaccessible page on either side: code that
// reads or writes one byte too far stops with a fault instead of going unnoticed.
//
// Where the system offers no such pages, Available is false and a Buffer is ordinary
// memory: a test that needs the pages then reports that it was skipped.
package guard
