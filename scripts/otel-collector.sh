#!/usr/bin/env bash
# Builds the real OpenTelemetry Collector with the project's own builder, from Go modules: OTLP in, and out into files. Two minutes the
# first time, 30 MB, then from one cache folder.
# Usage: otel-collector.sh          prints its path
# Then:  otelcol --config FILE
set -euo pipefail
cache=${INFEROMETER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/inferometer}
core=v0.158.0
providers=v1.64.0
home=$cache/otelcol-$core

if [ ! -x "$home/otelcol" ]; then
  mkdir -p "$home"
  cat >"$home/builder.yaml" <<YAML
dist: {name: otelcol, output_path: $home/src, version: "${core#v}"}
receivers: [{gomod: go.opentelemetry.io/collector/receiver/otlpreceiver $core}]
processors: [{gomod: go.opentelemetry.io/collector/processor/batchprocessor $core}]
exporters:
  - gomod: go.opentelemetry.io/collector/exporter/debugexporter $core
  - gomod: go.opentelemetry.io/collector/exporter/otlphttpexporter $core
  - gomod: github.com/open-telemetry/opentelemetry-collector-contrib/exporter/fileexporter $core
providers:
  - gomod: go.opentelemetry.io/collector/confmap/provider/envprovider $providers
  - gomod: go.opentelemetry.io/collector/confmap/provider/fileprovider $providers
  - gomod: go.opentelemetry.io/collector/confmap/provider/yamlprovider $providers
YAML
  GOBIN=$home go install "go.opentelemetry.io/collector/cmd/builder@$core" >&2
  # The builder's own go.mod would want the modules of all tests too.
  "$home/builder" --skip-compilation --skip-get-modules --config "$home/builder.yaml" >&2
  {
    printf 'module built\n\ngo 1.26\n\nrequire (\n\tgo.opentelemetry.io/collector/otelcol %s\n' "$core"
    sed -n 's/.*gomod: \([^ ]* v[0-9.]*\).*/\t\1/p' "$home/builder.yaml"
    echo ')'
  } >"$home/src/go.mod"
  (cd "$home/src" && go build -mod=mod -trimpath -ldflags '-s -w' -o "$home/otelcol" .) >&2
fi
printf '%s\n' "$home/otelcol"
