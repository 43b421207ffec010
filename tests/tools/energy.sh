#!/bin/sh
# tests/tools/energy.sh - the energy model against measured power, from a clean
# clone.
. "$(dirname "$0")/../lib.sh"
need_heddle
energy=$root/bench/energy
export HEDDLE="$heddle"

expect "the error of each kernel" 0 '^sgemm  *217.5 W .*%$' ' check$' ' new$' \
    '^mean, new ' '^front end, mean: ' -- "$energy/error"
grep -c '^[a-zA-Z+_0-9-]* *[0-9.]* W ' "$out" >"$tmp/rows"
expect "of all that have counts" 0 '^22$' -- cat "$tmp/rows"
expect "nothing but the board costs" 0 '^sgemm  *217.5 W  *32.3 W' -- sh -c "
    sed 's/^\( *[a-z].*: \)[0-9][0-9]*\( .*\)*\$/\10/' '$energy/prior.yaml' |
        sed 's/^\( *board: \)0/\132330000/' >'$tmp/free.yaml'
    '$energy/fit' --config '$tmp/free.yaml' '$energy/counts.json'"
expect "a GPU that is none" 3 'k21' -- "$energy/error" k21
expect "counts without costs" 1 'config is missing' -- \
    "$energy/fit" "$energy/counts.json"

"$energy/fit" --config "$energy/prior.yaml" "$energy/counts.json" |
    grep -e ' W ' -e '^mean' >"$tmp/table"
grep -xFf "$tmp/table" "$root/docs/energy.md" >"$tmp/there"
expect "the table in docs/energy.md" 0 -- cmp "$tmp/table" "$tmp/there"

expect "inputs" 0 -- "$energy/inputs" "$tmp/a/b"
expect "a matrix" 0 '^1024 64$' -- head -n 1 "$tmp/a/b/par-sgemm-nvidia/a"
expect "for all programs" 0 '^395784$' -- \
    sh -c "wc -c <'$tmp/a/b/par-mri-q-nvidia/in'"
expect "programs that are missing" 0 'sgemm: no .*/par-sgemm-nvidia/prog' -- \
    "$energy/run" "$tmp/a/b" "$tmp/out" sgemm
finish
