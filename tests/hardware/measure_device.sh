#!/bin/sh
# tests/hardware/measure_device.sh [OPTION...] - measures the GPU of this machine;
# --help says more.
set -eu
usage() {
    cat <<U
usage: tests/hardware/measure_device.sh [OPTION...]
       tests/hardware/measure_device.sh --build FOLDER

Measures the GPU of this machine, with its driver and a C compiler and nothing else,
and keeps what it finds in FOLDER/DEVICE-DATE (docs/measurements.md):

  about.txt    device, driver, clocks, date
  forms.txt    every form of instruction, as measure.sh beside this file does
  curves.csv   curves of latency and bandwidth, as docs/results/curves.md has them
  kernels.csv  kernels of workloads: microseconds and cycles of a launch
  truth.yaml   the kernels for heddle validate

  --only PART      forms, curves or kernels; may be repeated
  --repeat N       each point and program N times (5)
  --size SIZE      of the programs: small, medium (default) or large
  --ptx COMPILER   whose PTX of the kernels: clang19-cuda (default), nvcc13, clang14-cuda
  --quick          few points, and those of a simulated GPU in minutes
  -o FOLDER        measurements (default)
  --cc CC          the C compiler (cc)
  --build FOLDER   only builds the programs there: heddle validate takes them

Exit status: 0 all measured, 1 some not, or a wrong result, 2 bad option, 77 no GPU.
U
}
fail() {
    echo "measure_device.sh: $*" >&2
    exit 2
}

only='' repeat=5 size=medium ptx=clang19-cuda level=--full out=measurements cc=cc
build='' start=$PWD
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help) usage && exit ;;
    --quick) level=--quick && shift && continue ;;
    --only | --repeat | --size | --ptx | -o | --cc | --build)
        [ $# -gt 1 ] || fail "$1 needs a value; see --help"
        ;;
    *) fail "unknown option '$1'; see --help" ;;
    esac
    case $1:$2 in
    --only:forms | --only:curves | --only:kernels) only="$only $2" ;;
    --only:*) fail "--only is forms, curves or kernels, not '$2'" ;;
    --repeat:*[!0-9]* | --repeat:0* | --repeat:???*)
        fail "--repeat is 1 to 99, not '$2'" ;;
    --repeat:*) repeat=$2 ;;
    --size:small | --size:medium | --size:large) size=$2 ;;
    --size:*) fail "--size is small, medium or large, not '$2'" ;;
    --ptx:*) ptx=$2 ;;
    -o:*) out=$2 ;;
    --cc:*) cc=$2 ;;
    --build:*) build=$2 ;;
    esac
    shift 2
done
case $out in /*) ;; *) out=$start/$out ;; esac
case $build in '' | /*) ;; *) build=$start/$build ;; esac
cd "$(dirname "$0")/../.."
[ -e "workloads/vecadd/ptx/$ptx.ptx" ] ||
    fail "--ptx: there is no workloads/vecadd/ptx/$ptx.ptx"
command -v "$cc" >/dev/null || fail "no C compiler '$cc'; --cc names another"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
here=tests/hardware

compile() { # TO ARGUMENT...
    compile_to=$1
    shift
    "$cc" -std=gnu11 -O2 -D_GNU_SOURCE -I$here -o "$compile_to" "$@" $here/cu.c \
        -lm -ldl
}

# The workloads whose PTX is in the repository, each a program.
build_kernels() { # FOLDER
    mkdir -p "$1/objects"
    for source in workloads/*/ref.c workloads/spmv/csr.c workloads/rig.c \
        workloads/tool/wl.c workloads/tool/npy.c; do
        object=$1/objects/$(echo "$source" | tr / _).o
        "$cc" -std=gnu11 -O2 -D_GNU_SOURCE -Iworkloads -c "$source" -o "$object"
    done
    for from in workloads/*/ptx/"$ptx.ptx"; do
        name=${from#workloads/}
        name=${name%%/*}
        [ ! -e "workloads/$name/main.c" ] ||
            compile "$1/$name" -DRIG_CUDA -DRIG_PTX="\"$from\"" -Iworkloads \
                $here/kernels/rig_driver.c "workloads/$name/main.c" "$1"/objects/*.o
    done
    rm -r "$1/objects"
}

if [ -n "$build" ]; then
    build_kernels "$build"
    exit
fi

compile "$tmp/about" $here/about.c
status=0
"$tmp/about" >"$tmp/about.txt" || status=$?
[ $status = 0 ] || {
    echo "measure_device.sh: nothing is measured without a GPU" >&2
    exit $status
}
device=$(sed -n 's/^device: //p' "$tmp/about.txt")
date=$(date -u +%F)
label=$(echo "$device" | tr '[:upper:]' '[:lower:]' | tr -cs 'a-z0-9\n' - |
    sed 's/^-*//; s/-*$//')
