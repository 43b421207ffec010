/* src/isa/program.h - machine code as compiler and assembler hand it over:
 * kernels, the variables they name, and constant data.
 * A program owns everything in it through its arena. */
#ifndef ISA_PROGRAM_H
#define ISA_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "isa/isa.h"

/* Constant banks. */
enum {
    CBANK_PARAM = 0,  /* launch values and kernel parameters */
    CBANK_CODE = 2,   /* the compiler's own constants, per kernel */
    CBANK_USER = 3,   /* .const variables of the module */
    CBANK_SYMBOL = 4, /* addresses of module variables, filled at load */
    CBANKS = 5,
    CBANK_BYTES = 65536,
};

/* Bank 0: 32-bit launch values at fixed offsets, parameters from
 * cbank_param_base(arch). */
/* clang-format off */
enum {
    C0_NTID_X = 0x00, C0_NTID_Y = 0x04, C0_NTID_Z = 0x08,
    C0_NCTAID_X = 0x0c, C0_NCTAID_Y = 0x10, C0_NCTAID_Z = 0x14,
    C0_SHARED_BYTES = 0x18,       /* dynamic shared memory */
    C0_SHARED_TOTAL = 0x1c,       /* static and dynamic */
    C0_SHARED_WINDOW = 0x20,      /* 64 bits: generic address of shared 0 */
    C0_LOCAL_WINDOW = 0x28,       /* 64 bits: generic address of local 0 */
    C0_GRID_OFFSET_X = 0x30, C0_GRID_OFFSET_Y = 0x34, C0_GRID_OFFSET_Z = 0x38,
    C0_WORK_DIM = 0x3c,           /* %envreg0..3 of OpenCL: 0x30..0x3c */
    C0_WORKSPACE_HIGH = 0x34, C0_WORKSPACE_LOW = 0x38, /* %envreg1, %envreg2 of
                                                          CUDA */
    C0_STACK_BYTES = 0x40,        /* local bytes per thread */
    /* Threads of the grid; %envreg6..8. Not NTID * NCTAID where the last CTAs
     * are smaller. */
    C0_THREADS_X = 0x44, C0_THREADS_Y = 0x48, C0_THREADS_Z = 0x4c,
    /* Of a thread-block cluster its CTAs, and clusters of the grid. */
    C0_CGA_X = 0x50, C0_CGA_Y = 0x54, C0_CGA_Z = 0x58,
    C0_NCGA_X = 0x5c, C0_NCGA_Y = 0x60, C0_NCGA_Z = 0x64,
    C0_CGA_CTAS = 0x68, C0_CGA_EXPLICIT = 0x6c,
};
/* clang-format on */
unsigned cbank_param_base(isa_arch arch); /* 0x140, Volta 0x160 */

/* Where the code of a kernel looks for the launch values (runtime/bank0.def):
 * as above, or as machine code of real GPUs of 7.0 to 8.9, and of 9.0. */
typedef enum isa_bank0 { BANK0_OWN, BANK0_SM70, BANK0_SM90 } isa_bank0;
enum { ISA_BANK0S = 3 };

typedef enum isa_param_kind {
    PARAM_BYTES, /* a struct or array: `size` bytes */
    PARAM_INT,   /* untyped or integer bits */
    PARAM_FLOAT,
    PARAM_POINTER, /* 64 bits that PTX marks .ptr or that are addresses */
    PARAM_IMAGE,   /* a handle of 64 bits: .texref, .surfref */
    PARAM_SAMPLER,
} isa_param_kind;

typedef struct isa_param {
    const char *name;
    isa_param_kind kind;
    uint32_t size; /* bytes */
    uint32_t align;
    uint32_t offset; /* behind isa_kernel_param_base in bank 0 */
    bool shared;     /* a pointer into shared memory; not in files */
} isa_param;

typedef struct isa_function { /* behind the code of a kernel, for messages */
    const char *name;
    uint32_t start; /* its first instruction */
} isa_function;

typedef struct isa_shared { /* a variable in the shared memory of a kernel */
    const char *name;
    uint32_t offset, size; /* bytes; 0: dynamic */
} isa_shared;

typedef struct isa_kernel {
    const char *name;
    const char *symbol; /* of the PTX where `name` is for people, else NULL; not
                           in files */
    isa_inst *code;
    uint32_t code_count;
    uint32_t registers;        /* per thread, highest used + 1 */
    uint32_t launch_registers; /* that a thread has when it starts, before
                                  USETMAXREG; 0: `registers` */
    uint32_t shared_bytes;     /* static, per CTA */
    uint32_t shared_reserved;  /* bytes before them, which the system has of
                                  every CTA: part of sm.shared_reserved */
    uint32_t local_bytes;      /* per thread, stack and spills */
    uint32_t spill_bytes;      /* part of local_bytes */
    isa_function *functions;   /* in order; not in files */
    uint32_t function_count;
    isa_shared *shared; /* for messages; not in files */
    uint32_t shared_count;
    uint32_t open_stack;     /* 1: calls may need more than local_bytes */
    uint32_t barriers;       /* CTA barriers used, highest + 1 */
    uint32_t max_threads;    /* .maxntid product, 0 if none */
    uint32_t req_threads[3]; /* .reqntid, 0 if none */
    uint32_t req_cga[3];     /* .reqnctapercluster, 0 if none */
    uint32_t max_cga;        /* .maxclusterrank, 0 if none */
    uint32_t explicit_cga;   /* .explicitcluster: a launch has to say how many
                                CTAs a thread-block cluster has */
    isa_param *params;
    uint32_t param_count;
    uint32_t param_bytes;
    uint32_t bank0;      /* isa_bank0 */
    uint32_t param_base; /* offset in bank 0; 0: cbank_param_base */
    uint8_t *constants;  /* bank CBANK_CODE */
    uint32_t constant_bytes;
    const char *const *files; /* of the program, for isa_inst.file */
    uint64_t serial; /* counts the kernels of a device, 0: not on any */
} isa_kernel;

