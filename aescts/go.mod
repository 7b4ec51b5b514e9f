module github.com/jcmturner/aescts/v2

go 1.26.0

replace ucrypt => ..

require ucrypt v0.0.0-00010101000000-000000000000

require (
	github.com/klauspost/cpuid/v2 v2.4.2 // indirect
	golang.org/x/sys v0.50.0 // indirect
)
