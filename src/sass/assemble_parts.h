/* src/sass/assemble_parts.h - what text says, before a cubin is made of it. */
#ifndef SASS_ASSEMBLE_PARTS_H
#define SASS_ASSEMBLE_PARTS_H

#include "base/map.h"
#include "sass/cubin.h"
#include "sass/encoding.h"

enum { SASS_DATA_SECTIONS = 4 };
extern const char *const sass_data_sections[SASS_DATA_SECTIONS];

/* How relocations are named in text; NULL: by their numbers. */
const char *sass_reloc_name(uint32_t type);

enum {
    PARAM_BASE_70 = 0x160, /* where parameters begin in bank 0 */
    PARAM_BASE_90 = 0x210,
    SHARED_RESERVED_90 = 1024, /* bytes of shared memory, the system's */
    PARAMS_MOST = 4096,
};

static inline uint32_t sass_param_base(unsigned sm)
{
    return sm < 90 ? PARAM_BASE_70 : PARAM_BASE_90;
}

static inline uint32_t sass_shared_reserved(unsigned sm)
{
    return sm < 90 ? 0 : SHARED_RESERVED_90;
}

typedef enum part_kind { PART_KERNEL, PART_FUNCTION, PART_DATA } part_kind;

typedef struct part_line { /* an instruction, to be read at the end */
    char *text;            /* NULL: its words are given */
    unsigned line;
    bool bare; /* it has no control codes */
} part_line;

typedef struct part_object { /* a variable, or a function in a kernel */
    const char *name;
    uint64_t offset, size;
    uint32_t frame;
} part_object;

typedef struct part_reloc {
    uint64_t offset;
    int64_t addend;
    uint32_t type;
    const char *symbol;
} part_reloc;

typedef struct part_fix { /* a word of constants that is where a label is */
    uint64_t offset;
    const char *label;
    unsigned line;
} part_fix;

/* Where a jump by a register (BRX) can go. */
typedef struct part_targets {
    uint32_t address; /* of the jump */
    const char **labels;
    uint32_t *places; /* of them, once they are known */
    uint32_t count, room;
    unsigned line;
} part_targets;

typedef struct part { /* .kernel, .function or .data, up to its .end */
    part_kind kind;
    const char *name;
    unsigned line;
    uint64_t align;
    uint8_t *bytes; /* of data; of code: its constants in bank 2 */
    uint64_t size, room;
    sass_word *code;
    part_line *lines;
    uint32_t code_count, code_room, lines_room;
    part_object *objects;
    uint32_t object_count, object_room;
    part_reloc *relocs;
    uint32_t reloc_count, reloc_room;
    part_fix *fixes;
    uint32_t fix_count, fix_room;
    part_targets *targets;
    uint32_t targets_count, targets_room;
    const char **externs; /* functions of the run-time that it may call */
    uint32_t extern_count, extern_room;
    strmap *labels;    /* name -> byte address + 1 */
    uint32_t *leaders; /* labelled instructions */
    uint32_t leader_count, leader_room;
    /* Of code; as in cubin_function. */
    uint32_t registers, frame_bytes, stack_bytes, barriers, shared;
    uint32_t param_base;
    cubin_param *params;
    uint32_t param_count, param_room;
    uint32_t max_threads[3], req_threads[3], req_cga[3], max_cga;
    bool explicit_cga;
    uint32_t section, symbol; /* in the cubin */
} part;

typedef struct source_text {
    arena *mem;
    const char *file;
    diag *dg;
    unsigned sm;
    part *parts;
    uint32_t part_count, part_room;
} source_text;

/* Makes a cubin of it; false: errors are in `dg`. */
bool sass_build(source_text *s, cubin **out);

#endif
