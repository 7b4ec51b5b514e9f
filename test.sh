#!/usr/bin/env bash
# Runs the tests. Without arguments: what this machine can run natively, in under three minutes.
#
#   ./test.sh         gofmt, vet, and the tests natively and for 386
#   ./test.sh --all   also with the tag purego, under the race detector and on emulated architectures, vet for every
#                     GOARCH, and the generated assembly compared with its generator; installs qemu-user, openssl, gcc,
#                     libssl-dev and libgcrypt20-dev with apt-get if they are missing
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
$all && ! [[ -e /usr/include/gcrypt.h ]] && install gcrypt libgcrypt20-dev
$all && ! [[ -e /usr/include/openssl/evp.h ]] && install libcrypto libssl-dev

have openssl || missing "comparison with openssl" "openssl is not installed"
have gcc && [[ -e /usr/include/gcrypt.h ]] || missing "comparison with libgcrypt" "gcc and libgcrypt's header are needed (Debian: gcc, libgcrypt20-dev)"

# Every driver that this processor has the flags for must run, or the run fails.
# templates CIPHER ECB CBC: the templates over these drivers.
templates() {
  echo "xts($2),cts($3),cts-cs1($3),cts-cs2($3)"
  if [[ $1 == sm4 ]]; then echo ",xts-gb($2)"; else echo ",essiv($3,sha256-go)"; fi
}
# suite CIPHER TIER: the drivers of a tier with assembly, and their templates.
suite() {
  local n=$1-$2
  echo "ecb-$n,cbc-$n,xts-$n,cts-cbc-$n,$(templates "$1" "ecb-$n" "cbc-$n")"
  [[ $1 != sm4 ]] || echo ",cfb-$n,ctr-$n,xts-gb-$n,gcm-$n,ccm-$n"
}
# macs CIPHER-TIER: its MACs.
macs() { echo ",cmac-$1,xcbc-$1,cbcmac-$1"; }
generic="sm4-generic,ecb(sm4-generic),cbc(sm4-generic),cfb(sm4-generic),ctr(sm4-generic),$(templates sm4 'ecb(sm4-generic)' 'cbc(sm4-generic)')"
# blake2s TIER: its drivers.
blake2s() { echo ",blake2s-128-$1,blake2s-160-$1,blake2s-224-$1,blake2s-256-$1"; }
generic+=$(blake2s generic),blake2b-160-xcrypto,blake2b-256-xcrypto,blake2b-384-xcrypto,blake2b-512-xcrypto
generic+=",aes-go,ecb(aes-go),cbc(aes-go),$(templates aes 'ecb(aes-go)' 'cbc(aes-go)')"
generic+=",cmac(sm4-generic),xcbc(sm4-generic),cbcmac(sm4-generic),cmac(aes-go),xcbc(aes-go),cbcmac(aes-go)"
generic+=",ghash-generic,gcm_base(ctr(sm4-generic),ghash-generic),ccm_base(ctr(sm4-generic),cbcmac(sm4-generic))"
native=$generic x86=$generic
flags() { local f; for f; do grep -qw "$f" /proc/cpuinfo 2>/dev/null || return; done; }
if [[ $(go env GOARCH) == amd64 ]]; then
  ! flags aes avx || native+=,$(suite sm4 aesni-avx),$(macs sm4-aesni-avx)
  ! flags aes avx2 || native+=,$(suite sm4 aesni-avx2)
  ! flags aes avx2 vaes vpclmulqdq || native+=,$(suite sm4 vaes-avx2)
  ! flags avx2 gfni vpclmulqdq || native+=,$(suite sm4 gfni-avx2),$(macs sm4-gfni-avx2)
  ! flags avx512f avx512bw avx512dq avx512vl gfni vpclmulqdq || native+=,$(suite sm4 gfni-avx512),$(macs sm4-gfni-avx512)
  ! flags aes ssse3 || native+=,aes-aesni,$(suite aes aesni),$(macs aes-aesni)
  ! flags aes avx2 vaes vpclmulqdq || native+=,$(suite aes vaes-avx2)
  ! flags avx512f avx512bw avx512dq avx512vl vaes vpclmulqdq || native+=,$(suite aes vaes-avx512)
  ! flags pclmulqdq avx || native+=,ghash-clmulni
  ! flags vpclmulqdq avx2 || native+=,ghash-vpclmul-avx2
  ! flags avx512f avx512bw avx512dq avx512vl vpclmulqdq || native+=,ghash-vpclmul-avx512
  native+=$(blake2s x86)
  ! flags ssse3 sse4_1 || native+=$(blake2s sse41) x86+=$(blake2s sse41)
  ! flags avx512f avx512bw avx512dq avx512vl || native+=$(blake2s avx512)
  # 32-bit x86 has AES-NI routines for ecb, cbc and cts, and none for xts.
  ! flags aes ssse3 || x86+=",aes-aesni,ecb-aes-aesni,cbc-aes-aesni,cts-cbc-aes-aesni,$(templates aes ecb-aes-aesni cbc-aes-aesni)$(macs aes-aesni)"
