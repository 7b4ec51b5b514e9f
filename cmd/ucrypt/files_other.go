//go:build !unix

package main

import "os"

// replaced is never so: a closed file stays closed here, and its use fails.
func replaced(*os.File) bool { return false }

// syncFolder does nothing: folders cannot be synced here.
func syncFolder(string) error { return nil }

// keepOwner does nothing: a new file has its folder's rights here.
func keepOwner(*os.File, os.FileInfo) {}
