#!/usr/bin/env bash
# Functions that no command reaches, held against scripts/deadcode.txt, which says of each what it is for.
# Prints what differs; exits with 1 if anything does.
set -euo pipefail
cd "$(dirname "$0")/.."
found=$(go run golang.org/x/tools/cmd/deadcode@v0.52.0 -f '{{range .Funcs}}{{printf "%s %s\n" $.Path .Name}}{{end}}' ./cmd/inferometer |
  sed 's#^github.com/inferometer/inferometer/##' | sed '/^$/d' | LC_ALL=C sort)
listed=$(sed -e 's/ *#.*//' -e '/^$/d' scripts/deadcode.txt | LC_ALL=C sort)
if ! diff <(echo "$listed") <(echo "$found"); then
  echo "< is listed in scripts/deadcode.txt and reached, or gone; > is reached by no command: remove it, or list it with its reason" >&2
  exit 1
fi
