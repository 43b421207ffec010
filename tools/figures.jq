# tools/figures.jq - what tools/figures makes of JSON: tables in Markdown.

# A number with n digits behind the point; null is "-".
def fixed(n):
    if . == null then "-"
    else . as $x | (fabs * pow(10; n) | round | tostring
        | if length > n then . else "0" * (n + 1 - length) + . end
        | if n == 0 then . else .[:-n] + "." + .[-n:] end) as $text
        | if $x < 0 and ($text | test("[1-9]")) then "-" + $text
          else $text end
    end;

# 1234567 becomes 1,234,567.
def whole:
    if . == null then "-"
    elif . < 0 then "-" + (-. | whole)
    else round | tostring | [while(. != ""; .[:-3])] | map(.[-3:]) | reverse
        | join(",")
    end;

# At most four digits that matter, and no more than are there.
def short:
    if . == null then "-"
    elif type == "string" then "`\(.)`"
    elif . == floor or fabs >= 1000 then whole
    elif fabs >= 100 then fixed(1)
    elif fabs >= 1 then fixed(2)
    else fixed(3)
    end;

# A part of 1 in percent, or with its sign.
def percent(n): if . == null then "-" else . * 100 | fixed(n) end;
def change(n): if . == null then "-"
    else percent(n) | if startswith("-") then . else "+" + . end end;

