/* src/replay/pack.h - a new file that is written from its beginning to its end,
 * as text or compressed. Owns the file. */
#ifndef REPLAY_PACK_H
#define REPLAY_PACK_H

#include <stdbool.h>
#include <stddef.h>

typedef enum pack_how { PACK_NONE, PACK_XZ, PACK_ZSTD } pack_how;

/* ".xz" and the like. */
const char *pack_ending(pack_how how);
bool pack_has(pack_how how); /* is it built in? */

typedef struct pack pack;

/* NULL: errno says why; EEXIST: there is one. */
pack *pack_new(const char *path, pack_how how);
/* False, from the first time on that it cannot be written; errno. */
bool pack_write(pack *p, const char *data, size_t size);
/* Ends and closes it. False: not all of it could be written; errno. */
bool pack_end(pack *p);

#endif
