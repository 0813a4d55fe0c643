#!/usr/bin/env bash
# What a release needs before its binaries are built, into build/release: our own packing program, man pages,
# completions, and the image's certificates. .goreleaser.yaml calls it. Usage: release-before.sh VERSION TIME
set -euo pipefail
cd "$(dirname "$0")/.."
version=$1 time=$2 out=build/release
unset GOOS GOARCH
umask 022
rm -rf "$out"
mkdir -p "$out"/{bin,files,man,completions,root}
# Pages and completions are the same for all platforms, so this machine's binary writes them.
CGO_ENABLED=0 go build -trimpath -ldflags "-X github.com/inferometer/inferometer/internal/cli/command.stamped=$version" -o "$out/bin/inferometer" ./cmd/inferometer
CGO_ENABLED=0 go build -trimpath -o "$out/bin/pack" ./packaging/pack
(cd packaging/certificates && go run -trimpath .) >"$out/ca-certificates.crt"

SOURCE_DATE_EPOCH=$time "$out/bin/inferometer" man -o "$out/man"
"$out/bin/inferometer" completion bash >"$out/completions/inferometer.bash"
"$out/bin/inferometer" completion zsh >"$out/completions/_inferometer"
"$out/bin/inferometer" completion fish >"$out/completions/inferometer.fish"

# The same where distributions look for them, below /usr/share; gzip -n writes no name and no time.
install -d "$out"/root/{man/man1,bash-completion/completions,zsh/vendor-completions,fish/vendor_completions.d}
for page in "$out"/man/*.1; do gzip -9n <"$page" >"$out/root/man/man1/$(basename "$page").gz"; done
cp "$out/completions/inferometer.bash" "$out/root/bash-completion/completions/inferometer"
cp "$out/completions/_inferometer" "$out/root/zsh/vendor-completions/_inferometer"
cp "$out/completions/inferometer.fish" "$out/root/fish/vendor_completions.d/inferometer.fish"
# Debian's changelog: what a package's version is, not what is new in it. The version is written as nfpm writes it.
printf 'inferometer (%s) unstable; urgency=medium\n\n  * What is new is in CHANGELOG.md, which the archives have:\n    https://github.com/inferometer/inferometer\n\n -- %s  %s\n' \
  "${version/-/\~}" 'The Inferometer authors <maintainers@inferometer.invalid>' "$(LC_ALL=C date -u -d "@$time" '+%a, %d %b %Y %H:%M:%S +0000')" |
  gzip -9n >"$out/root/changelog.gz"
find "$out/root" -exec touch -d "@$time" {} +
