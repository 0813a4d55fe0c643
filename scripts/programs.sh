#!/usr/bin/env bash
# Programs of the system that some tests look through our files with: shells, a reader of manual pages, shellcheck,
# sshd. Where they are missing they are installed, as root and where there is apt-get; elsewhere these tests
# say that they are skipped. Never fails.
# Usage: programs.sh [all|wine]     all: those that only tests of the release need as well; wine: runs the Windows build
set -uo pipefail
declare -A package=([zsh]=zsh [fish]=fish [mandoc]=mandoc [shellcheck]=shellcheck [/usr/sbin/sshd]=openssh-server)
[ "${1:-}" != all ] || package+=([lintian]=lintian)
[ "${1:-}" != wine ] || package=([wine]=wine)
missing=()
for program in "${!package[@]}"; do
  command -v "$program" >/dev/null || missing+=("${package[$program]}")
done
if [ ${#missing[@]} -gt 0 ] && command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
  export DEBIAN_FRONTEND=noninteractive
  apt-get install -y --no-install-recommends "${missing[@]}" >&2 ||
    { apt-get update >&2 && apt-get install -y --no-install-recommends "${missing[@]}" >&2; }
fi
exit 0
