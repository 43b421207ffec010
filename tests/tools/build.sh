#!/bin/sh
# tests/tools/build.sh - a compiler's warning stops those who develop Heddle, not
# those who use it.
. "$(dirname "$0")/../lib.sh"
for tool in cmake ninja jq; do
    command -v $tool >/dev/null || { skip build "no $tool"; finish; }
done

# flags OPTION...: of a file of Heddle's, as CMake gives them to the compiler
flags() {
    rm -rf "$tmp/build"
    cmake -G Ninja -S "$root" -B "$tmp/build" "$@" >"$tmp/said" 2>&1 ||
        { cat "$tmp/said" && return 1; }
    jq -r '.[] | select(.file | endswith("/src/cli/main.c")) | .command' \
        "$tmp/build/compile_commands.json"
}
without() { flags "$@" | grep -v -e -Werror; }
expect "warnings are asked for" 0 '-Wall -Wextra' -- flags
expect "but do not stop a build" 0 '-Wall' -- without
expect "unless one wants it" 0 '-Werror' -- flags -DHEDDLE_WERROR=ON
for preset in debug asan tsan; do
    expect "preset $preset wants it" 0 '^"ON"$' -- jq ".configurePresets[] |
        select(.name == \"$preset\") | .cacheVariables.HEDDLE_WERROR" \
        "$root/CMakePresets.json"
done
expect "preset release does not" 0 '^null$' -- jq '.configurePresets[] |
    select(.name == "release") | .cacheVariables.HEDDLE_WERROR' \
    "$root/CMakePresets.json"
expect "so does ./check" 0 'HEDDLE_WERROR=ON' -- cat "$root/check"
finish
