# make demo    build, and run the main job on a built-in graph
# make test    every test
# make lint    formatting, clippy, documentation, licences
# make bench   measure

VEIL = target/release/veil

.PHONY: demo test lint deny bench build

build:
	cargo build --release --locked

demo: build
	$(VEIL) demo --out demo

# The networks also without the instructions that this machine may have beyond its base set.
test:
	cargo test --workspace --locked
	VEIL_SIMD=portable cargo test --package veil-nn --tests --locked

lint: deny
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked

# Advisories come from a database that is not reachable everywhere: then that is said, and nothing fails.
deny:
	@set -e; if cargo deny --version >/dev/null 2>&1; then \
		cargo deny --locked check licenses bans sources; \
		if cargo deny --locked fetch db >/dev/null 2>&1; then cargo deny --locked check advisories; \
		else echo "advisories: not checked, their database cannot be reached from here"; fi \
	else echo "licences, bans, sources: not checked, cargo-deny is not installed (cargo install cargo-deny --locked)"; fi

bench:
	cargo bench --workspace --locked
