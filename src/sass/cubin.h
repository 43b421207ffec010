/* src/sass/cubin.h - machine code of real GPUs in the files that the vendor's
 * tools make of it (cubin, an ELF file): sections, symbols, relocations,
 * functions with their attributes, lines. Nothing in a file is trusted. All of
 * a cubin is in its arena; it borrows nothing else. */
#ifndef SASS_CUBIN_H
#define SASS_CUBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/status.h"

enum {
    CUBIN_UNKNOWN = 0xffffffff, /* bytes of a stack */
    CUBIN_LINKED = 2,           /* cubin.elf_type, else it is an object */
};

typedef struct cubin_section {
    const char *name;
    uint32_t type, link, info;
    uint64_t flags, align;
    const uint8_t *bytes; /* NULL: it has none in the file */
    uint64_t size;        /* below 2^48 */
} cubin_section;

typedef struct cubin_symbol {
    const char *name;
    uint64_t value, size; /* of linked files inside its section */
    uint32_t section;     /* 0: it is not in this file */
    uint8_t type, bind, other;
} cubin_symbol;

/* Types of relocations, found by comparing what ptxas and nvlink write. The
 * first five patch bytes of data, the others an instruction of 16 bytes. */
enum {
    CUBIN_R_32 = 1,
    CUBIN_R_64 = 2,
    CUBIN_R_GENERIC_64 = 4, /* a generic address */
    CUBIN_R_TEXTURE = 6,
    CUBIN_R_SURFACE = 52,
    CUBIN_R_ABS32 = 55,   /* bits 63..32: an address of shared memory */
    CUBIN_R_LOW_32 = 56,  /* bits 63..32: the lower half of an address, */
    CUBIN_R_HIGH_32 = 57, /* the upper half */
    CUBIN_R_CALL = 58,    /* bits 80..34: an address in units of 4, */
    CUBIN_R_CALL_90 = 75, /* the same from sm_90 on: no file has what it
                             becomes, so it is as before */
};

typedef struct cubin_reloc {
    uint32_t section, type, symbol;
    uint64_t offset; /* in `section`, of what is patched */
    int64_t addend;
    bool in_place; /* the addend is what lies there */
} cubin_reloc;

/* An entry of a section .nv.info or .nv.info.NAME. */
typedef struct cubin_attribute {
    uint32_t section;
    uint8_t format, number;
    uint16_t size; /* bytes at `at` */
    const uint8_t *at;
} cubin_attribute;

enum { /* formats: how many bytes there are */
       CUBIN_FORMAT_NONE = 1,
       CUBIN_FORMAT_BYTE = 2,
       CUBIN_FORMAT_HALF = 3,
       CUBIN_FORMAT_SIZED = 4,
};

typedef enum cubin_attribute_id {
#define ATTRIBUTE(number, name) CUBIN_A_##name = number,
#include "sass/cubin_attribute.def"
#undef ATTRIBUTE
} cubin_attribute_id;

typedef struct cubin_param {
    uint32_t offset, size; /* bytes behind param_base */
} cubin_param;

/* From `offset` in the section on, source line `line`. */
typedef struct cubin_line {
    uint32_t offset;
    uint32_t file; /* of cubin.files, from 1; 0: unknown */
    uint32_t line;
} cubin_line;

typedef struct cubin_function { /* a section .text.NAME */
    const char *name;
    uint32_t section;
    uint32_t symbol;   /* 0: none */
    bool entry;        /* a kernel */
    bool inner_frames; /* functions of its own in its section have frames */
    uint32_t registers, barriers;
    uint32_t frame_bytes;
    uint32_t stack_bytes; /* with what it calls; CUBIN_UNKNOWN */
    uint32_t first_attribute, attribute_count; /* of its own */
    uint32_t shared;                           /* section, 0: none */
    uint32_t constant0, constant2;
    uint32_t param_base, param_bytes;
    cubin_param *params; /* in order */
    uint32_t param_count;
    uint32_t max_threads[3], req_threads[3]; /* 0: not given */
    uint32_t req_cga[3], max_cga;
    bool explicit_cga;
    cubin_line *lines; /* in order of `offset` */
    uint32_t line_count, line_room;
} cubin_function;

typedef struct cubin {
    arena *mem;
    const char *file; /* its name, for messages */
    unsigned sm;      /* compute capability times ten */
    unsigned os_abi, abi_version, elf_type;
    cubin_section *sections; /* the first is none */
    uint32_t section_count;
    cubin_symbol *symbols; /* the first is none */
    uint32_t symbol_count;
    cubin_reloc *relocs; /* in order of their sections and offsets */
    uint32_t reloc_count;
    cubin_attribute *attributes;
    uint32_t attribute_count;
    cubin_function *functions; /* in order of their sections */
    uint32_t function_count;
    const char **files; /* of source lines; each path once */
    uint32_t file_count;
} cubin;

/* True if the bytes begin like a cubin: an ELF file for CUDA. */
bool cubin_is(const void *data, size_t size);

/* Reads a cubin. `file` names it in messages; neither it nor `data` is needed
 * afterwards. ST_PROGRAM: one error is in `dg`. */
status cubin_read(const char *file, const void *data, size_t size, arena *mem,
                  diag *dg, cubin **out);

/* The section of that name, 0: none. */
uint32_t cubin_find(const cubin *c, const char *name);

/* NULL: it is none of a function. */
cubin_function *cubin_function_of(const cubin *c, uint32_t section);

/* Those that patch a section. */
const cubin_reloc *cubin_relocs_of(const cubin *c, uint32_t section,
                                   uint32_t *count);

/* NULL if it has none. */
const char *cubin_attribute_name(unsigned number);

/* The line of the instruction at `offset`, NULL if it is unknown. */
const cubin_line *cubin_line_at(const cubin_function *f, uint32_t offset);

#endif
