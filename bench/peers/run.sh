#!/bin/sh
# df and JAX on the same inputs in one run: results compared, then times. usage: run.sh BUILD_DIR [WORK ...]
set -eu
[ $# -ge 1 ] || { echo "usage: $0 BUILD_DIR [WORK ...]" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
build=$1
shift
bench=$(find "$build" -name per_example_bench -type f -perm -u+x | head -n 1)
[ -n "$bench" ] || { echo "no per_example_bench under $build: configure with -DDF_BENCH=ON and build" >&2; exit 2; }
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
"$bench" --dump="$out" --benchmark_out="$out/df.json" --benchmark_out_format=json
"${PYTHON:-python3}" "$here/jax_works.py" "$out" "$@"
