#!/usr/bin/env bash
# GoReleaser, built once and kept under the cache folder: three minutes on two idle cores.
# Usage: goreleaser.sh [cached]     prints one line: the program; cached: fails where it is not built yet
set -euo pipefail
version=v2.15.0
cache=${INFEROMETER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/inferometer}
home=$cache/goreleaser-$version
if [ ! -x "$home/goreleaser" ]; then
  if [ "${1:-}" = cached ]; then
    echo 'GoReleaser is not built yet: scripts/goreleaser.sh builds it' >&2
    exit 1
  fi
  GOFLAGS= GOBIN="$home" go install "github.com/goreleaser/goreleaser/v2@$version" >&2
fi
printf '%s\n' "$home/goreleaser"
