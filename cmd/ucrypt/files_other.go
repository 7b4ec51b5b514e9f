//go:build !unix

package main

import "os"

// syncFolder does nothing: folders cannot be synced here.
func syncFolder(string) error { return nil }

// keepOwner does nothing: a new file has its folder's rights here.
func keepOwner(*os.File, os.FileInfo) {}
