#!/usr/bin/env bash
# Installs the real AIPerf into a virtual environment of its own: about 500 MB and a minute the first time, nothing later. It needs no torch.
# Usage: aiperf.sh   prints one line: the aiperf command
set -euo pipefail
cache=${INFEROMETER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/inferometer}
version=0.13.0
venv=$cache/aiperf-$version

if [ ! -e "$venv/ok" ]; then
  rm -rf "$venv"
  python3 -m venv "$venv"
  # uv finds versions that fit each other in seconds where pip tries for many minutes.
  "$venv/bin/pip" install --quiet uv==0.9.7 >&2
  "$venv/bin/uv" pip install --quiet --python "$venv/bin/python" "aiperf==$version" >&2
  touch "$venv/ok"
fi
printf '%s\n' "$venv/bin/aiperf"
