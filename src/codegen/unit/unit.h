/* src/codegen/unit/unit.h - a module being compiled: what its kernels share.
 * Lives while cg_compile runs; borrows the module, what it makes belongs to the
 * program. */
#ifndef CODEGEN_UNIT_UNIT_H
#define CODEGEN_UNIT_UNIT_H

#include "base/diag.h"
#include "base/map.h"
#include "codegen/ir/options.h"
#include "isa/program.h"
#include "ptx/ptx.h"

typedef struct cu_calls cu_calls;

/* A message about what cannot be translated; whether it is an error or a
 * warning is decided at the end. */
typedef struct cu_message {
    ptx_place at;
    uint32_t length;
    const char *text;
} cu_message;

/* Where a module or function variable lives. */
typedef struct cg_symbol {
    const ptx_var *var;
    isa_space space;
    uint32_t offset; /* const, shared */
    uint32_t number; /* in isa_program.vars, UINT32_MAX: shared only */
    bool broken;     /* its initial value cannot be given */
} cg_symbol;

/* A source line: `file` is the number of .file, 0 the PTX itself. */
typedef struct cg_place {
    uint32_t file, line;
} cg_place;

typedef struct cg_unit { /* a module being compiled */
    const ptx_module *m;
    const cg_options *opt;
    diag *dg; /* for warnings; what cannot be translated: cu_error */
    isa_program *p;
    map *symbols;     /* ptx_var * -> cg_symbol * */
    map *reported;    /* places of errors */
    map *slots;       /* target and addend -> offset in CBANK_SYMBOL */
    map *const_slots; /* see cg_func */
    isa_reloc *relocs;
    uint32_t nrelocs, room_relocs;
    isa_var *vars;
    uint32_t nvars, room_vars;
    uint32_t symbol_bytes;
    uint32_t const_bytes;
    uint64_t init_bytes; /* of variables with initial values */
    map *lines; /* file and line of the PTX's .loc -> number of places */
    cg_place *places;
    uint32_t nplaces, room_places;
    map *files;    /* .file number -> isa_inst.file */
    strmap *paths; /* path -> uint16_t, the same */
    uint32_t room_files;
    cu_calls *calls;          /* callgraph.c */
    const ptx_func **handles; /* functions whose address is taken */
    uint32_t nhandles;
    uint32_t frame_align;  /* of all functions, in bytes */
    bool warned_newer;     /* see lo_newer */
    bool warned_registers; /* see lop_setmaxnreg */
    bool failed;           /* the kernel being compiled, or the variables */
    bool broken;           /* anything so far */
    cu_message *messages;
    uint32_t nmessages, room_messages;
} cg_unit;

/* Gives every variable of the module its place (unit.c). */
void cu_layout(cg_unit *u);
/* For code that uses it: a broken one breaks the kernel. */
const cg_symbol *cu_use(cg_unit *u, const ptx_var *v);
/* Offset in CBANK_SYMBOL that will hold the generic address. */
uint32_t cu_slot(cg_unit *u, const cg_symbol *s, int64_t addend);
/* The number of a source line for cg_inst.line (lines.c). */
uint32_t cu_line(cg_unit *u, uint32_t file, uint32_t line);
/* Turns the numbers of finished code into files and lines. */
void cu_place_lines(cg_unit *u, isa_kernel *k);
void cu_error(cg_unit *u, ptx_place at, uint32_t length, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* callgraph.c: the call graph, and the functions whose address is taken. */
void cu_find_calls(cg_unit *u);
const ptx_func *cu_final(const ptx_func *fn); /* behind its aliases */
bool cu_is_recursive(const cg_unit *u, const ptx_func *fn);
uint32_t cu_calls_of(const cg_unit *u, const ptx_func *fn); /* places */
/* The value that stands for the address of `fn` in the whole module, 0 if it
 * has none: an offset in the table in each kernel's CBANK_CODE, by which calls
 * through registers find their target. */
uint32_t cu_handle(const cg_unit *u, const ptx_func *fn);

#endif
