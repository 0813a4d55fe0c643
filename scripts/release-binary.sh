#!/usr/bin/env bash
# What goes with one binary of a release, into build/release: third-party notices, SBOM, and for Linux the container
# image. .goreleaser.yaml calls it. Usage: release-binary.sh BINARY OS ARCH VERSION TIME
set -euo pipefail
cd "$(dirname "$0")/.."
binary=$1 os=$2 arch=$3 version=$4 time=$5 out=build/release
unset GOOS GOARCH
pack=$out/bin/pack name=inferometer_${version}_${os}_$arch
"$pack" notices -binary "$binary" -o "$out/${os}_$arch/THIRD-PARTY-NOTICES.txt"
"$pack" sbom -binary "$binary" -version "$version" -o "$out/${os}_$arch/inferometer.cdx.json"
cp "$out/${os}_$arch/inferometer.cdx.json" "$out/files/$name.cdx.json"
if [ "$os" = linux ]; then
  "$pack" image -binary "$binary" -arch "$arch" -version "$version" -time "$time" -certificates "$out/ca-certificates.crt" -o "$out/files/$name.image.tar"
fi
