/* Numbers as people read them. */
#include "text/word.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/must.h"

/* 1234567 as 1,234,567. */
word word_grouped(uint64_t v)
{
    char digits[24];
    word w;
    int n = snprintf(digits, sizeof digits, "%" PRIu64, v), k = 0;

    for (int i = 0; i < n; i++) {
        if (i && (n - i) % 3 == 0)
            w.s[k++] = ',';
        w.s[k++] = digits[i];
    }
    w.s[k] = 0;
    return w;
}

/* A number of bytes, seconds, ... with a prefix: "12.3 G". */
static word with_prefix(double v, const char *const *units, unsigned count)
{
    word w = {"-"};
    unsigned u = 0;

    if (isnan(v))
        return w;
    while (u + 1 < count && v >= 999.5) {
        v /= 1000;
        u++;
    }
    snprintf(w.s, sizeof w.s, v >= 99.95 || u + v == 0 ? "%.0f %s" : "%.3g %s",
             v, units[u]);
    return w;
}

word word_bytes(double v)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};

    return with_prefix(v, units, COUNTOF(units));
}

word word_per_second(double v)
{
    static const char *const units[] = {"B/s", "kB/s", "MB/s", "GB/s", "TB/s"};

    return with_prefix(v, units, COUNTOF(units));
}

/* With a blank behind it, or behind the prefix: "12 ", "1.2 M ". */
word word_count(double v)
{
    static const char *const units[] = {"", "k ", "M ", "G ", "T "};

    return with_prefix(v, units, COUNTOF(units));
}

word word_duration(double s)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};

    return with_prefix(s * 1e9, units, COUNTOF(units));
}

word word_joules(double v)
{
    static const char *const units[] = {"fJ", "pJ", "nJ", "uJ", "mJ", "J"};

    return with_prefix(v * 1e15, units, COUNTOF(units));
}

word word_percent(double share)
{
    word w = {"-"};

    if (share > 0 && share < 0.0005)
        snprintf(w.s, sizeof w.s, "< 0.1 %%");
    else if (!isnan(share))
        snprintf(w.s, sizeof w.s, "%.1f %%", 100 * share);
    return w;
}

word word_real(double v, int digits)
{
    word w = {"-"};

    if (!isnan(v))
        snprintf(w.s, sizeof w.s, "%.*f", digits, v);
    return w;
}

double word_share(uint64_t part, uint64_t all)
{
    return all ? (double)part / (double)all : NAN;
}
