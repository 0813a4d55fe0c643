#!/usr/bin/env bash
# Records README's moving picture: the real program on a terminal of 80×24, measuring a real llama-server on this machine.
# Nothing is sent anywhere. llama.cpp is built the first time; see llama-server.sh.
# INFEROMETER_BINARY names a program that is built already. The machine should be quiet: the picture shows the verdict.
# Usage: recording.sh [PICTURE [PORT]]     writes docs/images/front-door/run.svg, and prints its path
set -euo pipefail
cd "$(dirname "$0")/.."
picture=$PWD/docs/images/front-door/run.svg
[ -z "${1:-}" ] || picture=$(realpath "$1")
port=${2:-8080}
program=${INFEROMETER_BINARY:-}
if [ -z "$program" ]; then
  make --no-print-directory build >&2
  program=$PWD/bin/inferometer
fi
mapfile -t llama < <(scripts/llama-server.sh)
work=$(mktemp -d)
go build -o "$work/recording" ./site/recording
"${llama[0]}" -m "${llama[2]}" --host 127.0.0.1 --port "$port" --parallel 4 --ctx-size 8192 --metrics --alias SmolLM2-135M >"$work/server.log" 2>&1 &
server=$!
state=/tmp/demo # the picture shows this path
mkdir "$state"
trap 'kill $server; rm -rf "$work" "$state"' EXIT
for _ in $(seq 120); do
  curl --silent --fail --output /dev/null "http://127.0.0.1:$port/health" && break
  kill -0 $server || { cat "$work/server.log" >&2; exit 1; }
  sleep 0.5
done
mkdir "$work/bin" "$work/here"
ln -s "$program" "$work/bin/inferometer"
cd "$work/here"
cores=$(nproc)
PATH=$work/bin:$PATH HOME=$work XDG_STATE_HOME=$state "$work/recording" -speed 2 -o "$picture" \
  -title "llama.cpp's server, SmolLM2-135M, $cores CPU cores shared with the client" -- inferometer "http://127.0.0.1:$port"
printf '%s\n' "$picture"
