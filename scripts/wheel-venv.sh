#!/usr/bin/env bash
# A Python with what the test of our wheels reads frames, checks wheels and runs notebooks with. Kept under the cache folder: the second
# run costs nothing.
# Usage: wheel-venv.sh            prints one line: the python
set -euo pipefail
cache=${INFEROMETER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/inferometer}
home=$cache/wheel-3
if [ ! -x "$home/ready/bin/python" ]; then
  rm -rf "$home"
  python3 -m venv "$home/venv" >&2
  "$home/venv/bin/pip" install --quiet --disable-pip-version-check pandas pandas-stubs pyarrow polars mypy pytest nbclient ipykernel matplotlib twine check-wheel-contents >&2
  ln -s venv "$home/ready"
fi
printf '%s\n' "$home/ready/bin/python"
