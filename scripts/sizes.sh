#!/usr/bin/env bash
# What each module takes in the stripped binary, largest first; docs/dependencies.md has the figures. A module's symbols
# are added up in an unstripped build, without those that are zero in the file; the tables of lines and of stack maps,
# a third of the file, are shared out by the size of the code they describe.
set -euo pipefail
cd "$(dirname "$0")/.."
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
CGO_ENABLED=0 GOOS=linux GOARCH=amd64 go build -trimpath -o "$temp/inferometer" ./cmd/inferometer
CGO_ENABLED=0 GOOS=linux GOARCH=amd64 go build -trimpath -ldflags "-s -w" -o "$temp/stripped" ./cmd/inferometer
go version -m "$temp/inferometer" | awk '$1 == "dep" || $1 == "mod" { print $2 }' >"$temp/modules"
lines=$((16#$(readelf -SW "$temp/inferometer" | sed 's/^ *\[ *[0-9]*\]//' | awk '$1 == ".gopclntab" { print $5 }')))
go tool nm -size "$temp/inferometer" | awk -v modules="$temp/modules" -v lines="$lines" -v file="$(wc -c <"$temp/stripped")" '
  BEGIN { while ((getline m < modules) > 0) module[++n] = m }
  $3 ~ /[bB]/ || $4 == "runtime.pclntab" { next }
  {
    gsub(/%2e/, ".", $4)
    owner = ""
    for (i = 1; i <= n; i++) if (index($4, module[i])) { owner = module[i]; break }
    if ($4 ~ /^go:func/) { lines += $2; next }
    if (owner) bytes[owner] += $2
    if ($3 ~ /[tT]/) { code[owner] += $2; all += $2 }
  }
  END {
    for (m in bytes) { whole = bytes[m] + lines * code[m] / all; sum += whole; printf "%8.0f KB  %s\n", whole / 1000, m }
    printf "%8.0f KB  the whole file, of which %.0f KB are tables\n%8.0f KB  Go itself: runtime, standard library, types and texts\n", file / 1000, lines / 1000, (file - sum) / 1000
  }' | sort -rn
