#!/usr/bin/env bash
# Builds a real S3-compatible server (Versity S3 Gateway, on plain files) from its Go module: two minutes the first time,
# then from one cache folder.
# Usage: s3.sh                      prints its path
# Then:  ROOT_ACCESS_KEY=test ROOT_SECRET_KEY=testsecret versitygw --port 127.0.0.1:7470 posix --sidecar /ABS/meta /ABS/data
#        (both folders must exist; a folder in data is a bucket)
set -euo pipefail
cache=${INFEROMETER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/inferometer}
version=v1.8.0
home=$cache/versitygw-$version

mkdir -p "$home"
[ -x "$home/versitygw" ] || GOBIN=$home go install "github.com/versity/versitygw/cmd/versitygw@$version" >&2
printf '%s\n' "$home/versitygw"
