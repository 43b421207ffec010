/* src/replay/spool.h - what the CTAs of a grid executed, compressed, in a file
 * without a name: of a large trace only what is needed now is in memory. Owns
 * the file and the list of where each CTA begins. Written by one thread, then
 * read by any. */
#ifndef REPLAY_SPOOL_H
#define REPLAY_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct spool spool;

/* In `folder`, or, NULL, where the system has such files. NULL: *why is what
 * the system says. */
spool *spool_new(const char *folder, const char **why);
void spool_free(spool *s); /* NULL is fine */

/* Adds CTA `number`. False: it could not be written. */
bool spool_put(spool *s, uint64_t number, const void *data, size_t size);
bool spool_has(const spool *s, uint64_t number);
uint64_t spool_count(const spool *s);

/* A CTA's bytes, which the caller frees; NULL: they cannot be read. */
uint8_t *spool_get(const spool *s, uint64_t number, size_t *size);

#endif
