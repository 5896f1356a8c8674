# A thin front: every target first installs what is missing, then calls CMake.
.PHONY: build test demo bench fuzz format dev sanitize clean
.DEFAULT_GOAL := build
FUZZ_SECONDS ?= 60

build:
	@scripts/setup build
	@scripts/cmake-build release sieve

test:
	@scripts/setup build test
	@scripts/cmake-build release all
	@ctest --preset release

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
