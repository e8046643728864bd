# One entry point for people and CI. `make help` lists the targets.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := build

GO        ?= go
TOOL      := $(GO) tool -modfile=tools/go.mod
STAGE     := $(GO) run ./internal/devtools/teststage
LDFLAGS   := -s -w
FUZZTIME  ?= 30s
BENCHARGS ?=

PLATFORMS := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

# Product binaries need no C compiler; tests under the race detector do.
export CGO_ENABLED ?= 0

.PHONY: help build demo deps check check-format check-vet check-static check-dead check-tidy check-cross \
	test test-quick fuzz bench aa aa-studies soak simulate record dist clean

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:[^#]*## /\t/' | expand -t 16

build: ## bin/deltabench, bin/deltabench-embedded
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/ ./cmd/deltabench ./cmd/deltabench-embedded

demo: build ## a small comparison on the embedded server, in under a minute
	@bin/deltabench demo

# Tests need a MariaDB server, the real sysbench to compare with, and a browser that looks at the pages of studies; the race
# detector needs a C compiler. sysbench by
# itself gets OpenResty's LuaJIT, which draws from C's random() before sysbench does: tables then differ from
# run to run. With the original LuaJIT they are the documented ones.
deps: ## what the tests need (Debian, Ubuntu; as root; nothing happens when it is there)
	@PATH="$$PATH:/usr/sbin"; missing=; \
	command -v mariadbd >/dev/null && command -v mariadb-install-db >/dev/null || missing+=" mariadb-server"; \
	command -v sysbench >/dev/null || missing+=" sysbench"; \
	! command -v dpkg >/dev/null || dpkg -s libluajit-5.1-2 >/dev/null 2>&1 || missing+=" libluajit-5.1-2"; \
	command -v gcc >/dev/null || missing+=" gcc libc6-dev"; \
	command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || missing+=" chromium fonts-dejavu-core"; \
	if [ -n "$$missing" ]; then \
		command -v apt-get >/dev/null || { echo "install these yourself:$$missing" >&2; exit 1; }; \
		export DEBIAN_FRONTEND=noninteractive; \
		apt-get update -q; \
		apt-get install -q -y --no-install-recommends $$missing; \
	fi

# third_party has other people's code: patched, not reshaped.
check: check-format check-vet check-static check-dead check-tidy check-cross ## formatting, vet, static analysis, dead code, go.mod, builds for all platforms

check-format:
	@out=$$($(TOOL) gofumpt -l -extra . | sed "/^internal.third_party/d"); if [ -n "$$out" ]; then echo "gofumpt -extra would change:"; echo "$$out"; exit 1; fi

check-vet:
	$(GO) vet ./...

check-static:
	$(TOOL) staticcheck $$($(GO) list ./... | grep -v /third_party/)

check-dead:
	@out=$$($(TOOL) deadcode -test ./... | sed "/^internal.third_party/d"); if [ -n "$$out" ]; then echo "never called:"; echo "$$out"; exit 1; fi

check-tidy:
	$(GO) mod tidy -diff
	cd tools && $(GO) mod tidy -diff

# vet compiles the tests too, whose files also differ by system. The embedded server is half a thousand packages: two
# systems stand for all of them here, `make dist` builds the rest.
check-cross:
	@most=$$($(GO) list ./... | grep -v embedded$$); \
	for p in $(PLATFORMS); do echo "build $$p"; GOOS=$${p%/*} GOARCH=$${p#*/} $(GO) build $$most; done; \
	for p in darwin/arm64 windows/amd64; do \
		echo "build and vet $$p"; GOOS=$${p%/*} GOARCH=$${p#*/} $(GO) build -o /dev/null ./cmd/deltabench-embedded; \
		GOOS=$${p%/*} GOARCH=$${p#*/} $(GO) vet $$most; \
	done

# Simulations of thousands of studies leave out the race detector, which makes them ten times slower, by a build tag; they
# have a stage of their own, which says how many seconds they took.
#
# Up to five tests that fail while forty packages share the CPUs run once more by themselves: docs/decisions/0018-second-try.md.
#
# A program with the race detector waits a second before it exits, unless told otherwise; tests start a thousand programs.
test: deps ## everything, under the race detector
	CGO_ENABLED=1 GORACE=atexit_sleep_ms=20 $(STAGE) -stage race -again 5 -- -race -shuffle=on -timeout 40m ./...
	$(STAGE) -stage simulations -- -count=1 ./internal/simulate

test-quick: ## within four minutes: -short, no race detector
	$(STAGE) -stage quick -- -short -shuffle=on -timeout 4m ./...

fuzz: ## every fuzz target for FUZZTIME (30s); their seeds run in `make test`
	@grep -rHoE '^func Fuzz[A-Za-z0-9_]*' --include='*_test.go' cmd internal | sed 's/:func / /' | sort | \
	while read -r file target; do \
		echo "fuzz $$target ($$(dirname $$file))"; \
		$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) "./$$(dirname $$file)" </dev/null; \
	done

bench: build ## against the installed sysbench; writes docs/bench.md; up to 25 minutes. BENCHARGS="-only 'null|version' -pairs 6"
	$(GO) build -o bin/nullserver ./internal/nullserver/cmd/nullserver
	$(GO) run ./internal/devtools/bench $(BENCHARGS)

simulate: ## the simulations of the statistics at full size, published and own rates side by side; half an hour. SIMARGS="-studies 2000 -only 3,5"
	$(GO) run ./internal/devtools/simulate $(SIMARGS)

aa: build ## how often compare is wrong: 10 comparisons of identical commands and 10 of one that is 5 % slower, on a private MariaDB; 10 minutes
	$(GO) run ./internal/devtools/aa

aa-studies: build ## the same of short studies on managed servers: 20 of identical scenarios, 20 of one that is 5 % slower; 25 minutes
	$(GO) run ./internal/devtools/aa -studies -repeats 20 -rounds 6 -time 1

soak: deps ## a study killed at 20 random moments, resumed each time: every run exactly once; some minutes
	$(GO) test -tags soak -count=1 -run TestKillAndResume -v ./internal/conduct

record: deps ## transcripts of the installed sysbench, which tests compare with
	$(GO) run ./internal/devtools/record

dist: ## dist/: binaries for all platforms and SHA256SUMS
	@rm -rf dist; mkdir dist
	@for p in $(PLATFORMS); do \
		os=$${p%/*}; arch=$${p#*/}; ext=; [ $$os != windows ] || ext=.exe; \
		echo "dist $$p"; \
		for c in deltabench deltabench-embedded; do \
			GOOS=$$os GOARCH=$$arch $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o dist/$$c-$$os-$$arch$$ext ./cmd/$$c; \
		done; \
	done
	@cd dist && sha256sum deltabench-* > SHA256SUMS && cat SHA256SUMS

clean: ## remove bin and dist
	rm -rf bin dist
