#!/bin/sh
# tests/run/timeline.sh - timelines in pages of whole programs and in JSON: what
# is when, concurrent launches, copies, faults, many launches, and what a reader
# does with them in a browser.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/page/lib.sh"
need_heddle
export XDG_CACHE_HOME="$tmp/cache"
cd "$tmp" || exit 1

# ---- Launch files ----

cat >k.sass <<'END'
.arch volta
.kernel add
.param pointer p
.param int loops
    S2R R0, SR_TID.X;
    S2R R1, SR_CTAID.X;
    MOV R5, 0x40;
    IMAD R0, R1, R5, R0;
    MOV R2, c[0x0][p];
    MOV R3, c[0x0][p+4];
    IMAD.WIDE R2, R0, 4, R2;
    LDG.E R4, [R2.64];
    MOV R6, c[0x0][loops];
again:
    IADD3 R4, R4, 1, RZ;
    IADD3 R6, R6, -1, RZ;
    ISETP.GT.AND P0, PT, R6, RZ, PT;
@P0 BRA again;
    STG.E [R2.64], R4;
    EXIT;
.end
.kernel far
.param pointer p
    MOV R2, 0x100;
    MOV R3, RZ;
    LDG.E R4, [R2.64];
    EXIT;
.end
END
cat >two.yaml <<'END'
program: k.sass
gpu: v100
buffers:
  a: {type: u32, count: 1024, init: zero}
  b: {type: u32, count: 1024, init: zero}
launches:
  - {kernel: add, grid: 16, block: 64, args: [a, 400], stream: "<b>x&y"}
  - {kernel: add, grid: 16, block: 64, args: [b, 3], stream: right, repeat: 2}
  - {kernel: add, grid: 16, block: 64, args: [b, 1], stream: right}
END
run() { "$heddle" run -q --set gpu.sms=4 "$@" >said; }
expect "a page of two streams" 0 -- run -l two.yaml --html two.html
expect "has a timeline" 0 '>Timeline</h2>' 'class="timeline"' \
    'stream &lt;b&gt;x&amp;y</span><svg' 'stream right</span><svg' \
    'SMs</span><svg' 'SMs that hold warps' 'no copies to draw' -- cat two.html
expect "names of streams are no markup" 1 -- grep '<b>x' two.html
# lane PAGE NAME: its bars, a line each
lane() {
    awk -v name=">$2<" '/<span class="name">/ { on = index($0, name) }
        /<.div>/ { on = 0 } on && /<title>/' "$1"
}
bars() { lane "$1" "$2" | grep -c "<title>$3"; }
# begins PAGE NAME: when they begin, in percent
begins() {
    lane "$1" "$2" | sed 's/.*<rect x="\([0-9.]*\)%.*/\1/'
}
rows() { # PAGE NAME: how many stand below each other
    lane "$1" "$2" | grep '<title>work' |
        sed 's/.*<rect x="[0-9.]*%" y="\([0-9]*\)".*/\1/' | sort -u | wc -l
}
expect "one bar of a stream" 0 '^1$' -- \
    bars two.html 'stream &lt;b&gt;x&amp;y' add
expect "three of the other" 0 '^3$' -- bars two.html 'stream right' add
expect "which begin beside it" 0 '^0.00$' -- begins two.html 'stream right'
expect "with what they are" 0 \
    '<title>add, launch 1, part 1, grid 16×1×1, block 64×1×1: .* cycles, from ' -- \
    cat two.html
expect "without a results file none is left" 1 -- \
    sh -c 'set -- ./*.db; test -e "$1"'
expect "the same page of a results file" 0 -- sh -c \
    "'$heddle' run -q --set gpu.sms=4 -l two.yaml --store two.db >said &&
    '$heddle' report two.db -o stored.html &&
    sed -n '/class=\"lanes\"/,/<.div>/p' two.html >1 &&
    sed -n '/class=\"lanes\"/,/<.div>/p' stored.html >2 && test -s 1 &&
    sed 's/href=\"#[^\"]*\"//' 1 >1a && sed 's/href=\"#[^\"]*\"//' 2 >2a &&
    cmp 1a 2a"
expect "one launch" 0 -- run k.sass --kernel add --grid 4 --block 64 \
    --arg 'buf:u32[1024]' --arg 5 --html one.html
expect "has one bar" 0 '^1$' -- sh -c \
    "sed -n '/class=\"lanes\"/,/<.div>/p' one.html | grep -c '<title>'"
expect "nothing is timed" 0 -- run -l two.yaml --functional --html none.html
expect "there is no timeline, but a page" 0 'No launch was timed' -- \
    cat none.html
expect "no lanes" 1 -- grep -q 'class="lanes"' none.html
sed 's/^  - {kernel: add, grid: 16, block: 64, args: \[b, 1\]/  - {kernel: far, grid: 1, block: 32, args: [b]/' \
    two.yaml >fault.yaml
expect "a fault in the middle" 5 'outside every allocation' -- run -l fault.yaml \
    --set gpu.concurrent=1 --html fault.html
expect "is drawn as one" 0 '<title>far, launch 4,.*; failed' \
    '<rect class="failed"' '<title>add, launch 1,' -- cat fault.html
