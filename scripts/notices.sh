#!/usr/bin/env bash
# Makes third-party notices and SBOM of a binary and throws them away: a module without a licence is found before a
# release is. Usage: notices.sh BINARY
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go build -o "$work/pack" ./packaging/pack
"$work/pack" notices -binary "$1" -o "$work/notices.txt"
"$work/pack" sbom -binary "$1" -version 0 -o "$work/sbom.json"
printf '%d notices; %d works, each with its licence\n' "$(grep -c '^=\{80\}$' "$work/notices.txt" | awk '{print $1 / 2}')" "$(grep -c '"type": "library"' "$work/sbom.json")"
