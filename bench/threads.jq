# bench/threads.jq - rows of bench/threads as two tables: Markdown, or columns.
include "figures";

def row(cells):
    if $markdown == 1 then "| " + (cells | join(" | ")) + " |"
    else cells | map(. + " " * ([14 - length, 1] | max)) | join("") end;
def rule(n): if $markdown == 1 then "|---|" + "---:|" * (n - 1) else empty end;
def names: if $markdown == 1 then "`\(.name)`" else .name end;
def share(x): 100 * x / .windows.predicted[0].s | fixed(1);

(["kernel", "windows", "us each", "nodes", "nodes, %", "exchange, %",
  "alone, %", "longest, %"]
 | row(.), rule(length)),
($rows[] | .windows as $w
 | row([names, ($w.count | whole),
        ($w.predicted[0].s / $w.count * 1e6 | fixed(0)),
        ($w.runs / $w.count | fixed(0)), share($w.nodes_s),
        share($w.parts_s.up + $w.parts_s.down), share($w.serial_s),
        share($w.longest_s)])),
"",
(["kernel"] + [$rows[0].windows.predicted[1:][] | "\(.threads)"]
 + ["16: efficiency, %", "longest first", "measured: 2", "8"]
 | row(.), rule(length)),
($rows[] | .windows.predicted as $p
 | ($p[] | select(.threads == 16)) as $many
 | row([names] + [$p[1:][] | .speedup | fixed(2)]
       + [($many.efficiency * 100 | fixed(0)),
          ($many.speedup_longest_last_time | fixed(2)),
          (.wall.t1 / .wall.t2 | fixed(2)),
          (.wall.t1 / .wall.t8 | fixed(2))])),
"",
"Two threads meet in \([$rows[].windows.meet_s] | min * 1e9 | round) ns\(
    if any($rows[]; .windows.meet_assumed | not) then "" else
        ", a guess: they never had a core each" end
); each further one adds 200 ns. \($cores) cores; load \($load)."
