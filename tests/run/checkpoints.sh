#!/bin/sh
# tests/run/checkpoints.sh - heddle exec --checkpoint-after and --resume: what
# follows a checkpoint is what it is where the launches before it are computed,
# bit for bit; and what is no such checkpoint, or no such program, is refused.
. "$(dirname "$0")/../lib.sh"
need_heddle
build=$(dirname "$heddle")
if [ ! -x "$build/workloads/bfs" ] || [ ! -e "$build/libheddle-opencl.so" ]; then
    skip checkpoints "no OpenCL headers when it was built"
    finish
fi
export XDG_CACHE_HOME="$tmp/cache"
cd "$tmp" || exit 1
exec_it() { "$heddle" exec -q "$@"; }
# What a launch that was timed took and counted.
timed() {
    jq '[.processes[].launches[] | select(.functional | not) | del(.host_s)]' "$1"
}

# The program is right; launches behind launch $4 of kernel $3, which is launch
# $5 of the program, are the same on GPU $2 as without a checkpoint; and so is
# what the program writes.
same() {
    name=$1 gpu=$2 kernel=$3 n=$4 before=$5
    shift 5
    expect "$name: a checkpoint" 0 "was written to .*after launch $before of" -- \
        exec_it --checkpoint it.checkpoint --checkpoint-after "$kernel:$n" -- "$@"
    expect "$name: the others are timed" 0 -- exec_it -g "$gpu" -f json \
        -o whole.json --skip-launches "$before" -- "$@"
    cp "$out" whole.txt
    expect "$name: it is resumed" 0 -- exec_it -g "$gpu" -f json \
        -o rest.json --resume it.checkpoint -- "$@"
    cp "$out" rest.txt
    expect "$name: it says the same" 0 -- cmp whole.txt rest.txt
    timed whole.json >whole && timed rest.json >rest
    expect "$name: some are timed" 0 '"cycles"' -- cat rest
    expect "$name: the same cycles and counters" 0 -- cmp whole rest
    expect "$name: the others are not there" 0 '^true$' -- jq -n \
        --slurpfile a whole.json --slurpfile b rest.json \
        "\$a[0].total.launches - \$b[0].total.launches == $before"
}
opencl=$build/workloads
same bfs v100 bfs_level 4 4 "$opencl/bfs" --size small
same "bfs on another GPU" k20 bfs_level 4 4 "$opencl/bfs" --size small
same floyd v100 pass 32 32 "$opencl/floyd" --size small
same radixsort v100 'mo*' 4 12 "$opencl/radixsort" --size small
same "several queues" v100 scan_blocks 7 24 "$opencl/concurrent" --size small
if [ -x "$build/workloads/cuda/bfs" ]; then
    same "CUDA bfs" v100 bfs_level 4 4 "$build/workloads/cuda/bfs" --size small
    same "CUDA bfs on another GPU" h100 bfs_level 4 4 \
        "$build/workloads/cuda/bfs" --size small
    same "CUDA floyd" v100 pass 32 32 "$build/workloads/cuda/floyd" --size small
else
    skip "CUDA programs" "not built"
fi
if [ -x "$build/heddle-overlap" ]; then
    for how in queues unordered 'queues flush'; do
        # shellcheck disable=SC2086  # words
        same "overlap $how" v100 work 5 5 "$build/heddle-overlap" $how
    done
fi

# ---- Programs that look at memory without a call, print, use the heap ----
compile=$root/workloads/cuda/compile
clang=$("$compile" --which || :)
if sanitized || [ ! -e "$build/libheddle-preload.so" ] ||
    [ "${clang##*/}" = nvcc ] || [ -z "$clang" ]; then
    skip "memory of host and GPU" "no clang, or no programs without sanitizers"
