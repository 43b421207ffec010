#!/bin/sh
# tests/run/probe.sh - heddle probe: what it prints, writes and refuses.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/page/lib.sh"
need_heddle

probe() { "$heddle" probe -q "$@"; }

expect "the probes" 0 '^latency  *P2: ' '^banks  *P3: ' -- probe --list
expect "a probe that is none" 2 "did you mean 'latency'" -- probe latence
expect "a probe of another family" 2 "'codes': v100 has nothing of that kind" \
    -- probe -g v100 latency codes
expect "a page that cannot be written" 1 "cannot create" -- \
    probe -g k20 overhead --html "$tmp/none/page.html" -o "$tmp/page.txt"
expect "an unknown GPU" 3 "k2" -- probe -g k2 latency
expect "a table" 0 '^Tesla K20 (k20), from its clocks alone' \
    '^latency.fp32  *9  *9  *+0.0 %  cycle  *9  *+0.0 %  .ARAFA19' \
    '^overhead' -- probe -g k20 latency
probe -g k20 latency shared >"$tmp/text"
expect "at most 100 columns" 1 -- grep -E '.{101}' "$tmp/text"
expect "what the machine is made to be" 0 \
    '^latency.fp32  *13  *13 ' -- probe -g k20 --set sm.op.fp32.latency=13 latency
expect "CSV" 0 '^probe,id,unit,found,configured,published,source,what$' \
    '^shared,shared.banks,bank,32,32,32,' -- probe -g k20 shared -f csv
probe -g k20 shared -f json >"$tmp/json"
expect "JSON" 0 '^true$' -- jq '(.values[] | select(.id == "shared.bank_bytes") |
    .found == 8 and .configured == 8) and
    (.curves[0].points | length) > 5' "$tmp/json"
expect "threads change nothing" 0 -- sh -c "
    '$heddle' probe -q -g k20 shared atomic -f csv -t 3 >'$tmp/3' &&
    '$heddle' probe -q -g k20 shared atomic -f csv >'$tmp/1' &&
    cmp '$tmp/1' '$tmp/3'"
expect "a page" 0 -- probe -g gtx480 latency shared --html "$tmp/page.html" \
    -o "$tmp/page.txt"
expect "its figures and numbers" 0 'Probes of GTX 480' 'latency.sfu' -- \
    cat "$tmp/page.html"
expect "a page with curves" 0 -- probe -q -g gtx480 overhead caches \
    --html "$tmp/curves.html" -o "$tmp/page.txt"
expect "on axes of sizes" 0 '"scale":1' -- cat "$tmp/curves.html"
page_opens "probes" "$tmp/page.html" "$tmp/curves.html"
expect "a configuration" 0 -- probe -g gtx480 --set sm.op.sfu.latency=29 \
    --set sm.shared.latency=18 latency shared --emit-config "$tmp/found.yaml" \
    -o "$tmp/first" -f csv
expect "says what was found" 0 'extends: gtx480' 'latency: 29 # found by latency' \
    -- cat "$tmp/found.yaml"
expect "and nothing wrong" 0 'right' -- "$heddle" config check "$tmp/found.yaml"
expect "gives the same results" 0 -- sh -c "
    '$heddle' probe -q -g '$tmp/found.yaml' latency shared -f csv |
        cut -d, -f1-4 >'$tmp/b' && cut -d, -f1-4 '$tmp/first' | cmp - '$tmp/b'"
expect "control codes of Kepler" 0 '^codes.dual  *0x04 ' \
    '0x20 0x40 0x60 0xe0: 1 + bits 0-4, 32 from 0x15; 0x80 0xa0 0xc0: 1 + 2 bits' \
    -- probe -g k20 pairs
expect "an SMX that is none" 0 -- probe -g k20 --set sm.dual.pair=0x0c \
    --set sm.dual.bits=4 --set sm.dual.first=true --set sm.unit.fma.shared=1 \
    --set sm.dual.arbiter=alternate pairs shared_units -f csv -o "$tmp/first" \
    --emit-config "$tmp/smx.yaml"
expect "says how it differs" 0 'extends: k20$' 'pair: 12 # found by pairs' \
    'shared: 1 # found by shared_units' 'arbiter: alternate' 'first: true' \
    -- cat "$tmp/smx.yaml"
expect "is the same again" 0 -- sh -c "
    '$heddle' probe -q -g '$tmp/smx.yaml' pairs shared_units -f csv |
        cut -d, -f1-4 >'$tmp/b' && cut -d, -f1-4 '$tmp/first' | cmp - '$tmp/b'"
full() {
    full_code=0
    probe -g gtx480 overhead >/dev/full 2>"$tmp/full" || full_code=$?
    cat "$tmp/full"
    [ "$(wc -l <"$tmp/full")" = 1 ] || return 99
    return "$full_code"
}
expect "a full disk, said once" 1 'No space left' -- full
finish
