#!/bin/sh
# tests/tools/doccheck.sh - tools/doccheck finds what is not there.
. "$(dirname "$0")/../lib.sh"

tree() {
    rm -rf "$tmp/t"
    mkdir -p "$tmp/t/src/sm" "$tmp/t/docs"
    git init -q "$tmp/t"
    echo >"$tmp/t/src/sm/issue.c"
    printf '# sm\n\n`issue.c`\n%s' "$(seq 8)" >"$tmp/t/src/sm/README.md"
    echo 'See [sm](../src/sm/README.md#top), `src/sm/issue.c`, `sm/issue.c`,
[a site](https://example.org/x) and `none.c`.' >"$tmp/t/docs/a.md"
}
check() { "$root/tools/doccheck" "$tmp/t"; }

tree
expect "all there" 0 '2 documents, 0 bad' -- check
tree
echo '[gone](b.md)' >>"$tmp/t/docs/a.md"
expect "a link to nothing" 1 'docs/a.md:3: there is no b.md' -- check
tree
echo 'in `sm/gone.c`' >>"$tmp/t/docs/a.md"
expect "a source file that is none" 1 'docs/a.md:3: there is no sm/gone.c' \
    -- check
tree
echo '`gone.h`' >>"$tmp/t/src/sm/README.md"
expect "a file of the room that is none" 1 'src/sm/README.md:.*gone.h' -- check
tree
rm "$tmp/t/src/sm/README.md"
expect "a room without README" 1 'src/sm: a room without README.md' -- check
tree
seq 40 >>"$tmp/t/src/sm/README.md"
expect "a README that is too long" 1 'lines, not 8 to 30' -- check
finish
