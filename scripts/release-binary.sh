#!/usr/bin/env bash
# What goes with one binary of a release, into build/release: third-party notices, SBOM, the Python wheel, and for Linux
# the container image. .goreleaser.yaml calls it. Usage: release-binary.sh BINARY OS ARCH VERSION TIME
set -euo pipefail
cd "$(dirname "$0")/.."
binary=$1 os=$2 arch=$3 version=$4 time=$5 out=build/release
unset GOOS GOARCH
pack=$out/bin/pack name=inferometer_${version}_${os}_$arch here=$out/${os}_$arch
"$pack" notices -binary "$binary" -o "$here/THIRD-PARTY-NOTICES.txt"
"$pack" sbom -binary "$binary" -version "$version" -o "$here/inferometer.cdx.json"
cp "$here/inferometer.cdx.json" "$out/files/$name.cdx.json"
python3 scripts/wheels.py --platform "$os-$arch" --binary "$binary" --version "$version" --notices "$here/THIRD-PARTY-NOTICES.txt" --out "$out/files"
if [ "$os" = linux ]; then
  # The image also has the authorities' certificates, which are not in the binary.
  "$pack" notices -binary "$binary" -and "Mozilla's list of certificate authorities=packaging/certificates" -o "$here/image-notices.txt"
  "$pack" image -binary "$binary" -arch "$arch" -version "$version" -time "$time" -certificates "$out/ca-certificates.crt" \
    -notices "$here/image-notices.txt" -o "$out/files/$name.image.tar"
fi
