#!/bin/sh
# tests/tools/pyopencl.sh - tools/pyopencl finds tests, runs them, and knows which
# failures docs/conformance.md has. With a PyOpenCL of our own, of scripts, and
# with a test of our own on the real one if it is here.
. "$(dirname "$0")/../lib.sh"
need_heddle
if [ ! -e "$(dirname "$heddle")/libheddle-opencl.so" ]; then
    skip pyopencl "no OpenCL headers when it was built"
    finish
fi

# ---- A Python whose tests end as they are called ----

fake=$tmp/fake
mkdir -p "$fake/test" "$fake/empty"
touch "$fake/test/test_wrapper.py"
cat >"$fake/python" <<'E'
#!/bin/sh
device="<context factory for <pyopencl.Device '$$' on 'some'>>"
ends() { echo; echo "$1 in 0.12s"; exit "$2"; }
case $* in
*sys.executable*) echo "$0" ;;
*VERSION_TEXT*) echo 1.2.3 ;;
*--collect-only*)
    if [ -e test_broken.py ]; then
        echo 'ERROR test_broken.py - NameError'
        ends '1 error' 2
    fi
    for each in 'good[DEV]' 'good[DEV--1]' 'good[DEV-1]' 'good[DEV-a b]' \
        "lonely[<pyopencl.Platform 'some'>]" plain 'known[DEV]' 'new[DEV]' \
        'skips[DEV]' 'xfails[DEV]' 'slow[DEV]' 'dies[DEV]' 'dies_late[DEV]'; do
        echo "$each" | sed "s/^/test_a.py::test_/; s/DEV/$device/"
    done
    ends '11 tests collected' 0
    ;;
*test_good* | *test_lonely* | *test_plain*)
    echo "$XDG_CACHE_HOME of $*"
    ends '1 passed, 2 warnings' 0
    ;;
*test_known* | *test_new*) ends '1 failed' 1 ;;
*test_skips*) ends '1 skipped' 0 ;;
*test_xfails*) ends '1 xfailed' 0 ;;
*test_slow*) exec sleep 60 ;;
*test_dies_late*) (ends '1 passed' 0); kill -SEGV $$ ;;
*test_dies*) echo dying; kill -SEGV $$ ;;
esac
E
chmod +x "$fake/python"
cat >"$fake/known.md" <<'E'
## piglit
| `test_a.py::test_new` | of another suite |
## PyOpenCL
| test | why it fails |
|---|---|
| `test_a.py::test_known` | the moon is full |
| `test_a.py::test_good[-1]` | once upon a time |
## Others
| `test_a.py::test_new` | of another suite |
E
run() {
    "$root/tools/pyopencl" --python "$fake/python" --tests "$fake/test" \
        --heddle "$heddle" --known "$fake/known.md" "$@"
}

expect "no Python" 77 'skipped: /nowhere has not all of.*python3-pyopencl' -- \
    "$root/tools/pyopencl" --python /nowhere
expect "no tests" 77 'skipped: no tests in .*empty:.*PyOpenCL 1.2.3.*--tests' \
    -- "$root/tools/pyopencl" --python "$fake/python" --tests "$fake/empty"
expect "help" 0 '^usage: tools/pyopencl' -- "$root/tools/pyopencl" --help
expect "no such option" 2 "unknown option '--besides'" -- run --besides x
expect "no such test" 2 'no test matches: x' -- run x
expect "what was where, or nothing" 2 '--resume needs .*--out' -- run --resume
expect "names without the device" 0 '^test_a.py::test_good$' \
    '^test_a.py::test_good\[-1\]$' '^test_a.py::test_good\[1\]$' \
    '^test_a.py::test_good\[a b\]$' '^test_a.py::test_lonely$' \
    '^test_a.py::test_plain$' -- run --list
expect "each once" 0 -- test "$(sort -u "$out" | wc -l)" = 13
expect "all that pass" 0 \
    '^heddle: 3 tests, 3 pass, 0 skip, 0 fail, 0 of them known$' -- \
    run 'test_a.py::test_good[[]a b]' 'test_a.py::test_good[1]' '*plain'
expect "a failure that is known, and one that is not any more" 0 \
    '^test_a.py::test_known: fail$' '^  the moon is full$' \
    '^test_a.py::test_good\[-1\]: pass$' '^  NEW: it is among the failures' \
    '^heddle: 6 tests, 4 pass, 1 skip, 1 fail, 1 of them known$' -- \
    run --out "$tmp/kept" '*good*' '*_known' '*skips'
expect "what a test wrote is kept, and in which caches" 0 \
    '1 passed, 2 warnings' '/cache of -m pytest test_a.py::test_good\[<' -- \
    cat "$tmp/kept/heddle/test_a.py::test_good.txt"
echo fail >"$tmp/kept/heddle/test_a.py::test_good.verdict"
expect "those that have run do not run again" 1 '^test_a.py::test_good: fail$' \
    '^heddle: 7 tests, 4 pass, 1 skip, 2 fail, 1 of them known$' -- \
    run --out "$tmp/kept" --resume '*good*' '*_known' '*skips' '*plain'
expect "or all do" 0 '^heddle: 4 tests, 4 pass' -- \
    run --out "$tmp/kept" '*good*'
expect "others are errors" 1 '^test_a.py::test_new: fail$' 'NEW: .*not say why' \
    '^test_a.py::test_xfails: fail$' '^test_a.py::test_slow: timeout$' \
    '^test_a.py::test_dies: crash$' '^test_a.py::test_dies_late: crash$' \
    '^heddle: 13 tests, 6 pass, 1 skip, 6 fail, 1 of them known$' -- \
    run --timeout 5
echo /no/such.so >"$tmp/some.icd"
expect "beside another" 1 '^test_a.py::test_new: fail, beside it: fail$' \
    '^.*some.icd: 1 tests, 0 pass, 0 skip, 1 fail$' -- \
    run --beside "$tmp/some.icd" '*new'
touch "$fake/test/test_broken.py"
expect "tests that pytest cannot read" 2 'NameError' 'does not find the tests' \
    -- run

# ---- The real one ----

real=$(for each in python3 /usr/bin/python3; do
    "$each" -c 'import sys, pyopencl, pytest, mako; print(sys.executable)' \
        2>/dev/null && break
done)
sanitize=$(sed -n 's/^HEDDLE_SANITIZE:[^=]*=//p' \
    "$(dirname "$heddle")/CMakeCache.txt")
if [ -n "$sanitize" ]; then
    skip "the real PyOpenCL" "the driver needs a Python with sanitizers"
elif [ -n "$real" ]; then
    mkdir "$tmp/real"
    cat >"$tmp/real/test_wrapper.py" <<'E'
import pyopencl as cl, pytest
from pyopencl.tools import \
    pytest_generate_tests_for_pyopencl as pytest_generate_tests

@pytest.mark.parametrize("size", [-1, 1])
def test_device(ctx_factory, size):
    assert ctx_factory().devices[0].name == "Tesla K20" and size == 1
E
    expect "the real PyOpenCL" 1 '^test_wrapper.py::test_device\[-1\]: fail$' \
        '^heddle: 2 tests, 1 pass, 0 skip, 1 fail, 0 of them known$' -- \
        "$root/tools/pyopencl" --heddle "$heddle" --tests "$tmp/real" \
        --gpu k20
else
    skip "the real PyOpenCL" "no python3-pyopencl, python3-pytest, python3-mako"
fi
finish
