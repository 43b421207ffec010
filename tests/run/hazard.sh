#!/bin/sh
# tests/run/hazard.sh - what a hazard policy cannot do is said at launch, in one
# line with kernel and instruction, whether the oracle looks or not; and what it
# can do gives the right results.
. "$(dirname "$0")/../lib.sh"
need_heddle

cat >"$tmp/two.sass" <<S
.arch fermi
.kernel twice
    FADD R0, R1, R2
    FADD R0, R1, R2
    EXIT
S
sed 's/fermi/kepler/' "$tmp/two.sass" >"$tmp/bare.sass"
"$workload" gen spmv --size 96 --out "$tmp/spmv" \
    --program "$root/workloads/spmv/ptx/clang14-cuda.ptx"
"$workload" gen fft --size 64 --out "$tmp/fft" \
    --program "$root/workloads/fft/ptx/clang14-opencl.ptx"

once() { # COMMAND...: it says one line, and ends as it does
    once_code=0
    "$@" >"$tmp/said" 2>&1 || once_code=$?
    cat "$tmp/said"
    [ "$(wc -l <"$tmp/said")" = 1 ] && return "$once_code"
}

for oracle in false true; do
    set -- --gpu gtx480 --set sm.issue.hazard=table \
        --set sm.table.empty=zero_skip --set sm.issue.oracle=$oracle
    expect "two writers of R0, oracle=$oracle" 2 \
        "kernel 'twice' .* instruction 0, 'FADD R0, R1, R2': .*zero_skip" -- \
        once "$heddle" run "$tmp/two.sass" -b 32 "$@"
    expect "the same without limit, oracle=$oracle" 2 "instruction 0, .*zero_skip" -- \
        once "$heddle" run "$tmp/two.sass" -b 32 "$@" --set sm.issue.hazard=unlimited
    for program in spmv fft; do
        expect "$program does without R0, oracle=$oracle" 0 '^check: .* as expected' \
            -- "$heddle" run --launch "$tmp/$program/launch.yaml" "$@"
        expect "$program by groups, oracle=$oracle" 0 '^check: .* as expected' -- \
            "$heddle" run --launch "$tmp/$program/launch.yaml" "$@" \
            --set sm.table.group=4
    done
done

for pending in scoreboard table; do
    for program in spmv fft; do
        expect "$program by Kepler's codes, $pending" 0 '^check: .* as expected' -- \
            "$heddle" run --launch "$tmp/$program/launch.yaml" --gpu k20 \
            --set sm.issue.hazard=codes --set sm.dual.pending=$pending
    done
done
expect "no codes to trust" 2 \
    "kernel 'twice' .* instruction 0, .*no control information" -- \
    once "$heddle" run "$tmp/bare.sass" -b 32 --gpu k20 --set sm.issue.hazard=codes
finish
