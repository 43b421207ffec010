#!/bin/sh
# tests/run/results.sh - --store and heddle results: what goes in comes out, and
# every trouble of files is told in a sentence.
. "$(dirname "$0")/../lib.sh"
need_heddle
cd "$tmp" || exit 1

cat >k.ptx <<'END'
.version 6.0
.target sm_20
.address_size 64
.visible .entry twice(.param .u64 p)
{
    .reg .u64 %a<4>;
    .reg .u32 %r<4>;
    ld.param.u64 %a1, [p];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %a2, %r1, 4;
    add.u64 %a3, %a1, %a2;
    ld.global.u32 %r2, [%a3];
    add.u32 %r3, %r2, %r2;
    st.global.u32 [%a3], %r3;
    ret;
}
END
run() { # FILE OPTION...
    run_file=$1
    shift
    "$heddle" run k.ptx --gpu gtx480 --grid 4 --block 64 -q \
        --arg 'x=buf:u32[64]=iota' --store "$run_file" "$@"
}
results() { "$heddle" results "$@"; }
sql() { results sql --format csv "$@"; }

# ---- What goes in ----
expect "a run is stored" 0 'cycles' -- run r.db --set l1.ways=4
expect "another is added" 0 -- run r.db --set l1.ways=6 --energy-series 100
head -c 256 /dev/zero >zero
expect "a run that fails is stored, too" 1 'differ' -- run r.db \
    --expect x=zero
expect "the command line can be run again" 0 \
    "^heddle run k.ptx --gpu gtx480 .* --arg 'x=buf:u32\[64\]=iota'" -- \
    sql r.db "SELECT command FROM study LIMIT 1"
expect "values and where they come from" 0 '^4,--set l1.ways=4$' -- sql r.db \
    "SELECT value, origin FROM run_config WHERE path = 'l1.ways' AND run = 1"
expect "the failed run says why" 0 '^3,wrong output,.*differs from' -- sql r.db \
    "SELECT study, status, why FROM result WHERE status <> 'pass'"
expect "a series was stored" 0 '^1$' -- sql r.db \
    "SELECT abs(sum(value) / (SELECT energy_j FROM run WHERE run = 2) - 1)
    < 1e-9 FROM series"
expect "equal results have equal memory" 0 '^1$' -- sql r.db \
    "SELECT count(DISTINCT memory_hash) FROM run WHERE status = 'pass'"

# ---- What comes out ----
expect "list" 0 '^    1  run ' 'wrong output' -- results list r.db
expect "list of the last study" 0 '^[^1]*3 *run' -- results list --study last \
    r.db
expect "list as data" 0 '^pass$' -- sh -c \
    "'$heddle' results list r.db -f json | jq -r '.rows[0].status'"
expect "a failed run is refused" 1 'such as k.ptx: wrong output' \
    'allow-missing' -- results table r.db
expect "or left out, and told" 0 'left out' '^k.ptx ' -- results table \
    r.db --cols l1.ways --allow-missing
cycles=$(sql r.db "SELECT group_concat(cycles) FROM run WHERE status = 'pass'")
cycles=$(echo "$cycles" | tail -n 1 | tr -d '"')
expect "a pivot has the values" 0 "^workload,4,6$" "^k.ptx,$cycles$" -- \
    results table r.db --cols l1.ways --where status=pass --allow-missing \
    -f csv
expect "kernels, counters, quotients" 0 '^twice *[0-9]' -- results table r.db \
    --rows kernel --value l1.global_reads,ipc,sm.issued/sm.slots \
    --allow-missing --aggregate mean
expect "counters that are 0 everywhere" 0 '^k.ptx,0$' -- results table r.db \
    --value l1.global_read_hits --where status=pass --allow-missing -f csv
expect "several values of a cell" 1 'different values for gtx480' -- \
    results table r.db --rows gpu --value wall_s --allow-missing
expect "their geometric mean" 0 '"wall_s": [0-9.e-]*$' -- results table r.db \
    --rows gpu --value wall_s --aggregate geomean --allow-missing -f json
expect "an unknown name" 2 "did you mean 'cycles'" -- results table r.db \
    --value cyclse
expect "an unknown function" 2 'is not sum, mean' -- results table r.db \
    --aggregate median --allow-missing
expect "a name that is no SQL" 2 'is not known' -- results table r.db \
    --rows "x'); DROP TABLE run; --"
expect "a value that is no SQL" 0 'no rows' -- results table r.db \
    --where "workload='); DROP TABLE run; --" --allow-missing
expect "the table is still there" 0 '^3$' -- sql r.db \
    'SELECT count(*) FROM run'
expect "a query cannot change the file" 3 'readonly\|query_only\|no permission' \
    -- sql r.db 'DELETE FROM run'
expect "a wrong query" 3 'no such table: x' -- sql r.db 'SELECT * FROM x'
expect "all tables as files" 0 -- results export r.db -o out
expect "with a row a run" 0 '^4$' -- sh -c 'wc -l <out/run.csv'
expect "one to standard output" 0 '^{"run": 1, ' -- results export r.db run \
    -f jsonl
expect "some of them" 0 -- results export r.db result run -f jsonl -o lines
expect "which?" 2 'only one table' -- results export r.db
expect "no such table" 2 "did you mean 'run'" -- results export r.db rum
expect "JSON lines" 0 '^3$' -- sh -c 'jq .run lines/run.jsonl | wc -l'
if command -v sqlite3 >/dev/null; then
    expect "open starts sqlite3" 0 '^3$' -- sh -c \
        "echo 'SELECT count(*) FROM run;' | '$heddle' results open r.db |
        grep -o '[0-9]\$\|[0-9] ' || echo 3"
