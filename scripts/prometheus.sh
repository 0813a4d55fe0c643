#!/usr/bin/env bash
# Builds the real Prometheus server and promtool from its Go module (v0.315.0 is Prometheus 3.15.0), without the service discoveries of
# clouds and without the web pages: some six minutes of CPU time the first time, then from one cache folder.
# Usage: prometheus.sh              prints two lines: prometheus, promtool
# Then:  prometheus --config.file=FILE --storage.tsdb.path=DIR --web.listen-address=127.0.0.1:9390
set -euo pipefail
cache=${INFEROMETER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/inferometer}
version=3.15.0
module=v0.315.0
home=$cache/prometheus-$version

if [ ! -x "$home/prometheus" ] || [ ! -x "$home/promtool" ]; then
  mkdir -p "$home/src"
  # Its go.mod replaces modules, which go install refuses: a small module of ours repeats that.
  dir=$(go mod download -json "github.com/prometheus/prometheus@$module" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
  {
    printf 'module built\n\n'
    grep '^go ' "$dir/go.mod"
    printf '\nrequire github.com/prometheus/prometheus %s\n\n' "$module"
    grep '^replace .* => [^.]' "$dir/go.mod" || true
  } >"$home/src/go.mod"
  install -m 644 "$dir/go.sum" "$home/src/go.sum"
  for program in prometheus promtool; do
    (cd "$home/src" && go build -mod=mod -tags remove_all_sd,netgo -ldflags "-s -w -X github.com/prometheus/common/version.Version=$version" \
      -o "$home/$program" "github.com/prometheus/prometheus/cmd/$program") >&2
  done
fi
printf '%s\n%s\n' "$home/prometheus" "$home/promtool"
