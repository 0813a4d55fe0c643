# The few targets that people type. `make` alone builds.
BIN := bin/inferometer
GOFLAGS_STATIC := -trimpath -ldflags "-s -w"

.PHONY: build test race lint format cross accuracy selftest-twice bench-client bench-peers bench-streams bench-many bench-conversations bench-prompts bench-tokens bench-startup bench-lateness bench-record bench-traces bench-coverage bench-shapes bench-compare bench-eval bench-calls bench-find test-llama test-ollama test-gateway test-hostile test-vllm test-lm-eval test-browser test-parquet test-peers test-s3 test-kube test-export bench-fleet bench-fleet-agents bench-fleet-streams bench-fleet-merge test-fleet chaos ci clean bench-view bench-explain mutation

build:
	CGO_ENABLED=0 go build $(GOFLAGS_STATIC) -o $(BIN) ./cmd/inferometer

test:
	go test ./...

race:
	go test -race ./...

lint:
	scripts/lint.sh

format:
	go run mvdan.cc/gofumpt@v0.12.0 -w .

# Linux and macOS, both processors; what cannot be built cannot be released.
cross:
	scripts/cross.sh

# Our own error against the simulator's log of the truth; see docs/accuracy.md.
accuracy: build
	go run ./bench/accuracy -binary $(BIN)

# What selftest claims holds in a second, independent run; see docs/selftest.md.
selftest-twice: build
	go run ./bench/twice -binary $(BIN)

# What our client costs, as a ratio to programs that only read; see docs/performance.md.
bench-client: build
	CGO_ENABLED=0 go build -o bin/ ./bench/bare ./bench/epoll ./bench/client
	bin/client -backend vllm
	bin/client -backend openai-chat

# The same with vLLM's own client, which scripts/vllm-cpu.sh installs (about 6 GB).
bench-peers: build
	CGO_ENABLED=0 go build -o bin/ ./bench/bare ./bench/epoll ./bench/client
	INFEROMETER_VLLM="$$(scripts/vllm-cpu.sh)" bin/client -peers

# What inferometer record adds to the time of tokens, against the server directly.
bench-record: build
	CGO_ENABLED=0 go build -o bin/bench-record ./bench/record
	bin/bench-record -max 1

# 10,000 streams at once: nothing lost, the error of times, memory a stream.
bench-streams: build
	go run ./bench/accuracy -binary $(BIN) -streams 10000 -requests 10000 -tokens 128 -itl 350ms -no-tokenizer -rounds 1

# What the live view costs the client at 10,000 streams; some two minutes.
bench-view: build
	go run ./bench/view -binary $(BIN)

# 1,000,000 requests need no more memory than 100,000; some five minutes.
bench-many: build
	go run ./bench/many -binary $(BIN)

# The memory of 10,000 conversations of 20 turns against 1,000; some three minutes. The load keeps to the bound, the report at its end does not yet.
bench-conversations: build
	go run ./bench/many -binary $(BIN) -turns 20 -small 1000 -large 10000 -streams 100 -max 1.5

# The wall time of small commands, against an empty Go program.
bench-startup: build
	go run ./bench/startup -binary $(BIN)

# How late an open loop of 2,000 requests a second sends.
bench-lateness: build
	go run ./bench/lateness -binary $(BIN)

# An hour of each real trace at 60 ×: how late requests are sent, with pictures.
bench-traces: build
	go run ./bench/traces -binary $(BIN)

# How often compare is wrong: 200 pairs that are the same, 200 that differ by 10 %.
bench-compare: build
	go run ./bench/compare

# How often eval and compare are wrong about accuracy, against simulators of known accuracy; some fifteen minutes, all over HTTP.
bench-eval:
	go run ./bench/eval

# How often compare calls a change real that is none, and finds one that is, by repeats and sides; see docs/compare.md.
bench-calls:
	go test ./internal/judge/compare -run 'TestDrawnTables' -v -drawn 1000 -timeout 2h
	go test ./internal/judge/compare -run 'TestFalseAlarms$$|TestPower' -v -tables 2000 -timeout 2h

