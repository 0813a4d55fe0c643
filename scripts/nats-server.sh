#!/usr/bin/env bash
# Builds the official nats-server from its Go module (half a minute, 24 MB) and keeps it under one cache folder.
# Usage: nats-server.sh             prints its path
# Then:  nats-server -a 127.0.0.1 -p 4222 -js -sd DIR, or with the configuration that inferometer fleet init writes.
set -euo pipefail
cache=${INFEROMETER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/inferometer}
version=v2.15.2
home=$cache/nats-$version

mkdir -p "$home"
[ -x "$home/nats-server" ] || GOBIN=$home go install "github.com/nats-io/nats-server/v2@$version" >&2
printf '%s\n' "$home/nats-server"