else
    # Memory that is registered has to begin at the same place of a page.
    sed 's/(int \*)malloc(N \* sizeof \*own)/(int *)aligned_alloc(4096, 12288)/' \
        "$root/tests/cuda/programs/unified.cu" >unified.cu
    cp "$root"/tests/cuda/programs/*.h .
    for name in services graph texture pool; do
        cp "$root/tests/cuda/programs/$name.cu" .
    done
    for name in unified services graph texture pool; do
        "$compile" "$name.cu" --program -o "$name.o" --cc "$clang" ||
            echo "$name is not compiled"
    done
    nm -u ./*.o | sed -n 's/^ *U \(\(__\)*cuda[A-Za-z0-9_]*\)$/\1/p' |
        sort -u | sed 's/.*/int &(void) { return -1; }/' >runtime.c
    echo 'libcudart.so.12 { global: *; };' >runtime.map
    cc -w -shared -fPIC runtime.c -o libcudart.so.12 \
        -Wl,-soname,libcudart.so.12 -Wl,--version-script=runtime.map
    for program in unified services graph texture pool; do
        cc "$program.o" libcudart.so.12 -o "$program" || continue
        exec_it --functional -f json -o all.json -- "./$program" >all.txt 2>&1
        # Behind every fourth launch, or every one.
        launches=$(jq .total.launches all.json) after=1
        while [ "$after" -lt "$launches" ]; do
            kernel=$(jq -r ".processes[0].launches[$after - 1].kernel" all.json)
            nth=$(jq "[.processes[0].launches[:$after][] |
                select(.kernel == \"$kernel\")] | length" all.json)
            same "$program $after" v100 "$kernel" "$nth" "$after" "./$program"
            [ "$program" = unified ] || after=$((after + 3))
            after=$((after + 1))
        done
    done
fi

# ---- What cannot be resumed ----
bfs=$opencl/bfs
expect "by default it is named after the program" 0 'bfs.checkpoint' -- \
    exec_it --checkpoint-after bfs_level:3 -- "$bfs" --size small
expect "and written whole, or not at all" 0 '^bfs.checkpoint$' -- \
    sh -c 'ls | grep bfs'
resume() { exec_it -g v100 -o report.txt --resume "$@"; }
expect "there is no file" 3 'cannot read the checkpoint .*none: No such' -- \
    resume none -- "$bfs" --size small
expect "something else" 3 'report.sh is no checkpoint' -- \
    resume "$root/tests/run/report.sh" -- "$bfs" --size small
head -c 300 bfs.checkpoint >short.checkpoint
expect "cut off" 3 'short.checkpoint is cut off or damaged' -- \
    resume short.checkpoint -- "$bfs" --size small
: >empty.checkpoint
expect "empty" 3 'empty.checkpoint is no checkpoint' -- \
    resume empty.checkpoint -- "$bfs" --size small
# Byte 8 is the version, 400 of the stream.
damage() {
    cp bfs.checkpoint damaged.checkpoint
    printf '\377' | dd of=damaged.checkpoint bs=1 seek="$1" conv=notrunc \
        2>/dev/null
}
damage 400
expect "damaged" 3 'damaged.checkpoint is cut off or damaged' -- \
    resume damaged.checkpoint -- "$bfs" --size small
damage 8
expect "another version" 3 'of format 255, and Heddle .* reads format 1: write' -- \
    resume damaged.checkpoint -- "$bfs" --size small
expect "another program" 3 "is of the OpenCL program 'bfs', not of 'floyd'" -- \
    resume bfs.checkpoint -- "$opencl/floyd" --size small
expect "other arguments" 3 "is of 'bfs --size small', not of 'bfs --size medium'" -- \
    resume bfs.checkpoint -- "$bfs" --size medium
cp "$bfs" bfs
printf x >>bfs
expect "a program that was built anew" 3 "'bfs' has changed since the checkpoint" -- \
    resume bfs.checkpoint -- ./bfs --size small
expect "another number of GPUs" 3 'with 1 GPU (--gpu), and there are 2: resume' -- \
    resume bfs.checkpoint -g k20 -- "$bfs" --size small
printf '"%s" --size small\n' "$bfs" "$bfs" >twice
expect "a second process" 3 'is a second process that uses a GPU' -- \
    resume bfs.checkpoint -- sh ./twice
expect "behind the first nothing is written" 3 'is a second process' \
    'no checkpoint was written to .*two.checkpoint: .* bfs_level 7 times' -- \
    exec_it --checkpoint two.checkpoint --checkpoint-after bfs_level:9 -- \
    sh ./twice
if [ -x "$build/heddle-behave" ]; then
    behave=$build/heddle-behave
    expect "a child that launches" 3 'a forked child of the program launches' -- \
        exec_it --checkpoint a.checkpoint --checkpoint-after twice:3 -- \
        "$behave" twice finish fork twice finish
    expect "a launch that fails" 3 "launch 1 of 'fault' failed before it" -- \
        exec_it --checkpoint a.checkpoint --checkpoint-after twice:2 -- \
        "$behave" twice finish fault finish twice finish
fi
# A program that does otherwise each time: it does what its input says.
if [ -x "$build/heddle-changes" ]; then
    again() { resume c.checkpoint -- "$build/heddle-changes" input; }
    echo 1 5 64 >input
    expect "a program that reads a file" 0 'after launch 3 of the program' -- \
        exec_it --checkpoint c.checkpoint --checkpoint-after add:3 -- \
        "$build/heddle-changes" input
    expect "with the same input" 0 '^sum 9, before 7$' -- again
    echo 2 5 64 >input
    expect "with other arguments of a kernel" 3 \
        "after 0 launches the program launches 'add' .* then launches 'add'" -- \
        again
    echo 1 6 64 >input
    expect "with other data" 3 'the program copies 256 bytes with hash' -- again
    echo 1 5 32 >input
    expect "with another grid" 3 \
        "after 2 launches the program launches 'add' (grid" -- again
fi

# ---- Files that cannot be written ----
write() {
    exec_it --checkpoint "$1" --checkpoint-after "$2" -- "$bfs" --size small
}
expect "no such folder" 1 'cannot write the checkpoint /no/such: No such' -- \
    write /no/such bfs_level
expect "a full disk" 3 'cannot write the checkpoint /dev/full: No space left' -- \
    write /dev/full bfs_level
cp bfs.checkpoint kept.checkpoint
expect "a kernel that never runs" 3 \
    "ended before launch 1 of 'nothing'; it launched bfs_level 7 times" -- \
    write bfs.checkpoint nothing
expect "or not so often" 3 "ended before launch 8 of 'bfs\*'; it launched" -- \
    write bfs.checkpoint 'bfs*:8'
expect "what was there is still there" 0 -- cmp bfs.checkpoint kept.checkpoint
expect "and nothing else" 1 -- sh -c 'ls | grep part'
expect "a program that uses no GPU" 3 'no checkpoint was written to .*true' -- \
    exec_it --checkpoint-after a -- true

# ---- Options ----
for option in --sample '--timed a' '--skip-launches 1' '--max-launches 1'; do
    # shellcheck disable=SC2086  # words
    expect "not with $option" 2 'nothing is timed: leave out' -- \
        exec_it $option --checkpoint-after a -- "$bfs"
done
expect "both" 2 'leave it out, or --resume' -- \
    exec_it --checkpoint-after a --resume bfs.checkpoint -- "$bfs"
expect "no kernel" 2 'which is missing' -- exec_it --checkpoint a -- "$bfs"
expect "no number" 2 'is not like gemm, gemm:3' -- \
    exec_it --checkpoint-after a:0 -- "$bfs"
expect "no single launch" 2 'is not like gemm, gemm:3' -- \
    exec_it --checkpoint-after a:2-4 -- "$bfs"
expect "resumed without timing" 0 ' PASS' -- \
    exec_it --functional --resume bfs.checkpoint -- "$bfs" --size small
expect "launches have their numbers" 0 ' PASS' -- exec_it -f json -o one.json \
    --timed bfs_level:5 --resume bfs.checkpoint -- "$bfs" --size small
expect "so the second is timed" 0 '^1$' -- jq '[.processes[0].launches[] |
    .functional | not] | index(true)' one.json
expect "sampled" 0 ' PASS' 'resumed from' -- \
    exec_it --sample --resume bfs.checkpoint -- "$bfs" --size small
expect "the same by any number of threads" 0 -- sh -c "
    for n in 1 2; do
        '$heddle' exec -q --threads \$n -f csv -o \$n.csv --resume \
            bfs.checkpoint -- '$bfs' --size small >/dev/null || exit 1
        sed 's/,[^,]*$//; s/^[0-9]*,//' \$n.csv >\$n.txt
    done
    cmp 1.txt 2.txt"
finish
