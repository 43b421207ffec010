#!/bin/sh
# tests/hardware/measure.sh [CC] - on a machine with an NVIDIA GPU: builds the
# runner with any C compiler and writes device.txt beside this file, which the
# tests then compare with. Needs the driver, no toolkit. Results with every bit
# go to the file that RESULTS names, if it does; FORMS names another than
# device.txt. measure_device.sh measures times, too.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
to=${FORMS:-$here/device.txt}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
"${1:-cc}" -std=gnu11 -O2 -D_GNU_SOURCE -o "$tmp/runner" "$here"/cu.c "$here"/form.c \
    "$here"/forms_*.c "$here"/input.c "$here"/judge.c "$here"/number.c \
    "$here"/runner.c -lm -ldl
"$tmp/runner" "$tmp/forms" ${RESULTS:+"$RESULTS"}
{
    head -1 "$tmp/forms"
    printf '# measured on hardware, driver %s, %s\n' \
        "$(nvidia-smi --query-gpu=driver_version --format=csv,noheader |
            head -1)" "$(date -u +%Y-%m-%d)"
    tail -n +2 "$tmp/forms"
} >"$to"
awk '/^#/ { print; next } { n++ } $5 { print "differs: " $0; bad++ }
    /^-/ { print "refused: " $0; no++ }
    END { printf "%d forms, %d differ, %d refused\n", n, bad, no }' \
    "$to"
