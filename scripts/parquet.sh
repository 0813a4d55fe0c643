#!/usr/bin/env bash
# A Python with DuckDB and pandas, to read the Parquet files that we write. Kept under the cache folder: the second
# run costs nothing. Usage: parquet.sh            prints one line: the python
set -euo pipefail
cache=${INFEROMETER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/inferometer}
home=$cache/parquet-1
if [ ! -x "$home/ready/bin/python" ]; then
  rm -rf "$home"
  python3 -m venv "$home/venv" >&2
  "$home/venv/bin/pip" install --quiet --disable-pip-version-check duckdb pandas pyarrow pytz >&2
  ln -s venv "$home/ready"
fi
printf '%s\n' "$home/ready/bin/python"