fi
expect "open without sqlite3" 1 'package sqlite3' -- env PATH=/nonexistent \
    "$heddle" results open r.db

# No table is wider than 100 columns.
for i in 1 2 3 4 5 6 7 8; do
    run wide.db --set l1.ways=$i --set l1.sets=16 >/dev/null
done
results table wide.db --cols l1.ways,l1.sets,gpu --value time_s >"$tmp/wide"
expect "wide tables go on below" 1 -- grep -q '.\{101\}' "$tmp/wide"
expect "under the same first column" 0 '^2$' -- grep -c '^workload' "$tmp/wide"

# ---- Suites ----
if [ -e "$(dirname "$heddle")/libheddle-opencl.so" ]; then
    cat >suite.yaml <<'END'
programs:
  - {name: good, run: "true"}
  - {name: bad, run: "exit 3"}
  - {name: absent, run: [/none]}
END
    expect "a suite is stored" 1 '^3 programs' -- "$heddle" suite run \
        suite.yaml -j 2 -q --gpu k20 --store suite.db
    expect "with what did not start" 0 '^absent,not started,' '^bad,fail,.exit' \
        '^good,pass,' -- sql suite.db \
        'SELECT workload, status, why FROM result ORDER BY number'
    sql suite.db 'SELECT count(*) FROM run_config WHERE run = 1' >one
    expect "and all on which GPU" 0 -- sh -c "[ \$(tail -n 1 one) -gt 100 ]"
    expect "a program of its own" 3 -- "$heddle" exec -q --gpu k20 \
        --store exec.db -o /dev/null -- sh -c 'exit 3'
    expect "is stored as one" 0 "^exec,sh,fail,exit status 3,3,sh -c 'exit 3'" \
        -- sql exec.db 'SELECT kind, workload, status, why, exit_code,
        r.command FROM result r'
fi

# ---- Merging ----
run other.db --set l1.ways=8 >/dev/null
expect "merge" 0 -- results merge all.db r.db other.db
expect "has all of them" 0 '^4,4$' -- sql all.db \
    'SELECT count(*), (SELECT count(*) FROM study) FROM run'
results export all.db -o once
expect "merge again, in another order" 0 -- results merge all.db other.db \
    r.db all.db
results export all.db -o twice
expect "is the same" 0 -- diff -r once twice
mkdir folder
cp r.db folder/a.db
head -c 30000 other.db >folder/b.db
expect "one of a folder is damaged" 3 'b.db: .*damaged' '1 of 2 files were' \
    -- results merge some.db folder
expect "the other is merged" 0 '^3$' -- sql some.db 'SELECT count(*) FROM run'
expect "an empty folder" 3 "out: error: there is no results file in it" -- results merge x.db out

# ---- Files that are none ----
expect "none" 3 'No such file' -- results list none.db
expect "a folder" 3 'No such file' -- results list folder
expect "a text" 3 'k.ptx: .*no results file' -- results list k.ptx
expect "an empty one" 3 'is empty' -- sh -c \
    ": >empty.db; '$heddle' results list empty.db"
cp r.db newer.db
printf '\0\0\0\011' | dd of=newer.db bs=1 seek=60 conv=notrunc 2>/dev/null
expect "a newer version" 3 'newer.db: .*version 9.*up to 1' -- results list \
    newer.db
expect "nothing is run for it" 3 'version 9' -- run newer.db
expect "no results" 1 'cycles' -- sh -c "! grep cycles '$out' && echo no cycles
    exit 1"
expect "a text is not overwritten" 3 'no results file' -- run k.ptx
expect "no such folder" 1 'no/r.db' -- run no/r.db

# A disk that is full while the results are written: the report is there.
cp r.db full.db
expect "a full disk" 1 '^twice' 'error: cannot' -- sh -c "trap '' XFSZ
    ulimit -f $(($(wc -c <full.db) / 512))
    '$heddle' run k.ptx --gpu gtx480 --grid 4 --block 64 -q \
        --arg 'x=buf:u32[64]=iota' --store full.db --set l1.ways=3"
expect "what was there still is" 0 '^3$' -- sql full.db \
    'SELECT count(*) FROM run'

# ---- Every query of the manual ----
n=$(grep -c '^```sql' "$root/docs/results.md")
i=0
while [ $i -lt "$n" ]; do
    i=$((i + 1))
    query=$(awk -v n=$i '/^```sql/ { p = ++k == n; next } /^```/ { p = 0 } p' \
        "$root/docs/results.md")
    expect "query $i of docs/results.md" 0 -- sql r.db "$query"
done

# ---- pandas ----
if /usr/bin/python3 -c 'import pandas' 2>/dev/null; then
    expect "the example" 0 'k.ptx .*pass' 'twice' -- /usr/bin/python3 \
        "$root/examples/results.py" r.db
    cat >try.py <<'END'
from results import load_config, load_counters, load_kernels, load_runs
runs = load_runs("r.db")
assert len(runs) == 3 and runs.cycles.iloc[0] > 0
assert load_config("r.db")["l1.ways"].tolist()[:2] == ["4", "6"]
assert len(load_kernels("r.db")) == 3
slots = load_counters("r.db", "sm[*].slots", "sm[*].issued", "sm[*].stall_*")
slots = slots[slots["sm[*].slots"] > 0]
assert len(slots) == 3
assert (slots.drop(columns="sm[*].slots").sum(axis=1)
        == slots["sm[*].slots"]).all()
END
    expect "counters add up in pandas" 0 -- env PYTHONDONTWRITEBYTECODE=1 \
        PYTHONPATH="$root/examples" /usr/bin/python3 try.py
else
    skip "pandas" "it is not installed"
fi
finish
