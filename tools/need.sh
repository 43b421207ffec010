# shellcheck shell=sh
# tools/need.sh - sourced by ./demo and ./check: what they need and how to get
# it. `need PACKAGE...` installs the Debian packages whose contents are
# missing; where it cannot, it prints the one command that does and stops. No
# package is ever removed for it.
# shellcheck disable=SC2034  # for clang.sh
clang_root=.
# shellcheck source=tools/clang.sh
. tools/clang.sh

# Is what PACKAGE brings already here, from wherever?
have() {
    case $1 in
    gcc | clang-14 | clang-format-14 | cmake | pkg-config | git | jq | \
        mandoc | shellcheck | valgrind | chromium)
        command -v "$1" ;;
    chromium-driver) command -v chromedriver ;;
    libc6-dev) [ -e /usr/include/stdio.h ] ;;
    ninja-build) command -v ninja ;;
    ocl-icd-opencl-dev)
        [ -e /usr/include/CL/cl.h ] && pkg-config --exists OpenCL ;;
    libyaml-dev) pkg-config --exists yaml-0.1 ;;
    libxxhash-dev) pkg-config --exists libxxhash ;;
    libsqlite3-dev) pkg-config --exists sqlite3 ;;
    libzstd-dev) pkg-config --exists libzstd ;;
    liblz4-dev) pkg-config --exists liblz4 ;;
    libmicrohttpd-dev) pkg-config --exists libmicrohttpd ;;
    liblzma-dev) pkg-config --exists liblzma ;;
    libclang-rt-14-dev)
        [ -e "$(clang-14 --print-file-name=libclang_rt.fuzzer-x86_64.a)" ] ;;
    python3-numpy) /usr/bin/python3 -c 'import numpy' ;;
    *) dpkg-query -W -f '${db:Status-Status}' "$1" | grep -qx installed ;;
    esac >/dev/null 2>&1
}

# Run apt-get as root: directly, or through sudo if that may be used.
as_root() {
    if [ "$(id -u)" = 0 ]; then
        env DEBIAN_FRONTEND=noninteractive "$@"
    elif [ -t 0 ]; then
        sudo env DEBIAN_FRONTEND=noninteractive "$@"
    else
        sudo -n env DEBIAN_FRONTEND=noninteractive "$@"
    fi
}

need() {
    need_list=
    for need_one; do
        have "$need_one" || need_list="$need_list $need_one"
    done
    [ -n "$need_list" ] || return 0
    need_cmd="apt-get install -y --no-remove --no-install-recommends$need_list"
    echo "installing:$need_list" >&2
    # shellcheck disable=SC2086  # the list is words
    if command -v apt-get >/dev/null &&
        { as_root $need_cmd || { as_root apt-get update &&
            as_root $need_cmd; }; } >/dev/null; then
        return 0
    fi
    need_removed=$(removed_for "$need_list")
    if [ -n "$need_removed" ]; then
        echo "they exclude packages that are installed, and nothing is" \
            "removed for them:$need_removed" >&2
        echo "install what is missing in another way, or remove those" \
            "yourself, and start again" >&2
    else
        echo "cannot install them from here; run this and start again:" >&2
        echo "    sudo sh -c 'apt-get update && $need_cmd'" >&2
    fi
    exit 1
}

# What apt-get would remove to install the packages.
removed_for() { # LIST
    # shellcheck disable=SC2086  # the list is words
    apt-get install -s --no-install-recommends $1 2>/dev/null |
        sed -n 's/^Remv \([^ ]*\).*/ \1/p' | tr -d '\n'
}

# Does apt-get know all these packages?
known() {
    for need_one; do
        apt-cache show "$need_one" 2>/dev/null | grep -q '^Package:' ||
            return 1
    done
}

# A clang and a libclc that fit each other, of whatever version from 14 on:
# that of the libclc which is here, else of a clang that is, else the first one
# that can be had. Other OpenCL implementations need their own libclc, which
# excludes all others.
need_clang() {
    clang_pair && return
    if [ -n "$clang_all" ]; then
        need clang-"${clang_all%% *}"
        return
    fi
    for need_n in $(clang_installed) $(clang_versions); do
        known "clang-$need_n" "libclc-$need_n" || continue
        set -- "libclc-$need_n"
        clang_program "$need_n" >/dev/null || set -- "clang-$need_n" "$@"
        need "$@"
        return
    done
    need clang-14 libclc-14
}

# The same, but what cannot be installed is done without: tests skip.
want() {
    (need "$@") || echo "without them some tests are skipped" >&2
}

# What a build needs, and PACKAGE...
need_build() {
    need gcc libc6-dev cmake ninja-build pkg-config libyaml-dev \
        libxxhash-dev libsqlite3-dev libzstd-dev liblz4-dev \
        ocl-icd-opencl-dev "$@"
}
