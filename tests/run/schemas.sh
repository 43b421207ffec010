#!/bin/sh
# tests/run/schemas.sh - outputs in JSON against schemas/*.json: those of now, all
# of whose members at the top are named there, and stored ones of older versions.
. "$(dirname "$0")/../lib.sh"
need_heddle
if ! python3 -c 'from jsonschema import Draft202012Validator' 2>/dev/null; then
    skip schemas "no python3-jsonschema"
    finish
fi
export XDG_CACHE_HOME="$tmp/cache"
cd "$tmp" || exit 1

# check.py NAME FILE [old]: FILE is what the schema NAME says. Members at the top
# that it does not name are errors, but for outputs of other versions.
cat >check.py <<'END'
import json
import sys
from jsonschema import Draft202012Validator

root, name, path = sys.argv[1:4]
with open(f"{root}/schemas/{name}.json", encoding="utf-8") as f:
    schema = json.load(f)
Draft202012Validator.check_schema(schema)
with open(path, encoding="utf-8") as f:
    output = json.load(f)
bad = [f"{list(e.path)}: {e.message[:200]}"
       for e in Draft202012Validator(schema).iter_errors(output)]
if "old" not in sys.argv[4:]:
    bad += [f"{key} is not in the schema"
            for key in output if key not in schema["properties"]]
print("\n".join(bad) or "as the schema says")
sys.exit(1 if bad else 0)
END
check() { python3 check.py "$root" "$@"; }
is() { # SCHEMA FILE
    expect "$2 is as $1.json says" 0 'as the schema says' -- check "$1" "$2"
}

kernels=$root/examples/lib/kernels.ptx
cat >l.yaml <<S
program: $kernels
buffers:
  x: {type: f32, count: 1000, init: iota}
  y: {type: f32, count: 1000}
launches:
  - {kernel: saxpy, grid: [4], block: [256], args: [x, y, 2.0, 1000]}
S
cat >plan.yaml <<S
gpus: [gtx480]
axes: {l1.ways: [2, 4]}
base: {l1.ways: 2}
workloads: [l.yaml]
measures:
  pareto: [[speedup, bits]]
S
cat >truth.yaml <<S
name: sums
device: a device of ours
gpu: gtx480
every_row: {source: "me 1", class: launch, input: same}
rows:
  - {name: one, launch: $tmp/l.yaml, value: 1000}
S
json() { # FILE ARGUMENT...
    json_to=$1
    shift
    expect "heddle $1" 0 -- sh -c 'to=$1; shift; "$@" --format json >"$to"' - \
        "$json_to" "$heddle" "$@"
}
json run.json run -l l.yaml --gpu gtx480 -q --store r.db
is run run.json
json computed.json run -l l.yaml --functional -q
is run computed.json
json parts.json run -l l.yaml --gpu gtx480 -q --sample
is run parts.json
json profile.json run -l l.yaml --gpu gtx480 -q --by-line --hash
is run profile.json
json explain.json explain l.yaml --gpu gtx480 -q
is explain explain.json
json compare.json compare l.yaml --gpu gtx480 -q --with w:l1.ways=8 --null 2
is compare compare.json
json diff.json diff l.yaml --gpu gtx480 --gpu k20 -q
is compare diff.json
json list.json results list r.db
is results list.json
json table.json results table r.db
is results table.json
json probe.json probe --gpu gtx480 -q overhead shared
is probe probe.json
json validate.json validate -q truth.yaml
is validate validate.json
expect "heddle sweep" 0 -- "$heddle" sweep plan.yaml -q
json sweep.json sweep table plan.sweep
is sweep-table sweep.json
if [ -e "$(dirname "$heddle")/libheddle-opencl.so" ]; then
    expect "heddle exec" 0 -- "$heddle" exec -q --gpu gtx480 -f json \
        -o exec.out -- true
    is exec exec.out
    if [ -e "$(dirname "$heddle")/workloads/vecadd" ]; then
        "$heddle" exec -q --gpu gtx480 -f json -o vecadd.json -- \
            "$(dirname "$heddle")/workloads/vecadd" >/dev/null 2>&1
        is exec vecadd.json
        launches=$(dirname "$heddle")/workloads/launches
        "$heddle" exec -q --gpu v100 -f json --sample -o sample.json -- \
            "$launches" --size small >/dev/null 2>&1
        is exec sample.json
        "$heddle" exec -q --gpu v100 -f json --validate-sampling -o both.json -- \
            "$launches" --size small >/dev/null 2>&1
        is sampling both.json
    fi
else
    skip "heddle exec" "no driver"
fi

# Every command that is named has its schema, and the other way round.
schemas() {
    for file in "$root"/schemas/*.json; do
        name=$(basename "$file")
        grep -qF "\`$name\`" "$root/schemas/README.md" || echo "$name: not told"
        sed -n 's/.*"schema": { "const": \([0-9]*\) }.*/\1/p' "$file"
    done | sort -u
}
version=$(sed -n 's/.*JSON_SCHEMA = \([0-9]*\).*/\1/p' "$root/src/text/json.h")
expect "all of the version that is written" 0 '^.$' -- schemas
expect "which is that of the code" 0 "^$version\$" -- schemas

# Readers of today take what versions before wrote.
for file in "$root"/tests/run/schemas/*.json; do
    name=$(basename "$file" | sed 's/-[0-9].*//')
    expect "an older $name" 0 'as the schema says' -- check "$name" "$file" old
done

# What is wrong is found.
python3 -c 'import json
d = json.load(open("run.json"))
d["launches"][0]["cycles"] = "many"
del d["gpu"]
d["extra"] = 1
json.dump(d, open("wrong.json", "w"))'
expect "what is wrong is found" 1 "'cycles'.*'many' is not of type" \
    "'gpu' is a required property" '^extra is not in the schema' -- \
    check run wrong.json
finish
