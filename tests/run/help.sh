#!/bin/sh
# tests/run/help.sh - help, manual and their examples: what fits a terminal,
# what is told, and whether it is true.
. "$(dirname "$0")/../lib.sh"
need_heddle
unset COLUMNS
commands='run exec watch suite compare diff cost probe sweep results report compile asm
    disasm config list help completion'

# Widths. The help of 52 options was a list without headings, 144 columns wide.
most() { # COLUMNS: fails and prints the lines that are longer
    awk -v most="$1" 'length > most { print; bad = 1 } END { exit bad }'
}
narrow() { "$heddle" help "$1" | most 80; }
for command in $commands; do
    expect "help of $command has 80 columns" 0 -- narrow "$command"
done
terminal() { # COLUMNS COMMAND MOST
    script -qec "stty cols $1 && '$heddle' help $2" /dev/null |
        tr -d '\r' | grep -v '^    heddle ' | most "$3"
}
expect "fewer where the terminal has fewer" 0 -- terminal 60 compare 60
expect "not more than can be read" 0 -- terminal 200 compare 100
wider() { ! terminal 120 compare 80 >/dev/null; }
expect "more where it has more" 0 -- wider
columns() { COLUMNS=70 "$heddle" help run | most 70; }
expect "COLUMNS counts more" 0 -- columns
expect "a terminal without a size is like a file" 0 -- terminal 0 compare 80

# Groups: what an option is about is above it, and no list is endless.
for heading in 'the launch:' 'the simulated GPU:' 'traces, cycle by cycle:' \
    'on this computer'; do
    expect "help of run: $heading" 0 "^$heading" -- "$heddle" help run
done
endless() { "$heddle" help "$1" | awk '
    /^[^ ].*:$/ { n = 0 } / --[a-z]/ && ++n > 18 { print; bad = 1 }
    END { exit bad }'; }
for command in $commands; do
    expect "no long list in the help of $command" 0 -- endless "$command"
done
expect "--set is with --gpu" 0 -- sh -c "'$heddle' help compare |
    sed -n '/^the simulated GPU:/,/^\$/p' | grep -q -- '--set PATH=VALUE'"

# The same options are in help, manual and completion, each once.
words() { grep -o -- '--[a-z][a-z-]*'; }
options() { # COMMAND, as the completion has them
    "$heddle" completion fish |
        sed -n "s/.*_from $1' .*-l \([a-z-]*\).*/--\1/p" | sort
}
listed() { # COMMAND: those of the help's lists
    "$heddle" help "$1" | grep -E '^  (-., |    )--' |
        sed 's/^ *\(-., \)*\(--[a-z-]*\).*/\2/' | sort
}
same() {
    options "$1" >"$tmp/there"
    listed "$1" >"$tmp/told"
    [ -s "$tmp/there" ] && diff "$tmp/there" "$tmp/told"
}
for command in run exec watch suite compare cost probe sweep results report; do
    expect "help of $command lists each option once" 0 -- same $command
done

# Examples.
for command in run exec suite compare cost probe sweep results report \
    compile asm disasm config list; do
    expect "help of $command has an example" 0 '^examples:' \
        "^    heddle .*$command" -- "$heddle" help $command
    expect "so has the manual" 0 '^.Sh EXAMPLES' "^heddle $command " -- \
        "$heddle" doc manual
done
examples() { # one a line, with its continuation
    "$heddle" doc manual | sed -n '/^.Sh EXAMPLES/,$p' | tr -d '\134' |
        awk '/^heddle / { line = $0; on = 1; next }
            on && /^  / { line = line $0; next }
            on { print line; on = 0 }'
}
examples >"$tmp/examples"
known() {
    while read -r _ command rest; do
        "$heddle" help "$command" >"$tmp/page.1"
        for word in $(echo "${rest%% -- *}" | words); do
            grep -q -- "$word" "$tmp/page.1" ||
                echo "$command has no $word"
        done
    done <"$tmp/examples" | grep . && return 1
    [ "$(wc -l <"$tmp/examples")" -gt 20 ]
}
expect "examples use options that there are" 0 -- known
alone() { # those that need no file
    grep -E '^heddle (cost|config|list|probe --list)' "$tmp/examples" |
        sed "s|^heddle|'$heddle'|" >"$tmp/alone"
    [ "$(wc -l <"$tmp/alone")" -ge 5 ] && sh -e "$tmp/alone" >/dev/null
}
expect "those that need no file run" 0 -- alone
cp "$root/workloads/vecadd/ptx/clang14-cuda.ptx" "$tmp/k.ptx"
code() {
    cd "$tmp" &&
        grep -E '^heddle (compile|asm|disasm)' "$tmp/examples" |
        grep -v 'k\.cubin' | # that needs ptxas: see assemble.sh
        sed "s|^heddle|'$heddle'|" >"$tmp/code" &&
        sh -e "$tmp/code" >/dev/null
}
expect "those about code run one after the other" 0 -- code
if command -v mandoc >/dev/null; then
    # Manuals that are not installed here are no fault of the page.
    lint() {
        "$heddle" doc manual "$@" >"$tmp/page.1"
        mandoc -Tlint -Wstyle "$tmp/page.1" | grep -v 'referenced manual not found'
        test "$(mandoc -Tlint -Wstyle "$tmp/page.1" | grep -vc 'not found')" = 0
    }
    expect "the manual is well formed" 0 -- lint
    for command in $("$heddle" doc manual | sed -n 's/^\.Xr heddle.-\([a-z]*\).*/\1/p'); do
        expect "so is that of $command" 0 -- lint "$command"
        expect "which tells its synopsis" 0 "^ *usage: heddle $command" -- \
            mandoc -Tascii "$tmp/page.1"
    done
    expect "every command has one" 0 -- sh -c \
        "'$heddle' help | sed -n '/^commands:/,/^\$/s/^  \([a-z]*\) .*/\1/p' | sort >'$tmp/all'
        '$heddle' doc manual | sed -n 's/^\.Xr heddle.-\([a-z]*\).*/\1/p' | sort >'$tmp/have'
        test -s '$tmp/all' && cmp '$tmp/all' '$tmp/have'"
else
    skip "the manual is well formed" "no mandoc"
fi
finish
