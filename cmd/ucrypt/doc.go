// Command ucrypt lists, tests and measures the drivers of package ucrypt, encrypts
// and decrypts files with them, and prints and checks digests of files.
//
// Exit status: 0 if the work was done, 1 if it failed, 2 if the command line
// asks for something that cannot be. An error is one line on standard error
// that begins with the verb: "ucrypt enc: …".
package main
