/* src/explain/look_code.h - the code of a kernel, line by line: its machine
 * instructions with what each cost, the texts of the files that its lines come
 * from, its PTX, and which of them belong together. Plain data in an arena. */
#ifndef EXPLAIN_LOOK_CODE_H
#define EXPLAIN_LOOK_CODE_H

#include "base/arena.h"
#include "report/run.h"

/* What is shown of a file around lines of the kernel. */
enum { LOOK_AROUND = 8 };

typedef struct look_inst {
    const char *text;     /* "FFMA R0, R1, R2, R3" */
    const char *function; /* that begins here; NULL: none does */
    unsigned line;        /* number in look.line, from 1; 0: of none */
    double share, waits;  /* of the kernel's issue slots, cycles of warps */
    sm_profile_row sum;
} look_inst;

typedef struct look_text {
    const char *text; /* with the blanks in front of it */
    const char *function;
    uint32_t number; /* in its file, from 1 */
    unsigned line;   /* number in look.line, from 1; 0: of none */
} look_text;

/* Lines of a file in order, those near lines of the kernel. */
typedef struct look_file {
    const char *name; /* without folders */
    bool known;       /* its text is at hand */
    look_text *row;
    size_t count;
} look_file;

typedef struct look_code {
    look_inst *inst;
    size_t inst_count;
    look_file *file; /* of source; those with most slots first */
    size_t file_count;
    look_text *ptx; /* of the kernel and what it calls; none: there is no PTX,
                       or it is the source */
    size_t ptx_count;
} look_code;

struct look;

/* Fills k->code, from lines that are there. */
void look_code_make(struct look *k, const report_launch *l, arena *mem);

/* What `text`, PTX, has of a kernel and of functions that it calls. `line_of`
 * gives the number of a line in look.line; file numbers are those of `paths`,
 * from 1. */
typedef struct look_ptx {
    const char *text, *kernel;
    const isa_kernel *code; /* its functions; NULL: none */
    const char *const *paths;
    uint32_t path_count;
    unsigned (*line_of)(const void *arg, uint16_t file, uint32_t line);
    const void *arg;
} look_ptx;

look_text *look_ptx_lines(const look_ptx *x, arena *mem, size_t *count);

#endif