def pad($width; $right):
    (" " * ($width - length) // "") as $space
    | if $right then $space + . else . + $space end;

# Rows of texts, the first of them the heads. `align` has l or r for each
# column. Columns are as wide as their texts, but for long ones.
def table(align):
    (align | explode | map(. == 114)) as $right
    | [transpose[] | map(length) | max | [[., 3] | max, 32] | min] as $width
    | def line: [range(length) as $i | .[$i] | pad($width[$i]; $right[$i])]
        | "| " + join(" | ") + " |";
    (.[0] | line),
    "|" + ([range($width | length) as $i
            | if $right[$i] then "-" * ($width[$i] + 1) + ":"
              else "-" * ($width[$i] + 2) end] | join("|")) + "|",
    (.[1:][] | line);

# ---- Comparisons: standard input is what `heddle compare -f json` prints, of
# one GPU or several ----

def program: .name + (if .size == null or .size == "small" then ""
                      else " " + .size end);

# What a workload's variant of this side says; null if it does not count.
def variant($side): .variants[] | select(.side == $side);

# Of a variant or summary of a comparison with nulls: is 1 inside its band?
def same: .band != null and (.band.beyond | not);
def band_text: if .band == null then "-"
    else "\(.band.low | fixed(3))..\(.band.high | fixed(3))" end;

# The workloads that count with their speed-ups, the slowest first.
def speedups($side):
    [.workloads[] | {name: program, speed: variant($side).speedup,
                     same: (variant($side) | same)}
     | select(.speed != null)] | sort_by(.speed);

# A row for each GPU, workload and mean: each variant with its band, bold beyond
# it.
def banded($x; $band):
    if $band == null then "-"
    else "\($x | fixed(3)) (\($band.low | fixed(2)) to \($band.high | fixed(2)))"
        | if $band.beyond then "**\(.)**" else . end
    end;
def band_table:
    [.comparisons[0].summaries[].side] as $sides
    | [["GPU", "workload"] + ($sides | map("\(.), x"))]
    + [.comparisons[] | . as $c
       | (.workloads[] | . as $w
          | ["`\($c.gpu)`", "`\(.name)`"]
          + [$sides[] as $side | $w | variant($side) | banded(.speedup; .band)]),
         ["`\($c.gpu)`", "geometric mean"]
         + [$c.summaries[] | banded(.geometric_mean; .band)]]
    | table("ll" + "r" * ($sides | length));

# "0.885 `blackscholes`"
def named: "\(.speed | fixed(3)) `\(.name)`";

# A row for each GPU and variant.
def speed_table:
    ([.comparisons[].summaries[] | .band != null] | any) as $bands
    | [["GPU", "variant", "speed, x"] + (if $bands then ["95 % band"] else [] end)
     + ["spread, x", "slowest", "fastest", "faster, slower, same", "energy, x",
        "EDP, x", "control bits, %"]]
    + [.comparisons[] | . as $c | .summaries[] | .side as $side
       | ($c | speedups($side)) as $speeds
       | ([$c.sides[] | select(.label == $side)][0].storage.control_bits) as $bits
       | ["`\($c.gpu)`", .side,
          (if same then "no difference" else .geometric_mean | fixed(3) end)]
         + (if $bands then [band_text] else [] end)
         + [(.geometric_deviation | fixed(3)),
          (if $speeds[0].speed == $speeds[-1].speed then "-", "-"
           else $speeds[0, -1] | named end), "\(.faster), \(.slower), \(.same)",
          (.energy_ratio | fixed(3)), (.edp_ratio | fixed(3)),
          ($bits / $c.sides[0].storage.control_bits - 1 | change(1))]]
    | table(if $bands then "llrrrllrrrr" else "llrrllrrrr" end);

# The programs that a variant makes slower or faster by more than $percent, and
# beyond their bands.
def moved_table($sides; $percent):
    def names: if length == 0 then "-" else map(named) | join(", ") end;
    [["GPU", "variant", "slower by more than \($percent) %",
      "faster by more than \($percent) %"]]
    + [.comparisons[] | . as $c | .summaries[].side
       | select(. as $side | $sides | index($side)) as $side
       | ($c | speedups($side) | map(select(.same | not))) as $speeds
       | ["`\($c.gpu)`", $side,
          ($speeds | map(select(.speed < 1 - $percent / 100)) | names),
          ($speeds | map(select(.speed > 1 + $percent / 100)) | reverse
           | names)]]
    | table("llll");

# A row for each program, a column for each variant, of one GPU; in parentheses
# what is inside its band.
def program_table:
    def speed($x): $x | fixed(3) | if . == "-" then . else "(\(.))" end;
    .comparisons[0] as $c | [$c.summaries[].side] as $sides
    | [["speed, x"] + $sides]
    + [$c.workloads[] | . as $w
       | ["`\(program)`"] + [$sides[] as $s | $w | variant($s)
          | if same then speed(.speedup) else .speedup | fixed(3) end]]
    + [["geometric mean"] + [$c.summaries[]
        | if same then speed(.geometric_mean)
          else .geometric_mean | fixed(3) end]]
    | table("l" + "r" * ($sides | length));

# What a part of the energy spends, and what its structures store.
def part_table:
    [["GPU", "side", "its energy, x", "least", "most", "of all energy, %",
      "stored, bits", "compared in a cycle, bits", "front"]]
    + [.comparisons[] | .gpu as $gpu | .sides[] | .part as $p
       | ["`\($gpu)`", .label, ($p.energy_ratio // 1 | fixed(3)),
          ($p.least | fixed(3)), ($p.most | fixed(3)), ($p.share | percent(3)),
          ($p.bits | whole), ($p.compared | whole),
          (if $p.front then "yes" else "" end)]]
    | table("llrrrrrrl");

# Items of a mechanism's view, sums or means over the workloads that count.
def mean: if length == 0 then null else add / length end;
def side_runs($c; $side):
    [$c.workloads[] | .runs[] | select(.side == $side and .verdict == "pass")];

# Is a value of `heddle probe` one of the 256 control codes by themselves?
def a_code: .what | test("^(FMULs that all carry|chain of FMULs with) code ");

# ---- Sweeps: standard input is what `heddle sweep table -f json` prints ----

# Speed by two axes: rows of $row, columns of $column.
def plane($cells; $row; $column; $head):
    ([$cells[] | .[$row]] | unique) as $rows
    | ([$cells[] | .[$column]] | unique) as $columns
    | [[$head] + ($columns | map(tostring))]
    + [$rows[] as $r | [$r | tostring]
       + [$columns[] as $k | [$cells[] | select(.[$row] == $r and
          .[$column] == $k) | .text] | join(", ")]]
    | table("l" + "r" * ($columns | length));

# Effects: standard input is what `heddle sweep table --effects -f json` prints.
def between: if . == null or .workloads < 2 then "-"
    else "\(.low | fixed(3))..\(.high | fixed(3))" end;
def effect($band): $band.mean | fixed(3);
def effect_table:
    [["GPU", "value", "speed, x", "95 % band", "", "alone, x", "energy, x",
      "95 % band"]]
    + [.contrasts[] | select((.of | length == 1) and .settings > 0)
       | ["`\(.gpu)`", (.of | to_entries[] | "\(.key)=\(.value)"),
          effect(.speed), (.speed | between),
          (if .speed.beyond then (if .speed.mean > 1 then "faster" else "slower"
           end) else "no difference" end), effect(.alone), effect(.energy),
          (.energy | between)]]
    | table("llrrlrrr");
def interaction_table:
    [["GPU", "together", "speed, x", "95 % band", "", "energy, x",
      "95 % band"]]
    + [.contrasts[] | select((.of | length == 2) and .settings > 0)
       | ["`\(.gpu)`", (.of | to_entries | map("\(.key)=\(.value)") | join(", ")),
          effect(.speed), (.speed | between),
          (if .speed.beyond then (if .speed.mean > 1 then "more" else "less" end)
           else "as each" end), effect(.energy), (.energy | between)]]
    | table("llrrlrr");

# Configurations of together.yaml without noise, of each GPU.
def quiet: [.configurations[] | select(.factors.noise == "none")]
    | group_by(.factors.gpu);
def on_axes: .factors | [to_entries[] | select((.key | IN("gpu", "noise") | not)
    and (.value | IN("preset", "fifo", "own", "turns", "single") | not))
    | "\(.key)=\(.value)"] | if length == 0 then "none" else join(", ") end;
# As far as they are told: three digits.
def told: [-.mean.speedup, .mean.energy_ratio | . * 1000 | round] + [.bits];
def beaten_by($x): told as $m | ($x | told) as $n | $m != $n
    and ([range(3)] | all($n[.] <= $m[.]));
def setting_rows($all; $base):
    $all | sort_by(-.mean.speedup)[]
    | ["`\(.factors.gpu)`", on_axes, (.mean.speedup | fixed(3)),
       (.mean.energy_ratio | fixed(3)), (.mean.edp_ratio | fixed(3)),
       (.bits - $base | if . > 0 then "+" + whole else whole end)];
# Of those of each GPU that `choose` leaves.
def setting_table(choose):
    [["GPU", "with", "speed, x", "energy, x", "EDP, x", "bits"]]
    + [quiet[] | ([.[] | select(on_axes == "none")][0].bits) as $base
       | setting_rows(choose; $base)]
    | table("llrrrr");
def together_fronts: setting_table(. as $all
    | [.[] | select(. as $c | [$all[] as $x | $c | beaten_by($x)] | any | not)]);
def together_all: setting_table(.);
