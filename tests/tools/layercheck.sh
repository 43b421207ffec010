#!/bin/sh
# tests/tools/layercheck.sh - tools/layercheck finds bad includes.
. "$(dirname "$0")/../lib.sh"

# A tree of two rows: base below sm and cache.
tree() {
    rm -rf "$tmp/t"
    mkdir -p "$tmp/t/src/base" "$tmp/t/src/sm" "$tmp/t/src/cache" \
        "$tmp/t/src/cli"
    printf 'set(HEDDLE_ROWS\n    "base"\n    "sm\\;cache")\n' \
        >"$tmp/t/CMakeLists.txt"
    echo '#include "base/b.h"' >"$tmp/t/src/sm/s.c"
    echo '#include "sm/s.h"' >"$tmp/t/src/cli/c.c"
    echo >"$tmp/t/src/base/b.h"
}

check() { "$root/tools/layercheck" "$tmp/t"; }

tree
expect "includes of lower rows are fine" 0 "3 files, 0 bad" -- check
tree
echo '#include "sm/s.h"' >>"$tmp/t/src/base/b.h"
expect "an include of a higher row fails" 1 \
    'src/base/b.h:2: base may not include sm, of a higher row' -- check
tree
echo '  #  include "cache/c.h"' >>"$tmp/t/src/sm/s.c"
expect "an include of the same row fails" 1 \
    'src/sm/s.c:2: sm may not include cache, of the same row' -- check
tree
echo '#include "s.h"' >>"$tmp/t/src/sm/s.c"
expect "an include without its folder fails" 1 'lacks its folder' -- check
tree
mkdir "$tmp/t/src/util"
echo >"$tmp/t/src/util/u.c"
expect "a folder outside the table fails" 1 'util is in no row' -- check

tree
echo >"$tmp/t/src/base/row.c"
echo >"$tmp/t/src/base/row.h"
echo >"$tmp/t/src/sm/row.def"
expect "a name in two rooms is fine" 0 '0 bad' -- check
echo >"$tmp/t/src/cli/row.c"
expect "in three it is not" 1 \
    '^the name row stands in base cli sm: two rooms at most$' '0 bad' -- check

# A room with inner rooms: low stands to the left of high and side; share has no
# place for its own files; deep has a row of its own.
inner() {
    tree
    mkdir -p "$tmp/t/src/sm/low" "$tmp/t/src/sm/high" "$tmp/t/src/sm/side" \
        "$tmp/t/src/cache/in" "$tmp/t/src/cache/by" "$tmp/t/src/base/deep"
    cat >"$tmp/t/CMakeLists.txt" <<'C'
set(HEDDLE_ROWS
    "base"
    "sm\;cache"
    "base/deep")

set(HEDDLE_INNER_ROOMS
    "sm: low | . | high side"
    "cache: in by")
C
    echo '#include "sm/low/l.h"' >"$tmp/t/src/sm/s.c"
    echo '#include "sm/s.h"' >"$tmp/t/src/sm/high/h.c"
    echo '#include "cache/in/i.h"' >"$tmp/t/src/cache/c.h"
    echo '#include "cache/c.h"' >"$tmp/t/src/cache/in/i.h"
    echo '#include "sm/low/l.h"' >"$tmp/t/src/base/deep/d.c"
}
inner
expect "rooms in rooms" 0 "7 files, 0 bad" -- check
inner
echo '#include "sm/high/h.h"' >>"$tmp/t/src/sm/s.c"
expect "an inner room to the right" 1 \
    'src/sm/s.c:2: sm may not include sm/high, which does not stand' -- check
inner
echo '#include "sm/side/s.h"' >>"$tmp/t/src/sm/high/h.c"
expect "an inner room beside" 1 'sm/high may not include sm/side' -- check
inner
echo '#include "cache/by/b.h"' >>"$tmp/t/src/cache/in/i.h"
expect "inner rooms that share a state do not know each other" 1 \
    'cache/in may not include cache/by' -- check
inner
echo '#include "base/deep/d.h"' >>"$tmp/t/src/sm/s.c"
expect "a row of its own" 1 'sm may not include base/deep, of a higher row' \
    -- check
inner
mkdir "$tmp/t/src/sm/new"
echo >"$tmp/t/src/sm/new/n.c"
expect "an inner room outside the table" 1 'sm/new is no inner room of sm' \
    -- check
finish
