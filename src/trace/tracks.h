/* src/trace/tracks.h - the packets of a trace for Perfetto: tracks, slices on
 * them, counters [PERFETTO:track_event]. Independent of GPUs.
 *
 * Slices of a track nest; those that end later are closed by themselves, so
 * that times never run backwards. Texts are written once and then named by
 * number. Owns its memory, borrows the file. */
#ifndef TRACE_TRACKS_H
#define TRACE_TRACKS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct tracks tracks;

tracks *tracks_new(FILE *f);
void tracks_free(tracks *t);

/* A track below `parent`, 0: none, in the order in which they are made. With a
 * `unit` it is a counter. Returns its number. */
uint64_t tracks_add(tracks *t, uint64_t parent, const char *name,
                    const char *unit);

/* What goes with a slice: NULL and 0 where there is nothing. */
typedef struct tracks_note {
    const char *text; /* "inst": of an instruction */
    const char *line; /* of the source */
    uint64_t lanes;
    uint64_t address;
    uint64_t flow; /* slices of equal numbers are connected */
} tracks_note;

/* All before `when` has been written. */
void tracks_time(tracks *t, uint64_t when);
uint64_t tracks_now(const tracks *t);

void tracks_begin(tracks *t, uint64_t track, const char *name,
                  const tracks_note *n); /* NULL: none */
void tracks_end(tracks *t, uint64_t track);
/* Ends the innermost slice in a future cycle. */
void tracks_end_at(tracks *t, uint64_t track, uint64_t when);
void tracks_count(tracks *t, uint64_t track, uint64_t value);
/* A value of any time, in order with others of this `kind` alone. */
typedef enum tracks_kind {
    TRACKS_POWER,
    TRACKS_WARPS,
    TRACKS_KINDS
} tracks_kind;
void tracks_sample(tracks *t, tracks_kind kind, uint64_t track, uint64_t when,
                   double value);

/* Ends what tracks_end_at has promised, now. */
void tracks_close(tracks *t);

#endif
