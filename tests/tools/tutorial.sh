#!/bin/sh
# tests/tools/tutorial.sh - docs/tutorial.md followed literally: blocks with the
# name of a file behind their language are written, those in sh are run, in
# their order, in an empty folder.
. "$(dirname "$0")/../lib.sh"
need_heddle
text=$root/docs/tutorial.md
PATH="$(dirname "$heddle"):$root/tools:$PATH"
# Debian's Python, which has its NumPy, before others.
/usr/bin/python3 -c 'import numpy' 2>/dev/null && PATH=$PATH:/usr/bin &&
    ln -s /usr/bin/python3 "$tmp/python3" && PATH=$tmp:$PATH
export PATH

mkdir "$tmp/work"
expect "it is split into blocks" 0 -- "$root/tools/tutorial" --split "$tmp/blocks"
expect "it has blocks to run and to write" 0 -- test \
    "$(find "$tmp/blocks" -name '*.sh' | wc -l)" -ge 10

have_compiler() {
    (cd "$tmp" && cp "$tmp"/blocks/*transpose.cu probe.cu &&
        ptxcc probe.cu -o probe.ptx) >/dev/null 2>&1
}
have_numpy() { python3 -c 'import numpy' 2>/dev/null; }

if ! have_compiler; then
    skip "the tutorial" "no compiler of kernels"
elif ! have_numpy; then
    skip "the tutorial" "no NumPy"
else
    for block in "$tmp"/blocks/*; do
        name=${block##*/}
        number=${name%%.*} name=${name#*.}
        case $name in
        shown) ;;
        sh)
            first=$(sed -n 1p "$block" | cut -c 1-60)
            expect "$number: $first" 0 -- sh -ec "cd '$tmp/work' && . '$block'"
            ;;
        *) cp "$block" "$tmp/work/$name" ;;
        esac
    done
    # What it says of them.
    cycles() {
        "$heddle" run --launch "$tmp/work/$1.yaml" --gpu v100 -q -f json |
            jq '.launches[0].cycles'
    }
    expect "each step of the text is faster than the one before" 0 -- test \
        "$(cycles launch)" -gt "$(cycles tiled)" -a \
        "$(cycles tiled)" -gt "$(cycles padded)"
    expect "the change that it shows is the one that gains most" 0 \
        'what would help' -- sh -c "cd '$tmp/work' && heddle explain -q --gpu \
        v100 launch.yaml | tee '$tmp/advice'"
    expect "and its figures are those of the text" 0 -- sh -c "
        sed -n '/^ *[0-9.]* x  coalescing/,/need/p' '$tmp/advice' >'$tmp/said'
        test -s '$tmp/said' && while IFS= read -r line; do
            grep -qF -- \"\$line\" '$text' || { echo \"\$line\"; exit 1; }
        done <'$tmp/said'"
    expect "the page is there" 0 -- test -s "$tmp/work/scheduler.html" -a \
        -s "$tmp/work/l1.html"
fi
finish
