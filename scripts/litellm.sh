#!/usr/bin/env bash
# Installs the real LiteLLM proxy into a virtual environment: a gateway that offers /v1/chat/completions, /v1/messages (Anthropic's) and
# /v1/responses in front of an OpenAI-compatible server. A minute of CPU time and 750 MB the first time, nothing later.
# Usage: litellm.sh                 prints one line: the litellm command
set -euo pipefail
cache=${INFEROMETER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/inferometer}
version=1.106.2
venv=$cache/litellm-$version

if [ ! -e "$venv/ok" ]; then
  rm -rf "$venv"
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet "litellm[proxy]==$version" >&2
  touch "$venv/ok"
fi
printf '%s\n' "$venv/bin/litellm"
