/* src/fatbin/fatbin.h - the code for GPUs that is in a program: what
 * compilers embed (a wrapper that leads to containers), and what programs give
 * to cuModuleLoadData (a container, PTX as text, machine code alone).
 *
 * Owns its lists and borrows the bytes, which must stay where they are. They
 * are not trusted: what is corrupt or truncated is an error. */
#ifndef FATBIN_FATBIN_H
#define FATBIN_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/status.h"

typedef enum fatbin_kind {
    FATBIN_PTX,
    FATBIN_MACHINE_CODE, /* an ELF file (cubin) */
    FATBIN_OTHER,        /* such as NVVM for link-time optimisation */
} fatbin_kind;

typedef enum fatbin_packing {
    FATBIN_PLAIN,
    FATBIN_LZ4, /* a block, not a frame */
    FATBIN_ZSTD,
} fatbin_packing;

typedef struct fatbin_image {
    fatbin_kind kind;
    unsigned capability; /* 75 is 7.5; 0: not known */
    char variant;        /* 'a': for devices of exactly that capability; 'f':
                            of its family; 0: for those and all later ones */
    uint64_t flags;      /* as the container has them */
    fatbin_packing packing;
    const void *stored; /* borrowed */
    size_t stored_size;
    size_t size; /* unpacked */
} fatbin_image;

/* Images of the same functions for several devices, of which one is loaded. */
typedef struct fatbin_part {
    const fatbin_image *images;
    size_t count;
} fatbin_part;

typedef struct fatbin fatbin;

/* Do the bytes begin like a container? */
bool fatbin_is(const void *data, size_t size);

/* `size` bytes of the file `name`: containers one after the other, PTX, or
 * machine code. ST_PROGRAM: one error is in `dg` and *out is untouched. */
status fatbin_open(const char *name, const void *data, size_t size, diag *dg,
                   fatbin **out);

/* The same of what a program has in its memory, whose length only its content
 * tells; also a wrapper, as __cudaRegisterFatBinary gets it. PTX ends with a
 * NUL. Memory that cannot be read is an error, too. */
status fatbin_open_loaded(const char *name, const void *at, diag *dg,
                          fatbin **out);
void fatbin_free(fatbin *f); /* NULL is fine */
const char *fatbin_name(const fatbin *f);

/* A program is one image of each of its parts, linked together: they are many
 * where it was compiled in parts (nvcc -rdc=true). */
size_t fatbin_part_count(const fatbin *f);
fatbin_part fatbin_part_get(const fatbin *f, size_t part);
/* Did nvcc link them? Then part fatbin_part_count is what it made of all,
 * machine code alone. */
bool fatbin_has_linked(const fatbin *f);

/* Which image of a part a device of that capability runs: PTX, as a driver
 * chooses it, the latest that is not later than the device. Where all is later
 * it is the earliest, and a note is added to `dg`. *out is NULL if the part has
 * no images at all. ST_PROGRAM: an error says what there is and how to compile
 * instead. */
status fatbin_choose(const fatbin *f, size_t part, unsigned capability,
                     diag *dg, const fatbin_image **out);

/* The same of machine code: the latest for the same major capability, as a
 * driver chooses it. */
status fatbin_choose_machine_code(const fatbin *f, size_t part,
                                  unsigned capability, diag *dg,
                                  const fatbin_image **out);

/* The image's bytes, to be freed, with a NUL behind them; PTX ends before the
 * zeros that pad it. ST_PROGRAM: they are corrupt, an error is in `dg`;
 * ST_NOMEM. */
status fatbin_unpack(const fatbin *f, const fatbin_image *image, diag *dg,
                     char **data, size_t *size);

#endif
