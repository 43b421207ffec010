#!/bin/sh
# tests/run/completion.sh - what the shells offer, asked as they ask.
. "$(dirname "$0")/../lib.sh"
need_heddle
"$heddle" completion bash >"$tmp/bash"
"$heddle" completion zsh >"$tmp/zsh"
"$heddle" completion fish >"$tmp/fish"
if ! command -v bash >/dev/null; then
    skip completion "no bash"
    finish
fi

# offers LINE: as bash calls the function at the end of LINE, one answer a line.
cat >"$tmp/ask" <<'END'
compopt() { echo "option $*"; }
. "$1"
COMP_LINE=$2 COMP_POINT=${#2}
_heddle
printf '%s\n' "${COMPREPLY[@]}"
END
offers() { (cd "$tmp/empty" && bash "$tmp/ask" "$tmp/bash" "$1"); }
mkdir "$tmp/empty"
ask() { # LINE PATTERN...
    ask_line=$1
    shift
    expect "after '$ask_line'" 0 "$@" -- offers "$ask_line"
}
never() { # LINE PATTERN
    expect "after '$1' there is no $2" 1 -- \
        sh -c "grep -e '$2' '$tmp/answers'"
}

ask 'heddle ' '^run$' '^compare$' '^completion$'
ask 'heddle co' '^cost$' '^config$'
ask 'heddle run --s' '^--set$' '^--store$'
ask 'heddle watch --t' '^--timed$' '^--threads$' '^--tolerance$'
offers 'heddle watch --' | sort | uniq -d >"$tmp/answers"
expect "no option twice" 0 -- test ! -s "$tmp/answers"
ask 'heddle run --set ' '^l1.ways=$' '^sm.issue.scheduler=$' 'nospace'
ask 'heddle run --set l1.w' '^l1.ways=$'
offers 'heddle run --set l1.w' >"$tmp/answers"
never 'heddle run --set l1.w' '^sm'
ask 'heddle run -s sm.issue.sch' '^sm.issue.scheduler=$'
ask 'heddle run --set=sm.issue.sch' '^sm.issue.scheduler=$'
# bash parts words at =, so that the answer is what is behind it.
ask 'heddle run --set sm.issue.scheduler=' '^gto$' '^lrr$'
ask 'heddle run --set sm.issue.scheduler=g' '^gto$'
offers 'heddle run --set sm.issue.scheduler=g' >"$tmp/answers"
never 'heddle run --set sm.issue.scheduler=g' '^lrr$'
ask 'heddle run --set=sm.issue.scheduler=l' '^lrr$'
ask 'heddle compare --with wide:sm.issue.scheduler=lrr,l1.wa' \
    '^lrr,l1.ways=$'
ask 'heddle compare --with A:l1.wa' '^l1.ways=$'
ask 'heddle cost --over l1.mshr' '^l1.mshrs=$'
ask 'heddle run --gpu ' '^v100$' '^gtx480$'
ask 'heddle run -g k' '^k20$'
ask 'heddle run --format ' '^text$' '^json$' '^csv$'
ask 'heddle results --format ' '^jsonl$'
offers 'heddle run --format ' >"$tmp/answers"
never 'heddle run --format ' '^or$'
ask 'heddle results --aggregate g' '^geomean$'
ask 'heddle sweep ' '^status$' '^worker$'
ask 'heddle config ' '^explain$'
ask 'heddle config show ' '^v100$'
ask 'heddle help swe' '^sweep$'
ask 'heddle compare sched' '^scheduler$'
ask 'heddle list ' '^mechanisms$'
: >"$tmp/empty/kernel.ptx"
ask 'heddle run k' '^kernel.ptx$'
ask 'heddle run --launch k' '^kernel.ptx$'

# Every parameter is offered, and every answer is one that heddle takes.
paths() { offers 'heddle run --set ' | grep -c '=$'; }
expect "all parameters" 0 "^$("$heddle" config check v100 |
    sed 's/.*right, \([0-9]*\) .*/\1/')\$" -- paths
# One may contradict others, but none is unknown.
taken() {
    grep '^_heddle_assignments' "$tmp/bash" | cut -d '"' -f 2 | tr ' ' '\n' |
        grep . >"$tmp/words" && [ "$(wc -l <"$tmp/words")" -gt 100 ] || return 2
    while read -r word; do
        "$heddle" config explain "${word%%=*}" --set "$word" 2>&1 |
            grep 'error: .* must be .*, not '
    done <"$tmp/words" | grep . && return 1
    return 0
}
expect "all values are values" 0 -- taken

expect "the script is bash" 0 -- bash -n "$tmp/bash"
if command -v zsh >/dev/null; then
    expect "the script is zsh" 0 -- zsh -n "$tmp/zsh"
fi
if command -v fish >/dev/null; then
    expect "the script is fish" 0 -- fish -n "$tmp/fish"
    fished() { fish -c ". '$tmp/fish'; complete -C '$1'"; }
    expect "fish offers parameters" 0 '^l1.ways=' -- \
        fished 'heddle run --set l1.w'
    expect "fish offers values" 0 '^sm.issue.scheduler=gto' -- \
        fished 'heddle run --set sm.issue.scheduler=g'
fi
for shell in zsh fish; do
    expect "$shell: paths and values" 0 'l1.ways= ' \
        'sm.issue.scheduler=gto' 'geomean' -- cat "$tmp/$shell"
done
finish
