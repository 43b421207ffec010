/* src/base/suggest.c - optimal string alignment distance, case ignored. */
#include "base/suggest.h"

#include <ctype.h>
#include <string.h>

enum { LONGEST = 63 };

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
    unsigned m = a < b ? a : b;

    return m < c ? m : c;
}

static int lower_case(char c) { return tolower((unsigned char)c); }

/* Both at most LONGEST long. Inserting, deleting, replacing a letter and
 * swapping two neighbours cost 1 each. */
static unsigned edit_distance(const char *a, size_t na, const char *b,
                              size_t nb)
{
    unsigned row[3][LONGEST + 1]; /* rows i-2, i-1 and i, in turn */

    for (size_t j = 0; j <= nb; j++)
        row[0][j] = (unsigned)j;
    for (size_t i = 1; i <= na; i++) {
        unsigned *two = row[(i + 1) % 3], *one = row[(i + 2) % 3];
        unsigned *now = row[i % 3];

        now[0] = (unsigned)i;
        for (size_t j = 1; j <= nb; j++) {
            int x = lower_case(a[i - 1]), y = lower_case(b[j - 1]);

            now[j] = min3(one[j] + 1, now[j - 1] + 1, one[j - 1] + (x != y));
            if (i > 1 && j > 1 && x == lower_case(b[j - 2]) &&
                y == lower_case(a[i - 2]) && two[j - 2] + 1 < now[j])
                now[j] = two[j - 2] + 1;
        }
    }
    return row[na % 3][nb];
}

const char *suggest_nearest(const char *word, const char *const *names,
                            size_t count)
{
    size_t n = strlen(word);
    unsigned best = (unsigned)n / 3 + 2; /* this far is too far */
    const char *found = NULL;

    if (n == 0 || n > LONGEST)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        size_t m = strlen(names[i]);

        if (m == 0 || m > LONGEST)
            continue;
        unsigned d = edit_distance(word, n, names[i], m);
        if (d < best && d < n && d < m) {
            best = d;
            found = names[i];
        }
    }
    return found;
}
