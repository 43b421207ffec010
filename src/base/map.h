/* src/base/map.h - open-addressing maps: 64-bit key or string to a value.
 * Own their tables; string keys are borrowed and must outlive the map. */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct map map; /* uint64_t -> uint64_t */

map *map_new(void);
void map_free(map *m);                              /* NULL is fine */
void map_put(map *m, uint64_t key, uint64_t value); /* replaces */
bool map_get(const map *m, uint64_t key, uint64_t *value);
bool map_del(map *m, uint64_t key);
size_t map_count(const map *m);

typedef struct strmap strmap; /* const char * -> void * */

strmap *strmap_new(void);
void strmap_free(strmap *m);
void strmap_put(strmap *m, const char *key, void *value); /* replaces */
void *strmap_get(const strmap *m, const char *key);       /* NULL: absent */
size_t strmap_count(const strmap *m);

#endif
