# bench/threads.jq - rows of bench/threads as three tables: Markdown, or columns.
include "figures";

def row(cells):
    if $markdown == 1 then "| " + (cells | join(" | ")) + " |"
    else cells | map(. + " " * ([14 - length, 1] | max)) | join("") end;
def rule(n): if $markdown == 1 then "|---|" + "---:|" * (n - 1) else empty end;
def names: if $markdown == 1 then "`\(.name)`" else .name end;
def share(x): 100 * x / .windows.predicted[0].s | fixed(1);
# What it took with n threads, in what one took.
def measured(n; what): (.measured[] | select(.n == n) | what) // null;
def faster(n): measured(n; .wall_s) as $is
    | if $is then measured(1; .wall_s) / $is | fixed(2) else "-" end;
def spent(n): measured(n; .cpu_s) as $is
    | if $is then $is / measured(1; .cpu_s) | fixed(2) else "-" end;

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
 + ["16: efficiency, %", "longest first"]
 | row(.), rule(length)),
($rows[] | .windows.predicted as $p
 | ($p[] | select(.threads == 16)) as $many
 | row([names] + [$p[1:][] | .speedup | fixed(2)]
       + [($many.efficiency * 100 | fixed(0)),
          ($many.speedup_longest_last_time | fixed(2))])),
"",
(["kernel", "one thread, s", "two runs", "measured: 2", "4", "8", "CPU time: 2",
  "4", "8"]
 | row(.), rule(length)),
($rows[]
 | row([names, (measured(1; .wall_s) | fixed(2)), faster(0), faster(2),
        faster(4), faster(8), spent(2), spent(4), spent(8)])),
"",
"Two threads meet in \([$rows[].windows.meet_s] | min * 1e9 | round) ns\(
    if any($rows[]; .windows.meet_assumed | not) then "" else
        ", a guess: they never had a core each" end
); each further one adds 200 ns. \($cores) cores; load \($load)."
