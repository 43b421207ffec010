#!/bin/sh
# tests/run/big.sh - PTX of which little is needed: the tree of its text would
# take many times the memory of that.
. "$(dirname "$0")/../lib.sh"
need_heddle
cd "$tmp" || exit 1
"$root/tools/big-ptx" 17 >big.ptx
megabytes=$(($(wc -c <big.ptx) / 1048576))

# most COMMAND...: megabytes of memory that it took at most; its output is gone
most() {
    /usr/bin/python3 -c '
import resource, subprocess, sys
end = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
sys.exit(end.returncode)' "$@"
}
run_it() {
    "$heddle" run -q --functional -g k20 big.ptx --grid 1 --block 4 \
        --arg p=buf:u32[4]=iota "$@"
}
words() { od -An -v -t u4 "$1" | tr -s ' \n' ' '; }

expect "a kernel of many" 0 -- run_it --kernel k1234 --dump p=one.bin
expect "it is that one" 0 '^ 1234 1235 1236 1237 $' -- words one.bin
if ! sanitized; then
    used=$(most "$heddle" run -q --functional -g k20 big.ptx --grid 1 --block 4 \
        --arg 'p=buf:u32[4]=iota' --kernel k1234)
    expect "it takes the memory of the text, not of a tree ($used MB)" 0 -- \
        test "$used" -lt $((3 * megabytes + 20))
fi
expect "one that is not there is told with those that are" 2 \
    "no kernel 'k99999'.*k0, k1" -- run_it --kernel k99999

# What is not wanted is not looked at, but has to have an end.
sed 's/mov.u32 %r3, 7;/no.such %r3, 7;/' big.ptx >wrong.ptx
mv wrong.ptx big.ptx
expect "others may be wrong" 0 -- run_it --kernel k8 --dump p=one.bin
expect "and the right one ran" 0 '^ 8 9 10 11 $' -- words one.bin
expect "not that which is wanted" 4 'no.such' -- run_it --kernel k7
sed '/^\.visible .entry k9(/,/^}/{/^}/d}' big.ptx >open.ptx
expect "a body without an end" 4 'has no end' -- \
    "$heddle" run -q --functional -g k20 open.ptx --kernel k8 --grid 1 \
    --block 4 --arg 'p=buf:u32[4]=iota'
finish
