# make demo       build, and run the main job on a built-in graph
# make test       every test, and every example
# make lint       formatting, clippy, documentation, licences
# make bench      measure
# make python-test  tests of the Python package, and its notebooks
# make wheel      the Python package with the command, in python/dist; make wheel-test tries it
# make package    the command with completions and manual pages, in target/package
# make campaign   the whole fault campaign, with a table of what was tried (up to 40 minutes)

SHELL = /bin/bash
# The Python module does not link with Python, which loads it.
export PYO3_BUILD_EXTENSION_MODULE = 1
VEIL = target/release/veil
EXAMPLES = $(basename $(notdir $(wildcard crates/veilgraph/examples/*.rs)))

.PHONY: demo test examples lint deny bench build campaign python-test python-lint rust-test wheel package wheel-test

build:
	cargo build --release --locked

demo: build
	$(VEIL) demo --out demo

# The networks are also tested without the instructions that this machine has beyond its base set.
test: examples rust-test python-test

rust-test:
	cargo test --locked --no-fail-fast
	VEIL_SIMD=portable cargo test --package veil-nn --tests --locked

examples:
	@set -e; for example in $(EXAMPLES); do \
		echo "example $$example"; cargo run --profile test --quiet --locked --package veilgraph --example $$example > /dev/null; done

lint: deny python-lint
	cargo fmt --all --check
	cargo clippy --all-targets --locked -- -D warnings
	cargo clippy --package veilgraph --lib --no-default-features --locked -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --locked

python-test:
	python/test.sh test

python-lint:
	@if python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
		cargo clippy --package veil-py --locked -- -D warnings; \
	else echo "veil-py: not checked, there is no python3 of 3.11 or later"; fi
	python/test.sh lint

# The command and the module are built of the same crates, with the same features: once.
wheel:
	cargo build --release --locked --package veilgraph --package veil-py
	@mkdir -p python/veilgraph.data/scripts
	cp $(VEIL) python/veilgraph.data/scripts/veil
	strip python/veilgraph.data/scripts/veil 2>/dev/null || true
	python3 -m venv target/wheel
	target/wheel/bin/pip install --quiet --disable-pip-version-check $$(grep '^maturin==' python/requirements-test.txt)
	cd python && ../target/wheel/bin/maturin build --release --locked --out dist

# The wheel in an empty environment: numpy alone, the command, and five lines within two seconds.
wheel-test: wheel
	python/test.sh wheel

# As below /usr/local: bin and share.
package: build
	@rm -rf target/package && mkdir -p target/package/bin target/package/share/man \
		target/package/share/bash-completion/completions target/package/share/zsh/site-functions \
		target/package/share/fish/vendor_completions.d
	cp $(VEIL) target/package/bin/veil
	$(VEIL) completions bash > target/package/share/bash-completion/completions/veil
	$(VEIL) completions zsh > target/package/share/zsh/site-functions/_veil
	$(VEIL) completions fish > target/package/share/fish/vendor_completions.d/veil.fish
	$(VEIL) completions --man target/package/share/man/man1

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
	cargo bench --locked
