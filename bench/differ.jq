# bench/differ.jq - the first counter in which reports $a and $b differ (JSON of
# `heddle run`, slurped), in order of launches, as a line of text; counters that
# only one has come last; null if there is nothing.
def named:
    . as $l | {cycles} + .counters + {check: "same"}
    | with_entries(.value |= tostring);
# The keys of $of that $in has not. (Arrays are subtracted by comparing each of one
# with each of the other, and there are tens of thousands.)
def lacks($of; $in):
    $of | keys[] | select(. as $key | $in | has($key) | not);

($a[0].launches | length) as $m | ($b[0].launches | length) as $n
| if $m != $n then "\($m) launches, then \($n)" else
    first(
        (range($n) as $i
         | ($a[0].launches[$i] | named) as $x
         | ($b[0].launches[$i] | named) as $y
         | $x | keys_unsorted[] | select($y[.] != null and $y[.] != $x[.])
         | "launch \($i + 1), \($b[0].launches[$i].kernel): \(.) "
           + "\($x[.]) -> \($y[.])"),
        (if $a[0].checks != $b[0].checks then
             "what is expected of memory comes out otherwise"
         else empty end),
        (($a[0].launches[0].counters // {}) as $x
         | ($b[0].launches[0].counters // {}) as $y
         | (first(lacks($y; $x)) | "only new counters, the first is \(.)"),
           (first(lacks($x; $y)) |
            "only counters that are gone, the first is \(.)")),
        "memory, or what the hash is of: no counter that both have")
  end
