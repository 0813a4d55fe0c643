#!/usr/bin/env bash
# What a library would add to the binary: builds the stripped static program with and
# without a call of it, in a copy. docs/dependencies.md has the figures.
#
#   scripts/added.sh github.com/alecthomas/kong@v1.12.1 github.com/alecthomas/kong 'kong.Parse(nil)'
set -euo pipefail
if [ $# -ne 3 ]; then
	echo "usage: $0 MODULE@VERSION IMPORT-PATH STATEMENT" >&2
	exit 2
fi
cd "$(dirname "$0")/.."
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
git ls-files -z -- go.mod go.sum cmd internal tokenizer schema ':!*_test.go' ':!*/testdata/*' | xargs -0 cp --parents -t "$temp"
cd "$temp"
export CGO_ENABLED=0 GOFLAGS="-trimpath -mod=mod"
build() { go build -ldflags "-s -w" -o "$1" ./cmd/inferometer; }
modules() { go version -m "$1" | grep -c '^	dep'; }
build before
go get "$1" 2>/dev/null
cat >cmd/inferometer/added.go <<GO
package main

import (
	"os"

	"$2"
)

func init() {
	if len(os.Args) > 1<<20 { // never, which the linker does not know
		$3
	}
}
GO
build after
echo "$1: $((($(stat -c %s after) - $(stat -c %s before)) / 1024)) KB, $(($(modules after) - $(modules before))) more modules"
