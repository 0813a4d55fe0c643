#!/usr/bin/env bash
# Makes the runs whose reports are kept here. Usage: make-runs.sh INFEROMETER
# The journals are kept, not made anew in tests: what is right of the journal is a
# function of them alone.
set -euo pipefail
bin=$(realpath "$1")
cd "$(dirname "$0")"
rm -rf runs && mkdir runs
port=18611
sim() { # arguments of sim
  "$bin" sim --listen "127.0.0.1:$port" "$@" >/dev/null 2>&1 &
  server=$!
  trap 'kill $server 2>/dev/null || true' EXIT
}
stop() { kill $server; wait $server 2>/dev/null || true; trap - EXIT; }
serve() { # name, flags…
  local name=$1
  shift
  "$bin" bench serve --base-url "http://127.0.0.1:$port" --model sim --skip-tokenizer-init --progress none \
    --run-dir "runs/$name" "$@" >/dev/null 2>&1
}
sim --ttft 20ms --itl 2ms
serve closed --random-input-len 64 --random-output-len 16 --num-prompts 120 --max-concurrency 16 --label closed
serve faster --random-input-len 64 --random-output-len 16 --num-prompts 120 --max-concurrency 16 --label faster --seed 1
serve open --random-input-len 32 --random-output-len 12 --num-prompts 150 --request-rate 60 --label open --goodput ttft:30 --seed 2
stop
sim --ttft 20ms --itl 2ms --fault truncate=0.05,error-event=0.05,http-500=0.03,reset=0.03
serve faults --random-input-len 32 --random-output-len 12 --num-prompts 100 --max-concurrency 10 --request-timeout 2s --seed 3
serve chat --backend openai-chat --random-input-len 32 --random-output-len 12 --num-prompts 60 --max-concurrency 6 --request-timeout 2s --seed 4
stop
sim --engine batch --spec-tokens 5 --spec-acceptance 0.8 --step-base 5ms
serve drafts --random-input-len 32 --random-output-len 60 --num-prompts 60 --max-concurrency 8 --seed 5
stop
# Two servers as one.
"$bin" sim --listen "127.0.0.1:18612" --ttft 20ms --itl 2ms >/dev/null 2>&1 &
second=$!
sim --ttft 20ms --itl 2ms
"$bin" bench serve --targets "http://127.0.0.1:$port,http://127.0.0.1:18612" --model sim --skip-tokenizer-init --progress none \
  --run-dir runs/replicas --random-input-len 32 --random-output-len 12 --num-prompts 100 --max-concurrency 8 --seed 6 >/dev/null 2>&1
kill $second
stop
sed -i "s#$PWD/##g" runs/*/result.json # no path of the machine that made them
# A run of questions is made up, so that it has all that can become of one.
mkdir runs/eval
INFEROMETER_FAKE_RUN=$PWD/runs/eval go test -count=1 ../../../internal/show/fakerun -run TestWrite
