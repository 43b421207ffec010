/* src/validate/profile_unit.c - see profile_unit.h. */
#include "validate/profile_unit.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/must.h"

bool profile_absent(const char *text)
{
    return !*text || !strcasecmp(text, "n/a") || !strcasecmp(text, "nan") ||
           !strcasecmp(text, "(null)") || *text == '<';
}

/* Commas stand before groups of three digits, in front of the point. */
static bool is_grouped_right(const char *text)
{
    size_t digits = strspn(text, "0123456789");

    if (text[digits] != ',' || digits < 1 || digits > 3)
        return !strchr(text, ',');
    for (text += digits; *text == ','; text += 4)
        if (strspn(text + 1, "0123456789") != 3)
            return false;
    return !strchr(text, ',');
}

double profile_number(const char *text)
{
    char plain[64], *to = plain, *end;
    double v;

    while (*text == ' ')
        text++;
    if (strlen(text) >= sizeof plain || !isdigit((unsigned char)*text) ||
        !is_grouped_right(text))
        return NAN;
    for (; *text; text++)
        if (*text != ',')
            *to++ = *text;
    *to = '\0';
    v = strtod(plain, &end);
    end += strspn(end, " ");
    return *end || plain[strspn(plain, "0123456789.eE+- ")] ? NAN : v;
}

typedef struct unit {
    const char *name;
    double is;
} unit;

static double find_unit(const unit *all, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (!strcasecmp(all[i].name, name))
            return all[i].is;
    return NAN;
}

double profile_unit(profile_kind kind, const char *name)
{
    static const unit cycles[] = {{"", 1},         {"cycle", 1},
                                  {"cycles", 1},   {"Kcycle", 1e3},
                                  {"Mcycle", 1e6}, {"Gcycle", 1e9}};
    static const unit times[] = {
        {"s", 1},     {"second", 1},     {"ms", 1e-3}, {"msecond", 1e-3},
        {"us", 1e-6}, {"usecond", 1e-6}, {"ns", 1e-9}, {"nsecond", 1e-9}};
    static const unit clocks[] = {{"Hz", 1},         {"KHz", 1e3},
                                  {"MHz", 1e6},      {"GHz", 1e9},
                                  {"cycle/s", 1},    {"cycle/second", 1},
                                  {"cycle/ms", 1e3}, {"cycle/msecond", 1e3},
                                  {"cycle/us", 1e6}, {"cycle/usecond", 1e6},
                                  {"cycle/ns", 1e9}, {"cycle/nsecond", 1e9}};

    switch (kind) {
    case PROFILE_TIME:
        return find_unit(times, COUNTOF(times), name);
    case PROFILE_CLOCK:
        return find_unit(clocks, COUNTOF(clocks), name);
    case PROFILE_CYCLES:
    case PROFILE_PER_SM:
    case PROFILE_KINDS:
        break;
    }
    return find_unit(cycles, COUNTOF(cycles), name);
}

double profile_clock(const char *text)
{
    char *end;
    double v = strtod(text, &end);

    if (end == text || !isfinite(v) || !(v > 0))
        return NAN;
    end += strspn(end, " ");
    return *end ? v * profile_unit(PROFILE_CLOCK, end) : NAN;
}
