/* src/launchfile/plan_line.h - one launch as a command line gives it: the
 * options of `heddle run`, to be made into plans. Owns its lists, borrows the
 * texts. */
#ifndef LAUNCHFILE_PLAN_LINE_H
#define LAUNCHFILE_PLAN_LINE_H

#include "launchfile/plan.h"

typedef struct plan_texts {
    const char **text;
    size_t count;
} plan_texts;

typedef struct plan_line {
    const char *program; /* path */
    bool launches;       /* an option of the launch itself was given */
    const char *kernel;  /* NULL: the only one */
    uint32_t grid[3], block[3], shared_bytes;
    uint32_t cluster[3];       /* 0: none is asked for */
    plan_texts args;           /* as plan_add_arg has them */
    plan_texts dumps, expects; /* BUFFER=FILE */
    double tolerance;
} plan_line;

#define PLAN_LINE_NONE ((plan_line){.grid = {1, 1, 1}, .block = {1, 1, 1}})

void plan_line_fini(plan_line *l);
void plan_texts_add(plan_texts *t, const char *text);

/* Adds its launch to `p`. ST_OK, or what the last wrong argument gives. */
status plan_add_line(plan *p, const plan_line *l, diag *dg);
/* Adds its outputs; they name buffers, so launches come first. */
status plan_add_outputs(plan *p, const plan_line *l, diag *dg);

#endif
