/* src/energy/series.h - energy over the time of a launch: what was spent from
 * sample to sample. Owns its rows. */
#ifndef ENERGY_SERIES_H
#define ENERGY_SERIES_H

#include "energy/energy.h"

typedef struct energy_sample {
    uint64_t start; /* cycle since the launch; energy.cycles is the length */
    energy energy;
} energy_sample;

typedef struct energy_series {
    energy_sample *row; /* one behind the other in time */
    size_t count, room;
} energy_series;

void energy_series_add(energy_series *s, uint64_t start, const energy *e);
void energy_series_fini(energy_series *s);

#endif
