#!/bin/sh
# tests/run/watch_program.sh - heddle watch of a program: what heddle exec does,
# seen by a browser; several processes, and programs that end in every way.
# watch_program.py has the cases.
. "$(dirname "$0")/../lib.sh"
need_heddle
here=$root/tests/run
program=$(dirname "$heddle")/heddle-behave
cuda=$(dirname "$heddle")/heddle-cuda-behave
if [ ! -x "$program" ] || [ ! -e "$(dirname "$heddle")/libheddle-opencl.so" ]; then
    skip watch_program "no OpenCL headers when it was built"
    finish
fi
export XDG_CACHE_HOME="$tmp/cache" # where the tests compile only once
watch() { "$heddle" watch --gpu k20 --quiet "$@"; }

expect "no program" 2 'expected a program' -- watch --port 0 --
expect "something before it" 2 "'k.ptx' is too much" -- \
    watch k.ptx -- "$program" set
expect "a launch of a kernel" 2 "unknown option '--grid'" -- \
    watch --grid 1 -- "$program"
expect "which programs it times, of a kernel" 2 "unknown option '--timed'" -- \
    watch --timed set k.ptx
expect "a port that is none" 2 'from 0 to 65535' -- watch --port 65536 -- true
expect "nothing is timed" 2 'no cycles are simulated' -- \
    watch --functional -- "$program" set
expect "nothing is timed before a checkpoint" 2 'no cycles are simulated' -- \
    watch --checkpoint-after set -- "$program" set
expect "twice" 2 'runs it twice' -- watch --validate-sampling -- "$program" set
expect "exec has no server" 2 "unknown option '--paused'" -- \
    "$heddle" exec --paused -- true
expect "the program's help is the program's" 0 'FILE' -- watch -- ls --help
if ! grep -qs '^MICROHTTPD_FOUND:.*=1$' "$(dirname "$heddle")/CMakeCache.txt"; then
    expect "without the library it says so" 1 'libmicrohttpd-dev' -- \
        watch -- "$program" set
    skip "the server" "built without libmicrohttpd"
    finish
fi
expect "no such program" 127 'heddle watch: http' \
    "^heddle watch: cannot run '/no/such'" -- watch -- /no/such
expect "not a program" 126 "^heddle watch: cannot run '/'" -- watch -- /

client() {
    python3 "$here/watch_program.py" "$1" "$heddle" "$tmp" "$program" "$cuda"
}
while read -r case name; do
    expect "$name" 0 -- client "$case"
done <<'END'
state the state while a launch stands
step steps, registers, source
pause a pause in a launch, and Ctrl-C
host a pause between launches
timed what is not timed
devices two GPUs
hold what is held where it fails
same watching changes no result
one_by_one processes one after the other
forks a fork
together processes beside each other
many six of them
ends how it ended
interrupt Ctrl-C while it stands
orphan heddle is killed
descriptors descriptors and signals are the program's
END
if [ -x "$cuda" ]; then
    expect "a CUDA program" 0 -- client cuda_one
else
    skip "a CUDA program" "built without CUDA"
fi
if ! sanitized; then
    python3 "$here/page/live.py" "$heddle" "$program" >"$tmp/browser" 2>&1
    code=$?
    if [ "$code" = 77 ]; then
        skip "in a browser" "$(tail -n 1 "$tmp/browser")"
    else
        expect "in a browser" 0 ' 0 failed' -- \
            sh -c 'cat "$1"; exit "$2"' sh "$tmp/browser" "$code"
    fi
fi
finish
