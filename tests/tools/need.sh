#!/bin/sh
# tests/tools/need.sh - what ./demo and ./check do about missing packages. The
# apt-get, sudo and id they see are fakes.
. "$(dirname "$0")/../lib.sh"
unset HEDDLE_CLANG HEDDLE_LIBCLC

fake() { # NAME BODY
    printf '#!/bin/sh\n%s\n' "$2" >"$tmp/bin/$1"
    chmod +x "$tmp/bin/$1"
}
need() {
    PATH=$tmp/bin:$PATH sh -c 'cd "$0"; . tools/need.sh; need "$@"; echo ready' \
        "$root" "$@"
}
calls() { cat "$tmp/calls"; }

mkdir "$tmp/bin"
fake dpkg-query 'exit 1'
fake id 'echo 0'
# the first install fails, as it does before the first update
fake apt-get "echo \"\$@\" >>'$tmp/calls'
[ \"\$1\" = update ] || [ \$(wc -l <'$tmp/calls') != 1 ]"
: >"$tmp/calls"
expect "nothing is missing: nothing is done" 0 '^ready$' -- need libc6-dev
expect "no call" 1 -- grep . "$tmp/calls"
expect "root installs, after an update if need be" 0 '^ready$' \
    'installing: heddle-x heddle-y' -- need libc6-dev heddle-x heddle-y
expect "its calls" 0 '^install -y .*heddle-x heddle-y$' '^update$' -- calls

fake id 'echo 1000'
fake sudo "echo sudo >>'$tmp/calls'; shift; \"\$@\""
: >"$tmp/calls"
expect "others use sudo" 0 '^ready$' -- need heddle-x
expect "its calls" 0 '^sudo$' '^install -y .*heddle-x$' -- calls
fake sudo 'exit 1'
expect "without sudo: the one command, and stop" 1 \
    "sudo sh -c 'apt-get update && apt-get install -y .*heddle-x'" -- \
    need heddle-x
fake id 'echo 0'
fake apt-get 'exit 100'
expect "without a network: the one command, and stop" 1 \
    'run this and start again' -- need heddle-x
want() {
    PATH=$tmp/bin:$PATH sh -c 'cd "$0"; . tools/need.sh; want "$@"; echo ready' \
        "$root" "$@"
}
expect "what is only wanted stops nothing" 0 'tests are skipped' '^ready$' -- \
    want heddle-x

# ---- A clang and a libclc that fit ----
# In a root whose places of libclc are in $tmp, on a PATH with nothing else.
mkdir -p "$tmp/root/tools" "$tmp/root/src/opencl/program" \
    "$tmp/usr/lib/clc" "$tmp/path"
cp "$root/tools/need.sh" "$root/tools/clang.sh" "$tmp/root/tools"
sed "s|\"/usr|\"$tmp/usr|" "$root/src/opencl/program/toolchain.c" \
    >"$tmp/root/src/opencl/program/toolchain.c"
for tool in sh sed seq od tr awk grep readlink sort tail cat env head wc id; do
    ln -s "$(command -v $tool)" "$tmp/path/$tool"
done
fake apt-get "[ \"\$2\" != -s ] || exit 0; echo \"\$@\" >>'$tmp/calls'"
fake apt-cache "! grep -qw \"\$2\" '$tmp/unknown' && echo \"Package: \$2\""
: >"$tmp/unknown"
# Bitcode that begins as that of LLVM N does, in six bits per letter.
bitcode() { # N
    printf 'BC\300\336\065\024\000\000\005\000\000\000\142\014\060\044'
    case $1 in
    14) printf '\112\131\276\146\215\373\264\257\013\121\200\114\001\000' ;;
    15) printf '\112\131\276\146\235\373\264\257\013\121\200\114\001\000' ;;
    19) printf '\112\131\276\146\335\373\265\277\013\121\200\114\001\000' ;;
    esac
}
installed() { # LIBCLC CLANG...
    rm -f "$tmp"/bin/clang-* "$tmp/usr/lib/clc/nvptx64--nvidiacl.bc"
    : >"$tmp/calls"
    [ "$1" = none ] ||
        bitcode "$1" >"$tmp/usr/lib/clc/nvptx64--nvidiacl.bc"
    shift
    for n; do fake "clang-$n" 'exit 0'; done
}
need_clang() {
    PATH=$tmp/bin:$tmp/path sh -c 'cd "$0"; . tools/need.sh; need_clang
        echo ready' "$tmp/root"
}
asked() { sed 's/.*recommends //' "$tmp/calls"; }

installed 14 14
expect "a pair is here" 0 '^ready$' -- need_clang
expect "nothing is asked for" 1 -- grep . "$tmp/calls"
installed 15 14
expect "libclc 15, which mesa needs" 0 '^ready$' -- need_clang
expect "clang-15 and no other libclc" 0 '^clang-15$' -- asked
expect "nothing may be removed" 0 'install .*--no-remove' -- calls
installed 15 15
expect "the pair of 15" 0 '^ready$' -- need_clang
expect "is enough" 1 -- grep . "$tmp/calls"
installed 14 19
expect "a newer clang reads an older libclc" 0 '^ready$' -- need_clang
expect "so it is enough" 1 -- grep . "$tmp/calls"
installed none 19
expect "only a clang" 0 '^ready$' -- need_clang
expect "its libclc" 0 '^libclc-19$' -- asked
installed none
expect "neither" 0 '^ready$' -- need_clang
expect "both, of the oldest version" 0 '^clang-14 libclc-14$' -- asked
printf 'clang-14\nlibclc-15\n' >"$tmp/unknown"
installed none
expect "neither, where these are unknown" 0 '^ready$' -- need_clang
expect "both, of the oldest that is known" 0 '^clang-16 libclc-16$' -- asked
fake apt-get "[ \"\$2\" = -s ] || exit 100
echo 'Remv mesa-opencl-icd [22.3]'; echo 'Remv libclc-15 [15]'"
installed none
expect "what would remove packages is not done" 1 'excludes\|exclude' \
    'mesa-opencl-icd libclc-15' -- need_clang
cp "$out" "$tmp/said"
expect "nor proposed" 1 -- grep 'sudo sh' "$tmp/said"
finish
