/* workloads/kmeans/ref.c - k-means in double precision. Coordinates are small
 * whole numbers, so the sums are exact in any order of addition, and the
 * clusters stand apart, so rounding moves no point to another one. */
#include "tool/workload.h"

enum { K = 8, STEPS = 3 };

static unsigned nearest(const double c[K][2], const float p[2])
{
    double best = 1e300;
    unsigned own = 0;

    for (unsigned k = 0; k < K; k++) {
        double dx = p[0] - c[k][0], dy = p[1] - c[k][1];

        if (dx * dx + dy * dy < best) {
            best = dx * dx + dy * dy;
            own = k;
        }
    }
    return own;
}

static void step(double c[K][2], const float *point, uint32_t *cluster,
                 unsigned n)
{
    double sum[K][3] = {{0}};

    for (unsigned i = 0; i < n; i++) {
        unsigned k = cluster[i] = nearest(c, &point[2 * i]);

        sum[k][0] += point[2 * i];
        sum[k][1] += point[2 * i + 1];
        sum[k][2]++;
    }
    for (unsigned k = 0; k < K; k++)
        for (unsigned d = 0; d < 2 && sum[k][2] > 0; d++)
            c[k][d] = sum[k][d] / sum[k][2];
}

static void gen(wl *w, unsigned n)
{
    float *point = wl_input_f32(w, "point", (size_t)n * 2);
    float *first = wl_input_f32(w, "centre", K * 2);
    float *last = wl_expect_f32(w, "centre", K * 2, 1e-5);
    uint32_t *cluster = wl_expect_u32(w, "cluster", n);
    double c[K][2];

    for (unsigned k = 0; k < K; k++) {
        first[2 * k] = (float)(300 * (k % 4) + wl_below(w, 60));
        first[2 * k + 1] = (float)(300 * (k / 4) + wl_below(w, 60));
        c[k][0] = first[2 * k];
        c[k][1] = first[2 * k + 1];
    }
    for (unsigned i = 0; i < n; i++) {
        unsigned k = wl_below(w, K);

        point[2 * i] = (float)(300 * (k % 4) + wl_below(w, 100));
        point[2 * i + 1] = (float)(300 * (k / 4) + wl_below(w, 100));
    }
    wl_zero(w, "sums", WL_F32, K * 3);
    for (unsigned s = 0; s < STEPS; s++) {
        step(c, point, cluster, n);
        wl_launch(w, "kmeans_assign", DIM1((n + 127) / 128), DIM1(128),
                  "point, centre, sums, cluster, %u", n);
        wl_launch(w, "kmeans_move", DIM1(1), DIM1(K), "centre, sums");
    }
    for (unsigned k = 0; k < 2 * K; k++)
        last[k] = (float)c[k / 2][k % 2];
}

const workload wl_kmeans = {"kmeans", "k-means, 8 clusters, 3 steps", 8192,
                            "points", gen};
