#!/usr/bin/env bash
# Installs the real GuideLLM into a virtual environment of its own: about 6 GB (it needs torch) and some minutes the first time, nothing later.
# Usage: guidellm.sh   prints one line: the guidellm command
set -euo pipefail
cache=${INFEROMETER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/inferometer}
version=0.8.1
venv=$cache/guidellm-$version

if [ ! -e "$venv/ok" ]; then
  rm -rf "$venv"
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet "guidellm==$version" >&2
  touch "$venv/ok"
fi
printf '%s\n' "$venv/bin/guidellm"
