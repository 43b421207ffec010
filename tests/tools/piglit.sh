#!/bin/sh
# tests/tools/piglit.sh - tools/piglit finds tests, runs them, and knows which
# failures docs/conformance.md has. With a piglit of our own, of scripts.
. "$(dirname "$0")/../lib.sh"
need_heddle
if [ ! -e "$(dirname "$heddle")/libheddle-opencl.so" ]; then
    skip piglit "no OpenCL headers when it was built"
    finish
fi
fake=$tmp/piglit
mkdir -p "$fake/bin" "$fake/tests/cl" "$fake/generated_tests/cl"

program() { # NAME RESULT
    printf '#!/bin/sh\necho started "$@"\necho '\''PIGLIT: {"result": "%s" }'\''\n' \
        "$2" >"$fake/bin/$1"
    chmod +x "$fake/bin/$1"
}
program cl-good pass
program cl-known fail
program cl-left-out fail
program cl-program-tester skip
printf '#!/bin/sh\nexec sleep 60\n' >"$fake/bin/cl-slow"
printf '#!/bin/sh\nkill -SEGV $$\n' >"$fake/bin/cl-dies"
chmod +x "$fake/bin/cl-slow" "$fake/bin/cl-dies"
touch "$fake/tests/cl/some.cl" "$fake/tests/cl/other.cl"
# As piglit has it, without an end of the line.
printf '%s' '<?xml?><PiglitTestList><Test type="cl" name="api@good &amp; fine">' \
    '<option name="command" value="['\''cl-good'\'', '\''-x'\'']" /></Test>' \
    '<Test type="cl" name="api@clgetdeviceinfo"><option name="command" ' \
    'value="['\''cl-known'\'']" /></Test>' \
    '<Test type="cl" name="api@slow"><option name="command" ' \
    'value="['\''cl-slow'\'']" /></Test>' \
    '<Test type="cl" name="api@dies"><option name="command" ' \
    'value="['\''cl-dies'\'']" /></Test>' \
    '<Test type="cl_prog" name="program@some"><option name="filename" ' \
    'value="'\''tests/cl/some.cl'\''" /></Test></PiglitTestList>' |
    gzip >"$fake/tests/cl.xml.gz"
run() { "$root/tools/piglit" --piglit "$fake" --heddle "$heddle" "$@"; }

expect "no piglit" 77 '^piglit: skipped: it is not installed' -- \
    "$root/tools/piglit" --piglit "$tmp/nowhere"
expect "help" 0 '^usage: tools/piglit' -- "$root/tools/piglit" --help
expect "no such option" 2 "unknown option '--besides'" -- run --besides x
expect "no such driver" 2 "no driver 'nobody'" -- run --beside nobody
expect "no such test" 2 'no test matches: x' -- run x
expect "the profile, and what it leaves out" 0 '^api@good & fine$' \
    '^program@some$' '^other@cl-left-out$' '^other@tests/cl/other.cl$' -- \
    run --list
expect "each once" 0 -- test "$(wc -l <"$out")" = 7
expect "a failure that is known" 0 '^api@clgetdeviceinfo: fail$' \
    '^  wants .CL_DEVICE_OPENCL_C_VERSION' \
    '^heddle: 2 tests, 1 pass, 0 skip, 1 fail, 1 of them known$' -- \
    run --out "$tmp/kept" 'api@[cg]*'
expect "what a test wrote is kept" 0 '^started -x$' -- \
    sh -c "cat '$tmp/kept/heddle/'*.txt"
expect "others are errors" 1 '^other@cl-left-out: fail$' 'NEW: docs/conf' \
    '^api@slow: timeout$' '^api@dies: crash$' \
    '^heddle: 7 tests, 1 pass, 2 skip, 4 fail, 1 of them known$' -- \
    run --timeout 2
echo /no/such.so >"$tmp/some.icd"
expect "beside another" 1 '^other@cl-left-out: fail, beside it: fail$' \
    '^.*some.icd: 1 tests, 0 pass, 0 skip, 1 fail$' -- \
    run --beside "$tmp/some.icd" 'other@cl*'
finish
