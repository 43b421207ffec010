/* src/codegen/alloc/ra.h - parts of the register allocator: graph colouring
 * with word-level interference. Shared by the ra*.c files only.
 *
 * Registers that copies join become one node. A node has as many words as its
 * widest register; narrower ones sit at an offset. Two nodes conflict if
 * words that interfere would get the same physical register. */
#ifndef CODEGEN_ALLOC_RA_H
#define CODEGEN_ALLOC_RA_H

#include "codegen/flow/live.h"
#include "codegen/ir/frame.h"

enum { RA_NONE = 0xffff, RA_HINTS = 8 };

typedef struct ra_list { /* neighbours of a word */
    uint32_t *word;
    uint32_t n, room;
} ra_list;

typedef struct ra_node { /* by register; valid for the root of a joined group */
    vreg up;             /* the register it was joined to, itself if none */
    uint8_t off;         /* word of `up` where it begins */
    uint8_t size;
    bool used;
    bool spilled;
    uint16_t limit;  /* of the registers that it can have */
    uint16_t colour; /* first physical register, RA_NONE */
    double cost;     /* of spilling, by frequency */
    uint32_t start;  /* where it is first written */
    cg_regset avoid; /* registers that a call writes in its lifetime */
    uint32_t nhints;
    struct {
        vreg reg;
        int8_t delta; /* colour wanted: that of reg plus delta */
    } hint[RA_HINTS];
} ra_node;

typedef struct ra_copy {
    const cg_inst *in;
    double weight;
} ra_copy;

typedef struct ra_heir { /* a result and an operand that dies there: the same
                            register keeps halves of pairs side by side */
    uint32_t to, from;   /* words */
} ra_heir;

typedef struct ra {
    cg_func *f;
    arena *mem;
    bool preds;     /* allocates predicates, else registers */
    bool careful;   /* join only where it cannot hurt */
    unsigned limit; /* physical registers */
    cg_live *live;
    ra_node *node; /* by register */
    vreg *owner;   /* by word */
    ra_list *adj;  /* by word */
    arena *edge_mem;
    uint64_t *edge; /* set of pairs: open addressing */
    uint32_t nedges, edge_room;
    ra_copy *copy;
    uint32_t ncopies;
    ra_heir *heir;
    uint32_t nheirs;
    vreg *order; /* nodes as they were removed from the graph */
    uint32_t norder;
    unsigned used; /* physical registers used */
} ra;

/* Registers there, of at most `limit`. */
static inline unsigned ra_limit_at(const cg_block *b, unsigned limit)
{
    return b->limit && b->limit < limit ? b->limit : limit;
}

double ra_frequency(const cg_block *b);

/* ra_relieve.c: spills until no more than about `limit` words are live. */
void ra_relieve(cg_func *f, unsigned limit);

/* ra_graph.c */
void ra_begin(ra *r); /* each register a node of its own */
void ra_build(ra *r);
void ra_join(ra *r);
/* The node and word that stand for a word. */
uint32_t ra_canon(const ra *r, uint32_t word);
vreg ra_root(const ra *r, vreg v, unsigned *off);

/* ra_colour.c: true if all nodes got a colour; else nodes without one are
 * marked spilled. */
bool ra_colour(ra *r);

/* First registers that node v cannot have, for what its neighbours have. */
void ra_forbidden(const ra *r, vreg v, bool forbidden[256]);

/* ra_bank.c: after colouring, another place for what is read together from one
 * bank; where the options know of banks. */
void ra_spread(ra *r);

/* ra_spill.c: rewrites the function; false if nothing could be done. */
bool ra_spill(ra *r);
/* The register to which `in` adds a constant; NULL if it is no such sum. */
const cg_src *ra_sum_of(const cg_inst *in);

#endif