# In how many of 500 simulated runs the 95 % intervals hold the truth; see docs/confidence.md.
bench-coverage:
	go run ./bench/coverage

# In how many of 20 drawn configurations find finds the truth, and in what time; see docs/find.md.
bench-find:
	go run ./bench/find

# How often explain names what limits a run, and which wrong sentences it says: make judgement, of explain alone; see docs/explain.md.
bench-explain: build
	go run ./bench/judgement -binary $(BIN) -only explain -full -v

# Which breaks of the code the tests notice; see bench/mutation/main.go.
mutation:
	go run ./bench/mutation

# Making prompts, against Python's tokenizers (pip install tokenizers).
bench-prompts:
	go run ./bench/prompts

# Encoding and decoding texts, in MB/s beside Python's tokenizers; see docs/tokenizers.md.
bench-tokens:
	go run ./bench/tokens

# bench shapes beside the real llama-bench, in turns; see docs/shapes.md.
bench-shapes: build
	INFEROMETER_LLAMA="$$(scripts/llama-server.sh)" go run ./bench/shapes

# What a fleet costs beside one process: CPU per event of 1, 2 and 4 agents; see docs/fleet.md.
bench-fleet: build
	INFEROMETER_NATS="$$(scripts/nats-server.sh)" go run ./bench/fleet -binary $(BIN) -cpu -max 1.15

# 200 agents on one nats-server: when they begin by the truth, and what leader and NATS carry. Some 5 GB of memory.
bench-fleet-agents: build
	INFEROMETER_NATS="$$(scripts/nats-server.sh)" go run ./bench/fleet -binary $(BIN) -begin -tokens 16 -within 20

# 100,000 streams at once over several agents, as far as this machine carries them. Some 10 GB of memory.
bench-fleet-streams: build
	INFEROMETER_NATS="$$(scripts/nats-server.sh)" go run ./bench/fleet -binary $(BIN) -many -streams 100000 -rate 1000 -ttft 140s -itl 2s -tokens 4

# How fast the journals of 1,000 agents become one.
bench-fleet-merge: build
	INFEROMETER_NATS="$$(scripts/nats-server.sh)" go run ./bench/fleet -binary $(BIN) -merge -agents 1000 -requests 100000

# Whole fleets as processes, in network namespaces of their own, against the simulator's truth; that needs root.
test-fleet:
	INFEROMETER_NATS="$$(scripts/nats-server.sh)" go test -count=1 -v -timeout 30m ./test/fleet

# 32 named faults, three minutes; then agents, leader and nats-server killed, stopped and cut off at random: 20 runs of a minute, some 40 minutes.
chaos:
	INFEROMETER_NATS="$$(scripts/nats-server.sh)" go test -count=1 -v -timeout 30m -parallel 6 ./test/fleet -run Faults -faults all
	INFEROMETER_NATS="$$(scripts/nats-server.sh)" go test -count=1 -v -timeout 2h ./test/fleet -run Chaos -seeds 20 -seconds 60

# Tests against the real llama.cpp server with a real model (built once, kept in a cache).
test-llama: build
	INFEROMETER_LLAMA="$$(scripts/llama-server.sh)" go test -count=1 -v ./test/llama

# Chat against the real Ollama (built once, kept in a cache).
test-ollama: build
	INFEROMETER_OLLAMA="$$(scripts/ollama.sh)" go test -count=1 -v ./test/ollama

# Chat, Messages and Responses through the real LiteLLM in front of llama-server (750 MB, kept in a cache).
test-gateway: build
	INFEROMETER_LLAMA="$$(scripts/llama-server.sh)" INFEROMETER_LITELLM="$$(scripts/litellm.sh)" go test -count=1 -v -timeout 30m ./test/gateway

# Both engines against a server that breaks every rule, under a memory limit; some two minutes.
test-hostile:
	go test -count=1 ./test/hostile

