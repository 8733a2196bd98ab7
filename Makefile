# Short names for the usual commands. The build itself is described in CMakeLists.txt and
# CMakePresets.json.

PREFIX ?= /usr/local
# Number of parallel jobs; empty means as many as there are cores.
JOBS ?=
jobs = $(if $(JOBS),--parallel $(JOBS))

.PHONY: build demo test test-page install format check-format lint check-layers check-names check-tsan clean help

build: configure
	@cmake --build --preset release $(jobs) --target heed heed_cli

demo: build
	@./build/heed tour

test: configure
	@cmake --build --preset release $(jobs)
	@ctest --preset release

test-page: build
	@scripts/install-deps --page
	@scripts/test-page

install: build
	@cmake --install build --prefix "$(PREFIX)"

.PHONY: configure deps dev-deps
configure: deps
	@cmake --preset release

deps:
	@scripts/install-deps

dev-deps:
	@scripts/install-deps --dev

format: dev-deps
	@scripts/format

check-format: dev-deps
	@scripts/format --check

lint: dev-deps
	@scripts/lint

check-layers:
	@scripts/check-layers

check-names:
	@scripts/check-names

check-tsan: dev-deps
	@cmake --preset tsan
	@cmake --build --preset tsan $(jobs)
	@ctest --preset tsan

clean:
	rm -rf build build-asan build-tsan build-fuzz build-arm

help:
	@echo "make                build the library and the program, build/heed"
	@echo "make demo           build and run the demonstration"
	@echo "make test           build everything and run the tests"
	@echo "make test-page      test the page in Chromium (needs npm)"
	@echo "make install        install under PREFIX (default /usr/local)"
	@echo "make format         format the C++ files; make check-format only checks"
	@echo "make lint           run clang-tidy"
	@echo "make check-layers   check the directions of the includes"
	@echo "make check-names    check the names that files of a folder keep to themselves"
	@echo "make check-tsan     build and run the tests under the thread sanitizer"
	@echo "make clean          remove the build folders"
	@echo
	@echo "Missing Debian packages are installed first, by scripts/install-deps."
	@echo "JOBS=n limits the number of parallel compilations."
