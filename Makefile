# The targets that people type, as `make help` lists them. Measurements are in bench/Makefile, tests against real programs in
# test/Makefile: `make` finds those by their names too.
BIN := bin/inferometer
FUZZ ?= 3600

.PHONY: help build test race lint format cross quick ci everything accuracy bench-client fuzz site release clean

build: ## builds bin/inferometer; make alone does it too
	CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o $(BIN) ./cmd/inferometer

test: ## all tests
	go test ./...

race: ## all tests under the race detector
	go test -race ./...

lint: ## format, vet and staticcheck
	scripts/lint.sh

format: ## writes the format
	go run mvdan.cc/gofumpt@v0.12.0 -w .

cross: ## Linux, macOS and Windows, both processors: what cannot be built cannot be released
	scripts/cross.sh

quick: ## what CI runs, the quick part: while you work
	.ci/run quick

ci: ## what must hold for every landing, as CI runs it; see docs/testing.md
	.ci/run

everything: ## what the night and a release run
	.ci/run all

accuracy: build ## our own error against the simulator's log of the truth; see docs/accuracy.md
	go run ./bench/accuracy -binary $(BIN)

bench-client: build ## what our client costs, as a ratio to programs that only read; see docs/accuracy.md
	CGO_ENABLED=0 go build -o bin/ ./bench/bare ./bench/epoll ./bench/client
	bin/client -backend vllm
	bin/client -backend openai-chat

fuzz: ## an hour of fuzzing over all targets; FUZZ=60 for a minute
	scripts/fuzz.sh -t $(FUZZ)

site: ## the documents as a static site with search, in dist/site
	scripts/site.sh

release: ## a whole release into dist/, nothing published; see docs/install.md
	scripts/release.sh

clean: ## removes bin and dist
	rm -rf bin dist

help: ## this list
	@sed -nE 's/^([a-z-]+):[^#]*## (.*)/\1\t\2/p' Makefile | expand -t 16
	@for f in bench test; do echo; sed -n '1s/^# //p' $$f/Makefile; sed -nE 's/^([a-z][a-z0-9-]*):.*/\1/p' $$f/Makefile | grep -v '^build$$' | paste -sd' ' | fold -sw 100; done

# Any other target is looked for in the two other files.
.DEFAULT:
	@$(MAKE) --no-print-directory -f "$$(grep -l "^$@:" test/Makefile bench/Makefile || echo bench/Makefile)" $@
