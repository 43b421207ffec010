#include "trace/tracks.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/must.h"
#include "trace/proto.h"

/* Fields of the messages [PERFETTO:trace_packet]. */
enum {
    TRACE_PACKET = 1,
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_EVENT = 11,
    PACKET_INTERNED = 12,
    PACKET_FLAGS = 13,
    PACKET_TRACK = 60,
    FLAG_CLEARED = 1, /* nothing interned before counts */
    FLAG_NEEDED = 2,  /* interned texts are used */
    TRACK_UUID = 1,
    TRACK_NAME = 2,
    TRACK_PARENT = 5,
    TRACK_COUNTER = 8,
    TRACK_ORDERING = 11,
    TRACK_RANK = 12,
    ORDERING_EXPLICIT = 3,
    COUNTER_UNIT = 6,
    EVENT_NOTE = 4,
    EVENT_TYPE = 9,
    EVENT_NAME = 10,
    EVENT_TRACK = 11,
    EVENT_VALUE = 30,
    EVENT_DOUBLE = 44,
    EVENT_FLOW = 47,
    TYPE_BEGIN = 1,
    TYPE_END = 2,
    TYPE_COUNTER = 4,
    NOTE_NAME = 1,
    NOTE_UINT = 3,
    NOTE_POINTER = 7,
    NOTE_TEXT = 17,
    INTERNED_NAMES = 2,
    INTERNED_NOTES = 3,
    INTERNED_TEXTS = 29,
    INTERNED_ID = 1,
    INTERNED_TEXT = 2,
};

enum { SEQUENCE = 1, SAMPLES = 2 };

/* Names of notes, interned in this order. */
static const char *const note_names[] = {"instruction", "source", "lanes",
                                         "line address"};
enum { NAME_TEXT = 1, NAME_LINE, NAME_LANES, NAME_ADDRESS };

typedef struct ending {
    uint64_t when, track;
} ending;

typedef struct texts {
    strmap *known; /* text: its number, from 1 */
    char **text;
    uint64_t count;
} texts;

struct tracks {
    FILE *f;
    uint64_t now, tracks, rank;
    texts names, values; /* of events, in notes */
    strbuf packet, part, inner, interned, whole;
    ending *heap; /* the earliest first */
    size_t endings, room;
    bool begun, sampled[TRACKS_KINDS];
};

tracks *tracks_new(FILE *f)
{
    tracks *t = new0(1, sizeof *t);

    t->f = f;
    t->names.known = strmap_new();
    t->values.known = strmap_new();
    return t;
}

static void free_texts(texts *s)
{
    strmap_free(s->known);
    for (uint64_t i = 0; i < s->count; i++)
        free(s->text[i]);
    free(s->text);
}

void tracks_free(tracks *t)
{
    free_texts(&t->names);
    free_texts(&t->values);
    strbuf_fini(&t->packet);
    strbuf_fini(&t->part);
    strbuf_fini(&t->inner);
    strbuf_fini(&t->interned);
    strbuf_fini(&t->whole);
    free(t->heap);
    free(t);
}

/* ---- Packets ---- */

static void write_packet(tracks *t)
{
    proto_message(&t->whole, TRACE_PACKET, &t->packet);
    fwrite(t->whole.text, 1, t->whole.size, t->f);
    t->whole.size = 0;
}

static void intern(tracks *t, unsigned field, uint64_t id, const char *text)
{
    strbuf one = {0};

    proto_uint(&one, INTERNED_ID, id);
    proto_text(&one, INTERNED_TEXT, text);
    proto_message(&t->interned, field, &one);
    strbuf_fini(&one);
}

/* The first packet has the defaults of the sequence. */
static void begin_sequence(tracks *t)
{
    if (t->begun)
        return;
    t->begun = true;
    for (size_t i = 0; i < COUNTOF(note_names); i++)
        intern(t, INTERNED_NOTES, i + 1, note_names[i]);
    proto_uint(&t->packet, PACKET_SEQUENCE, SEQUENCE);
    proto_uint(&t->packet, PACKET_FLAGS, FLAG_CLEARED);
    proto_message(&t->packet, PACKET_INTERNED, &t->interned);
    write_packet(t);
}

static uint64_t number_of_text(tracks *t, texts *s, unsigned field,
                               const char *text)
{
    uint64_t id = (uint64_t)(uintptr_t)strmap_get(s->known, text);

    if (id)
        return id;
    s->text = renew(s->text, s->count + 1, sizeof *s->text);
    char *copy = s->text[s->count++] = new_text(text);
    strmap_put(s->known, copy, (void *)(uintptr_t)s->count);
    intern(t, field, s->count, text);
    return s->count;
}

uint64_t tracks_add(tracks *t, uint64_t parent, const char *name,
                    const char *unit)
{
    uint64_t id = ++t->tracks;

    begin_sequence(t);
    proto_uint(&t->part, TRACK_UUID, id);
    proto_text(&t->part, TRACK_NAME, name);
    if (parent)
        proto_uint(&t->part, TRACK_PARENT, parent);
    if (unit) {
        proto_text(&t->inner, COUNTER_UNIT, unit);
        proto_message(&t->part, TRACK_COUNTER, &t->inner);
    }
    proto_uint(&t->part, TRACK_ORDERING, ORDERING_EXPLICIT);
    proto_uint(&t->part, TRACK_RANK, ++t->rank);
    proto_uint(&t->packet, PACKET_SEQUENCE, SEQUENCE);
    proto_message(&t->packet, PACKET_TRACK, &t->part);
    write_packet(t);
    return id;
}

