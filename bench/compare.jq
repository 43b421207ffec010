# bench/compare.jq - what is more than 5 % worse than in $old, and a failure if
# anything is. Times are of the CPU, which a loaded machine disturbs less, and
# not compared below half a second.
def cpu:
    (.user_s + .sys_s) as $s
    | if $s >= 0.5 then $s / .warp_insts else null end;
def host: if .host_insts then .host_insts / .warp_insts else null end;
def worse(what; was; is):
    if was and is and is / was > 1.05 then
        "\(.name) \(.size): \(what) is \((is / was - 1) * 100 | round) % worse"
    else empty end;

# A quarter: most of it are calls of the kernel, which vary.
def slower_launches(was; is):
    if was and is and is.cpu_us > was.cpu_us * 1.25 then
        "launches: \(is.cpu_us) us of CPU each, not \(was.cpu_us)"
    else empty end;

.kernels as $kernels
| [slower_launches($old[0].opencl; .opencl),
 (.kernels[] as $new
 | $old[0].kernels[]
 | select(.name == $new.name and .size == $new.size)
 | worse("CPU time per warp instruction"; cpu; $new | cpu),
   worse("host instructions per warp instruction"; host; $new | host),
   worse("peak memory"; .rss_kb; $new.rss_kb))]
| if length > 0 then join("\n") + "\n" | halt_error(1) else . end
| [$kernels[]
   | select(. as $new | any($old[0].kernels[]; .name == $new.name
                            and .size == $new.size) | not)
   | "\(.name) \(.size)"] as $new
| if $new == [] then "no loss against bench/baseline.json"
  else "not in bench/baseline.json, so compared with nothing: "
       + ($new | join(", ")) end
