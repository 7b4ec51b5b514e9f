#!/usr/bin/env bash
# Runs the tests. Without arguments: what this machine can run natively, in under three minutes.
#
#   ./test.sh         gofmt, vet, tests natively, for 386, with the tag purego and under the race detector
#   ./test.sh --all   also the emulated architectures, vet for every GOARCH, and the generated assembly
#                     compared with its generator; installs qemu-user, openssl and gcc with apt-get if they are missing
#
# A check that needs a program which is not here prints one line and is left out; with --all or CI=true it fails.
set -uo pipefail
cd "$(dirname "$0")"

all=false
for arg; do
  case $arg in
    --all) all=true ;;
    -h | --help) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"; exit 0 ;;
    *) echo "test.sh: unknown argument $arg (want --all)" >&2; exit 2 ;;
  esac
done
[[ ${CI:-} == true ]] && strict=true || strict=$all
$strict && export CI=true

passed=0 failed=0
# check NAME COMMAND…: one line and the command's output if it fails.
check() {
  local name=$1 start=$SECONDS out
  shift
  if out=$("$@" 2>&1); then
    passed=$((passed + 1))
    printf '%s\n' "$out" | grep -E '^(ok|---|not run:)' || true
    echo "PASS $name ($((SECONDS - start)) s)"
  else
    failed=$((failed + 1))
    printf '%s\n' "$out" | grep -v 'no test files' | tail -n 80
    echo "FAIL $name ($((SECONDS - start)) s)"
  fi
}
# missing WHAT WHY: a check that cannot run here.
missing() {
  if $strict; then failed=$((failed + 1)); echo "FAIL $1: $2"; else echo "not run: $1: $2"; fi
}
have() { command -v "$1" >/dev/null 2>&1; }

# install PROGRAM PACKAGE: only with --all, only as root on a system with apt-get.
updated=false
install() {
  have "$1" && return
  $all && have apt-get && [[ $(id -u) == 0 ]] || return
  $updated || apt-get update -qq >/dev/null 2>&1
  updated=true
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$2" >/dev/null 2>&1
}
install openssl openssl
install gcc gcc
install qemu-arm qemu-user

have openssl || missing "comparison with openssl" "openssl is not installed"

# Every driver that this processor has the flags for must run, or the run fails.
# sm4 ECB CBC CFB CTR: the drivers over these, and the templates over ECB and CBC.
sm4() { echo "$1,$2,$3,$4,xts($1),xts-gb($1),cts($2),cts-cs1($2),cts-cs2($2)"; }
sm4_tier() { sm4 "ecb-sm4-$1" "cbc-sm4-$1" "cfb-sm4-$1" "ctr-sm4-$1"; }
generic=sm4-generic,$(sm4 'ecb(sm4-generic)' 'cbc(sm4-generic)' 'cfb(sm4-generic)' 'ctr(sm4-generic)')
native=$generic
flag() { grep -qw "$1" /proc/cpuinfo 2>/dev/null; }
if [[ $(go env GOARCH) == amd64 ]]; then
  flag aes && flag avx && native+=,$(sm4_tier aesni-avx)
  flag aes && flag avx2 && native+=,$(sm4_tier aesni-avx2)
fi

formatted() { local f; f=$(gofmt -l .); [[ -z $f ]] || { echo "gofmt would change:"; echo "$f"; return 1; }; }
vet() { GOARCH=$1 GOOS=${3:-linux} CGO_ENABLED=0 go vet ${2:+-tags "$2"} ./...; }
# regenerated compares every file that the generator writes with the one in the tree.
regenerated() {
  local dir file status=0
  dir=$(mktemp -d)
  sh _asm/generate.sh "$dir" || status=1
  for file in $(cd "$dir" && find . -type f); do diff -q "$dir/$file" "$file" || status=1; done
  rm -rf "$dir"
  return $status
}

check "gofmt" formatted
check "vet" go vet ./...
REQUIRE_DRIVERS=$native check "tests" go test ./...
if [[ $(go env GOARCH) == amd64 ]]; then
  REQUIRE_DRIVERS=$generic check "tests for 386" env GOARCH=386 CGO_ENABLED=0 go test ./...
fi
REQUIRE_DRIVERS=$generic check "tests with the tag purego" go test -tags purego ./...
if have gcc; then
  REQUIRE_DRIVERS=$native check "tests with the race detector" env CGO_ENABLED=1 go test -race -short ./...
else
  missing "tests with the race detector" "gcc is not installed"
fi

if $all; then
  for arch in $(go tool dist list | sed 's,.*/,,' | sort -u); do
    case $arch in
      wasm) check "vet $arch" vet $arch "" js ;;
      *) check "vet $arch" vet "$arch" "" "$(go tool dist list | grep "/$arch\$" | sed 's,/.*,,' | grep -x linux || go tool dist list | grep "/$arch\$" | sed 's,/.*,,;q')"
         check "vet $arch purego" vet "$arch" purego "$(go tool dist list | grep "/$arch\$" | sed 's,/.*,,' | grep -x linux || go tool dist list | grep "/$arch\$" | sed 's,/.*,,;q')" ;;
    esac
  done
  for system in darwin windows freebsd; do
    check "vet $system" vet amd64 "" $system
    check "vet $system arm64" vet arm64 "" $system
  done
  check "assembly is what its generator writes" regenerated
  check "bench builds" env -C bench go vet ./...
  # emulated NAME QEMU GOARCH [GOARM]
  emulated() {
    if have "$2"; then
      REQUIRE_DRIVERS=$generic UCRYPT_EMULATED=1 check "tests for $1 (emulated)" \
        env GOARCH="$3" GOARM="${4:-}" CGO_ENABLED=0 go test -short -exec "$2" ./...
    else
      missing "tests for $1" "$2 is not installed (Debian: qemu-user)"
    fi
  }
  emulated "arm, GOARM=5" qemu-arm arm 5
  emulated "arm, GOARM=6" qemu-arm arm 6
  emulated "arm, GOARM=7" qemu-arm arm 7
  emulated arm64 qemu-aarch64 arm64
  emulated riscv64 qemu-riscv64 riscv64
  emulated "s390x (big-endian)" qemu-s390x s390x
fi

echo "$passed passed, $failed failed"
[[ $failed == 0 ]]
