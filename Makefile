# make demo       build, and run the main job on a built-in graph
# make test       every test, and every example
# make lint       formatting, clippy, documentation, licences
# make bench      measure
# make campaign   the whole fault campaign, with a table of what was tried (up to 40 minutes)

SHELL = /bin/bash
VEIL = target/release/veil
EXAMPLES = $(basename $(notdir $(wildcard crates/veilgraph/examples/*.rs)))

.PHONY: demo test examples lint deny bench build campaign

build:
	cargo build --release --locked

demo: build
	$(VEIL) demo --out demo

# The networks are also tested without the instructions that this machine has beyond its base set.
test: examples
	cargo test --workspace --locked
	VEIL_SIMD=portable cargo test --package veil-nn --tests --locked

examples:
	@set -e; for example in $(EXAMPLES); do \
		echo "example $$example"; cargo run --profile test --quiet --locked --package veilgraph --example $$example > /dev/null; done

lint: deny
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	cargo clippy --package veilgraph --lib --no-default-features --locked -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked

# The advisory database is not reachable everywhere: then that is printed, and nothing fails.
deny:
	@set -e; if cargo deny --version >/dev/null 2>&1; then \
		cargo deny --locked check licenses bans sources; \
		if cargo deny --locked fetch db >/dev/null 2>&1; then cargo deny --locked check advisories; \
		else echo "advisories: not checked, their database cannot be reached from here"; fi \
	else echo "licences, bans, sources: not checked, cargo-deny is not installed (cargo install cargo-deny --locked)"; fi

# One test at a time: kills need the machine for themselves. The whole output is in target/campaign.log.
campaign:
	@mkdir -p target; set -o pipefail; \
	VEIL_CAMPAIGN=whole cargo test --package veilgraph --test campaign --locked -- --nocapture --test-threads 1 \
		> target/campaign.log 2>&1; status=$$?; \
	grep -E "^campaign: |^test |FAILED|failed|panicked|overspent|half a" target/campaign.log; exit $$status

bench:
	cargo bench --workspace --locked
