#!/bin/sh
# sh bench/compile/run.sh [--headers] : wall milliseconds (best of $ROUNDS, 3 if unset) to compile
# the first programs a user writes, or with --headers each header alone. CXX chooses the compiler.
set -eu
cd "$(dirname "$0")/../.."
cxx=${CXX:-g++}
rounds=${ROUNDS:-3}
eigen=$(pkg-config --cflags eigen3 2>/dev/null || echo -I/usr/include/eigen3)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# `ms FLAG... FILE`: the best time of a few rounds; nothing where it does not compile.
ms() {
    best=
    round=0
    while [ $round -lt "$rounds" ]; do
        start=$(date +%s%N)
        # shellcheck disable=SC2086 # flags, one word each
        "$cxx" -std=c++20 -Iinclude $eigen "$@" -c -o "$scratch/out.o" || return 1
        took=$((($(date +%s%N) - start) / 1000000))
        if [ -z "$best" ] || [ $took -lt "$best" ]; then best=$took; fi
        round=$((round + 1))
    done
    echo "$best"
}
row() {
    name=$1
    shift
    took=$(ms "$@") || took=failed
    printf '%-58s %8s\n' "$name" "$took"
}

printf '%-58s %8s\n' "$("$cxx" --version | head -n 1)" ms
if [ "${1:-}" = --headers ]; then
    for header in $(cd include && find df -name '*.hpp' | LC_ALL=C sort); do
        echo "#include <$header>" >"$scratch/header.cpp"
        row "$header" -fsyntax-only "$scratch/header.cpp"
    done
    exit
fi
here=bench/compile
row "include only, df::compiled, -O2" -DDF_COMPILED -O2 $here/include_only.cpp
row "first program, df::compiled, -O0" -DDF_COMPILED -O0 $here/first_program.cpp
row "first program, df::compiled, -O2" -DDF_COMPILED -O2 $here/first_program.cpp
row "include only, header-only, -O2" -O2 $here/include_only.cpp
row "first program, header-only, -O2" -O2 $here/first_program.cpp
row "a function without operations, df::compiled, -O2" -DDF_COMPILED -O2 -DNO_OPS $here/ops_300.cpp
row "the same with 300 operations, df::compiled, -O2" -DDF_COMPILED -O2 $here/ops_300.cpp
