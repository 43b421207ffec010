#!/bin/sh
# tests/tools/coverage.sh - tools/coverage counts kernels and names causes.
. "$(dirname "$0")/../lib.sh"
need_heddle
command -v python3 >/dev/null || {
    skip coverage "no python3"
    finish
}
mkdir -p "$tmp/top/one" "$tmp/top/two"
head='.version 6.0
.target sm_70
.address_size 64
// .entry no_kernel() { ret; }'
cat >"$tmp/top/one/a.ptx" <<END
$head
.extern .func missing;
.entry good() { ret; }
.entry bad() { call missing; ret; }
END
cat >"$tmp/top/two/b.ptx" <<END
$head
.entry also_good() { ret; }
END
cp "$tmp/top/two/b.ptx" "$tmp/top/two/same.ptx"
# No memory limit: a sanitizer reserves more address space than there is.
cover() { "$root/tools/coverage" --heddle "$heddle" --memory 0 "$@"; }

expect "kernels of each suite" 0 '^| one | 1 | 2 | 1 | 50.0 |$' \
    '^| two | 1 | 1 | 1 | 100.0 |$' '^| all | 2 | 3 | 2 | 66.7 |$' \
    "^| 1 | .*'missing' has no body" -- \
    cover "$tmp/top" --json "$tmp/result.json"
expect "the same as JSON" 0 '"also_good": \[\]' -- cat "$tmp/result.json"
expect "through assembly and back" 0 '^| two | 1 | 1 | 1 | 100.0 |$' -- \
    cover "$tmp/top/two/b.ptx" --round-trip
printf '#!/bin/sh\nwhile :; do :; done\n' >"$tmp/endless"
chmod +x "$tmp/endless"
expect "a compiler that does not end" 0 'took longer than the limit' -- \
    "$root/tools/coverage" --heddle "$tmp/endless" --time 1 \
    "$tmp/top/two/b.ptx"
expect "no compiler" 1 'build it first' -- \
    "$root/tools/coverage" --heddle "$tmp/none" "$tmp/top"
finish
