/* tests/fuzz/mutator.c - what libFuzzer asks for new inputs of harnesses that
 * take PTX: mostly changes of its grammar, some of its bytes. */
#include <string.h>

#include "fuzz.h"
#include "mutate.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room,
                               unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *one, size_t one_size,
                                 const uint8_t *two, size_t two_size,
                                 uint8_t *out, size_t room, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room,
                               unsigned seed)
{
    if (seed % 16 == 0)
        return LLVMFuzzerMutate(data, size, room);
    return mutate_ptx((char *)data, size, room, NULL, 0, seed);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *one, size_t one_size,
                                 const uint8_t *two, size_t two_size,
                                 uint8_t *out, size_t room, unsigned seed)
{
    size_t size = one_size < room ? one_size : room;

    memcpy(out, one, size);
    return mutate_ptx((char *)out, size, room, (const char *)two, two_size,
                      seed);
}
