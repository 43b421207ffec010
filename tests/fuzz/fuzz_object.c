/* tests/fuzz/fuzz_object.c - the reader of object files, as the bytes are and
 * with a header that fits them; what it accepts is written the same again and
 * survives assembly text. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "asm/asm.h"
#include "base/diag.h"
#include "base/hash.h"
#include "base/must.h"
#include "isa/object.h"

enum { HEADER = 32 };

static void through_text(const isa_program *p, diag *dg)
{
    strbuf one = {0}, two = {0};
    isa_program *q = NULL;

    asm_print(p, &one, NULL);
    if (asm_parse("o.sass", one.text, one.size, dg, &q) != ST_OK)
        diag_print(dg, stderr, false);
    MUST(q);
    asm_print(q, &two, NULL);
    MUST(one.size == two.size && !memcmp(one.text, two.text, one.size));
    isa_program_free(q);
    strbuf_fini(&one);
    strbuf_fini(&two);
}

static void read_one(const uint8_t *data, size_t size)
{
    diag *dg = diag_new();
    isa_program *p = NULL;
    strbuf b = {0};

    if (object_read("fuzz.hobj", data, size, dg, &p) == ST_OK) {
        object_write(p, &b);
        MUST(b.size == size && !memcmp(b.text, data, size));
        through_text(p, dg);
        isa_program_free(p);
    }
    strbuf_fini(&b);
    diag_free(dg);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *copy;

    read_one(data, size);
    if (size < HEADER)
        return 0;
    copy = malloc(size);
    MUST(copy);
    memcpy(copy, data, size);
    memcpy(copy, "HOBJ\0\0\0\0", 8);
    copy[4] = OBJECT_VERSION;
    memset(copy + 9, 0, 7);
    copy[8] %= 3;
    for (unsigned i = 0; i < 8; i++) {
        uint64_t sum = hash_bytes(data + HEADER, size - HEADER, copy[8]);

        copy[16 + i] = (uint8_t)(sum >> 8 * i);
        copy[24 + i] = (uint8_t)((uint64_t)(size - HEADER) >> 8 * i);
    }
    read_one(copy, size);
    free(copy);
    return 0;
}
