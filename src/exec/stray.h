/* src/exec/stray.h - accesses outside of what was allocated, for reports: those
 * of one instruction, or of several on the same line of source. */
#ifndef EXEC_STRAY_H
#define EXEC_STRAY_H

#include "exec/outside.h"

/* exec_stray.kind: of exec/async.h, an access that lacks a fence or a wait. */
enum { STRAY_ASYNC = 255 };

typedef struct exec_stray {
    char *kernel; /* its name; all texts are malloced */
    char *file;   /* of the source; NULL: unknown */
    uint32_t line;
    uint32_t pc; /* of the instruction, or the lowest of several */
    bool write;
    uint8_t kind;          /* exec_fault_kind, or STRAY_ASYNC */
    uint64_t count, reach; /* see exec/outside.h */
    char *text;            /* about the first of them: exec_fault_text */
} exec_stray;

typedef struct exec_strays {
    exec_stray *is;
    size_t count;
} exec_strays;

/* What launch `l` has added to its list since the last call. */
exec_strays exec_strays_take(const exec_launch *l, const mem_image *image);

/* Adds those of `more` to `to`, in copies: accesses by the same line of the
 * same kernel that do the same are one. Without a line: by the same
 * instruction. */
void exec_strays_add(exec_strays *to, const exec_strays *more);
/* Appends a copy. */
void exec_strays_append(exec_strays *to, const exec_stray *one);
void exec_strays_fini(exec_strays *s);

/* All accesses. */
uint64_t exec_strays_total(const exec_strays *s);

/* What kind of memory it was, for people: "a buffer". */
const char *exec_stray_what(const exec_stray *s);

#endif
