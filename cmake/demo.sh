#!/bin/sh
# sh cmake/demo.sh : installs what is missing, builds the digits demo, runs it and writes build/digits.svg.
set -eu
cd "$(dirname "$0")/.."
. cmake/need.sh

need g++ cmake ninja-build libeigen3-dev libboost-dev
configure build -DDF_TESTS=OFF -DDF_EXAMPLES=ON -DDF_BENCH=OFF
cmake --build build -j "$(getconf _NPROCESSORS_ONLN)" --target 12_digits
build/examples/12_digits examples/data build/digits.svg