to=$out/$label-$date
mkdir -p "$to"
echo "date: $date" >>"$tmp/about.txt"
cp "$tmp/about.txt" "$to/about.txt"
cat "$to/about.txt"
bad=0

wanted() { case ${only:-$1} in *"$1"*) ;; *) return 1 ;; esac; }

if wanted forms; then
    FORMS=$to/forms.txt sh $here/measure.sh "$cc" || bad=1
fi

if wanted curves; then
    compile "$tmp/curves" -I$here/curves $here/curves/*.c
    "$tmp/curves" $level --repeat "$repeat" >"$tmp/curves.csv" || bad=1
    {
        sed 's/^/# /' "$to/about.txt"
        grep -v '^#' "$tmp/curves.csv"
    } >"$to/curves.csv"
    echo "wrote $to/curves.csv: $(grep -vc '^#' "$to/curves.csv") lines" >&2
fi

# What runs say, "run,program,kernel,launch,us", as a line for each kernel: of the
# mean of its launches in each run the middle, the least and the most.
kernel_table() { # MHZ
    sort -t, -k2,3 -s | awk -F, -v mhz="$1" '
        function done(    i, j, x, n, v) {
            if (key == "") return
            for (i in sum) {
                x = sum[i] / count[i]
                for (j = n++; j && v[j] > x; j--) v[j + 1] = v[j]
                v[j + 1] = x; launches = count[i]
            }
            printf "%s,%d,%.3f,%.3f,%.3f,%.0f\n", key, launches,
                v[int((n + 1) / 2)], v[1], v[n], v[int((n + 1) / 2)] * mhz
            split("", sum); split("", count)
        }
        { if ($2 "," $3 != key) { done(); key = $2 "," $3 }
          sum[$1] += $5; count[$1]++ }
        END { done() }'
}

# The table as truth for heddle validate.
truth() {
    cat <<T
# $device, $date: kernels of workloads as tests/hardware/measure_device.sh found them.
#   tests/hardware/measure_device.sh --build bin --ptx $ptx
#   heddle validate truth.yaml --programs bin
name: $label
device: $device
gpu: $1
programs:
T
    cut -d, -f1 "$to/kernels.csv" | grep -v '^#\|^program$' | uniq |
        while read -r program; do
            printf '  - name: %s\n    run: ["{programs}/%s", --size, %s]\n' \
                "$program" "$program" "$size"
            printf '    from: "tests/hardware/measure_device.sh --build"\n'
        done
    printf 'every_row:\n  source: "measured %s, driver %s"\n  input: same\n' "$date" \
        "$(sed -n 's/^driver: //p' "$to/about.txt")"
    printf '  metric: time_s\n  unit: us\nrows:\n'
    awk -F, '!/^#/ && $1 != "program" {
        printf "  - {name: \"%s %s\", program: %s, kernel: \"%s\", class: %s, " \
            "value: %s}\n", $1, $2, $1, $2, $4 < 20 ? "launch" : "kernel", $4 }' \
        "$to/kernels.csv"
}

# The preset that is nearest.
preset() {
    case $(sed -n 's/^compute capability: //p' "$to/about.txt") in
    2.*) echo gtx480 ;;
    3.*) echo k20 ;;
    *) echo v100 ;;
    esac
}

if wanted kernels; then
    build_kernels "$tmp/bin"
    [ -e "$tmp/curves" ] || compile "$tmp/curves" -I$here/curves $here/curves/*.c
    export CUDA_MODULE_LOADING=EAGER
    [ -n "${RIG_WARM_MS-}" ] || { [ $level = --quick ] || export RIG_WARM_MS=100; }
    mhz=$("$tmp/curves" --curve clock --repeat "$repeat" |
        sed -n 's/^clock,,1,//p') || bad=1
    : >"$tmp/times"
    for program in "$tmp"/bin/*; do
        run=0
        while [ $run -lt "$repeat" ]; do
            run=$((run + 1)) status=0
            : >"$tmp/run"
            RIG_TIMES=$tmp/run "$program" --size "$size" >"$tmp/said" 2>&1 ||
                status=$?
            case $status in
            0) sed "s/^/$run,/" "$tmp/run" >>"$tmp/times" ;;
            77) cat "$tmp/said" >&2 && break ;;
            *) bad=1 && cat "$tmp/said" >&2 && break ;;
            esac
        done
    done
    {
        sed 's/^/# /' "$to/about.txt"
        echo "# size: $size, PTX: $ptx, runs: $repeat, clock measured, MHz: ${mhz:-0}"
        echo "program,kernel,launches,median_us,min_us,max_us,cycles"
        kernel_table "${mhz:-0}" <"$tmp/times"
    } >"$to/kernels.csv"
    truth "$(preset)" >"$to/truth.yaml"
    awk -F, '!/^#/ { printf "%-14s %-22s %8s %12s %12s %12s %12s\n", $1, $2, $3, $4,
        $5, $6, $7 }' "$to/kernels.csv"
fi
echo "measured: $to" >&2
exit $bad