typedef enum isa_space {
    SPACE_GLOBAL,
    SPACE_CONST,
    SPACE_SHARED,
    SPACE_HANDLE, /* a texture, surface or sampler, see mem/tex.h */
} isa_space;

/* The initial value of a variable in SPACE_HANDLE, and where in it. Fields of a
 * sampler that are not given are 0. */
enum {
    ISA_HANDLE_BYTES = 8,
    HANDLE_KIND = 0, /* isa_handle */
    HANDLE_LINEAR = 1,
    HANDLE_UNNORMALISED = 2,
    HANDLE_ADDRESS = 3, /* three of tex_address */
};
typedef enum isa_handle {
    HANDLE_TEXTURE,
    HANDLE_SAMPLER,
    HANDLE_SURFACE
} isa_handle;

#define ISA_VAR_BYTES_MAX ((uint64_t)1 << 48) /* all that can be addressed */

/* A variable of the module. Const ones have a fixed offset in CBANK_USER,
 * shared ones in the CTA's shared memory; global ones get an address at
 * load. */
typedef struct isa_var {
    const char *name;
    isa_space space;
    uint64_t size; /* bytes */
    uint32_t align;
    uint32_t offset;     /* const, shared */
    const uint8_t *init; /* `size` bytes, NULL: zero */
} isa_var;

/* Patch 8 bytes at load: in the initial value of `var`, or in bank
 * CBANK_SYMBOL if `var` is -1, with the generic address of `target`. */
typedef struct isa_reloc {
    int32_t var;
    uint32_t offset;
    uint32_t target;
    int64_t addend;
    int32_t target_kernel; /* -1, or a kernel or function number */
} isa_reloc;

enum { ISA_FILES_MAX = 65535 };

typedef struct isa_program {
    arena *mem;
    isa_arch arch;
    const char **files; /* of source lines; each path once */
    uint32_t file_count;
    isa_kernel *kernels;
    uint32_t kernel_count;
    const char **missing; /* kernels that could not be compiled; not in files */
    const char **missing_why; /* of each; NULL: it was told */
    uint32_t missing_count;
    isa_var *vars;
    uint32_t var_count;
    isa_reloc *relocs;
    uint32_t reloc_count;
    uint32_t user_const_bytes;   /* of CBANK_USER */
    uint32_t symbol_const_bytes; /* of CBANK_SYMBOL */
} isa_program;

/* An empty program, itself in its arena. */
isa_program *isa_program_new(isa_arch arch);
void isa_program_free(isa_program *p); /* NULL is fine */

/* Gives the kernels the list of files; producers call it last. */
void isa_program_files(isa_program *p);

/* The source file of an instruction of `k`, NULL if unknown. */
const char *isa_kernel_file(const isa_kernel *k, const isa_inst *in);

/* Where its parameters begin in bank 0. */
unsigned isa_kernel_param_base(const isa_kernel *k, isa_arch arch);

/* Is it machine code of a real GPU? */
static inline bool isa_kernel_is_sass(const isa_kernel *k)
{
    return k->bank0 != BANK0_OWN;
}

/* Registers that a thread has when it starts. */
static inline uint32_t isa_kernel_begins_with(const isa_kernel *k)
{
    return k->launch_registers ? k->launch_registers : k->registers;
}

/* Registers and CTA barriers that the code of `k` needs. */
void isa_kernel_usage(const isa_kernel *k, uint32_t *registers,
                      uint32_t *barriers);

/* False if instructions, targets, offsets or names are not in order; `why` is
 * then the message. Readers of programs call it. */
bool isa_program_check(const isa_program *p, strbuf *why);

/* True if `name` is `asked`, or what C++ compilers make of a function of that
 * name outside of namespaces: `_Z`, `L` if it is static, the length, `asked`,
 * its parameters [ITANIUM:mangling]. */
bool isa_name_is(const char *name, const char *asked);

/* NULL if there is none. */
const isa_kernel *isa_program_kernel(const isa_program *p, const char *name);

/* As users name kernels: isa_program_kernel, else the only kernel that
 * isa_name_is; NULL if there is none or there are several. */
const isa_kernel *isa_program_kernel_by_name(const isa_program *p,
                                             const char *asked);

#endif
