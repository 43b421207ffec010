/* The probing half of a hash join: each item looks for the keys of `each` rows
 * and adds what belongs to those found. Slots are pairs of key and value, 0 is
 * no key; behind a slot that has another key the next is tried. */
kernel void probe(global const uint2 *slot, global const uint *key,
                  global uint *sum, uint n, uint mask, uint each)
{
    uint i = get_global_id(0), total = 0;

    if (i >= n)
        return;
    for (uint k = 0; k < each; k++) {
        uint wanted = key[k * n + i], at = wanted * 0x9e3779b1u >> 7 & mask;
        uint2 s = slot[at];

        while (s.x && s.x != wanted) {
            at = (at + 1) & mask;
            s = slot[at];
        }
        total += s.x ? s.y : 0;
    }
    sum[i] = total;
}
