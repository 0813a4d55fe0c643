#!/usr/bin/env bash
# GoReleaser, built once and kept under the cache folder: three minutes on two idle cores.
# Usage: goreleaser.sh     prints one line: the program
set -euo pipefail
version=v2.15.0
cache=${INFEROMETER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/inferometer}
home=$cache/goreleaser-$version
if [ ! -x "$home/goreleaser" ]; then
  GOFLAGS= GOBIN="$home" go install "github.com/goreleaser/goreleaser/v2@$version" >&2
fi
printf '%s\n' "$home/goreleaser"
