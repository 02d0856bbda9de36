# The fast loop is `make test`; `make ci` is all of it. Every target says what it does after its ##.
.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo test sim bounds chaos build lint imports tidy rules dashboards fuzz vuln bench compose-test ci

TOOL     = go tool -modfile=tools.mod
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null)
# PKG narrows test and bench, as in make test PKG=./internal/merge; TESTFLAGS goes to go test.
PKG       ?= ./...
TESTFLAGS ?=
INPUTS    ?= 20000
# SEEDS is how many schedules chaos runs; SEED and KEEP are one of them, as a failing one prints them.
SEEDS     ?= 200
SEED      ?=
KEEP      ?=

help: ## lists the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: ## the five fakes, the service and the storefront in one go; Ctrl-C ends it
	@go build -o bin/demo ./cmd/demo && exec bin/demo

test: ## every test, with the race detector where there is a C compiler
	@.ci/tools
	@race=$$(.ci/race) && set -x && go test $$race -timeout 10m $(TESTFLAGS) $(PKG)

sim: ## the experiments in full, for minutes: prints the tables and writes docs/experiments.md
	go test -count=1 -timeout 60m -v ./internal/sim -args -write

bounds: ## the experiments in short: their bounds, and whether docs/experiments.md tells what they measure
	go test -count=1 -timeout 20m ./internal/sim

chaos: ## SEEDS random schedules (200) of everything that can go wrong; SEED=n KEEP=i,j runs one again
	go test -count=1 -timeout 60m -run '^TestChaos$$' ./internal/sim/chaos -args -seeds $(SEEDS) $(if $(SEED),-seed $(SEED)) $(if $(KEEP),-keep $(KEEP))

build: ## the programs, static, into bin/
	CGO_ENABLED=0 go build -trimpath -ldflags '-X main.release=$(VERSION)' -o bin/ ./cmd/...

lint: ## gofmt, go vet, staticcheck
	@unformatted=$$(gofmt -l .) && test -z "$$unformatted" || { echo "not formatted by gofmt:" $$unformatted; exit 1; }
	go vet -tags compose ./...
	$(TOOL) staticcheck -tags compose ./...

imports: ## who may import whom, and the other rules that hold everywhere
	go test -count=1 ./internal/archtest

tidy: ## whether go.mod and go.sum are what the code needs
	go mod tidy -diff

fuzz: ## each fuzz target with INPUTS (20000) inputs
	@.ci/fuzz $(INPUTS)

vuln: ## known vulnerabilities that the code can reach
	@.ci/vuln $(TOOL)

rules: ## writes deploy/prometheus from the table of objectives
	go run ./internal/slo/cmd/rules

dashboards: ## writes deploy/grafana/dashboards from their tables
	go run ./deploy/grafana

bench: ## every benchmark, with allocations
	go test -run '^$$' -bench . -benchmem $(TESTFLAGS) $(PKG)

compose-test: ## runs docker-compose.yml and breaks one thing after another; needs Docker
	go test -count=1 -tags compose -timeout 40m -v -run '^TestTheStory$$' ./deploy/compose

ci: tidy build lint imports test bounds chaos fuzz vuln ## all that must be green without Docker; .ci/run calls it and compose-test
