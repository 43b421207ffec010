/* Each item enters one of `locks` critical sections in the order of the tickets
 * that items take, and notes its turn. */
kernel void enter(global const uint *weight, volatile global uint *next,
                  volatile global uint *serving, volatile global uint *total,
                  global uint *order, global uint *before, uint n, uint locks)
{
    uint i = get_global_id(0);
    int done = 0;

    if (i >= n)
        return;
    uint l = i % locks, mine = atomic_inc(&next[l]);
    while (!done) {
        if (serving[l] == mine) {
            uint sum = total[l];

            order[mine * locks + l] = i;
            before[mine * locks + l] = sum;
            total[l] = sum + weight[i];
            mem_fence(CLK_GLOBAL_MEM_FENCE);
            serving[l] = mine + 1;
            done = 1;
        }
    }
}
