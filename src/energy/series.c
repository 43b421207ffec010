#include "energy/series.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

void energy_series_add(energy_series *s, uint64_t start, const energy *e)
{
    GROW(s->row, s->count + 1, s->room);
    s->row[s->count++] = (energy_sample){start, *e};
}

void energy_series_fini(energy_series *s)
{
    free(s->row);
    memset(s, 0, sizeof *s);
}
