#!/bin/sh
# tests/run/options.sh - the command line: what it refuses, and how it says so.
. "$(dirname "$0")/../lib.sh"
need_heddle
cat >"$tmp/k.sass" <<'END'
.arch volta
.kernel k
.param pointer p
.param int n
    S2R R0, SR_TID.X;
    MOV R2, c[0x0][p];
    MOV R3, c[0x0][p+4];
    IMAD.WIDE R2, R0, 4, R2;
    MOV R4, c[0x0][n];
    STG.E [R2.64], R4;
    EXIT;
.end
END
k=$tmp/k.sass

usage() { # NAME PATTERN ARGUMENT...: refused with status 2 and a hint
    usage_name=$1 usage_pattern=$2
    shift 2
    expect "$usage_name" 2 "$usage_pattern" "Try 'heddle help" -- \
        "$heddle" "$@"
}

# Commands.
expect "no command" 2 'usage: heddle' -- "$heddle"
usage "an unknown command" "no command 'frobnicate'" frobnicate
usage "a mistyped command" "did you mean 'run'" rnu
usage "help on nothing" "no command 'nothing'" help nothing
usage "help on two" 'one command' help run asm
for command in run watch probe compile asm disasm config list help completion; do
    expect "help on $command" 0 "usage: heddle $command" -- \
        "$heddle" help $command
    expect "$command --help" 0 "usage: heddle $command" -- \
        "$heddle" $command --help
done
expect "help behind other words" 0 'usage: heddle run' -- \
    "$heddle" run "$k" --grid 1 -h

# Options.
usage "an unknown option" "unknown option '--bogus'" run --bogus
usage "a mistyped option" "did you mean '--kernel'" run --kernle x
usage "an unknown letter" "unknown option '-x'" run -qx
usage "no value" "'--grid' needs a value" run --grid
usage "a value too many" "'--hash' takes no value" run --hash=1 "$k"
usage "no program" 'expected a program' run
usage "two programs" "'again' is too much" run "$k" again
for value in '' x 1,2,3,4 -1 '1,' ' 1' 4294967296 0x; do
    usage "grid '$value'" "'$value' is not like 16" run "$k" --grid "$value"
done
for value in '' x 1e6 -1 1.5 ' 1' 18446744073709551616; do
    usage "max-cycles '$value'" 'is no whole number' run "$k" \
        --max-cycles "$value"
done
usage "too many threads" 'from 0 to 1024' run "$k" --threads 1025
usage "an unknown format" 'not text, json or csv' run "$k" --format xml
usage "a tolerance below zero" 'no number from 0 on' run "$k" --tolerance -1

# Profiles.
usage "a table of nothing" 'goes with --by-line' run "$k" --top 3
usage "a top that is no number" 'is no whole number' run "$k" --by-line \
    --top many
usage "two tables in one CSV" 'CSV is one table' run "$k" --by-line \
    --by-instruction --format csv
expect "lines of assembly without .line" 0 'no source line' -- \
    "$heddle" run "$k" -b 32 -a 'buf:u32[32]' -a 7 --by-line -q
expect "instructions of it" 0 '6  EXIT' -- \
    "$heddle" run "$k" -b 32 -a 'buf:u32[32]' -a 7 --by-instruction -q
expect "without timing" 0 'share' '6  EXIT' -- "$heddle" run "$k" -b 32 \
    -a 'buf:u32[32]' -a 7 --by-instruction --functional -q
