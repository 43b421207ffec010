/* tests/fuzz/fuzz_fatbin.c - the reader of containers of code for GPUs, from a
 * file and from memory whose length it does not know; every image is unpacked
 * and chosen for a device. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/must.h"
#include "fatbin/fatbin.h"

/* Opened or not, there is one error or none. */
static void look_at(fatbin *f, status st, diag *dg)
{
    MUST(diag_errors(dg) == (st != ST_OK));
    for (size_t i = 0; st == ST_OK && i < fatbin_part_count(f); i++) {
        fatbin_part p = fatbin_part_get(f, i);
        const fatbin_image *is;

        for (size_t k = 0; k < p.count; k++) {
            char *data;
            size_t size;

            if (p.images[k].size <= 1 << 20 &&
                fatbin_unpack(f, &p.images[k], dg, &data, &size) == ST_OK) {
                MUST(size <= p.images[k].size && data[size] == '\0');
                free(data);
            }
        }
        fatbin_choose(f, i, 70, dg, &is);
    }
    fatbin_free(f);
    diag_clear(dg);
}

/* At the end of memory that can be read. */
static void open_from_memory(const uint8_t *data, size_t size, diag *dg)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE),
           room = (size / page + 1) * page;
    char *at = mmap(NULL, room + page, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    fatbin *f = NULL;

    MUST(at != MAP_FAILED && mprotect(at + room, page, PROT_NONE) == 0);
    memcpy(at + room - size, data, size);
    status st = fatbin_open_loaded("fuzz", at + room - size, dg, &f);
    look_at(f, st, dg);
    munmap(at, room + page);
}

/* Its pointers may lead anywhere. */
static bool is_wrapper(const uint8_t *data, size_t size)
{
    return size >= 4 && !memcmp(data, "\xb1\x43\x62\x46", 4);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    diag *dg = diag_new();
    fatbin *f = NULL;
    status st = fatbin_open("fuzz", data, size, dg, &f);

    look_at(f, st, dg);
    if (!is_wrapper(data, size))
        open_from_memory(data, size, dg);
    diag_free(dg);
    return 0;
}
