/* tests/fuzz/fuzz_suite.c - suite files, and the words in their texts. */
#include "fuzz.h"

#include "suite/suite.h"

/* Every text of a program with something in the place of its words. */
static void expand(suite *s, const suite_program *p)
{
    suite_values v = {.dir = "/d", .build = "/b", .tmp = "/t", .name = p->name};

    for (size_t i = 0; i < p->size_count; i++) {
        v.size = &p->sizes[i];
        suite_expand_all(s->mem, p->run, &v);
        suite_expand_all(s->mem, p->env, &v);
    }
    v.size = suite_size_find(p, "small");
    suite_expand(s->mem, p->folder, &v);
    for (size_t i = 0; i < p->expect.file_count; i++)
        suite_expand(s->mem, p->expect.files[i].wanted, &v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    diag *dg = diag_new();
    suite *s = NULL;

    if (suite_read_text("fuzz.yaml", (const char *)data, size, dg, &s) == ST_OK)
        for (size_t i = 0; i < s->count; i++)
            expand(s, &s->programs[i]);
    suite_free(s);
    diag_free(dg);
    return 0;
}
