# The commands of the README. Everything else is CMake: see CMakePresets.json.
.PHONY: build test
.DEFAULT_GOAL := build

build:
	@scripts/setup build test
	@[ -f build/release/build.ninja ] || cmake --preset release >/dev/null
	@cmake --build --preset release

test: build
	@ctest --preset release -j 2
