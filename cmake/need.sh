# shellcheck shell=sh
# Read by the scripts here: `need g++ cmake ...` installs the Debian packages that are missing; nothing when all are there.
need() {
    command -v dpkg-query >/dev/null 2>&1 || return 0
    missing=
    for package in "$@"; do
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
    done
    [ -n "$missing" ] || return 0
    echo "installing:$missing"
    sudo=
    [ "$(id -u)" -eq 0 ] || sudo=sudo
    $sudo apt-get update -q
    # shellcheck disable=SC2086 # one word each
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing
}

# `configure DIR OPTION...`: starts DIR anew where it was made with another compiler than $CXX.
configure() {
    dir=$1
    shift
    if [ -f "$dir/CMakeCache.txt" ]; then
        had=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$dir/CMakeCache.txt")
        if [ -n "${CXX:-}" ] && [ "$(command -v "$CXX")" != "$had" ]; then set -- --fresh "$@"; fi
        cmake -S . -B "$dir" "$@"
    elif command -v ninja >/dev/null 2>&1; then
        cmake -S . -B "$dir" -G Ninja "$@"
    else
        cmake -S . -B "$dir" "$@"
    fi
}
