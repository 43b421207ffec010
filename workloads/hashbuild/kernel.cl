/* A hash table with chains and a lock for each bucket: each item counts its
 * key, which it appends if it is not there yet. Nodes are numbered from 1. */
typedef struct {
    uint key, count, next;
} node;

kernel void insert(global const uint *key, volatile global uint *lock,
                   volatile global uint *head, volatile global node *nodes,
                   volatile global uint *used, uint n, uint mask)
{
    uint i = get_global_id(0);
    int done = 0;

    if (i >= n)
        return;
    uint wanted = key[i], b = wanted * 0x9e3779b1u >> 12 & mask;
    while (!done) {
        if (atomic_cmpxchg(&lock[b], 0, 1) == 0) {
            uint at = head[b];

            while (at && nodes[at].key != wanted)
                at = nodes[at].next;
            if (at) {
                nodes[at].count++;
            } else {
                at = atomic_inc(used) + 1;
                nodes[at].key = wanted;
                nodes[at].count = 1;
                nodes[at].next = head[b];
                head[b] = at;
            }
            mem_fence(CLK_GLOBAL_MEM_FENCE);
            atomic_xchg(&lock[b], 0);
            done = 1;
        }
    }
}