profile() { "$heddle" run "$k" -b 32 -a 'buf:u32[32]' -a 7 --by-line \
    --by-instruction --format json -q |
    jq -e '.launches[0] | .warp_insts == ([.lines[].insts] | add) and
        .issue_slots.total == ([.instructions[].slots] | add)'; }
expect "sums in JSON" 0 true -- profile

# The width of text: --width, COLUMNS, the terminal, 100. A table of 130 columns
# has more of the memory, and a summary of 80 no words for what it counts.
for value in '' x 79 1001 -80 1e2 80.5; do
    usage "width '$value'" "'$value' is no whole number from 80 to 1000" \
        run "$k" --width "$value"
done
table() { "$heddle" run "$k" -b 32 -a 'buf:u32[32]' -a 7 --by-line -q "$@"; }
lacks() { # PATTERN COMMAND...: it ends well, and no line matches
    lacks_pattern=$1
    shift
    "$@" >"$tmp/lacks" && ! grep -e "$lacks_pattern" "$tmp/lacks"
}
expect "a pipe has 100 columns" 0 -- lacks 'L1 hit' table
expect "and words for what is counted" 0 'warp accesses' -- table
expect "as many as one says" 0 'sectors   L1 hit   bank' -- table --width 140
expect "80" 0 -- lacks '.\{81\}' table --width 80
expect "as many as the environment says" 0 'sectors   L1 hit   bank' -- \
    env COLUMNS=140 "$heddle" run "$k" -b 32 -a 'buf:u32[32]' -a 7 --by-line
expect "the option counts more" 0 -- \
    lacks 'L1 hit' env COLUMNS=140 "$heddle" run "$k" -b 32 \
    -a 'buf:u32[32]' -a 7 --by-line --width 100
for value in '' 0 wide 100x -5 99999999999999999999; do
    expect "COLUMNS '$value' says nothing" 0 'warp accesses' -- \
        env COLUMNS="$value" "$heddle" run "$k" -b 32 -a 'buf:u32[32]' -a 7
done
if command -v script >/dev/null; then
    at="'$heddle' run '$k' -b 32 -a 'buf:u32[32]' -a 7 -q --by-line"
    expect "a terminal of 130" 0 'sectors   L1 hit' -- \
        script -qec "stty cols 130; $at" /dev/null
    expect "one of 80" 0 -- \
        lacks '.\{82\}' script -qec "stty cols 80; $at" /dev/null
    expect "COLUMNS counts more than it" 0 'sectors   L1 hit' -- \
        env COLUMNS=130 script -qec "stty cols 80; $at" /dev/null
else
    skip terminals "no script(1)"
fi

# Warm caches.
usage "warming without timing" '--warm is a matter of timing' run "$k" -b 32 \
    -a 'buf:u32[32]' -a 7 --warm 1 --functional
usage "a thousand and one times" 'from 0 to 1000' run "$k" --warm 1001
expect "what a launch takes is told" 0 \
    'launch: 99.[0-9] % of the cycles.*before the' -- \
    "$heddle" run "$k" -b 32 -a 'buf:u32[32]' -a 7 -g v100 \
    -s gpu.launch_latency=1000000
warm() { # TIMES: its cycles, and slots of a cold start
    "$heddle" run "$k" -b 32 -a 'buf:u32[32]' -a 7 -q -f json --warm "$1" |
        jq -c '.launches | [length, .[0].cycles, .[0].cold_start.icache,
            .[0].cold_start.constant, .[0].warm]'
}
expect "a cold start is told" 0 'cold start: ' '; --warm 1 times' -- \
    table
expect "not where it was warm" 0 'timed warm, after 1 run that does not' -- \
    table --warm 1
expect "nor advice" 0 -- lacks 'cold start\|--warm' table --warm 1
expect "none in JSON either" 0 '^\[1,[0-9]*,0,0,1\]$' -- warm 1
warm 0 >"$tmp/cold"
warm 1 >"$tmp/warm"
expect "it takes less time" 0 -- awk -F, 'NR == 1 { cold = $2 }
    NR == 2 { exit !($2 < cold) }' "$tmp/cold" "$tmp/warm"

# Arguments of the kernel.
for arg in '' nobody f32: u8:256 buf: 'buf:f32[4]=rnd' 'buf:f32[-1]=zero' \
    'buf:u8[4]=uniform,max=300' '1x=buf:u8[4]'; do
    expect "argument '$arg'" 2 "argument '" -- \
        "$heddle" run "$k" --arg "$arg" --arg 1
