#!/usr/bin/env bash
# Runs the experiments of examples/gallery against the real llama.cpp, and writes what examples/ shows of them: pictures, pages,
# tables, and README.md with the answers. Run again, it goes on where it stopped; what is measured is only rendered again.
# llama.cpp is built the first time (llama-server.sh), and three more quantisations are made of its model.
# Usage: gallery.sh            some 25 minutes; journals are kept in dist/gallery, or in the folder GALLERY
set -euo pipefail
cd "$(dirname "$0")/.."
kept=${GALLERY:-$PWD/dist/gallery}
make --no-print-directory build
mapfile -t llama < <(scripts/llama-server.sh)
PATH=$(dirname "${llama[0]}"):$PATH
GGUF=${GGUF:-$(dirname "${llama[2]}")}
export PATH GGUF
command -v llama-quantize >/dev/null || ninja -C "$(dirname "${llama[0]}")/.." llama-quantize
for quant in F16 Q8_0 Q2_K; do
  file=$GGUF/SmolLM2-135M-Instruct.$quant.gguf
  [ -s "$file" ] && continue
  llama-quantize --allow-requantize "${llama[2]}" "$file.part" "$quant"
  mv "$file.part" "$file"
done

program=$PWD/bin/inferometer
cd examples/gallery

# show NAME CHART POINT… measures an experiment and writes its files: a picture of these points, and a page of the first and the last.
show() {
  local name=$1 chart=$2 runs=()
  shift 2
  "$program" run "$name/scenario.yaml" -o "$kept/$name"
  for point in "$@"; do runs+=("$kept/$name/points/$point/run"); done
  "$program" report "${runs[@]}" --chart "$chart" -o "$name/picture.svg"
  "$program" report "${runs[0]}" "${runs[-1]}" -o "$name/page.html"
  sed -i "s#$kept/##g" "$name/page.html" # no folder of this machine
  cp "$kept/$name/table.md" "$kept/$name/summary.csv" "$name"
}
show quantisation itl f16_concurrency-1_r1 q8_concurrency-1_r1 q4_concurrency-1_r1
show replicas e2el one_concurrency-4_r1 half_concurrency-2_r1 two_concurrency-4_r1
show speculative-decoding e2el plain_text-correct_r1 draft_text-correct_r1 ngram_text-correct_r1
show prefix-caching ttft without_prefix-len-512_r1 without_prefix-len-128_r1 with_prefix-len-128_r1 with_prefix-len-512_r1
show capacity ttft llama_slots-2_r1 llama_slots-8_r1
cat "$kept"/capacity/points/llama_slots-{2,8}_r1/run/find.md >capacity/table.md # the searches say more than the table
cd ../..
go test ./test/gallery -update
