#!/bin/sh
# tests/run/curand_api.sh - cuRAND's types and values are those of the vendor's
# headers, and all of its functions are there. Needs a toolkit.
. "$(dirname "$0")/../lib.sh"
need_heddle
cd "$tmp" || exit 1

nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
include=${CUDA_HOME:-$(dirname "$(dirname "$nvcc")")}/include
library=$(dirname "$heddle")/libheddle-curand.so
for needed in cc c++ nm; do
    command -v $needed >/dev/null || {
        skip curand_api "no $needed"
        finish
    }
done
if [ ! -e "$include/curand.h" ] || [ ! -e "$library" ]; then
    skip curand_api "no CUDA toolkit with cuRAND, or no library of ours"
    finish
fi

# What to print, by the names that both have.
{
    sed -n 's/^STATUS(\([A-Z_]*\),.*/VALUE(CURAND_STATUS_\1)/p' \
        "$root/src/curand/rand_status.def"
    sed -n 's/^ *\(CURAND_[A-Z0-9_]*\) = .*/VALUE(\1)/p' \
        "$root/src/curand/rand_api.h"
    for field in self_host_ptr M2 host_M2 stddev mean method host_gen; do
        echo "FIELD(curandDiscreteDistribution_st, $field)"
    done
    for field in histogram host_histogram shift length host_gen; do
        echo "FIELD(curandDistributionM2Shift_st, $field)"
    done
    for field in V host_V K host_K host_gen; do
        echo "FIELD(curandHistogramM2_st, $field)"
    done
    for type in 'struct curandDiscreteDistribution_st' curandGenerator_t \
        'struct curandDistributionM2Shift_st' 'struct curandHistogramM2_st' \
        curandDirectionVectors32_t curandDirectionVectors64_t; do
        echo "SIZE($type)"
    done
} >list
cat >print.c <<'END'
#include <stddef.h>
#include <stdio.h>
#define VALUE(name)       printf("%s %d\n", #name, (int)name);
#define FIELD(type, name) printf("%s.%s %d\n", #type, #name, (int)offsetof(struct type, name));
#define SIZE(type)        printf("%s %d\n", #type, (int)sizeof(type));
int main(void)
{
#include "list"
    return 0;
}
END
expect "ours compiles" 0 -- cc -std=gnu11 -I "$root/src" \
    -include curand/rand_api.h -o ours print.c
expect "the vendor's have all of it" 0 -- c++ -w -I "$include" -x c++ \
    -include curand.h -include curand_discrete.h -o vendor print.c
./ours >ours.txt
./vendor >vendor.txt
expect "enough is compared" 0 -- test "$(wc -l <ours.txt)" -gt 50
expect "all is the same" 0 -- diff ours.txt vendor.txt

# Binomial distributions are declared, but in no library of the vendor's.
sed -n 's/^\(curand[A-Z][A-Za-z0-9]*\)(.*/\1/p' "$include/curand.h" |
    grep -v Binomial | sort -u >declared
nm -D --defined-only "$library" | sed 's/.* //' | sort -u >exported
expect "the vendor's functions are known" 0 -- \
    test "$(wc -l <declared)" -gt 20
comm -23 declared exported >lacking
expect "all of them are there" 0 -- test ! -s lacking
finish