fi
native=$(tr -d '\n' <<<"$native" | tr -s ,) generic=$(tr -d '\n' <<<"$generic") x86=$(tr -d '\n' <<<"$x86")

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

# tests_386 samples, but with --all only the command, whose large files the native run has had.
tests_386() {
  export GOARCH=386 CGO_ENABLED=0
  if $all; then
    # shellcheck disable=SC2046 # one argument a package
    go test $(go list ./... | grep -v /cmd/) && go test -short ./cmd/...
  else
    go test -short ./...
  fi
}

check "gofmt" formatted
check "vet" go vet ./...
REQUIRE_DRIVERS=$native check "tests" go test ./...
check "tests of the module for Kerberos" env -C aescts go test -v ./...
if [[ $(go env GOARCH) == amd64 ]]; then
  REQUIRE_DRIVERS=$x86 check "tests for 386" tests_386
fi
if $all; then
  REQUIRE_DRIVERS=$generic check "tests with the tag purego" go test -short -tags purego ./...
  if have gcc; then
    REQUIRE_DRIVERS=$native check "tests with the race detector" env CGO_ENABLED=1 go test -race -short ./...
  else
    missing "tests with the race detector" "gcc is not installed"
  fi
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
  check "vet of the module for Kerberos" env -C aescts go vet ./...
  check "vet of the benchmarks" env -C bench go vet ./...
  check "tests of the benchmarks" env -C bench go test ./...
  if have gcc && [[ -e /usr/include/gcrypt.h && -e /usr/include/openssl/evp.h ]]; then
    check "tests of the benchmarks with C libraries" env -C bench CGO_ENABLED=1 go test -tags clibs ./report
    check "comparison with openssl's library" env CGO_ENABLED=1 go test -tags clibs -run Against ./cmd/ucrypt
  else
    missing "comparison with openssl's library" "gcc and its header are needed (Debian: gcc, libssl-dev)"
  fi
  # emulated NAME DRIVERS PACKAGES "QEMU FLAGS" GOARCH [VARIABLE=VALUE…]: under emulation, with the drivers required.
  emulated() {
    local name=$1 drivers=$2 packages=$3 qemu=$4 arch=$5
    shift 5
    if have "${qemu%% *}"; then
      # shellcheck disable=SC2086 # one argument a package
      REQUIRE_DRIVERS=$drivers UCRYPT_EMULATED=1 check "tests for $name (emulated)" \
        env GOARCH="$arch" CGO_ENABLED=0 "$@" go test -count=1 -short -exec "$qemu" $packages
    else
      missing "tests for $name" "${qemu%% *} is not installed (Debian: qemu-user)"
    fi
  }
  # The processors that differ in their assembly only run what has some, and what is built on it.
  drivers=". ./blake2s ./internal/blake2s/... ./internal/sm4/... ./internal/aes/... ./internal/ghash/... ./internal/mode"
  # parallel TIER: the drivers of an arm64 tier of SM4 that has no routines for xts and cts.
  parallel() { echo ",ecb-sm4-$1,cbc-sm4-$1,cfb-sm4-$1,ctr-sm4-$1,gcm-sm4-$1,ccm-sm4-$1$(macs sm4-$1),$(templates sm4 "ecb-sm4-$1" "cbc-sm4-$1")" | tr -d '\n'; }
  neon=$generic$(blake2s arm64)$(parallel neon)
  armv8=$neon$(parallel aese),aes-ce,$(suite aes ce | tr -d '\n')$(macs aes-ce),ghash-ce
  emulated "arm, GOARM=5" "$generic$(blake2s arm)" ". ./blake2s ./internal/blake2s/..." "qemu-arm -cpu arm926" arm GOARM=5
  emulated "arm, GOARM=6" "$generic$(blake2s arm)" ". ./blake2s ./internal/blake2s/..." "qemu-arm -cpu arm1176" arm GOARM=6
  emulated "arm, GOARM=7" "$generic$(blake2s arm)" ./... "qemu-arm -cpu cortex-a7" arm GOARM=7
  emulated "arm64 with SM4" "$armv8,sm4-ce,$(suite sm4 ce | tr -d '\n')$(macs sm4-ce)" ./... "qemu-aarch64 -cpu max" arm64
  emulated "arm64 with AES" "$armv8" "$drivers" "qemu-aarch64 -cpu cortex-a72" arm64
  emulated "arm64 without AES" "$neon" "$drivers" "qemu-aarch64 -cpu cortex-a72" arm64 UCRYPT_DISABLE=aes
  emulated riscv64 "$generic" ./... qemu-riscv64 riscv64
  emulated "s390x (big-endian)" "$generic" ./... qemu-s390x s390x
fi

echo "$passed passed, $failed failed"
[[ $failed == 0 ]]
