#!/usr/bin/env bash
# Writes .ci/budgets from the records of runs, or, without any, from a run of quick and one of what must hold for a landing.
# Usage: budgets.sh [RECORD…]
set -euo pipefail
cd "$(dirname "$0")/.."
if [ $# -eq 0 ]; then
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  for rung in quick landing; do
    INFEROMETER_CI_RECORD=$folder/$rung.json .ci/run "$rung" || true
  done
  set -- "$folder"/*.json
fi
go run ./test/ci -budgets "$@" >.ci/budgets.new
mv .ci/budgets.new .ci/budgets
