/* tests/reference/gen.h - the state of the generator of random programs, and
 * its parts. Owns the text it writes. */
#ifndef REFERENCE_GEN_H
#define REFERENCE_GEN_H

#include "base/rng.h"
#include "reference/program.h"

/* Registers of each kind, named by a letter: 32, 64 and 16 bits, f32, f64,
 * pairs of f16, predicates. */
enum { NR = 10, ND = 5, NH = 4, NF = 6, NE = 4, NX = 3, NP = 5 };

enum { FUNCS = 5, SLOT = 64 /* bytes of a thread in each space */ };

/* F_DEEP calls itself; F_BYTES takes and gives 16 bytes; F_MANY takes more
 * arguments, of all sizes, than fit into registers. */
typedef enum func_kind { F_PLAIN, F_DEEP, F_BYTES, F_MANY } func_kind;

typedef struct gen {
    rng r;
    strbuf s;
    uint32_t grid[3], cta[3], threads;
    unsigned labels, depth, budget;
    unsigned funcs; /* that may be called from here: the first so many */
    bool kept;      /* functions may be called by address */
    func_kind kind[FUNCS];
    bool in_func; /* else in the kernel */
    bool uniform; /* all threads of the CTA come here together */
    bool tail;    /* some may have left */
    unsigned loops, exits[8], nexits; /* loops around, and where they end */
    const char *space, *base;         /* of the memory operand being written */
} gen;

unsigned gen_below(gen *g, unsigned n);
bool gen_chance(gen *g, unsigned of); /* one of so many times */
void gen_say(gen *g, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes one line, with registers and modifiers for each $ and letter:
 *   R D H F E X P   a register to write, by kind
 *   r d h f e x     one to read, or a constant;  v w k: never a constant
 *   p n             a predicate, perhaps negated
 *   i l j           a number: 0..66, 0..255, 0..15
 *   c m b           comparison of integers, of floats; and, or, xor
 *   z t a           rounding, perhaps .ftz, perhaps .sat
 *   s g             a space of the thread's own words; its base register
 *   1 2 4 8 6       an offset there, a multiple of that (6: of 16) */
void gen_line(gen *g, const char *text);
/* The same, after the arguments have been put in. One random number for each
 * letter, in order: compilers evaluate arguments in different ones. */
void gen_form(gen *g, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* One instruction, or a few in braces, on registers and the thread's own
 * memory. Guarded now and then. */
void gen_operation(gen *g);
/* What threads do together; only where g->uniform. */
void gen_together(gen *g);
void gen_atomic(gen *g);
/* Statements with control flow among them. */
void gen_block(gen *g, unsigned length);
void gen_call(gen *g);
void gen_func(gen *g, unsigned number);
/* Declares all registers, and sets them from the 32-bit register `from`. */
void gen_registers(gen *g, const char *from);
/* Stores all registers from [base + at] on; NaNs made alike. */
void gen_store_all(gen *g, const char *base, unsigned at);

#endif
