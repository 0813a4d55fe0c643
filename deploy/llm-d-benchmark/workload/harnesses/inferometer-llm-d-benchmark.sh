#!/usr/bin/env bash
# The entry point of the harness `inferometer` for llm-d-benchmark: reads the profile, runs `inferometer bench serve`, and leaves the
# result, the journal, both logs and run_metadata.yaml in the experiment's folder. See README.md beside.
set -uo pipefail

results=${LLMDBENCH_RUN_EXPERIMENT_RESULTS_DIR:?is set by llm-d-benchmark: the folder for results}
workload=${LLMDBENCH_RUN_EXPERIMENT_HARNESS_WORKLOAD_NAME:?is set by llm-d-benchmark: the name of the profile}
profile=${LLMDBENCH_RUN_WORKSPACE_DIR:?is set by llm-d-benchmark: the folder with profiles}/profiles/inferometer/$workload
inferometer=${INFEROMETER:-inferometer}

mkdir -p "$results"
[ -r "$profile" ] || { echo "no profile $profile: give one of the folder's with --workload" >&2; exit 2; }
command -v "$inferometer" >/dev/null || { echo "no program $inferometer: the image needs the binary in PATH, or set INFEROMETER" >&2; exit 127; }
cp -f "$profile" "$results/"

# One line of the profile is one flag; `none` is a flag without a value. Whole lines, so that a value may have spaces.
lines=$(yq -r 'to_entries[] | select(.value != null and .value != "") | if .value == "none" then "--\(.key)" else "--\(.key)=\(.value)" end' "$profile") || exit 2
mapfile -t arguments <<< "$lines"
arguments+=("--save-result" "--result-dir=$results" "--result-filename=inferometer.json" "--run-dir=$results/run" "--progress=none")

collector=
if [ "${LLMDBENCH_VLLM_COMMON_METRICS_SCRAPE_ENABLED:-false}" = true ] && command -v collect_metrics.sh >/dev/null; then
  collect_metrics.sh start >> "$results/metrics_collection.log" 2>&1 &
  collector=$!
fi

begun=$(date +%s.%N)
"$inferometer" bench serve "${arguments[@]}" > >(tee -a "$results/stdout.log") 2> >(tee -a "$results/stderr.log" >&2)
code=$?
ended=$(date +%s.%N)

if [ -n "$collector" ]; then
  collect_metrics.sh stop >> "$results/metrics_collection.log" 2>&1
  wait "$collector" 2>/dev/null
  collect_metrics.sh process >> "$results/metrics_collection.log" 2>&1
fi

# quoted writes a word as a YAML scalar: JSON's strings are YAML's.
quoted() { printf '%s' "$1" | jq -Rs .; }
{
  echo "harness_start: $(quoted "$(date -u -d "@$begun" +%Y-%m-%dT%H:%M:%SZ)")"
  echo "harness_stop: $(quoted "$(date -u -d "@$ended" +%Y-%m-%dT%H:%M:%SZ)")"
  echo "harness_delta: $(quoted "PT$(awk -v a="$begun" -v b="$ended" 'BEGIN { printf "%.3f", b - a }')S")"
  echo "harness_args: $(quoted "${arguments[*]}")"
  echo "harness_version: $(quoted "$("$inferometer" version 2>/dev/null | head -n 1)")"
  echo "harness_name: $(quoted "${LLMDBENCH_HARNESS_NAME:-inferometer}")"
  echo "harness_workload: $(quoted "$workload")"
  echo "harness_rc: $(quoted "$code")"
  echo "experiment_id: $(quoted "${LLMDBENCH_RUN_EXPERIMENT_ID:-}")"
  echo "model: $(quoted "${LLMDBENCH_DEPLOY_CURRENT_MODEL:-}")"
  echo "endpoint_url: $(quoted "${LLMDBENCH_HARNESS_STACK_ENDPOINT_URL:-}")"
  echo "namespace: $(quoted "${LLMDBENCH_VLLM_COMMON_NAMESPACE:-}")"
  echo "description_text: $(quoted "${LLMDBENCH_DESCRIPTION_TEXT:-}")"
  echo "description_keywords: $(quoted "${LLMDBENCH_DESCRIPTION_KEYWORDS:-}")"
} > "$results/run_metadata.yaml"

[ "$code" = 0 ] || echo "inferometer ended with $code: docs/exit-codes.md says what that means" >&2
exit "$code"
