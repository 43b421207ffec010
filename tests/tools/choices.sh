#!/bin/sh
# tests/tools/choices.sh - a new choice does not compile until every switch over
# its type has a case for it, and no switch may have a default instead.
. "$(dirname "$0")/../lib.sh"
build=${HEDDLE_BUILD-$root/build/release}
if ! command -v jq >/dev/null || [ ! -f "$build/compile_commands.json" ]; then
    skip "choices" "no jq, or no $build/compile_commands.json"
    finish
fi

# The flags of the project's sources, but for folders: of these the scratch
# headers come first.
flags=$(jq -r '[.[] | select(.file | endswith("src/sm/scheduler.c"))][0].command' \
    "$build/compile_commands.json" |
    tr ' ' '\n' | grep -e '^-[DWfs]' | grep -v '"')
compiler=$(jq -r '[.[] | select(.file | endswith("src/sm/scheduler.c"))][0].command' \
    "$build/compile_commands.json" | tr ' ' '\n' | grep -v ccache | head -n 1)
compile() { # FILE
    # shellcheck disable=SC2086  # words
    $compiler -I"$tmp" -I"$root/src" -I"$root/include" -I"$build/gen" \
        $flags -Werror -fsyntax-only "$1"
}
choice() { # TYPE ID: enums.def with one more
    mkdir -p "$tmp/config"
    sed "/^ENUM_END($1)/i VALUE($1, $2, \"dummy\", \"one more\")" \
        "$root/src/config/enums.def" >"$tmp/config/enums.def"
}

expect "as it is, it compiles" 0 -- compile "$root/src/sm/scheduler.c"
choice scheduler SCHEDULER_DUMMY
expect "a scheduler without a case does not" 1 'SCHEDULER_DUMMY' -- \
    compile "$root/src/sm/scheduler.c"
choice hazard HAZARD_DUMMY
expect "nor does a hazard policy" 1 'HAZARD_DUMMY' -- \
    compile "$root/src/sm/hazard/hazard.c"
choice mrpb_drain MRPB_DRAIN_DUMMY
expect "nor an order of queues" 1 'MRPB_DRAIN_DUMMY' -- \
    compile "$root/src/cache/l1_mrpb.c"
rm -r "$tmp/config"

cat >"$tmp/default.c" <<'T'
#include "config/config.h"
int f(cfg_release r);
int f(cfg_release r)
{
    switch (r) {
    case CFG_RELEASE_SAME:
        return 1;
    default:
        return 0;
    }
}
T
expect "a default takes no place of a case" 1 'CFG_RELEASE_NEXT' -- \
    compile "$tmp/default.c"
finish
