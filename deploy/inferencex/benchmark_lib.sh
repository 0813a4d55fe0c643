#!/usr/bin/env bash
# InferenceX's `run_benchmark_serving` with inferometer as the client: the same parameters, and a result that its process_result.py reads.
#   source benchmarks/benchmark_lib.sh        # InferenceX's own
#   source deploy/inferencex/benchmark_lib.sh # this one: the function is replaced
# or, without InferenceX: deploy/inferencex/benchmark_lib.sh --model … --port … (the same parameters).

run_benchmark_serving() {
  if [ "${EVAL_ONLY:-}" = true ]; then
    echo "EVAL_ONLY is set: no load is sent"
    return 0
  fi
  local model="" port="" backend="" endpoint="" input="" output="" ratio="" prompts="" streams="" name="" folder="" server="" given
  local more=()
  while [ $# -gt 0 ]; do
    given=$1
    case $given in
      --use-chat-template | --dsv4)
        echo "$given: prompts are not put through a template here; use --backend openai-chat --endpoint /v1/chat/completions, where the server does it" >&2
        return 2 ;;
      --trust-remote-code) shift; continue ;; # nothing here runs a model's code
    esac
    [ $# -ge 2 ] || { echo "$given: its value is missing" >&2; return 2; }
    case $given in
      --model) model=$2 ;;
      --port) port=$2 ;;
      --backend) backend=$2 ;;
      --endpoint) endpoint=$2 ;;
      --input-len) input=$2 ;;
      --output-len) output=$2 ;;
      --random-range-ratio) ratio=$2 ;;
      --num-prompts) prompts=$2 ;;
      --max-concurrency) streams=$2 ;;
      --result-filename) name=$2 ;;
      --result-dir) folder=$2 ;;
      --server-pid) server=$2 ;;
      --tokenizer | --tokenizer-mode) more+=("$given" "$2") ;;
      --bench-serving-dir) ;; # of the Python client
      *) echo "$given: not a parameter of run_benchmark_serving" >&2; return 2 ;;
    esac
    shift 2
  done
  local required
  for required in model port backend input output ratio prompts streams name folder; do
    [ -n "${!required}" ] || { echo "run_benchmark_serving: the parameter for the $required is missing" >&2; return 2; }
  done
  [ -z "$endpoint" ] || more+=(--endpoint "$endpoint")
  case " ${more[*]} " in *" --tokenizer "*) ;; *) [ -z "${INFEROMETER_SKIP_TOKENIZER:-}" ] || more+=(--skip-tokenizer-init) ;; esac

  # InferenceX draws lengths from ratio × length to length; vLLM's flag, which is ours, is the half width around a middle.
  local lengths
  lengths=$(awk -v i="$input" -v o="$output" -v r="$ratio" 'BEGIN {
    if (r <= 0 || r > 1) { exit 1 }
    printf "%.0f %.0f %.6f", i * (1 + r) / 2, o * (1 + r) / 2, (1 - r) / (1 + r) }') || { echo "--random-range-ratio $ratio: it is above 0, and 1 at the most" >&2; return 2; }
  local middle answer width
  read -r middle answer width <<< "$lengths"

  local command=("${INFEROMETER:-inferometer}" bench serve --model "$model" --backend "$backend" --base-url "http://127.0.0.1:$port"
    --dataset-name random --random-input-len "$middle" --random-output-len "$answer" --random-range-ratio "$width"
    --num-prompts "$prompts" --max-concurrency "$streams" --request-rate inf --ignore-eos --num-warmups "$((2 * streams))"
    --percentile-metrics ttft,tpot,itl,e2el --save-result --result-dir "$folder" --result-filename "$name.json" "${more[@]}")
  if [ -z "$server" ]; then
    "${command[@]}"
    return
  fi
  "${command[@]}" &
  local client=$!
  while kill -0 "$client" 2>/dev/null; do
    if ! kill -0 "$server" 2>/dev/null; then
      echo "the server (process $server) ended during the load" >&2
      kill -INT "$client" 2>/dev/null
      wait "$client"
      return 1
    fi
    sleep 2
  done
  wait "$client"
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
  run_benchmark_serving "$@"
fi
