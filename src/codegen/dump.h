/* src/codegen/dump.h - the operations of a program as they are after passes of
 * the compiler, as text. Owns the text; see cg_options.dump. */
#ifndef CODEGEN_DUMP_H
#define CODEGEN_DUMP_H

#include <stdbool.h>

#include "base/strbuf.h"

typedef enum cg_pass {
#define PASS(name, help) CG_PASS_##name,
#include "codegen/pass.def"
#undef PASS
    CG_PASSES
} cg_pass;

typedef struct cg_dump {
    bool chosen[CG_PASSES];
    bool before, after; /* all those before, or from allocation on */
    bool allocated;     /* what is compiled now has its registers */
    unsigned step;      /* passes that it has been through */
    strbuf text;        /* what was shown */
} cg_dump;

/* Words that stand for several passes, and what they stand for. */
typedef struct cg_dump_word {
    const char *name, *help;
} cg_dump_word;

/* Passes and groups of them, one after the other; the last one has no name. */
extern const cg_dump_word cg_dump_words[];

/* Also shows the pass, or the group of passes, of that name. False: there is
 * none. */
bool cg_dump_choose(cg_dump *d, const char *name);

/* For the compiler: `pass` has been over `f`. */
struct cg_func;
void cg_dump_after(const struct cg_func *f, cg_pass pass);

#endif
