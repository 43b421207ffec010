# bench/ratio.awk - the ratio of paired measurements A and B, two columns of a
# line each: prints `RATIO LOW HIGH`, B over A with its interval of 95 %, `-` for
# both ends where fewer than six pairs allow none.
#
# Other programs disturb single runs by far more than what is looked for, and
# never to the faster side, so means and normal intervals are of no use. Taken
# are the pairs' log ratios, which drop what the two runs of a pair share, and of
# them Hodges and Lehmann's estimate, the median of the means of any two of them,
# with the interval that belongs to it, of Wilcoxon's signed ranks: exact for any
# distribution that has the same shape to both sides, as that of a difference of
# two disturbances of one kind has.

NF >= 2 && $1 > 0 && $2 > 0 { d[++n] = log($2 / $1) }

END {
    if (!n) {
        print "- - -"
        exit
    }
    for (i = 1; i <= n; i++)
        for (j = i; j <= n; j++)
            insert((d[i] + d[j]) / 2)
    mid = m % 2 ? w[(m + 1) / 2] : (w[m / 2] + w[m / 2 + 1]) / 2
    k = outside(n)
    if (k)
        printf "%.6f %.6f %.6f\n", exp(mid), exp(w[k]), exp(w[m + 1 - k])
    else
        printf "%.6f - -\n", exp(mid)
}

# Into w, which stays in order.
function insert(x,    i) {
    for (i = m++; i > 0 && w[i] > x; i--)
        w[i + 1] = w[i]
    w[i + 1] = x
}

# The largest k such that the sum of the ranks of one sign is less than k with a
# probability of 2.5 % at most; 0: none.
function outside(n,    i, s, top, ways, sum, most) {
    top = n * (n + 1) / 2
    ways[0] = 1
    for (i = 1; i <= n; i++)
        for (s = top; s >= i; s--)
            ways[s] += ways[s - i]
    most = 0.025 * 2 ^ n
    for (s = 0; sum + ways[s] <= most; s++)
        sum += ways[s]
    return s
}
