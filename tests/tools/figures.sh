#!/bin/sh
# tests/tools/figures.sh - tools/figures writes whole pages or none.
. "$(dirname "$0")/../lib.sh"
need_heddle
command -v jq >/dev/null || {
    skip figures "no jq"
    finish
}
figures=$root/tools/figures
build=$(dirname "$heddle")
export HEDDLE_BUILD="$build"

expect "what there is" 0 '^accuracy  *[0-9]* ' '^speed  *[0-9]* ' -- \
    "$figures" --list
sed 's/ .*//' "$out" | sort >"$tmp/names"
(cd "$root/docs/results" && grep -l '^Made by `tools/figures ' -- *.md) |
    sed 's/\.md$//' | sort >"$tmp/pages"
expect "each page has its figure" 1 -- grep -vxFf "$tmp/names" "$tmp/pages"
expect "a name that is none" 2 "no figure 'bit'; there are: accuracy bits " -- \
    "$figures" bits bit
expect "no name" 2 '^usage: tools/figures' -- "$figures"
expect "an unknown option" 2 "unknown option '--sizes'" -- "$figures" --sizes
expect "a size that is none" 2 "small or medium, not 'huge'" -- \
    "$figures" --size huge bits
expect "no jobs" 2 "is a number, not '-1'" -- "$figures" -j -1 bits
expect "an option without a value" 2 '--output needs a value' -- \
    "$figures" bits --output
expect "nothing is built" 3 "no $tmp/none/heddle; build it" -- \
    env HEDDLE_BUILD="$tmp/none" "$figures" bits

# A bit for each of 32 registers of 64 warps, 6 bits and a few for each of slots.
expect "a page" 0 "wrote $tmp/pages.d/bits.md" -- \
    "$figures" -o "$tmp/pages.d" bits
expect "what it says" 0 '^# Bits$' '^Made by `tools/figures bits` on 20..-..-.. w' \
    'with heddle [0-9.]*+' '^|  *32 |  *2,048 |' '^|  *128 |  *8,192 |' \
    '^    heddle cost gtx480 k20 k20-single v100$' -- cat "$tmp/pages.d/bits.md"

# Energy comes from recorded counts, so its page is that of this very model; but for bits
# and operations, which are simulated.
expect "power" 0 -- "$figures" -o "$tmp/pages.d" energy
counted='/^| `[ah][0-9]*00`/d; /^|/p'
sed -n "$counted" "$root/docs/results/energy.md" >"$tmp/recorded"
sed -n "$counted" "$tmp/pages.d/energy.md" >"$tmp/rows"
expect "docs/results/energy.md is that of this version" 0 -- \
    cmp "$tmp/recorded" "$tmp/rows"
expect "of 23 kernels and 21 rows" 0 '^44$' -- sh -c "grep -c '([+-].*%)' '$tmp/rows'"

# ---- What stood there stays, unless a page is complete ----
fake=$tmp/fake
mkdir -p "$fake"
old() { echo old >"$tmp/pages.d/bits.md"; }
kept() { # WHAT
    expect "$1: the page that was there stays" 0 '^old$' -- \
        cat "$tmp/pages.d/bits.md"
    expect "$1: nothing else is left" 0 '^bits.md energy.md$' -- \
        sh -c "ls -A '$tmp/pages.d' | paste -sd ' ' -"
}
old
printf '#!/bin/sh\necho broken >&2\nexit 7\n' >"$fake/heddle"
chmod +x "$fake/heddle"
expect "a command that fails" 1 '^broken$' 'bits: status 7 of: .*cost gtx480' -- \
    env HEDDLE_BUILD="$fake" "$figures" -o "$tmp/pages.d" bits
kept "failed"
# shellcheck disable=SC2016  # of the program
printf '#!/bin/sh\nkill -TERM $PPID\n' >"$fake/heddle"
expect "interrupted" 143 -- \
    env HEDDLE_BUILD="$fake" "$figures" -o "$tmp/pages.d" bits
kept "interrupted"
printf '#!/bin/sh\n[ $1 != cost ] || exit 7\nexec "%s" "$@"\n' "$heddle" >"$fake/heddle"
rm "$tmp/pages.d/energy.md"
expect "one of two fails" 1 'not made: bits$' 'wrote .*energy.md' -- \
    env HEDDLE_BUILD="$fake" "$figures" -o "$tmp/pages.d" bits energy
kept "one of two"
finish
