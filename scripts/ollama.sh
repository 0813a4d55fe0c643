#!/usr/bin/env bash
# Builds the real Ollama server from its Go module (with cgo: some ten minutes the first time) and makes the model `smollm2` for it
# from the GGUF file of llama-server.sh, whose source also has the C++ headers that Go's module archive leaves out.
# Everything is kept under one cache folder: the second run costs nothing. Needs: Go, a C++ compiler, curl, and what llama-server.sh needs.
# Usage: ollama.sh                  prints two lines: the ollama command, the models folder (OLLAMA_MODELS)
set -euo pipefail
cache=${INFEROMETER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/inferometer}
version=v0.17.4
home=$cache/ollama-$version
models=$home/models
paths=$("$(dirname "$0")/llama-server.sh")
source=$(dirname "$(dirname "$(dirname "$(sed -n 1p <<<"$paths")")")") # the server is SOURCE/build/bin/llama-server
model=$(sed -n 3p <<<"$paths")

if [ ! -x "$home/ollama" ]; then
  mkdir -p "$home"
  CGO_ENABLED=1 CGO_CPPFLAGS="-I$source/vendor" GOFLAGS= GOBIN="$home" go install "github.com/ollama/ollama@$version" >&2
fi

if [ ! -d "$models/manifests" ]; then
  port=${INFEROMETER_OLLAMA_PORT:-11599} # only while the model is made
  OLLAMA_HOST=127.0.0.1:$port OLLAMA_MODELS=$models "$home/ollama" serve >"$home/create.log" 2>&1 &
  server=$!
  trap 'kill $server 2>/dev/null || true' EXIT
  for _ in $(seq 100); do
    curl -fsS -o /dev/null "http://127.0.0.1:$port/api/version" 2>/dev/null && break
    sleep 0.2
  done
  printf 'FROM %s\n' "$model" >"$home/Modelfile"
  OLLAMA_HOST=127.0.0.1:$port "$home/ollama" create smollm2 -f "$home/Modelfile" >&2
fi
printf '%s\n%s\n' "$home/ollama" "$models"
