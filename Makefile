# A thin front: every target first installs what is missing, then calls CMake.
.PHONY: build test python demo bench fuzz attack snapshots package dist format format-check tidy dev sanitize coverage core check clean
.DEFAULT_GOAL := build
FUZZ_SECONDS ?= 60
ATTACK_MINUTES ?= 5
ATTACK_SEED ?=
COVERAGE_TESTS ?= .
# The one that has the packages of scripts/setup.
PYTHON := $(firstword $(wildcard /usr/bin/python3) python3)

build:
	@scripts/setup build
	@scripts/cmake-build release sieve

test:
	@scripts/setup build test
	@scripts/cmake-build release all
	@scripts/test release

# The Python package: a wheel, an environment with it, and its tests there.
python:
	@scripts/setup build python
	@scripts/python

demo: build
	@scripts/demo

bench:
	@scripts/setup build bench
	@scripts/cmake-build bench all
	@scripts/bench

fuzz:
	@scripts/setup build fuzz
	@scripts/cmake-build fuzz all
	@scripts/fuzz $(FUZZ_SECONDS)

# Damage, lying headers, annotations in every layout, odd names, slow clients, signals, failing calls,
# kills and little memory, at random; ATTACK_SEED repeats a campaign.
attack:
	@scripts/setup build test
	@scripts/cmake-build release sieve
	@scripts/cmake-build release attack_faults
	@tests/attack/attack.py build/sieve --faults build/tests/libattack_faults.so \
	  --minutes $(ATTACK_MINUTES) $(if $(ATTACK_SEED),--seed $(ATTACK_SEED))

# What users see (tests/snapshots) becomes what it is now. Name the change in CHANGELOG.md.
snapshots:
	@scripts/setup build
	@scripts/cmake-build release sieve
	@scripts/cmake-build release labelsieve_c
	@tests/snapshots/snapshots.py build/sieve build/liblabelsieve.so --write
	@LABELSIEVE_LIBRARY=$(CURDIR)/build/liblabelsieve.so $(PYTHON) python/stubs.py --write
	@LABELSIEVE_LIBRARY=$(CURDIR)/build/liblabelsieve.so $(PYTHON) python/reference.py --write
	@git status --short tests/snapshots python/labelsieve docs/python-api.md

# Debian packages, in build/packages/.
package:
	@scripts/setup build package
	@scripts/cmake-build release packaged
	@rm -rf build/packages
	@cpack --config build/CPackConfig.cmake -B build/packages > build/packages.log 2>&1 || \
	  { cat build/packages.log; exit 1; }
	@rm -rf build/packages/_CPack_Packages
	@ls -l build/packages

# A tarball for any Linux with glibc 2.34 or later, in build/dist/; scripts/dist-tour tries it.
dist:
	@scripts/setup build python package
	@scripts/cmake-build release sieve_portable
	@scripts/cmake-build release labelsieve_wheel
	@scripts/dist

# Assertions on, warnings are errors.
dev:
	@scripts/setup build test
	@scripts/cmake-build dev all
	@ctest --preset dev

# The tests under the address and undefined-behaviour sanitizers, then those with threads and those
# of the review page under the thread sanitizer.
sanitize:
	@scripts/setup build test
	@scripts/cmake-build asan-ubsan all
	@ctest --preset asan-ubsan
	@scripts/cmake-build tsan all
	@ctest --preset tsan -R 'Thread|thread|^review'

# The share of the product's lines that the tests run (COVERAGE_TESTS='^data' runs some of them).
coverage:
	@scripts/setup build test coverage
	@scripts/cmake-build coverage all
	@scripts/coverage '$(COVERAGE_TESTS)'

format:
	@scripts/setup format
	@git ls-files '*.h' '*.cpp' | xargs clang-format -i

format-check:
	@scripts/setup format
	@git ls-files '*.h' '*.cpp' | xargs clang-format --dry-run -Werror

# The checks of .clang-tidy on all production code (some twenty minutes on two cores).
tidy:
	@scripts/setup build test tidy
	@cmake --preset dev > /dev/null
	@git ls-files 'src/*.cpp' 'apps/*.cpp' | grep -v /mpi/ | \
	  xargs -P 2 -n 4 clang-tidy -p build-dev --quiet --extra-arg=-Wno-unknown-warning-option

# A build of the core alone, and a program against what it installs.
core:
	@scripts/setup build test
	@cmake --preset release -DLABELSIEVE_TEST_CORE=ON > /dev/null
	@ctest --test-dir build -R '^package.the_core' --output-on-failure

# All that can be known before a change lands.
check: format-check tidy dev sanitize core

clean:
	@rm -rf build build-*
