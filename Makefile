# A thin front: every target first installs what is missing, then calls CMake.
.PHONY: build test demo bench fuzz attack format dev sanitize clean
.DEFAULT_GOAL := build
FUZZ_SECONDS ?= 60
ATTACK_MINUTES ?= 5
ATTACK_SEED ?=

build:
	@scripts/setup build
	@scripts/cmake-build release sieve

test:
	@scripts/setup build test
	@scripts/cmake-build release all
	@scripts/test release

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

# Random damage, signals, failing calls, kills and little memory; ATTACK_SEED repeats a campaign.
attack:
	@scripts/setup build test
	@scripts/cmake-build release sieve
	@scripts/cmake-build release attack_faults
	@tests/attack/attack.py build/sieve --faults build/tests/libattack_faults.so \
	  --minutes $(ATTACK_MINUTES) $(if $(ATTACK_SEED),--seed $(ATTACK_SEED))

# Assertions on, warnings are errors.
dev:
	@scripts/setup build test
	@scripts/cmake-build dev all
	@ctest --preset dev

# The tests under the address and undefined-behaviour sanitizers, then those with threads under tsan.
sanitize:
	@scripts/setup build test
	@scripts/cmake-build asan-ubsan all
	@ctest --preset asan-ubsan
	@scripts/cmake-build tsan all
	@ctest --preset tsan -R 'Thread|thread'

format:
	@scripts/setup format
	@git ls-files '*.h' '*.cpp' | xargs clang-format -i

clean:
	@rm -rf build build-*
