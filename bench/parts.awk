# bench/parts.awk - host instructions by part of the machine, of a file that
# callgrind wrote: lines `PART COUNT`. Code that was inlined counts for the
# function that it is in.

function part_of(path) {
    if (path !~ /\/src\//)
        return "library"
    sub(/.*\/src\//, "", path)
    if (path ~ /^sm\/memory\//)
        return "lsu"
    if (path ~ /^cache\/(l2|mmu)/)
        return "l2"
    sub(/\/.*/, "", path)
    if (path == "cache")
        return "l1"
    return path ~ /^(sm|noc|dram|gpu|exec|mem)$/ ? path : "other"
}

# The name behind "(12) name", or what "(12)" was said to be before.
function name_of(kind, text, at, id) {
    if (text !~ /^\(/)
        return text
    at = index(text, ")")
    id = kind substr(text, 1, at)
    if (length(text) > at)
        names[id] = substr(text, at + 2)
    return names[id]
}

/^(fl|fi|fe|cfi|cfl)=/ {
    path = name_of("file", substr($0, index($0, "=") + 1))
    if (/^fl=/)
        part = part_of(path)
    next
}
/^calls=/ { callee = 1; next }
/^[0-9+*-]/ {
    if (!callee)
        cost[part] += $2
    callee = 0
}
END {
    for (p in cost)
        printf "%s %d\n", p, cost[p]
}
