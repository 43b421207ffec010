/* src/sass/load_parts.h - what the files that load a cubin share: its
 * variables, and the layout of code.
 *
 * A kernel's code is its section, from address 0 on. What it calls outside of
 * that lies behind the largest kernel of the file, at the same address for all
 * of them, so that addresses in memory mean the same to each: the functions of
 * the run-time, then the file's own. Addresses are in bytes, 16 an
 * instruction. */
#ifndef SASS_LOAD_PARTS_H
#define SASS_LOAD_PARTS_H

#include "base/map.h"
#include "sass/cubin.h"
#include "sass/load.h"

enum {
    SASS_INST_BYTES = 16,
    /* Instructions of a program, with what kernels share: 1 GiB. */
    SASS_CODE_MOST = 1 << 24,
};

typedef struct load {
    const cubin *c;
    const sass_load_options *opt;
    isa_program *p;
    diag *dg;
    uint32_t *var_of; /* by symbol: its variable + 1, 0: it has none */
    uint32_t *sorted; /* symbols of variables, by section and offset */
    uint32_t sorted_count;
    uint32_t vars_room, relocs_room;
    map *slots;         /* of bank 4, by symbol and addend */
    uint64_t code_left; /* instructions that the program may still have */
    bool pointers;      /* addresses of functions are in memory */
    /* What kernels share: where it begins and ends, and by function where it
     * is. */
    uint32_t area, area_end;
    uint32_t *area_at;
} load;

/* An error about the file as a whole; always false. */
bool load_fail(const load *l, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* load_data.c: variables, banks 3 and 4, and what is patched in them. */
bool load_data(load *l);

/* The variable that lies at `symbol` + `addend`, and the addend from its start;
 * false: none. */
bool load_variable(const load *l, uint32_t symbol, int64_t *addend,
                   uint32_t *var);

/* Where bank 4 has the generic address of `var` + `addend`, a new place if it
 * is nowhere; false: the bank is full. */
bool load_slot(load *l, uint32_t var, int64_t addend, uint32_t *offset);

/* load_code.c */
bool load_layout(load *l);

/* The address of a function that is outside of kernels: of the file, or of the
 * run-time; false: there is none. */
bool load_function_address(const load *l, uint32_t symbol, uint64_t *address);

/* Fills in the code of `k` and what follows from it. False: `why` says why it
 * cannot run. */
bool load_code(load *l, const cubin_function *f, isa_kernel *k, strbuf *why);

/* load_service.c: functions of the run-time. */
typedef enum load_service {
    SERVICE_VPRINTF,
    SERVICE_MALLOC,
    SERVICE_FREE,
    SERVICE_ASSERT,
    LOAD_SERVICES
} load_service;

enum {
    SERVICE_INSTS = 16,       /* room for each, in instructions, */
    SERVICE_STACK_BYTES = 32, /* and what it may take of the stack */
};

/* LOAD_SERVICES: the name is of none. */
load_service load_service_of(const char *name);

/* What the kernel gets for it at its place of SERVICE_INSTS instructions. */
void load_service_code(load_service s, isa_inst *out);

#endif
