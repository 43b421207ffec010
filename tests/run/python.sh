#!/bin/sh
# tests/run/python.sh - the Python package: its own tests on the library that was
# built, its types, and the package as pip installs it.
. "$(dirname "$0")/../lib.sh"
need_heddle
if sanitized; then
    skip python "Python is not built with sanitizers"
    finish
fi
py=
for one in /usr/bin/python3 python3; do
    if "$one" -c 'import numpy' 2>/dev/null; then
        py=$one
        break
    fi
done
[ -n "$py" ] || { skip python "no python3 with NumPy"; finish; }
build=$(cd "$(dirname "$heddle")" && pwd)
export HEDDLE_LIBRARY="$build/libheddle.so.1" HEDDLE_COMMAND="$build/heddle"
export HEDDLE_SOURCE="$root" PYTHONDONTWRITEBYTECODE=1
export XDG_CACHE_HOME="$tmp/cache" MPLCONFIGDIR="$tmp/mpl" MPLBACKEND=Agg

# Each test of the package is one here.
PYTHONPATH="$root/python${PYTHONPATH:+:$PYTHONPATH}" \
    "$py" -W ignore -m unittest discover -v -s "$root/python/tests" \
    >"$tmp/tests" 2>&1 </dev/null || :
good=$(grep -c ' \.\.\. ok$' "$tmp/tests" || :)
passed=$((passed + good))
sed -n "s/ (.*\.\.\. skipped '\(.*\)'\$/: \1/p" "$tmp/tests" >"$tmp/skipped"
while IFS=: read -r name why; do
    skip "$name" "$why"
done <"$tmp/skipped"
expect "the package's tests pass" 0 '^OK' -- tail -n 1 "$tmp/tests"
[ "$failed" = 0 ] || cat "$tmp/tests"
expect "they are many" 0 -- test "$good" -ge 35

if "$py" -c 'import mypy' 2>/dev/null; then
    types() { cd "$root/python" && "$py" -m mypy --cache-dir "$tmp/mypy" heddle; }
    expect "the types are right" 0 'no issues found' -- types
else
    skip "the types are right" "no mypy"
fi

# As pip installs it, without a network: what building needs is there already.
if ! "$py" -m pip --version >"$out" 2>&1 ||
    ! "$py" -c 'import setuptools, venv, wheel' 2>/dev/null; then
    skip "pip installs it" "no pip, setuptools, wheel or venv"
    finish
fi
cp -r "$root/python" "$tmp/source"
expect "a virtual environment" 0 -- \
    "$py" -m venv --without-pip --system-site-packages "$tmp/venv"
expect "pip installs it" 0 -- "$tmp/venv/bin/python" -m pip install \
    --no-build-isolation --no-deps --no-index "$tmp/source"
expect "the library, alone in a prefix" 0 -- \
    cmake --install "$build" --prefix "$tmp/usr" --component library
lib=$(dirname "$(find "$tmp/usr" -name libheddle.so.1)")
installed() {
    cd "$tmp" && env -u HEDDLE_LIBRARY -u PYTHONPATH \
        LD_LIBRARY_PATH="$lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" \
        "$tmp/venv/bin/python" -c "$1"
}
expect "it runs from there, with its types" 0 "^'[0-9.]*' True v100\$" -- installed "
import heddle, pathlib
here = pathlib.Path(heddle.__file__).parent
assert here.is_relative_to('$tmp/venv'), here
sim = heddle.Simulation('v100', {'gpu.sms': 1})
gpu = [g for g in heddle.gpus() if g == 'v100'][0]
print(repr(heddle.__version__), (here / 'py.typed').exists(), gpu)"
expect "without the library it says what to do" 1 \
    'ImportError.*libheddle.so.1.*HEDDLE_LIBRARY' -- \
    env HEDDLE_LIBRARY=/nonexistent/libheddle.so.1 \
    "$tmp/venv/bin/python" -c 'import heddle'
finish
