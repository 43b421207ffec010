#!/bin/sh
# tests/run/cost.sh - heddle cost: one machine, several, over parameters.
. "$(dirname "$0")/../lib.sh"
need_heddle

cost() { "$heddle" cost "$@"; }

expect "one machine" 0 '^L1 tags  *SM  *15  *4,352  *116  *65,280 ' \
    '^register file .* data$' '^data arrays ' -- cost gtx480
cost gtx480 >"$tmp/one"
expect "at most 100 columns" 1 -- grep -E '.{101}' "$tmp/one"
expect "the same GPU, changed" 0 '^L1 tags  *SM  *15  *2,112  *58 ' -- \
    cost --gpu gtx480 --set l1.ways=2
expect "machines beside each other" 0 '^bits  *gtx480  *k20-single  *v100$' \
    '^scoreboard  *45,360  *212,160  *1,305,600$' -- cost gtx480 k20-single v100
expect "over a parameter" 0 '^sm.warps  *32  *48  *64$' \
    '^scoreboard  *30,240  *45,360  *60,480$' 'others do not change$' \
    'sm.warps=32 cannot be simulated: sm.threads is 1536' -- \
    cost gtx480 --over sm.warps=32,48,64
expect "more values than columns" 0 '^l1.mshrs  *32  *64 ' '^l1.mshrs  *1024$' \
    -- cost --over l1.mshrs=32,64,128,256,512,1024
cp "$out" "$tmp/many"
expect "at most 100 columns, too" 1 -- grep -E '.{101}' "$tmp/many"
expect "over two" 0 '^v100: L1 merge lists, down l1.mshrs, across l1.merges$' \
    '^  *256  *1,310,720  *2,621,440$' '^  bits  *least(l1.mshrs \* l1.merges' -- \
    cost --over l1.mshrs=128,256 --over l1.merges=4,8 --structure l1_merges
expect "CSV" 0 '^gpu,l1.ways,structure,' '^gtx480,4,l1_tags,SM,0,15,4352,' -- \
    cost gtx480 --over l1.ways=2,4 --format csv
cost gtx480 k20 --over l1.ways=2,4 --format json >"$tmp/json"
expect "JSON adds up" 0 '^true$' -- jq '[.machines[] |
    ([.structures[].bits_total] | add) == .bits and
    .bits == .control_bits + .data_bits] | length == 4 and all' "$tmp/json"

expect "terms of a formula" 0 '^  where  *rid_bits = ' \
    '^  where  *table_row = sm.table.slots . slot_bits' '^  where  *operands = 3$' \
    '^  where  *by_table = ' -- "$heddle" cost gtx480 --structure hazard_table
cp "$out" "$tmp/terms"
expect "and no others" 1 -- grep -e 'where *lanes' -e 'where *code_row' "$tmp/terms"
expect "a structure that is none" 2 "did you mean 'scoreboard'" -- \
    cost --structure scorebord
expect "a GPU that is none" 3 'k21' -- cost k21
expect "a parameter that is none" 3 'l1.wayz' -- cost --over l1.wayz=1
expect "a value out of range" 3 'l1.ways must be' -- cost --over l1.ways=5000
expect "no values" 2 'PATH=VALUE' -- cost --over l1.ways
expect "values of nothing" 2 'PATH=VALUE' -- cost --over l1.ways=,
expect "three parameters" 2 'more than two' -- \
    cost --over l1.ways=1 --over l1.sets=32 --over l1.mshrs=32
expect "no format" 2 'not text, json or csv' -- cost --format html
finish
