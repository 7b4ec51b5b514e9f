module ucrypt/bench

go 1.26.0

replace ucrypt => ..

require (
	github.com/emmansun/gmsm v0.44.0
	github.com/jcmturner/aescts/v2 v2.0.0
	golang.org/x/crypto v0.59.0
	ucrypt v0.0.0-00010101000000-000000000000
)

require (
	github.com/aclements/go-moremath v0.0.0-20210112150236-f10218a38794 // indirect
	github.com/klauspost/cpuid/v2 v2.4.2 // indirect
	golang.org/x/perf v0.0.0-20260908200009-22c9c6c9d4da // indirect
	golang.org/x/sys v0.50.0 // indirect
)
