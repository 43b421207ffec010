# bench/functional.jq - rows of bench/functional as a table: Markdown, or columns.
include "figures";

def row(cells):
    if $markdown == 1 then "| " + (cells | join(" | ")) + " |"
    else cells | map(. + " " * ([20 - length, 1] | max)) | join("") end;

# host instructions for each warp instruction of what the larger size has more
def cost: (.large.host - .small.host) / (.large.warp - .small.warp);

(["kernel", "size", "warp instructions", "host inst per", "M a second of CPU"]
 | row(.), if $markdown == 1 then "|---|---:|---:|---:|---:|" else empty end),
($rows[]
 | row([if $markdown == 1 then "`\(.name)`" else .name end,
        (.size | whole), (.large.warp | whole), (cost | whole),
        (.rate / 1e6 | fixed(1))]))
