#!/usr/bin/env bash
# Installs the real GuideLLM into a virtual environment of its own. It needs torch: that of scripts/vllm-cpu.sh is used where it is there
# (450 MB then), or else one is installed (about 6 GB). Some minutes the first time, nothing later.
# Usage: guidellm.sh   prints one line: the guidellm command
set -euo pipefail
cache=${INFEROMETER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/inferometer}
version=0.8.1
venv=$cache/guidellm-$version

if [ ! -e "$venv/ok" ]; then
  rm -rf "$venv"
  python3 -m venv "$venv"
  # uv finds versions that fit each other in seconds where pip tries for many minutes.
  "$venv/bin/pip" install --quiet uv==0.9.7 >&2
  site=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
  other=$(compgen -G "$cache/vllm-*/lib/$(basename "$(dirname "$site")")/site-packages/torch" | head -n 1 || true)
  without=$(mktemp)
  if [ -n "$other" ]; then
    echo "torch ; sys_platform == 'never'" > "$without"
    dirname "$other" > "$site/torch-of-vllm.pth" # looked in last: whatever GuideLLM brings itself comes first
  fi
  "$venv/bin/uv" pip install --quiet --python "$venv/bin/python" --override "$without" "guidellm==$version" >&2
  rm -f "$without"
  touch "$venv/ok"
fi
printf '%s\n' "$venv/bin/guidellm"
