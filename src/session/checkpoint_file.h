/* src/session/checkpoint_file.h - the file of a checkpoint: its head, then a
 * stream of bytes that means something to driver/checkpoint.c alone.
 *
 *     0  "HDLCHECK"   8  version, 32 bits   12  bytes of the head, 32 bits
 *    16  the head, as session/wire.h writes it; behind it the stream, one
 *        frame of zstd; then a hash of all that comes before it, 64 bits,
 *        and "HDLWHOLE"
 *
 * Little-endian, as hosts are. It is written and read from its beginning to its
 * end, in memory that does not depend on its length. */
#ifndef SESSION_CHECKPOINT_FILE_H
#define SESSION_CHECKPOINT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/status.h"

enum { CHECKPOINT_VERSION = 1 };

typedef struct checkpoint_head { /* texts borrowed, or in the arena */
    const char *heddle;          /* the version that wrote it */
    const char *api;             /* of the program: "CUDA" */
    const char *name;            /* of its file, */
    uint64_t program;            /* and a hash of that */
    const char *arguments;       /* with blanks between them */
    const char *gpus;            /* names, with blanks between them */
    uint32_t devices;
    const char *kernel; /* the checkpoint is after its */
    uint64_t nth;       /* launch of that number, from 1; */
} checkpoint_head;

/* ---- Writing ---- */

typedef struct checkpoint_out checkpoint_out;

/* What the file had is lost. NULL: errno says why. */
checkpoint_out *checkpoint_create(const char *path, const checkpoint_head *h);
void checkpoint_put(checkpoint_out *o, const void *bytes, size_t size);
/* An errno: what was put cannot all be written; 0: so far it can. */
int checkpoint_error(const checkpoint_out *o);
/* It is whole. False: it could not be written; errno says why. Frees it. */
bool checkpoint_finish(checkpoint_out *o);
/* The file stays as it is, which is not whole. NULL is fine. */
void checkpoint_abandon(checkpoint_out *o);

/* ---- Reading ---- */

/* Reads all of it. ST_OK: it is whole and of this version; else one error is in
 * `dg`. */
status checkpoint_verify(const char *path, diag *dg);

typedef struct checkpoint_in checkpoint_in;

/* What was verified. NULL: one error is in `dg`. */
checkpoint_in *checkpoint_open(const char *path, arena *mem, checkpoint_head *h,
                               diag *dg);
/* False: the stream has no such bytes. */
bool checkpoint_get(checkpoint_in *i, void *bytes, size_t size);
void checkpoint_close(checkpoint_in *i); /* NULL is fine */

#endif
