/* Prices of European call and put options by the Black-Scholes formula, the
 * normal distribution by the five-term polynomial of Abramowitz and Stegun,
 * 26.2.17. */
static float normal(float d)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
    float sum =
        k * (0.31938153f +
             k * (-0.356563782f +
                  k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.39894228f * exp(-0.5f * d * d) * sum;

    return d > 0 ? 1.0f - tail : tail;
}

kernel void black_scholes(global const float *price, global const float *strike,
                          global const float *years, global float *call,
                          global float *put, float rate, float volatility,
                          uint n)
{
    uint i = get_global_id(0);

    if (i >= n)
        return;
    float s = price[i], x = strike[i], t = years[i];
    float spread = volatility * sqrt(t);
    float d1 =
        (log(s / x) + (rate + 0.5f * volatility * volatility) * t) / spread;
    float n1 = normal(d1), n2 = normal(d1 - spread);
    float now = x * exp(-rate * t);
    call[i] = s * n1 - now * n2;
    put[i] = now * (1.0f - n2) - s * (1.0f - n1);
}
