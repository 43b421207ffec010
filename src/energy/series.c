#include "energy/series.h"

#include <stdlib.h>
#include <string.h>

bool energy_series_add(energy_series *s, uint64_t start, const energy *e)
{
    if (s->count == s->room) {
        size_t room = s->room ? 2 * s->room : 64;
        energy_sample *row = realloc(s->row, room * sizeof *row);

        if (!row)
            return false;
        s->row = row;
        s->room = room;
    }
    s->row[s->count++] = (energy_sample){start, *e};
    return true;
}

void energy_series_fini(energy_series *s)
{
    free(s->row);
    memset(s, 0, sizeof *s);
}
