#!/bin/sh
# tests/run/install.sh - what `cmake --install` and the Debian package put where,
# and whether the commands of the README run from there.
. "$(dirname "$0")/../lib.sh"
need_heddle

expect "installs" 0 -- \
    cmake --install "$(dirname "$heddle")" --prefix "$tmp/usr"
expect "the command runs" 0 'v100' -- "$tmp/usr/bin/heddle" list gpus
for file in man/man1/heddle.1* man/man1/heddle-run.1* bash-completion/completions/heddle \
    zsh/vendor-completions/_heddle fish/vendor_completions.d/heddle.fish \
    heddle/configs/v100.yaml heddle/probes/timed.sass doc/heddle/LICENSE; do
    # Of manual pages some have .gz behind them.
    expect "$file is there" 0 -- sh -c "test -s '$tmp/usr/share/'$file"
done
if [ -e "$(dirname "$heddle")/libheddle-opencl.so" ]; then
    expect "exec finds the driver" 0 'used neither OpenCL nor CUDA' -- \
        "$tmp/usr/bin/heddle" exec -q true
fi
for file in libheddle-cuda.so cuda/libcudart.so.12 cuda/libcuda.so.1 \
    libheddle-preload.so libheddle-cublas.so cuda/libcublas.so.12; do
    expect "$file is there" 0 -- \
        sh -c "test -e '$tmp'/usr/lib*/heddle/$file ||
            test -e '$tmp'/usr/lib/*/heddle/$file"
done
expect "a preset is read from its file as from the command" 0 -- \
    sh -c "'$heddle' config show --canonical v100 >'$tmp/inside' &&
        '$heddle' config show --canonical \
            '$tmp/usr/share/heddle/configs/v100.yaml' | cmp - '$tmp/inside'"

# The package, unpacked into a folder.
build=$(dirname "$heddle")
if ! command -v dpkg-deb >/dev/null || ! command -v dpkg-shlibdeps >/dev/null; then
    skip "the Debian package" "no dpkg-dev"
    finish
fi
if [ ! -e "$build/workloads/vecadd" ]; then
    skip "the Debian package" "the programs are not built"
    finish
fi
pack() { cd "$build" && cpack -G DEB -B "$tmp/deb"; }
expect "is packed" 0 -- pack
deb=$(find "$tmp/deb" -maxdepth 1 -name 'heddle_*_*.deb')
lib=$(find "$tmp/deb" -maxdepth 1 -name 'libheddle1_*_*.deb')
dev=$(find "$tmp/deb" -maxdepth 1 -name 'libheddle-dev_*_*.deb')
python=$(find "$tmp/deb" -maxdepth 1 -name 'python3-heddle_*_all.deb')
expect "four packages" 0 -- test -s "$deb" -a -s "$lib" -a -s "$dev" -a -s "$python"
field() { dpkg-deb -f "${2-$deb}" "$1"; }
has() { dpkg-deb -c "$1"; } # its files
lacks() { ! dpkg-deb -c "$1" | grep -e "$2"; }
expect "the library" 0 '/libheddle.so.1[.0-9]*$' '/libheddle.so.1 -> ' \
    'doc/libheddle1/copyright' 'doc/libheddle1/changelog.Debian.gz' -- has "$lib"
expect "without its link" 0 -- lacks "$lib" '/libheddle.so ->'
expect "what compiling needs" 0 'include/heddle/heddle.h' '/libheddle.so -> ' \
    'pkgconfig/heddle.pc' 'cmake/Heddle/HeddleConfig.cmake' -- has "$dev"
expect "of the same version" 0 '^libheddle1 (= ' -- field Depends "$dev"
expect "the module" 0 'usr/lib/python3/dist-packages/heddle/__init__.py' \
    'heddle/py.typed' -- has "$python"
expect "what it needs" 0 'libheddle1 (= ' 'python3-numpy' 'python3:any' -- \
    field Depends "$python"
expect "heddle has none of them" 0 -- lacks "$deb" 'libheddle.so\|dist-packages'
expect "programs find it by its name" 0 '^libheddle 1 libheddle1' -- \
    dpkg-deb -I "$lib" shlibs
for n in heddle:science:"$deb" libheddle1:libs:"$lib" libheddle-dev:libdevel:"$dev" \
    python3-heddle:python:"$python"; do
    expect "section of $n" 0 "^$(echo "$n" | cut -d : -f 2)$" -- \
        field Section "${n##*:}"
done
for n in 14 15 16 17 18 19; do
    expect "recommends clang $n" 0 "clang-$n" "libclc-$n" -- field Recommends
done
expect "recommends the loader" 0 'ocl-icd-libopencl1' -- field Recommends
expect "depends on its libraries" 0 'libyaml' 'libxxhash' 'libsqlite3' \
    'libzstd' 'liblz4' -- \
    field Depends
expect "has a description" 0 'GPU simulator' 'OpenCL' -- field Description
dpkg-deb -x "$deb" "$tmp/root"
usr=$tmp/root/usr
expect "is stripped" 1 -- grep -q '\.debug_info' "$usr/bin/heddle"
for file in bin/ptxcc bin/heddle-workload share/doc/heddle/copyright \
    share/doc/heddle/docs/compare.md share/doc/heddle/docs/mechanisms/reod.md \
    share/doc/heddle/examples/kernels share/heddle/workloads/suite.yaml \
    share/heddle/workloads/sgemm/kernel.cu share/man/man1/heddle.1.gz \
    share/man/man1/heddle-explain.1.gz share/doc/heddle/changelog.Debian.gz \
    share/heddle/schemas/run.json; do
    expect "has $file" 0 -- test -s "$usr/$file"
done

expect "no path of the build in it" 1 -- \
    sh -c "readelf -d '$usr/bin/heddle' '$usr'/lib/*/heddle/*.so \
        '$usr'/lib/heddle/*.so 2>/dev/null | grep -E 'R(UN)?PATH' |
        grep -v '\[\$ORIGIN'"

# The commands of the README, from there, in an empty folder.
mkdir "$tmp/here"
there() { (cd "$tmp/here" && env PATH="$usr/bin:/usr/bin:/bin" "$@"); }
expect "makes inputs" 0 -- there \
    heddle-workload gen sgemm --size 64 --out out/sgemm
expect "ptxcc helps" 0 'usage: ' -- there ptxcc --help
if (clang_root=$root && . "$root/tools/clang.sh" && clang_installed) |
    grep -q .; then
    kernel=$usr/share/heddle/workloads/sgemm/kernel
    expect "ptxcc compiles CUDA C" 0 -- \
        there ptxcc "$kernel.cu" -o out/sgemm/kernel.ptx
    expect "what it compiled runs" 0 'c as expected' -- \
        there heddle run --gpu v100 --launch out/sgemm/launch.yaml
    expect "ptxcc compiles OpenCL C" 0 -- \
        there ptxcc "$kernel.cl" -o cl.ptx
    expect "a comparison on the suite's programs" 0 'geometric mean' -- \
        there heddle compare scheduler workloads vecadd --gpu gtx480 -j 2
    expect "a program of the suite" 0 'vecadd *pass' -- \
        there heddle suite run workloads vecadd --gpu gtx480
else
    skip "what needs a compiler" "no clang"
fi
expect "lists the suite by its name" 0 'vecadd' 'sgemm' -- \
    there heddle suite list workloads
finish
