#!/usr/bin/env bash
# Installs EleutherAI's real lm-evaluation-harness (with its API models, without torch) into a virtual environment: a minute of CPU time and
# 760 MB the first time, nothing later.
# Usage: lm-eval.sh                 prints one line: the lm_eval command
set -euo pipefail
cache=${INFEROMETER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/inferometer}
version=0.4.13
venv=$cache/lm-eval-$version

if [ ! -e "$venv/ok" ]; then
  rm -rf "$venv"
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet "lm-eval[api]==$version" >&2
  touch "$venv/ok"
fi
printf '%s\n' "$venv/bin/lm_eval"