# Tests against the real vLLM on CPU: about 6 GB on disk, some minutes the first time.
test-vllm: build
	INFEROMETER_VLLM="$$(scripts/vllm-cpu.sh)" INFEROMETER_LM_EVAL="$$(scripts/lm-eval.sh)" go test -count=1 -v -timeout 60m ./test/vllm

# What is asked, byte for byte, beside the real lm-evaluation-harness: 760 MB on disk, some minutes.
test-lm-eval:
	INFEROMETER_LM_EVAL="$$(scripts/lm-eval.sh)" go test -count=1 -v -timeout 30m ./test/lmeval

# Opens the HTML report in a real Chromium: load time, accessibility, and what a reader does with it.
test-browser: build
	INFEROMETER_BROWSER="$$(scripts/browser.sh)" go test -count=1 -v ./test/browser

# Reads our Parquet files with DuckDB and pandas.
test-parquet: build
	INFEROMETER_PARQUET="$$(scripts/parquet.sh)" go test -count=1 -v ./test/parquet

# The Helm chart and the manifests, against a real API server: 15 minutes of CPU time the first time. The tests without it: scripts/kube.sh lint.
test-kube:
	INFEROMETER_KUBE="$$(scripts/kube.sh)" go test -count=1 -v -timeout 20m ./test/kube

# What the real Prometheus and the real OpenTelemetry Collector have at the end of a run, and Grafana's types of dashboards; minutes the first time.
test-export:
	INFEROMETER_PROMETHEUS="$$(scripts/prometheus.sh)" INFEROMETER_OTELCOL="$$(scripts/otel-collector.sh)" INFEROMETER_GRAFANA="$$(scripts/grafana-schema.sh)" go test -count=1 -v -timeout 20m ./test/export

# Uploads to a real S3-compatible store (built once, kept in a cache; two minutes).
test-s3:
	INFEROMETER_S3="$$(scripts/s3.sh)" go test -count=1 -v ./test/s3

# Results of the real vllm bench serve and GuideLLM beside ours: about 12 GB on disk.
test-peers: build
	INFEROMETER_VLLM="$$(scripts/vllm-cpu.sh)" INFEROMETER_GUIDELLM="$$(scripts/guidellm.sh)" go test -count=1 -v -timeout 40m ./test/peers

# What must hold for every landing, as CI runs it; see docs/testing.md. quick: while you work; everything: what the night and a release run.
ci:
	.ci/run

.PHONY: quick everything shuffle flaky budgets
quick:
	.ci/run quick

everything:
	.ci/run all

# Every test that is not real, in a drawn order and twice in one process: none may count on another, or leave something behind.
shuffle:
	go test -shuffle=on -count=2 -skip '^TestReal' $$(go list ./... | grep -v /test/)

# Many runs of a rung, every third beside hogs on all processors, in one table: RUNG=quick N=20.
RUNG ?= quick
N ?= 20
flaky:
	scripts/flaky.sh $(RUNG) $(N)

# Writes .ci/budgets anew from a run of each rung.
budgets:
	scripts/budgets.sh

clean:
	rm -rf bin dist

# A whole release into dist/, nothing published: archives, .deb, .rpm, images, SBOMs, notices, checksums, formula; see docs/install.md.
.PHONY: release
release:
	scripts/release.sh

# The same commit, built in two folders at two times: the same bytes, or a list of what differs.
.PHONY: reproducible
reproducible:
	scripts/reproducible.sh

# What people install, tried: the bare binary, the image, the .deb, the archives; the first and second need root.
.PHONY: test-release
test-release: release
	INFEROMETER_RELEASE="$(CURDIR)/dist" go test -count=1 -v ./test/release

# GitHub's workflows, by actionlint.
.PHONY: lint-workflows
lint-workflows:
	go run github.com/rhysd/actionlint/cmd/actionlint@v1.7.7
# The Python wheels, one a platform: the release has them, with its own binaries inside.
.PHONY: wheels
wheels: release

