/* Prices of European call and put options by the Black-Scholes formula, the
 * normal distribution by the five-term polynomial of Abramowitz and Stegun,
 * 26.2.17. */
#include "../cuda_lite.h"

static __device__ __forceinline__ float normal(float d)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float sum =
        k * (0.31938153f +
             k * (-0.356563782f +
                  k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.39894228f * __expf(-0.5f * d * d) * sum;

    return d > 0 ? 1.0f - tail : tail;
}

extern "C" __global__ void
black_scholes(const float *price, const float *strike, const float *years,
              float *call, float *put, float rate, float volatility, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    float s = price[i], x = strike[i], t = years[i];
    float spread = volatility * sqrtf(t);
    float d1 =
        (__logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / spread;
    float n1 = normal(d1), n2 = normal(d1 - spread);
    float now = x * __expf(-rate * t);
    call[i] = s * n1 - now * n2;
    put[i] = now * (1.0f - n2) - s * (1.0f - n1);
}