done
for type in i32 int int32 s32; do
    expect "a number of type $type" 0 -- "$heddle" run "$k" -b 32 \
        -a "buf:${type}[32]=iota" -a "$type:-1"
done
expect "a type with a slip" 2 "unknown type 'flaot' (did you mean 'float'?)" -- \
    "$heddle" run "$k" -b 32 -a 'buf:u32[32]' -a flaot:1
expect "an unknown type of a buffer" 2 "unknown type 'i33'" 'i8 to i64' -- \
    "$heddle" run "$k" -b 32 -a 'buf:i33[32]' -a 1
printf '%s\n' 'buffers: {a: {type: int, count: 32, init: iota}}' \
    'launches: [{kernel: k, block: [32], args: [a, {i32: -1}]}]' >"$tmp/l.yaml"
expect "they are types of launch files" 0 -- \
    "$heddle" run "$k" --launch "$tmp/l.yaml"
expect "too few arguments" 2 'has 2 parameters, but 1 argument is given' -- \
    "$heddle" run "$k" --arg 'buf:u32[32]'
expect "a number that does not fit" 2 "'5000000000' is no s32" -- \
    "$heddle" run "$k" --arg 'buf:u32[32]' --arg 5000000000
expect "a dump of no buffer" 2 "no buffer 'x'" -- \
    "$heddle" run "$k" --arg 'buf:u32[32]' --arg 1 --dump x=y
expect "a missing reference is found before the run" 3 'No such file' -- \
    "$heddle" run "$k" -b 32 --arg 'buf:u32[32]' --arg 1 \
    --expect "0=$tmp/none"

# What works: results by name or number, zero is zero.
expect "zero behind a buffer is a number" 0 -- \
    "$heddle" run "$k" -b 32 -a 'buf:u32[32]=iota' -a 0 -d "0=$tmp/out" -q
head -c 128 /dev/zero >"$tmp/zero"
expect "and it arrives" 0 -- cmp "$tmp/out" "$tmp/zero"
expect "a named buffer agrees with its file" 0 'x as expected in 32' -- \
    "$heddle" run "$k" -b 32 -a 'x=buf:u32[32]=iota' -a 0 \
    -e "x=$tmp/zero"
expect "a buffer that differs" 1 'x DIFFERS' 'differs from' -- \
    "$heddle" run "$k" -b 32 -a 'x=buf:u32[32]=iota' -a 7 -e "x=$tmp/zero"

# Scripts get an object even if nothing ran, and no colours.
object() { "$heddle" run "$tmp/none.ptx" --format json 2>/dev/null |
    jq -e '.status == "input" and .launches == []'; }
expect "JSON of a run that failed" 0 true -- object
plain() { ! "$heddle" run "$tmp/none.ptx" 2>&1 | grep "$(printf '\033')"; }
expect "no colours in a pipe" 0 -- plain
expect "a full disk is noticed" 1 'cannot write results' -- \
    sh -c "'$heddle' help >/dev/full"
# No row of a table is without a handler: each option is given once, before one
# that there is not, which ends the command before it does anything.
"$heddle" completion fish |
    sed -n "s/^complete .*_from \([a-z]*\)' -l \([a-z-]*\)\(.*\)/\1 \2\3/p" \
        >"$tmp/rows"
handled() {
    n=0
    while read -r command option rest; do
        value=
        case " $rest" in
        *' -r'* | *' -x'*) value=1 ;;
        esac
        code=0
        "$heddle" "$command" "--$option" ${value:+"$value"} --bogus \
            >"$tmp/row" 2>&1 || code=$?
        n=$((n + 1))
        [ "$code" = 2 ] || {
            echo "heddle $command --$option: exit status $code"
            cat "$tmp/row"
        }
    done <"$tmp/rows" >"$tmp/lost"
    cat "$tmp/lost"
    [ "$n" -gt 150 ] && [ ! -s "$tmp/lost" ]
}
expect "each option of each command has a handler" 0 -- handled
finish
