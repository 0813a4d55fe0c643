#!/usr/bin/env bash
# What CHANGELOG.md says of a version: the text of a release. A candidate has that of the version that it is one for, or
# what is not released yet. Usage: release-notes.sh VERSION
set -euo pipefail
cd "$(dirname "$0")/.."
section() { # the lines below "## NAME", or "## NAME - DATE"
  awk -v name="$1" '/^## / { inside = ($2 == name); next } inside' CHANGELOG.md | sed -e '/./,$!d'
}
version=${1:?usage: release-notes.sh VERSION}
notes=$(section "$version")
case "$version" in
  *-*)
    [ -n "$notes" ] || notes=$(section "${version%%-*}")
    [ -n "$notes" ] || notes=$(section Unreleased)
    ;;
esac
if [ -z "$notes" ]; then
  echo "CHANGELOG.md has no section ## $version: write it before the version is released" >&2
  exit 1
fi
printf '%s\n' "$notes"
