#!/usr/bin/env bash
# What each module takes in the binary: the symbols of an unstripped build, added up
# by module, largest first. docs/dependencies.md has the figures.
set -euo pipefail
cd "$(dirname "$0")/.."
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
CGO_ENABLED=0 go build -o "$temp/inferometer" ./cmd/inferometer
go version -m "$temp/inferometer" | awk '$1 == "dep" || $1 == "mod" { print $2 }' >"$temp/modules"
go tool nm -size "$temp/inferometer" | awk -v modules="$temp/modules" '
  BEGIN { while ((getline m < modules) > 0) module[++n] = m }
  { for (i = 1; i <= n; i++) if (index($4, module[i])) { bytes[module[i]] += $2; next } }
  END { for (m in bytes) printf "%8.0f KB  %s\n", bytes[m] / 1024, m }' | sort -rn
