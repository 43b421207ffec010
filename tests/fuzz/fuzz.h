/* tests/fuzz/fuzz.h - one harness per reader of outside input. libFuzzer
 * calls it with mutated bytes, replay.c with the files of the corpus. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Must return 0 and leave nothing behind, whatever the bytes. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
