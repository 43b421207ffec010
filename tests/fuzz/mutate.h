/* tests/fuzz/mutate.h - changes PTX text where its grammar has joints: lines,
 * operands, types, modifiers, numbers, guards, blocks, labels. Most results
 * still parse, so that they reach the compiler; some do not. The same seed
 * makes the same change on every host. */
#ifndef MUTATE_H
#define MUTATE_H

#include <stddef.h>
#include <stdint.h>

/* Changes `text` of `size` bytes, which has room for `room`, a few times;
 * returns its new size. Lines may also come from `other` (NULL: none). */
size_t mutate_ptx(char *text, size_t size, size_t room, const char *other,
                  size_t other_size, uint64_t seed);

#endif
