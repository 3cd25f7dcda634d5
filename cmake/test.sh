#!/bin/sh
# sh cmake/test.sh [--all] [cmake option...]
# Installs what is missing, configures, builds and runs every test; the last line is ctest's closing line.
# --all adds the long random runs. CXX chooses the compiler.
set -eu
cd "$(dirname "$0")/.."
. cmake/need.sh

if [ "${1:-}" = --all ]; then
    shift
    DF_TEST_ALL=1
    export DF_TEST_ALL
fi
jobs=$(getconf _NPROCESSORS_ONLN)

need g++ cmake ninja-build libeigen3-dev libboost-dev catch2 libbenchmark-dev ccache
configure build -DDF_TESTS=ON -DDF_EXAMPLES=ON -DDF_BENCH=ON "$@"
cmake --build build -j "$jobs"
status=0
ctest --test-dir build -j "$jobs" --output-on-failure --output-log build/ctest.log || status=$?
grep 'tests passed' build/ctest.log | tail -n 1
exit $status
