#!/usr/bin/env bash
# Builds the static binary for each platform into dist/ and checks that none needs a C library.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p dist
for platform in linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64; do
  os=${platform%/*} arch=${platform#*/}
  out=dist/inferometer-$os-$arch$([ "$os" = windows ] && echo .exe || true)
  CGO_ENABLED=0 GOOS=$os GOARCH=$arch go build -trimpath -ldflags "-s -w" -o "$out" ./cmd/inferometer
  printf '%s %s bytes\n' "$out" "$(wc -c < "$out" | tr -d ' ')"
done
if command -v readelf >/dev/null && readelf -d dist/inferometer-linux-amd64 2>/dev/null | grep -q NEEDED; then
  echo 'dist/inferometer-linux-amd64 is not static' >&2
  exit 1
fi
