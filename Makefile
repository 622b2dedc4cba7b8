# The commands of the README. Everything else is CMake: see CMakePresets.json.
.PHONY: build demo readme guide docs test wheel sdist python-slow bench bench-python figures accuracy readable compare battery large asan tsan sanitize valgrind coverage fuzz fuzz-long faults tidy tidy-changed format install clean
.DEFAULT_GOAL := build

PREFIX ?= /usr/local
BENCH_ARGS ?=

# $(call cmake_build,PRESET,TARGET): configure if the presets are newer or only `make build` was here, then build; by default everything.
define cmake_build
@[ build/$(1)/build.ninja -nt CMakePresets.json ] && ! grep -qs BASELINES:BOOL=OFF build/$(1)/CMakeCache.txt || cmake --preset $(1) >/dev/null
@cmake --build --preset $(1) --target $(or $(2),all)
endef

# The program alone, build/release/bin/xofm, with nothing installed that only tests need. What is built here, all others go on with.
build:
	@scripts/setup build
	@[ build/release/build.ninja -nt CMakePresets.json ] || cmake --preset program >/dev/null
	@cmake --build --preset release --target xofm_app

demo: build
	@scripts/demo

# The figures of README.md: what the demo prints, and the tables by the results that the experiments keep. After make bench,
# `make readme SPEED=1` takes its times too.
readme: build
	@[ -z "$(SPEED)" ] || bench/results.py build/bench/results.json bench/results.csv
	@scripts/demo >build/demo_printed
	@scripts/readme build/demo_printed

test:
	@scripts/setup build test
	$(call cmake_build,release)
	@ctest --preset release -j 2

# What the examples of docs/ print, and their pictures; read what has changed.
guide: wheel
	$(call cmake_build,release,xofm_app)
	@scripts/guide --write

# The site of the documents, build/docs/site: opens from disk, needs no network.
docs:
	@scripts/setup build test
	$(call cmake_build,release,xofm_app xofm_c)
	@scripts/docs

