# shellcheck shell=sh
# tools/clang.sh - sourced by tools that compile kernels: which clang with
# which libclc. The rules are those of the OpenCL driver
# (src/opencl/program/toolchain.c, which also has the places): a clang reads libclc of
# its own version and mostly of older ones, never of newer ones. The caller
# sets $clang_root to the repository's root.
: "${clang_root:?}"
clang_oldest=14 clang_newest=24

# The texts of an array of toolchain.c; %u is a version.
clang_places() { # NAME
    sed -n "/char \*const $1\[\] = {/,/};/s/^ *\"\(.*\)\",*\$/\1/p" \
        "$clang_root/src/opencl/program/toolchain.c"
}

clang_versions() { seq "$clang_oldest" "$clang_newest"; }

# The program of clang N; fails if there is none.
clang_program() { # N
    for clang_place in $(clang_places clang_places); do
        command -v "$(echo "$clang_place" | sed "s/%u/$1/")" && return
    done
    return 1
}

# N of every clang that is here.
clang_installed() {
    for clang_n in $(clang_versions); do
        ! clang_program "$clang_n" >/dev/null || echo "$clang_n"
    done
}

# N of "LLVM N.x.y" in the head of bitcode, whose letters have six bits each.
libclc_version() { # FILE
    od -An -v -tu1 -N128 "$1" 2>/dev/null | tr -s ' ' '\n' | grep . | awk '
        { for (i = 0; i < 8; i++) bit[n++] = int($1 / 2 ^ i) % 2 }
        function letter(at,    v, i) {
            for (i = 0; i < 6; i++) v += bit[at + i] * 2 ^ i
            return v
        }
        END {
            for (at = 32; at + 48 < n; at++) {
                if (letter(at) != 37 || letter(at + 6) != 37 ||
                    letter(at + 12) != 47 || letter(at + 18) != 38)
                    continue
                for (at += 24; letter(at) >= 52 && letter(at) < 62; at += 6)
                    v = v letter(at) - 52
                print v
                exit
            }
        }'
}

# N of ".../llvm-N/bin/clang" or ".../clang-N", links followed.
clang_version() { # PROGRAM
    readlink -f "$(command -v "$1")" |
        sed -n 's|.*/llvm-\([0-9]*\).*|\1|p; t; s|.*/clang-\([0-9]*\).*|\1|p'
}

# "VERSION FILE" of every libclc that is installed, or of HEDDLE_LIBCLC.
clang_libclcs() {
    if [ -n "${HEDDLE_LIBCLC-}" ]; then
        echo "$HEDDLE_LIBCLC"
    else
        clang_places libclc_places | while read -r clang_place; do
            case $clang_place in
            *%u*)
                for clang_n in $(clang_versions); do
                    echo "$clang_place" | sed "s/%u/$clang_n/"
                done
                ;;
            *) echo "$clang_place" ;;
            esac
        done
    fi | while read -r clang_file; do
        [ ! -r "$clang_file" ] ||
            echo "$(libclc_version "$clang_file") $clang_file"
    done | grep '^[0-9]'
}

# Sets $clang and $libclc; fails, with both as far as they are known, if no
# clang fits. HEDDLE_CLANG has its say.
clang_pair() {
    clang=${HEDDLE_CLANG-} libclc=''
    clang_all=$(clang_libclcs) || return 1
    if [ -n "$clang" ]; then
        clang_own=$(clang_version "$clang")
        libclc=$(echo "$clang_all" | sort -n | while read -r clang_n clang_file
        do
            [ "$clang_n" -gt "${clang_own:-$clang_newest}" ] ||
                echo "$clang_file"
        done | tail -n 1)
        [ -n "$libclc" ]
        return
    fi
    for clang_how in same newer; do
        while read -r clang_n clang_file; do
            libclc=$clang_file
            [ $clang_how = same ] && clang_most=$clang_n ||
                clang_most=$clang_newest
            for clang_n in $(seq "$clang_n" "$clang_most"); do
                clang=$(clang_program "$clang_n") && return
            done
        done <<P
$clang_all
P
    done
    return 1
}
