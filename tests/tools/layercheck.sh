#!/bin/sh
# tests/tools/layercheck.sh - tools/layercheck finds bad includes.
. "$(dirname "$0")/../lib.sh"

# A tree of two rows: base below sm and cache.
tree() {
    rm -rf "$tmp/t"
    mkdir -p "$tmp/t/src/base" "$tmp/t/src/sm" "$tmp/t/src/cache" \
        "$tmp/t/src/cli" "$tmp/t/include/heddle"
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
finish
