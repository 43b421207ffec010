# bench/table.jq - results.json as lines of tab-separated text, one column for
# each kernel.
def per(d): if . == null or d == null or d == 0 then null else . / d end;
def fixed(n): if . == null then null else . * n | round / n end;
def whole: # 1234567 becomes 1,234,567
    if . == null then null
    else round | tostring
        | [while(. != ""; .[:-3])] | map(.[-3:]) | reverse | join(",")
    end;

def lines:
    . as $k | (.user_s + .sys_s) as $cpu_s
    | ["", .name],
      ["size", (.size | whole)],
      ["simulated cycles", (.cycles | whole)],
      ["warp instructions", (.warp_insts | whole)],
      ["memory transactions", (.transactions | whole)],
      ["wall ms", (.wall_s * 1000 | whole)],
      ["CPU ms, user", (.user_s * 1000 | whole)],
      ["CPU ms, system", (.sys_s * 1000 | whole)],
      ["warp inst per s of wall", (.warp_insts | per($k.wall_s) | whole)],
      ["warp inst per s of CPU", (.warp_insts | per($cpu_s) | whole)],
      ["  goal: at least", (.goal_rate | whole)],
      ["host inst, millions", (.host_insts | per(1e6) | fixed(10))],
      ["  of which start-up", (.host_start_insts | per(1e6) | fixed(10))],
      ["host inst per warp inst", (.host_insts | per($k.warp_insts) | whole)],
      ["  goal: at most", (.goal_host | whole)],
      ["host inst per transaction",
       (.host_insts | per($k.transactions) | whole)],
      ["wall ms, 2 threads", (.wall2_s * 1000 | whole)],
      ["  gain", (.wall_s | per($k.wall2_s) | fixed(100))],
      ["start-up ms, wall", (.start_wall_s * 1000 | whole)],
      ["start-up ms, CPU", (.start_cpu_s * 1000 | whole)],
      ["peak memory MB", (.rss_kb / 1024 | fixed(10))];

[.kernels[] | [lines]] | transpose[]
| [.[0][0]] + map(.[1] // "-") | @tsv
