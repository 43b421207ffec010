/* workloads/blackscholes/ref.c - option prices in double precision, the
 * normal distribution by erfc. */
#include <math.h>

#include "tool/workload.h"

static double normal(double d) { return 0.5 * erfc(-d / sqrt(2)); }

static void gen(wl *w, unsigned n)
{
    const double rate = 0.03125, vol = 0.25; /* exact in binary */
    float *price = wl_input_f32(w, "price", n);
    float *strike = wl_input_f32(w, "strike", n);
    float *years = wl_input_f32(w, "years", n);
    float *call = wl_expect_f32(w, "call", n, 1e-3);
    float *put = wl_expect_f32(w, "put", n, 1e-3);

    for (unsigned i = 0; i < n; i++) {
        double s = price[i] = wl_uniform(w, 5, 30);
        double x = strike[i] = wl_uniform(w, 1, 100);
        double t = years[i] = wl_uniform(w, 0.25f, 10);
        double d1 = (log(s / x) + (rate + vol * vol / 2) * t) / (vol * sqrt(t));
        double d2 = d1 - vol * sqrt(t), now = x * exp(-rate * t);

        call[i] = (float)(s * normal(d1) - now * normal(d2));
        put[i] = (float)(now * normal(-d2) - s * normal(-d1));
    }
    wl_launch(w, "black_scholes", DIM1((n + 127) / 128), DIM1(128),
              "price, strike, years, call, put, %g, %g, %u", rate, vol, n);
}

const workload wl_blackscholes = {"blackscholes", "European option prices",
                                  65536, "options", gen};
