#!/bin/sh
# tests/run/input.sh - files that are not there, cannot be read, are empty or
# something else: every command says so in one error, with the same status.
. "$(dirname "$0")/../lib.sh"
need_heddle
cd "$tmp" || exit 1
cp "$root/workloads/vecadd/ptx/clang14-cuda.ptx" k.ptx

# Every way to name a file, with @ for it: kernels, then the others.
cat >kernels <<'END'
run @
compile @
asm @
disasm @
compare scheduler @
diff k.ptx @
END
cat >others <<'END'
run --launch @
run --gpu @ k.ptx
run k.ptx --launch @
compile --gpu @ k.ptx
suite run @
suite list @
compare --from @
compare --gpu @ scheduler k.ptx
cost @
probe --gpu @ caches
sweep @
sweep list @
sweep status @
sweep table @
sweep merge @
sweep worker @
results list @
results table @
results sql @ select
results export @ run
results merge out.db @
report @ -o page.html
config show @
config check @
config diff v100 @
config explain --gpu @ l1.ways
END

# each NAME CODE WAYS FILE [PATTERN]: all the ways of the list end with CODE and
# a single error.
each() {
    each_name=$1 each_code=$2 each_file=$4 each_pattern=${5-error: }
    while read -r way; do
        # shellcheck disable=SC2046  # words
        expect "$each_name: heddle $way" "$each_code" "$each_pattern" -- \
            "$heddle" $(printf %s "$way" | sed "s|@|$each_file|")
        errors=$(grep -c 'error: ' "$out")
        expect "heddle $way of it: one error, not $errors" 0 -- \
            test "$errors" = 1
    done <"$3"
}

: >empty
printf '#include <stdio.h>\nint main(void)\n{\n    return 0;\n}\n' >host.c
mkdir folder
for list in kernels others; do
    each "missing" 3 $list ./none
    each "a folder" 3 $list ./folder
    each "cannot be read" 3 $list /proc/self/mem
done
each "empty" 4 kernels ./empty 'empty'
each "empty" 3 others ./empty
each "another type" 4 kernels ./host.c 'C or C++ source.*heddle exec'
each "another type" 3 others ./host.c
expect "a program that is not there" 127 'No such file' -- \
    "$heddle" exec -- ./none
expect "a source as a program" 126 'C or C++ source' -- \
    "$heddle" exec -- ./host.c
expect "the codes are in the manual" 0 'file that is named cannot be read' -- \
    "$heddle" doc manual

# What it is, from its first bytes, its name or words in it; what to do.
kind() { # NAME FILE PATTERN...: as a kernel it is refused, in one line
    kind_name=$1 kind_file=$2
    shift 2
    expect "$kind_name as a kernel" 4 "^$kind_file: error: this is no kernel" \
        "$@" -- "$heddle" run "$kind_file"
    expect "$kind_name: in one line" 0 -- test "$(wc -l <"$out")" = 1
}
kind "a program" "$heddle" 'executable.*CUDA or OpenCL' \
    "heddle exec -- '\{0,1\}$heddle.*heddle watch -- '\{0,1\}$heddle"
printf '__global__ void f(int *p) { *p = 1; }\n' >'my kernel.cu'
kind "CUDA C" 'my kernel.cu' "ptxcc 'my kernel.cu' -o 'my kernel'.ptx"
cp 'my kernel.cu' noname
kind "CUDA C without a suffix" noname 'it is CUDA C'
cp 'my kernel.cu' wrong.ptx
kind "CUDA C called PTX" wrong.ptx 'it is CUDA C'
printf '__kernel void f(__global int *p) { *p = 1; }\n' >f.cl
kind "OpenCL C" f.cl 'it is OpenCL C' 'ptxcc f.cl -o f.ptx'
printf 'launches: [{kernel: f}]\n' >l.yaml
kind "a launch file" l.yaml 'heddle run --launch l.yaml'
printf 'extends: v100\n' >g.yaml
kind "a configuration" g.yaml 'option: --gpu g.yaml'
gzip -k k.ptx
kind "something compressed" k.ptx.gz 'gunzip -k k.ptx.gz'
printf 'PK\003\004rest' >a.zip
kind "a ZIP archive" a.zip 'unzip'
printf '\177ELF\002\001\001\000\000\000\000\000\000\000\000\000\002\000\276\000' \
    >k.cubin
expect "a cubin that is cut off" 4 \
    '^k.cubin: error: the file is damaged: .* make it again with nvcc' -- \
    "$heddle" run k.cubin
printf '\120\355\125\272\001\000' >k.fatbin
expect "a fatbin that is cut off" 4 \
    'k.fatbin: the container of GPU code is corrupt or truncated' -- \
    "$heddle" run k.fatbin
printf 'BC\300\336rest' >k.bc
kind "bitcode" k.bc 'llc -march=nvptx64'
printf '\003\002\043\007rest' >k.spv
kind "SPIR-V" k.spv 'SPIR-V'
printf '<!DOCTYPE html>\n<html></html>\n' >page
kind "a web page" page 'HTML'
printf '%%PDF-1.7\n' >page.pdf
kind "a PDF" page.pdf 'PDF'
printf '\000\001\002' >bytes
kind "bytes" bytes 'binary data'
printf 'hello\n' >readme
kind "a text" readme 'it is a text'
: >nothing.ptx
kind "nothing" nothing.ptx 'it is empty'

# The other way round.
expect "PTX as a launch file" 3 'no launch file: it is PTX' \
    'heddle run k.ptx' -- "$heddle" run --launch k.ptx
expect "PTX as a plan" 3 'no plan of a sweep: it is PTX' -- \
    "$heddle" sweep k.ptx
expect "a launch file as a GPU" 3 'no configuration.*launch file' -- \
    "$heddle" config check ./l.yaml
expect "a cubin as assembly" 4 'machine code.*heddle run k.cubin' -- \
    "$heddle" asm k.cubin
expect "PTX as assembly" 4 'no assembly: it is PTX' -- "$heddle" asm k.ptx
expect "PTX as a program" 126 'no program: it is PTX' -- \
    "$heddle" exec -- ./k.ptx

# Not more is refused than what is something else.
expect "an error on the first line of assembly has its place" 4 \
    's.sass:1:1: error' -- sh -c "echo FOO >s.sass && '$heddle' asm s.sass"
printf '/* a */ // b\n# c\n.arch volta\n.kernel k\n    EXIT;\n.end\n' >odd.c
expect "assembly, whatever its name" 0 -- "$heddle" run odd.c
cp k.ptx ptx.txt
expect "PTX, whatever its name" 0 -- "$heddle" compile ptx.txt
expect "PTX from a pipe" 0 -- sh -c "'$heddle' compile - <k.ptx"
printf '{"launches": [{"kernel": "k"}]}\n' >l.json
expect "JSON is YAML" 0 -- "$heddle" run odd.c --launch l.json
finish