# The Python package: a wheel in build/python/wheels, installed into build/python/env, and tagged for all systems that it runs on.
wheel:
	@scripts/setup build test
	@scripts/python_package
	@scripts/tag_wheel build/python/wheels/*-linux_*.whl build/python/wheels

# What is handed on: the source distribution in build/python/sdist, with all that it is built from but a compiler.
sdist:
	@scripts/sdist

# The wheel from the source distribution where no library of the build is seen, in an empty environment; the example for MLflow; and
# scikit-learn's checks of the default with its search: what `make test` has no time for.
python-slow:
	@scripts/setup build test
	@tests/package/python_wheel
	@scripts/python_package
	@tests/package/mlflow_example
	@build/python/env/bin/python -m pytest -m slow

# Selected ones: make bench BENCH_ARGS=--benchmark_filter=sweep
bench:
	@scripts/setup build test bench
	$(call cmake_build,bench)
	@build/bench/bin/xofm_bench --benchmark_out=build/bench/results.json $(BENCH_ARGS)

# Memory of a fit through Python, and core seconds beside C++: make bench-python [PYTHON_BENCH_ARGS='--only memory'].
PYTHON_BENCH_ARGS ?=
bench-python: wheel
	@scripts/setup build bench
	$(call cmake_build,bench,xofm_twin)
	@build/python/env/bin/python bench/python/python_cost.py $(PYTHON_BENCH_ARGS)

# Accuracy over 30 random splits of every CSV file in a folder: make accuracy DATA=folder [ACCURACY_ARGS='--protocol paper'].
# Results go to build/accuracy; a run that was stopped goes on where it was.
ACCURACY_ARGS ?=
accuracy:
	@scripts/setup build test
	@[ -n "$(DATA)" ] || { echo "make accuracy: give the folder with the data sets: make accuracy DATA=folder" >&2; exit 2; }
	$(call cmake_build,release,xofm_accuracy)
	@build/release/bin/xofm_accuracy "$(DATA)" $(ACCURACY_ARGS)

# What a person has to read of a default model, on every CSV file in a folder: make readable DATA=folder. Results go to
# build/readable; a run that was stopped goes on where it was.
readable: build
	@[ -n "$(DATA)" ] || { echo "make readable: give the folder with the data sets: make readable DATA=folder" >&2; exit 2; }
	@experiments/readable/readable.py build/release/bin/xofm "$(DATA)" build/readable

# All methods of the paper's tables on every CSV file in a folder: make compare DATA=folder [COMPARE_ARGS='--sets skill'].
# Results go to build/comparison; a run that was stopped goes on where it was.
COMPARE_ARGS ?=
compare:
	@scripts/setup build test
	@[ -n "$(DATA)" ] || { echo "make compare: give the folder with the data sets: make compare DATA=folder" >&2; exit 2; }
	$(call cmake_build,release,xofm_compare)
	@build/release/bin/xofm_compare "$(DATA)" $(COMPARE_ARGS)

# XOFM, three of its rivals and trees on 38 data sets that R packages of Debian carry; results go to build/battery. A run that was
# stopped goes on where it was.
BATTERY_METHODS = LAT SVR NNOR XOFM
battery:
	@scripts/setup build test battery
	$(call cmake_build,release,xofm_compare)
	@Rscript experiments/battery/data.R build/battery/data
	@build/release/bin/xofm_compare build/battery/data -o build/battery/comparison --splits 5 --methods $(BATTERY_METHODS) >/dev/null
	@experiments/trees/trees.py build/battery/data build/battery/comparison
	@build/release/bin/xofm_compare build/battery/data -o build/battery/comparison --splits 5 --methods $(BATTERY_METHODS) \
	  --outside build/battery/comparison/trees.csv

# XOFM, a straight line and boosted trees on ten data sets of 5,000 to 61,000 rows; results go to build/large.
LARGE_ARGS = -o build/large/comparison --splits 1 --cap 600 --threads 1 --methods LAT XOFM
large:
	@scripts/setup build test battery
	$(call cmake_build,release,xofm_compare)
	@Rscript experiments/battery/data.R build/large/data large
	@build/release/bin/xofm_compare build/large/data $(LARGE_ARGS) >/dev/null
	@experiments/trees/trees.py build/large/data build/large/comparison 'boosted trees' 'boosted exact trees'
	@build/release/bin/xofm_compare build/large/data $(LARGE_ARGS) --outside build/large/comparison/trees.csv

# The paper's figures, from a folder with its data sets: make figures DATA=folder; pictures go to build/figures.
DATA ?=
figures:
	@scripts/setup build test
	@[ -n "$(DATA)" ] || { echo "make figures: give the folder with the data sets: make figures DATA=folder" >&2; exit 2; }
	$(call cmake_build,release,xofm_figures)
	@build/release/bin/xofm_figures "$(DATA)" build/figures

# All tests under AddressSanitizer with UBSan, and under ThreadSanitizer.
asan tsan:
	@scripts/setup build test
	$(call cmake_build,$@)
	@ctest --preset $@ -j 2

# The same for core, io, the command line and the C interface, by the compiler that `make fuzz` needs, so that both have one build.
# CI has time for some: make sanitize SANITIZE_TESTS='test_io test_c_api'.
SANITIZE_TESTS ?= test_core test_io test_cli test_c_api
sanitize:
	@scripts/setup build test fuzz
	$(call cmake_build,sanitize,$(SANITIZE_TESTS))
	@ctest --preset sanitize -j 2

# Everything that is read, and a fit, under valgrind: what sanitizers cannot see in libraries that are not instrumented.
valgrind:
	@scripts/setup build test valgrind
	$(call cmake_build,release,test_io xofm_app)
	@tests/valgrind build/release

# Line coverage by all tests: fails below 95 % of src/core, 90 % of src/io and of apps; branches are reported. What gcov says to
# standard error is not for the tests to read.
coverage:
	@scripts/setup build test coverage
	$(call cmake_build,coverage)
	@find build/coverage -name '*.gcda' -delete
	@GCOV_ERROR_FILE=/dev/null ctest --preset coverage -j 2 --output-log build/coverage/tests.log --quiet || { cat build/coverage/tests.log; exit 1; }
	@scripts/coverage

# Every reader of files against bytes that nobody would write: make fuzz [FUZZ_SECONDS=3600], for each target; make fuzz-long:
# each until an hour has passed without a new edge. What is found new goes to build/fuzz/corpus and is where the next run
# begins; what fails is left in build/fuzz.
FUZZ_SECONDS ?= 60
fuzz fuzz-long:
	@scripts/setup build test fuzz
	$(call cmake_build,sanitize,fuzz_targets)
	@fuzz/run --jobs 2 $(if $(filter fuzz-long,$@),--quiet 3600,$(FUZZ_SECONDS))

# Failing allocations and writes, kills, many writers: the long form of the test `faults`; then closed descriptors, full disks, memory
# that ends.
FAULTS_ARGS ?= --allocations 1000 --kills 200
faults:
	@scripts/setup build test
	$(call cmake_build,release,xofm_app fault_shim test_cli test_io)
	@tests/faults/faults.py build/release/bin/xofm build/release/lib/libfault_shim.so $(FAULTS_ARGS)
	@build/release/bin/test_io --gtest_brief=1 --gtest_filter='OutputFile.*'
	@build/release/bin/test_cli --gtest_brief=1 --gtest_filter='CliFiles.*:CliMemory.*:*Full*:*Disk*'

# clang-tidy and clang-format find nothing to say.
tidy:
	@scripts/setup build test bench tidy
	@clang-format --dry-run --Werror $$(git ls-files '*.cpp' '*.hpp')
	$(call cmake_build,tidy)

# clang-format on all files, clang-tidy on those that have changed since the last release, as far as it comes in so many seconds.
TIDY_SECONDS ?= 600
tidy-changed:
	@scripts/setup build test tidy
	@clang-format --dry-run --Werror $$(git ls-files '*.cpp' '*.hpp')
	@[ -f build/release/compile_commands.json ] || cmake --preset release >/dev/null
	@scripts/tidy_changed $(TIDY_SECONDS)

format:
	@scripts/setup tidy
	@clang-format -i $$(git ls-files '*.cpp' '*.hpp')

# Elsewhere: make install PREFIX=$$HOME/.local
install:
	@scripts/setup build test
	$(call cmake_build,release)
	@cmake --install build/release --prefix $(PREFIX)

clean:
	@rm -rf build
