# `make` lists the targets; `make test` is what CI runs.
SHELL := /bin/bash
# A cargo that rustup has just installed is found without a new login.
export PATH := $(or $(CARGO_HOME),$(HOME)/.cargo)/bin:$(PATH)
LAB := $(CURDIR)/target/lab
# What a rule below needs comes before it, also under -j.
.NOTPARALLEL:
.PHONY: help demo test test-lab build lint bench twins small-kernel history deps lab

help: ## list the targets
	@sed -nE 's/^([a-z-]+):[^#]*## (.*)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18

demo: deps build ## compare reiserfs with ext4, and Debian's 6.1 kernel with its 6.12: the verdicts
	@$(call compare,--set kernel=debian:6.1 --vary fs=reiserfs$(comma)ext4)
	@$(call compare,--set fs=ext4 --vary kernel=debian:6.1$(comma)debian:6.12)

comma := ,
# A verdict of `worse` (1) or `cannot tell` (3) is a result, no failure of the target.
compare = echo "slowpath compare dd-sync $(1)"; target/release/slowpath compare dd-sync $(1); \
	code=$$?; [[ $$code == 0 || $$code == 1 || $$code == 3 ]]

test: deps lab build lint ## install what is missing, fetch the lab, build, lint, run all tests
	SLOWPATH_LAB="$(LAB)" cargo test --workspace

# One test at a time: they build kernels in one cache, and time themselves.
test-lab: deps lab history build ## bisect a kernel's history with planted slowdowns (half an hour)
	SLOWPATH_LAB="$(LAB)" cargo test -p slowpath --test history -- --test-threads=1 --nocapture

build: ## the release program, the plugin and the static agent
	cargo build --release --workspace --exclude agent
	scripts/build-agent

lint: ## formatting and clippy, where rustup has them
	@if cargo fmt --version >/dev/null 2>&1; then cargo fmt --all --check; else echo "lint: no rustfmt here"; fi
	@if cargo clippy --version >/dev/null 2>&1; then cargo clippy --workspace --all-targets --quiet -- -D warnings; else echo "lint: no clippy here"; fi

bench: build ## the benchmarks
	SLOWPATH_LAB="$(LAB)" cargo bench --workspace --exclude agent
# In a target folder of its own: beside the program it would put an agent that is not static.
	CARGO_TARGET_DIR=target/agent cargo bench -p agent

twins: small-kernel build ## measure the rate of false verdicts anew: docs/twins.md (a quarter of an hour)
	scripts/measure-twins "$(LAB)" docs/twins.md

small-kernel: ## build the exact lab's small kernel (minutes)
	scripts/small-kernel "$(LAB)"

history: ## make the kernel history that test-lab bisects
	scripts/lab-history "$(LAB)"

deps: ## install what a bare machine lacks
	scripts/install-deps

lab: ## fetch the kernels and the QEMU that the tests boot
	scripts/fetch-lab "$(LAB)"