# Builds the wheel of this platform, installs it into an empty environment and uses it; pandas, Polars, mypy and twine are kept in a cache.
.PHONY: test-wheel
test-wheel:
	INFEROMETER_WHEEL="$$(scripts/wheel-venv.sh)" go test -count=1 -v -timeout 10m ./test/wheel
# The documents as a static site with search, in dist/site. The first time mdBook is built: two minutes of CPU time.
.PHONY: site
site:
	scripts/site.sh

# The built site: every link, and every page in a real Chromium at two widths.
.PHONY: test-site
test-site: site
	INFEROMETER_SITE=$(CURDIR)/dist/site INFEROMETER_BROWSER="$$(scripts/browser.sh)" go test -count=1 -v ./test/site
.PHONY: peers
# vLLM's client, AIPerf, GuideLLM and ours against one simulator: what each shows, what is true, what it costs; below 15 minutes once they are
# installed (about 8 GB). The tables go to standard output, the raw files to dist/peers; see docs/five-clients.md.
peers: build
	CGO_ENABLED=0 go build -o bin/ ./bench/bare ./bench/peers
	rm -rf dist/peers
	INFEROMETER_VLLM="$$(scripts/vllm-cpu.sh)" INFEROMETER_AIPERF="$$(scripts/aiperf.sh)" INFEROMETER_GUIDELLM="$$(scripts/guidellm.sh)" bin/peers

.PHONY: peers-keep
# What make peers has measured becomes the page's: the raw files and the tables of docs/five-clients.md.
peers-keep:
	rm -f testdata/peers/*.json.gz
	cp dist/peers/*.json.gz testdata/peers/
	go test -count=1 ./bench/peers -run TestPage -update
# The same against a hostile server under TLS.
.PHONY: test-hostile-tls
test-hostile-tls:
	INFEROMETER_HOSTILE_TLS=1 go test -count=1 ./test/hostile

# What a whole run costs, report and all, as a ratio to programs that only read; and what TLS costs.
.PHONY: bench-whole
bench-whole: build
	CGO_ENABLED=0 go build -o bin/ ./bench/bare ./bench/epoll ./bench/client
	bin/client -whole -requests 1500
	bin/client -tls

# How late an open loop sends with a processor of its own, beside the simulator on another.
.PHONY: bench-lateness-pinned
bench-lateness-pinned: build
	go run ./bench/lateness -binary $(BIN) -pin
.PHONY: soak
# An hour of conversations, faults and cut connections at 2,000 streams from one process; see docs/endurance.md. SOAK=20m for a shorter one.
SOAK ?= 1h
soak: build
	go run ./bench/soak -binary $(BIN) -for $(SOAK)

.PHONY: bench-restarts
# A load through 100 ends and starts of its server, both engines, closed and open loop, against the servers' truth; some five minutes.
bench-restarts: build
	go run ./bench/restarts -binary $(BIN)

.PHONY: bench-journal
# Memory of report on a journal of 5 GB beside one of 0.5 GB.
bench-journal: build
	go run ./bench/journal -binary $(BIN)

.PHONY: bench-history
# How long serve-report needs to show 10,000 runs.
bench-history: build
	go run ./bench/history -binary $(BIN)

.PHONY: fuzz
# An hour of fuzzing over all targets. FUZZ=60 for a minute.
FUZZ ?= 3600
fuzz:
	scripts/fuzz.sh -t $(FUZZ)
# Whether the truth lies within the bounds that results state, at more tokens a second than two cores can take, and how wide they are at a light load.
.PHONY: bounds
bounds: build
	go run ./bench/bounds -binary bin/inferometer
	go run ./bench/bounds -binary bin/inferometer -streams 100 -requests 400 -runs 5
# How often verdict, drift, explain, compare, ab and find are right, undecided, and wrong with confidence; see docs/limits.md.
.PHONY: judgement judgement-full
judgement: build
	go run ./bench/judgement -binary $(BIN)
judgement-full: build
	go run ./bench/judgement -binary $(BIN) -full
