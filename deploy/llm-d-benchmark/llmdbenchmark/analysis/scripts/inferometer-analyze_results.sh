#!/usr/bin/env bash
# Makes the Benchmark Report of a run of the harness `inferometer`, and its summary.
set -euo pipefail
results=${LLMDBENCH_RUN_EXPERIMENT_RESULTS_DIR:?is set by llm-d-benchmark: the folder with results}
converter=${LLMDBENCH_RUN_WORKSPACE_DIR:?is set by llm-d-benchmark}/harnesses/inferometer_benchmark_report.py

[ -s "$results/inferometer.json" ] || { echo "no $results/inferometer.json: the harness left no result; see stderr.log" >&2; exit 1; }
python3 "$converter" "$results/inferometer.json" "$results/benchmark_report_v0.2,_inferometer.json.yaml"
mkdir -p "$results/analysis"
# The console's block, which the log has last.
awk '/Result =/ { block = "" } { block = block $0 "\n" } END { printf "%s", block }' "$results/stdout.log" > "$results/analysis/summary.txt"
