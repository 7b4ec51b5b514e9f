#!/bin/sh
# Regenerates the x86-64 assembly, in the tree or below the folder that is given.
# The output depends on nothing but the sources here, so a difference to what is
# committed is an error.
set -eu
root=${1:-$(dirname "$0")/..}
mkdir -p "$root/internal/sm4/amd64" "$root/internal/aes/amd64" "$root/internal/ghash/amd64" "$root/internal/blake2s/amd64"
root=$(cd "$root" && pwd)
cd "$(dirname "$0")"
go run ./sm4 -dir "$root/internal/sm4/amd64"
go run ./aes -dir "$root/internal/aes/amd64"
go run ./ghash -dir "$root/internal/ghash/amd64"
go run ./blake2s -dir "$root/internal/blake2s/amd64"
