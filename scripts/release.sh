#!/usr/bin/env bash
# Builds a whole release into dist/ without publishing anything: binaries in archives, .deb, .rpm, container images,
# SBOMs, notices, Python wheels, checksums, and the Homebrew formula. Usage: release.sh
# release.sh publish, which only .github/workflows/release.yml does, signs and makes a draft of the tag's release.
set -euo pipefail
cd "$(dirname "$0")/.."
goreleaser=$(scripts/goreleaser.sh)
INFEROMETER_VERSION=${INFEROMETER_VERSION:-$(scripts/version.sh)}
# The commit's time, by git itself: GoReleaser has none in a checkout without a remote.
INFEROMETER_TIME=$(git log -1 --format=%ct)
INFEROMETER_DATE=$(TZ=UTC git log -1 --date=format-local:%Y-%m-%dT%H:%M:%SZ --format=%cd)
export INFEROMETER_VERSION INFEROMETER_TIME INFEROMETER_DATE
export GOFLAGS= # the flags are those of .goreleaser.yaml, whatever this machine's are
case "${1:-}" in
  publish)
    notes=$(mktemp)
    trap 'rm -f "$notes"' EXIT
    scripts/release-notes.sh "$INFEROMETER_VERSION" >"$notes"
    "$goreleaser" release --clean --release-notes "$notes"
    ;;
  '') "$goreleaser" release --snapshot --clean --skip=publish,sign ;;
  *) echo 'usage: release.sh [publish]' >&2; exit 2 ;;
esac
cp build/release/files/* dist/
build/release/bin/pack formula -checksums dist/checksums.txt -version "$INFEROMETER_VERSION" -o dist/homebrew/inferometer.rb
(cd dist && sha256sum --quiet -c checksums.txt)
printf 'dist/ has:\n'
(cd dist && ls -1 ./*.tar.gz ./*.zip ./*.deb ./*.rpm ./*.image.tar ./*.whl ./*.cdx.json checksums.txt homebrew/inferometer.rb)
