#!/bin/sh
# Measures a server, holds the result against the last good one, and says by its exit code what a build should do:
#   0  the gate holds, or there is no last good result yet: this one becomes it
#   5  the gate is broken beyond noise
#   6  the data can't decide; the last good result stays
# Usage: measure.sh URL
# It reads and writes in the current folder: last-good/*.json, which the job keeps for the next one; new/, this run with its
# journals; table.md, to be posted; junit.xml, one test a limit of the gate.
# From the environment: GATE, REPEATS, REQUESTS, CONCURRENCY, and LABEL, the name of the column.
set -eu
url=$1
gate=${GATE:-p99_ttft<+10% and output_throughput>-5%}

# Several short runs tell more than a long one: how much they differ is the noise. Their seeds are the same each time, so that
# both sides are sent the same; a server that lives longer than the job needs other seeds, or its cache emptied.
rm -rf new table.md junit.xml
mkdir -p new last-good
for i in $(seq "${REPEATS:-5}"); do
  inferometer bench serve --base-url "$url" --ready-check-timeout-sec 300 --seed "$i" --label "${LABEL:-new}" \
    --num-prompts "${REQUESTS:-200}" --max-concurrency "${CONCURRENCY:-8}" --random-input-len 256 --random-output-len 64 \
    --run-dir "new/run-$i" --save-result --result-dir new --result-filename "$i.json" --quiet
done

joined() { # the files of a side, with commas between
  find "$1" -maxdepth 1 -name '*.json' | sort | paste -s -d , -
}
keep() {
  rm -rf last-good
  mkdir last-good
  cp new/*.json last-good/
}

if [ -z "$(joined last-good)" ]; then
  { echo "No last good result yet: this is the first."; echo; inferometer compare "$(joined new)" --format markdown; } >table.md
  keep
  exit 0
fi
code=0
inferometer compare "$(joined last-good)" "$(joined new)" --gate "$gate" --format markdown >table.md || code=$?
inferometer compare "$(joined last-good)" "$(joined new)" --gate "$gate" --format junit >junit.xml || true # the code is known
[ "$code" -ne 0 ] || keep
exit "$code"