expect "samples of warps" 0 -- run -l two.yaml --occupancy --html fine.html
expect "make finer steps" 0 -- sh -c \
    'steps() { sed -n "s/.*\"use\":.//; /^\[*[01],[0-9]*,[0-9]*,[0-9.]*,[0-9.]*\]/p" "$1" | wc -l; }
    test "$(steps fine.html)" -gt "$(steps two.html)"'
expect "a folder that is not there" 1 'nowhere' -- \
    run -l two.yaml --html nowhere/x.html
page_timeline "streams" two.html
page_opens "one launch, none, a fault" one.html none.html fault.html

# ---- Damage ----

expect "a timeline that is damaged" 0 -- python3 -c "
import sqlite3
db = sqlite3.connect('two.db')
db.execute('UPDATE artifact SET content = substr(content, 1, 50)'
           ' WHERE kind = ?', ('timeline',))
db.commit()"
expect "is told" 0 -- "$heddle" report two.db -o damaged.html
expect "as such" 0 'The timeline of two.yaml cannot be read' -- cat damaged.html

# ---- Programs ----

program=$(dirname "$heddle")/heddle-overlap
behave=$(dirname "$heddle")/heddle-behave
if [ ! -x "$program" ] || [ ! -x "$behave" ] ||
    [ ! -e "$(dirname "$heddle")/libheddle-opencl.so" ]; then
    skip "timelines of programs" "no OpenCL headers when it was built"
    finish
fi
prog() { "$heddle" exec --gpu k20-single -q -o said "$@"; }
expect "a program with four queues" 0 '^right$' -- \
    prog --html queues.html -- "$program" queues
expect "has a lane for each" 0 'queue 1<' 'queue 2<' 'queue 3<' 'queue 4<' \
    'host</span><svg' 'copy, host to device' 'copy, device to host' \
    '<title>work, launch ' '<title>the host waits: ' 'what the model of' -- \
    cat queues.html
first() { lane queues.html "queue $1" | grep '<title>work' | head -n 1 |
    sed 's/.*, from //; s/,.*//'; }
expect "kernels of two begin together" 0 -- sh -c "test '$(first 1)' = '$(first 2)'"
expect "what overlaps in one out of order" 0 -- \
    prog --html unordered.html -- "$program" unordered
expect "comes below each other" 0 '^[2-8]$' -- rows unordered.html 'queue 1'
expect "a program that launches nothing" 0 -- prog --html idle.html -- true
expect "has a page without a timeline" 1 -- grep -q 'class="lanes"' idle.html
expect "faults in its middle" 0 -- sh -c \
    "'$heddle' exec --gpu k20 -q -o said --html broken.html -- \
        '$behave' twice fault finish; test -s broken.html"
expect "are drawn" 0 '<title>twice, launch 1,' '<title>fault, launch 2,.*failed' \
    -- cat broken.html
expect "one that is ended in a launch" 137 -- sh -c "'$heddle' exec --gpu k20 -q \
    -o said --html ended.html -- sh -c '
        stdbuf -o0 $behave twice read lengthy finish >got &
        until grep -q first got; do sleep 0.1; done
        sleep 1; kill -KILL \$!; wait \$!'"
expect "shows what ended, and says what did not" 0 '<title>twice, launch 1,' \
    '1 launch had not ended when the program did' -- cat ended.html
expect "computed launches say so" 0 -- \
    prog --functional --html computed.html -- "$program" serial
expect "that their ends are bounds" 0 'only computed' 'at least' -- \
    cat computed.html
page_timeline "programs" queues.html unordered.html
page_opens "other programs" idle.html broken.html computed.html

# ---- JSON ----

expect "JSON has it" 0 -- prog -f json -- "$program" queues
expect "each kernel, with its stream and its launch" 0 '^9 4 ok$' -- jq -r '
    .processes[0] as $p | [$p.timeline[] | select(.kind == "kernel")] as $k |
    "\($k | length) \([$k[].stream] | unique | length) \(
        if all($k[]; .begin_us <= .end_us and .gpu == 0 and
            .launch < ($p.launches | length)) then "ok" else "bad" end)"' said
expect "bytes are those that moved" 0 '^true$' -- jq '
    .processes[0] | (.written_bytes == ([.timeline[] |
        select(.kind == "memcpy_h2d") | .bytes] | add)) and
    (.read_bytes == ([.timeline[] | select(.kind == "memcpy_d2h") | .bytes] |
        add))' said
expect "nothing is lost" 0 '^0$' -- jq '.processes[0].timeline_lost' said

# ---- Many launches ----

expect "ten thousand launches" 0 -- "$heddle" exec --gpu k20 -q -o said \
    --set gpu.sms=1 --max-launches 20 --html many.html -- "$behave" \
    twice:10000 read
expect "a page below 3 MB" 0 -- test "$(wc -c <many.html)" -lt 3000000
expect "with few marks" 0 -- sh -c \
    'test "$(grep -o "<title>" many.html | wc -l)" -lt 4000'
expect "that say how many they are" 0 '<title>[0-9,]* × twice, ' -- \
    cat many.html
page_timeline "many launches" many.html
finish
