#!/usr/bin/env bash
# Runs a rung of .ci/run many times in a row, every third time beside a loop on each processor, and prints one table.
# Usage: flaky.sh RUNG TIMES [FOLDER]     the records of the runs and their logs are kept in FOLDER, or dist/flaky
set -euo pipefail
cd "$(dirname "$0")/.."
rung=${1:?which rung} times=${2:?how often} folder=${3:-dist/flaky}
mkdir -p "$folder"
hogs=()
rest() { # ends the hogs
  [ ${#hogs[@]} -eq 0 ] || kill "${hogs[@]}" 2>/dev/null || true
  hogs=()
}
trap rest EXIT
records=()
for n in $(seq "$times"); do
  beside=
  if [ $((n % 3)) -eq 0 ]; then
    for _ in $(seq "$(getconf _NPROCESSORS_ONLN)"); do
      (while :; do :; done) &
      hogs+=($!)
    done
    beside='a hog on each processor'
  fi
  record=$folder/$(printf '%s-%02d' "$rung" "$n")
  INFEROMETER_CI_RECORD=$record.json INFEROMETER_CI_BESIDE=$beside .ci/run "$rung" >"$record.log" 2>&1 || true
  rest
  printf '%s: %s\n' "$record" "$(tail -n 1 "$record.log")" >&2
  [ ! -s "$record.json" ] || records+=("$record.json")
done
bin/ci -table "${records[@]}"