/* Of `t->part`, an event of this time. */
static void send_event(tracks *t, uint64_t when)
{
    proto_uint(&t->packet, PACKET_TIMESTAMP, when);
    proto_uint(&t->packet, PACKET_SEQUENCE, SEQUENCE);
    proto_uint(&t->packet, PACKET_FLAGS, FLAG_NEEDED);
    if (t->interned.size)
        proto_message(&t->packet, PACKET_INTERNED, &t->interned);
    proto_message(&t->packet, PACKET_EVENT, &t->part);
    write_packet(t);
}

static void put_end(tracks *t, uint64_t track, uint64_t when)
{
    proto_uint(&t->part, EVENT_TYPE, TYPE_END);
    proto_uint(&t->part, EVENT_TRACK, track);
    send_event(t, when);
}

/* ---- Time ---- */

static bool ends_before(const ending *a, const ending *b)
{
    return a->when < b->when || (a->when == b->when && a->track < b->track);
}

static void swap_endings(ending *a, ending *b)
{
    ending c = *a;

    *a = *b;
    *b = c;
}

void tracks_end_at(tracks *t, uint64_t track, uint64_t when)
{
    size_t i = t->endings++;

    GROW(t->heap, t->endings, t->room);
    t->heap[i] = (ending){when, track};
    for (; i && ends_before(&t->heap[i], &t->heap[(i - 1) / 2]);
         i = (i - 1) / 2)
        swap_endings(&t->heap[i], &t->heap[(i - 1) / 2]);
}

static ending first_ending(tracks *t)
{
    ending first = t->heap[0];
    size_t i = 0;

    t->heap[0] = t->heap[--t->endings];
    for (;;) {
        size_t k = 2 * i + 1;

        if (k + 1 < t->endings && ends_before(&t->heap[k + 1], &t->heap[k]))
            k++;
        if (k >= t->endings || !ends_before(&t->heap[k], &t->heap[i]))
            return first;
        swap_endings(&t->heap[i], &t->heap[k]);
        i = k;
    }
}

void tracks_time(tracks *t, uint64_t when)
{
    while (t->endings && t->heap[0].when <= when) {
        ending e = first_ending(t);

        put_end(t, e.track, e.when);
    }
    t->now = when > t->now ? when : t->now;
}

void tracks_close(tracks *t)
{
    while (t->endings)
        put_end(t, first_ending(t).track, t->now);
}

uint64_t tracks_now(const tracks *t) { return t->now; }

/* ---- Events ---- */

static void put_note(tracks *t, unsigned name, unsigned field, uint64_t value)
{
    proto_uint(&t->inner, NOTE_NAME, name);
    proto_uint(&t->inner, field, value);
    proto_message(&t->part, EVENT_NOTE, &t->inner);
}

void tracks_begin(tracks *t, uint64_t track, const char *name,
                  const tracks_note *n)
{
    proto_uint(&t->part, EVENT_TYPE, TYPE_BEGIN);
    proto_uint(&t->part, EVENT_TRACK, track);
    proto_uint(&t->part, EVENT_NAME,
               number_of_text(t, &t->names, INTERNED_NAMES, name));
    if (n && n->text)
        put_note(t, NAME_TEXT, NOTE_TEXT,
                 number_of_text(t, &t->values, INTERNED_TEXTS, n->text));
    if (n && n->line)
        put_note(t, NAME_LINE, NOTE_TEXT,
                 number_of_text(t, &t->values, INTERNED_TEXTS, n->line));
    if (n && n->lanes)
        put_note(t, NAME_LANES, NOTE_UINT, n->lanes);
    if (n && n->address)
        put_note(t, NAME_ADDRESS, NOTE_POINTER, n->address);
    if (n && n->flow)
        proto_fixed64(&t->part, EVENT_FLOW, n->flow);
    send_event(t, t->now);
}

void tracks_end(tracks *t, uint64_t track) { put_end(t, track, t->now); }

void tracks_count(tracks *t, uint64_t track, uint64_t value)
{
    proto_uint(&t->part, EVENT_TYPE, TYPE_COUNTER);
    proto_uint(&t->part, EVENT_TRACK, track);
    proto_uint(&t->part, EVENT_VALUE, value);
    send_event(t, t->now);
}

void tracks_sample(tracks *t, tracks_kind kind, uint64_t track, uint64_t when,
                   double value)
{
    proto_uint(&t->packet, PACKET_TIMESTAMP, when);
    proto_uint(&t->packet, PACKET_SEQUENCE, SAMPLES + kind);
    if (!t->sampled[kind])
        proto_uint(&t->packet, PACKET_FLAGS, FLAG_CLEARED);
    t->sampled[kind] = true;
    proto_uint(&t->part, EVENT_TYPE, TYPE_COUNTER);
    proto_uint(&t->part, EVENT_TRACK, track);
    proto_double(&t->part, EVENT_DOUBLE, value);
    proto_message(&t->packet, PACKET_EVENT, &t->part);
    write_packet(t);
}
