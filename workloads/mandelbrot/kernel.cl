/* Iterations until z = z^2 + c leaves the circle, for n x n points; integer
 * arithmetic in 1/4096, so every machine agrees. A work item stops when its
 * point escapes, or when z returns to where it was 16 steps ago. */
kernel void mandelbrot(global uint *steps, uint n, uint max)
{
    uint px = get_global_id(0), py = get_global_id(1);

    if (px >= n || py >= n)
        return;
    int cx = (int)(px * 12288 / n) - 8192, cy = (int)(py * 8192 / n) - 4096;
    int x = 0, y = 0, oldx = 0, oldy = 0;
    uint i = 0;
    while (i < max) {
        int x2 = x * x >> 12, y2 = y * y >> 12;
        if (x2 + y2 > 4 << 12)
            break;
        y = (x * y >> 11) + cy;
        x = x2 - y2 + cx;
        i++;
        if (x == oldx && y == oldy) {
            i = max;
            break;
        }
        if (i % 16)
            continue;
        oldx = x;
        oldy = y;
    }
    steps[py * n + px] = i;
}
