#!/usr/bin/env bash
# Builds the documents as a static site with mdBook, which is built from crates.io once (some minutes of CPU time) and kept in a cache folder.
# The pages are put together by site/make; see site/navigation.yaml for what is in the menu.
# Usage: site.sh [FOLDER]       builds into FOLDER, or dist/site; prints its path
#        site.sh mdbook         only sees to it that mdBook is in the cache
set -euo pipefail
cd "$(dirname "$0")/.."
cache=${INFEROMETER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/inferometer}
version=0.5.4
home=$cache/mdbook-$version

if [ ! -x "$home/bin/mdbook" ]; then
  if ! command -v cargo >/dev/null; then
    echo "site.sh: there is no cargo: install Rust 1.88 or newer" >&2
    exit 1
  fi
  mkdir -p "$cache"
  part=$(mktemp -d "$cache/mdbook.XXXXXX")
  trap 'rm -rf "$part"' EXIT
  # Unoptimised: it is compiled in a third of the time, and the site takes seconds either way.
  CARGO_PROFILE_RELEASE_OPT_LEVEL=0 CARGO_TARGET_DIR=$part/target cargo install --quiet --locked --no-default-features --features search \
    --version "$version" --root "$part/home" mdbook >&2
  rm -rf "$home"
  mv "$part/home" "$home"
fi
[ "${1:-}" != mdbook ] || exit 0

out=${1:-dist/site}
mkdir -p "$out"
out=$(cd "$out" && pwd)
if [ ! -e "$out/.inferometer-site" ] && [ -n "$(ls -A "$out")" ]; then
  echo "site.sh: $out holds something else than a site; name another folder, or remove it" >&2
  exit 1
fi
work=$(mktemp -d)
trap 'rm -rf "$work" ${part:+"$part"}' EXIT
cp site/book.toml site/site.css site/site.js "$work/"
go run ./site/make -out "$work/src"
(cd "$work" && MDBOOK_LOG=warn "$home/bin/mdbook" build --dest-dir "$work/book" >&2)
go run ./site/make -shrink "$work/book"
find "$out" -mindepth 1 -delete
cp -R "$work/book/." "$out/"
touch "$out/.inferometer-site"
printf '%s\n' "$out"
