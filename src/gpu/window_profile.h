/* src/gpu/window_profile.h - what the windows of a run took of the one thread
 * that simulated them, node by node and step by step, and from that how long
 * more threads would take: the steps between nodes one after the other, the
 * nodes of each window as a team takes them. Owns all of it. Times are of the
 * thread's CPU, without what reading the clock takes; they depend on the host
 * and on nothing that is simulated. */
#ifndef GPU_WINDOW_PROFILE_H
#define GPU_WINDOW_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

/* What one thread does in a window besides nodes. */
typedef enum window_part {
    WINDOW_DISPATCH,  /* hands out CTAs, finds the nodes with work */
    WINDOW_COMMIT,    /* makes stores visible */
    WINDOW_TRANSLATE, /* answers TLBs */
    WINDOW_UP,        /* moves messages and credits to slices, */
    WINDOW_DOWN,      /* to SMs */
    WINDOW_GATHER,    /* looks at what ended, limits, the next window */
    WINDOW_PARTS
} window_part;

/* In which nodes are taken. */
typedef enum window_order {
    WINDOW_AS_TAKEN,
    WINDOW_LONGEST_LAST_TIME, /* first those that took longest in their last
                                 window */
    WINDOW_LONGEST,           /* as if it were known how long they will take */
    WINDOW_ORDERS
} window_order;

enum { WINDOW_COUNTS = 6 }; /* of threads: window_threads[] */
extern const unsigned window_threads[WINDOW_COUNTS];

typedef struct window_sums {
    uint64_t windows, cycles, runs; /* runs of nodes */
    uint64_t part_ns[WINDOW_PARTS];
    uint64_t serial_ns;              /* parts that run alone */
    uint64_t side_ns[WINDOW_COUNTS]; /* until those that share have ended */
    uint64_t meetings; /* of threads: before nodes, and before such parts */
    uint64_t nodes_ns;
    uint64_t longest_ns; /* of the longest node of each window */
    uint64_t span_ns[WINDOW_ORDERS][WINDOW_COUNTS]; /* until all have ended */
    uint64_t meet_ns;  /* that two threads take to begin and end together */
    bool meet_assumed; /* they never had a core each, so it is a guess */
    unsigned nodes, clusters;
    /* Per node: clusters, then partitions. */
    struct window_node {
        uint64_t ns, runs;
        uint64_t longest; /* windows in which it was the longest */
    } * node;
} window_sums;

typedef struct window_profile window_profile;

window_profile *window_profile_new(unsigned clusters, unsigned partitions);
void window_profile_free(window_profile *p); /* NULL is fine */

/* What went before is no part of a window. */
void window_profile_resume(window_profile *p);
/* What ran since the last of these calls was this part; one that may run at the
 * same time as others of this kind; a run of node `n`. */
void window_profile_part(window_profile *p, window_part part);
void window_profile_side(window_profile *p, window_part part);
void window_profile_node(window_profile *p, unsigned n);
/* A window of so many cycles is complete. */
void window_profile_window(window_profile *p, unsigned cycles);

/* Up to now. Two threads meet for a moment to measure what that takes. */
const window_sums *window_profile_sums(window_profile *p);

/* ---- What follows from the sums ---- */

/* What so many threads take to meet: what two do, and 200 ns for each further
 * one, which takes an item and ends it on a cache line that all want. No
 * machine of this project has so many cores that it could be measured. */
uint64_t window_meet_ns(const window_sums *s, unsigned threads);
/* All windows with window_threads[count] threads. */
uint64_t window_predicted_ns(const window_sums *s, window_order order,
                             unsigned count);

#endif
