#!/bin/sh
# tests/tools/tablelint.sh - tools/tablelint finds bad tables and tags.
. "$(dirname "$0")/../lib.sh"

tree() {
    rm -rf "$tmp/t"
    mkdir -p "$tmp/t/src/isa" "$tmp/t/configs" "$tmp/t/docs"
    cat >"$tmp/t/src/isa/isa.def" <<'T'
/* isa.def: INST(id, code, text,
 * and OP(id, code, text, source) - two kinds. */
OP(ADD, 0x1, "add (,) \"", "[DOC:add]") /* with a comment */
OP(SUB, 0x2,
   "sub", "[DOC:sub]")
T
    printf 'extends: base\nsm:\n  warps: 48 # [DOC:occupancy]\n' \
        >"$tmp/t/configs/a.yaml"
    printf '| key | work |\n|---|---|\n| `DOC` | a manual |\n' \
        >"$tmp/t/docs/sources.md"
    echo 'The retries (`isa/retry.c`) are guessed.' >"$tmp/t/docs/deviations.md"
    echo 'enum { RETRIES = 4 }; /* [guess] */' >"$tmp/t/src/isa/retry.c"
}

lint() { "$root/tools/tablelint" "$tmp/t"; }
row() { echo "$1" >>"$tmp/t/src/isa/isa.def"; }
value() { echo "$1" >>"$tmp/t/configs/a.yaml"; }

tree
expect "a good tree passes" 0 '2 rows, 0 bad' '1 preset values, 0 untagged' \
    '3 tags, 0 of unknown' '1 files with guesses' -- lint
tree; row 'OP(MUL, 3, "mul", "")'
expect "a row without a source fails" 1 'isa.def:6: OP(MUL): no source' -- lint
tree; row 'OP(ADD, 3, "add2", "[DOC:add]")'
expect "an id used twice fails" 1 'id ADD is already at' -- lint
tree; row 'OP(MUL, 0x2, "mul", "[DOC:add]")'
expect "a code used twice fails" 1 'code 0x2 is already at' -- lint
tree; row 'OP(MUL, 3, "mul")'
expect "a missing column fails" 1 'has 3 columns, not 4' -- lint
tree; row 'OP(MUL, 3, "mul", "[DOC:mul]"'
expect "a row without an end fails" 1 'does not end' -- lint
tree; row 'OP(MUL, 3, "mul", "[BOOK:mul]")'
expect "an unknown key fails" 1 'no key BOOK' -- lint
tree; value '  regs: 65536'
expect "a preset value without a tag fails" 1 'a.yaml:4: no source' -- lint
tree; value '  # [DOC:registers]'; value '  regs: 1'; value '  banks: 2'
expect "a tag above a group serves the group" 0 '3 preset values' -- lint
tree; value '  # [DOC:registers]'; value '  regs: 1'; value ''
value '  banks: 2'
expect "a blank line ends the group" 1 'a.yaml:7: no source' -- lint
tree; value '  regs: 1 # [guess]'
expect "a guess is a tag" 0 '2 preset values' -- lint
tree; mv "$tmp/t/src/isa/retry.c" "$tmp/t/src/isa/later.c"
expect "a guess in code that no document names fails" 1 \
    'src/isa/later.c: its .guess. is not in' -- lint
finish
