# bench/compare.jq - results beside those of the same size in $old: what takes
# more than 3 % more host instructions, or 10 % more memory, and a failure if
# anything does. Times are not compared, which depend on the machine and its
# load: bench/run --against does that.
def percent:
    . * 1000 | round / 10
    | if . == 0 then "0" elif . > 0 then "+\(.)" else "\(.)" end;
def whole:
    round | tostring | [while(. != ""; .[:-3])] | map(.[-3:]) | reverse
    | join(",");
def cycles(was; is):
    if was == is then "the same simulated cycles"
    else "simulated cycles \(was | whole) -> \(is | whole)" end;

[.kernels[] | . as $new | $old[0].kernels[]
 | select(.name == $new.name and .size == $new.size)
 | {id: "\(.name) \(.size | whole)", was: ., is: $new}] as $pairs
| [$pairs[] | select(.was.host_insts and .is.host_insts)
   | . + {more: (.is.host_insts / .was.host_insts - 1)}] as $counted
| [($counted[] | select(.is.host_insts > 1.03 * .was.host_insts)
    | "\(.id): \(.was.host_insts | whole) -> \(.is.host_insts | whole) host "
      + "instructions, \(.more | percent) %"
      + (if .was.cycles then "; " + cycles(.was.cycles; .is.cycles)
         else "" end)),
   ($pairs[] | select(.was.rss_kb and .is.rss_kb)
    | (.is.rss_kb / .was.rss_kb - 1) as $more | select(.is.rss_kb > 1.1 * .was.rss_kb)
    | "\(.id): \(.was.rss_kb | whole) -> \(.is.rss_kb | whole) kB of memory, "
      + "\($more | percent) %")] as $worse
| if $worse != [] then
      $worse + ["if that is worth it, say so in the commit, and record anew: "
                + "bench/run --record"] | join("\n") + "\n" | halt_error(1)
  elif $counted == [] then "nothing of it is in bench/baseline.json"
  else ($counted | min_by(.more)) as $least
    | ($counted | max_by(.more)) as $most
    | "host instructions: \($least.more | percent) % (\($least.id)) to "
      + "\($most.more | percent) % (\($most.id))"
  end
