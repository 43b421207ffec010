/* The tree of a Barnes-Hut simulation in two dimensions. A cell has four
 * children: nothing, a body (1 to n) or a cell (n + 1 and more). Who changes
 * one locks it: cells for two bodies of one quarter are made until they part,
 * and linked when they are complete. Cell 0 is the unit square. */
enum { EMPTY = 0, LOCKED = -1 };

int quarter(float2 p, float2 centre)
{
    return (p.x > centre.x) + 2 * (p.y > centre.y);
}

/* The centre of the cell's quarter. */
float2 inside(float2 p, float2 centre, float radius)
{
    return centre + (float2)(p.x > centre.x ? radius : -radius,
                             p.y > centre.y ? radius : -radius);
}

kernel void build(global const float *x, global const float *y,
                  volatile global int *child, volatile global int *cells, int n)
{
    int i = get_global_id(0), done = 0;

    if (i >= n)
        return;
    float2 p = (float2)(x[i], y[i]), centre = (float2)(0.5f, 0.5f);
    float radius = 0.25f;
    int at = quarter(p, centre);
    while (!done) {
        int ch = child[at];

        while (ch > n) {
            centre = inside(p, centre, radius);
            radius *= 0.5f;
            at = 4 * (ch - n - 1) + quarter(p, centre);
            ch = child[at];
        }
        if (ch != LOCKED && atomic_cmpxchg(&child[at], ch, LOCKED) == ch) {
            int link = i + 1;

            if (ch != EMPTY) {
                float2 other = (float2)(x[ch - 1], y[ch - 1]);
                int mine, its, cell = atomic_inc(cells) + 1;

                link = n + 1 + cell;
                for (;;) {
                    centre = inside(p, centre, radius);
                    radius *= 0.5f;
                    mine = quarter(p, centre);
                    its = quarter(other, centre);
                    for (int c = 0; c < 4; c++)
                        child[4 * cell + c] = EMPTY;
                    if (mine != its)
                        break;
                    int next = atomic_inc(cells) + 1;
                    child[4 * cell + mine] = n + 1 + next;
                    cell = next;
                }
                child[4 * cell + mine] = i + 1;
                child[4 * cell + its] = ch;
            }
            mem_fence(CLK_GLOBAL_MEM_FENCE);
            child[at] = link;
            done = 1;
        }
    }
}
