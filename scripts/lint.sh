#!/usr/bin/env bash
# Format, vet and staticcheck. Prints what is wrong; exits with 1 if anything is.
set -uo pipefail
cd "$(dirname "$0")/.."
status=0
unformatted=$(go run mvdan.cc/gofumpt@v0.12.0 -l . ) || status=1
if [ -n "$unformatted" ]; then
  printf 'not formatted (make format mends it):\n%s\n' "$unformatted"
  status=1
fi
go vet ./... || status=1
GOOS=darwin go vet ./... || status=1
go run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./... || status=1
for f in scripts/*.sh .ci/run; do bash -n "$f" || status=1; done
exit $status
