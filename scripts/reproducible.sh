#!/usr/bin/env bash
# Builds the release of the last commit twice, in two clones in folders of different names, and compares all files.
# Usage: reproducible.sh
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
scripts/goreleaser.sh >/dev/null
for name in first a-second-folder; do
  git clone --quiet --no-hardlinks . "$work/$name"
  (cd "$work/$name" && umask 022 && TZ=$([ $name = first ] && echo UTC || echo Asia/Tokyo) scripts/release.sh >"$work/$name.log" 2>&1) || {
    tail -n 40 "$work/$name.log" >&2
    exit 1
  }
  # The checksums cover the archives, packages, images, wheels and SBOMs; notices and binaries are inside them.
  (cd "$work/$name/dist" && sha256sum ./*.tar.gz ./*.deb ./*.rpm ./*.image.tar ./*.whl ./*.cdx.json checksums.txt homebrew/inferometer.rb) >"$work/$name.sums"
done
if ! diff "$work/first.sums" "$work/a-second-folder.sums" >&2; then
  echo 'these files differ between two builds of one commit' >&2
  exit 1
fi
printf '%d files have the same bytes in both builds\n' "$(wc -l <"$work/first.sums")"
