# shellcheck shell=sh disable=SC2154
# bench/kernels.sh - sourced by the scripts of this folder: which kernels are
# measured, their inputs, and one run of them. The caller sets $gpu, and $bin,
# the folder of a build.

# What is asked for at full size, with one thread: warp instructions a second
# at least, host instructions for each at most.
compute='{"goal_rate": 1000000, "goal_host": 3000}'
memory='{"goal_rate": 600000, "goal_host": 5000}'
none='{"goal_rate": null, "goal_host": null}'

# kernels NAME...: those, or all: name, full size, small size, goals
kernels() {
    while read -r kernel_row; do
        case " $* " in
        "  " | *" ${kernel_row%% *} "*) echo "$kernel_row" ;;
        esac
    done <<W
sgemm 256 64 $compute
vecadd 1048576 65536 $memory
spmv 32768 2048 $memory
spmv_vector 32768 2048 $none
bfs 65536 4096 $memory
W
}

# check_kernels SCRIPT NAME...: ends if there is none of that name
check_kernels() {
    kernels_of=$1
    shift
    for kernel_name; do
        [ -n "$(kernels "$kernel_name")" ] || {
            echo "$kernels_of: no kernel '$kernel_name'; there are" \
                "$(kernels | sed 's/ .*//' | tr '\n' ' ')" >&2
            exit 2
        }
    done
}

# build_release LOG TARGET...: the working tree, in build/release
build_release() {
    build_log=$1
    shift
    {
        cmake --preset release && cmake --build build/release --target "$@"
    } >"$build_log" 2>&1 || {
        tail -n 30 "$build_log" >&2
        exit 1
    }
}

# generate NAME SIZE DIR: inputs, the launch file and what is expected
generate() {
    generate_ptx=$PWD/workloads/$1/ptx/clang14-cuda.ptx
    [ -e "$generate_ptx" ] ||
        generate_ptx=$PWD/workloads/$1/ptx/clang14-opencl.ptx
    "$bin/heddle-workload" gen "$1" --size "$2" --out "$3" \
        --program "$generate_ptx"
}

# simulate UNDER DIR OPTION...: heddle under a command, given as words
simulate() {
    simulate_under=$1 simulate_dir=$2
    shift 2
    # shellcheck disable=SC2086  # words
    $simulate_under "$bin/heddle" run --gpu "$gpu" --quiet \
        --launch "$simulate_dir/launch.yaml" "$@"
}

# counts DIR: what the run does, all launches together
counts() {
    simulate '' "$1" --format json | jq -c '[.launches[].counters] as $counters
        | def sum(key): [$counters[] | .[key]] | add;
        {cycles: ([.launches[].cycles] | add),
         warp_insts: sum("sm[*].warp_insts"),
         transactions: (sum("sm[*].tx_loads") + sum("sm[*].tx_stores") +
                        sum("sm[*].tx_atomics"))}'
}

callgrind='valgrind --tool=callgrind --callgrind-out-file=/dev/null'

# callgrind_sum: of what callgrind says of each process, on standard input
callgrind_sum() {
    awk '/Collected :/ { n += $NF } END { print n ? n : "null" }'
}

# host_insts DIR OPTION...: host instructions of one thread. valgrind has no
# room for memory of 80 GB; its size changes nothing.
host_insts() {
    [ "$gpu" = v100 ] || set -- "$@" --set gpu.global_bytes=8G
    simulate "$callgrind" "$@" --threads 1 2>&1 >/dev/null | callgrind_sum
}

# What host instructions depend on besides the program, as text: compiler and
# options of $bin, and the vector code that runs under valgrind.
built_how() {
    built_cache=$bin/CMakeCache.txt
    built_flags=$(sed -n 's/^CMAKE_C_FLAGS_RELEASE:[^=]*=//p' "$built_cache")
    built_lto=$(sed -n 's/^CMAKE_INTERPROCEDURAL_OPTIMIZATION:[^=]*=//p' \
        "$built_cache")
    echo "$("$bin/heddle" --version | sed 's/^[^(]*(//; s/)$//'), $(
    )$built_flags, LTO ${built_lto:-OFF}, $(
        if grep -qw avx2 /proc/cpuinfo; then echo AVX2; else echo SSE2; fi)"
}
