/* tests/cuda/heddle_fatbin.c - heddle-fatbin OUT PACKING KIND:SM:FILE...:
 * writes a container of code for GPUs, packed by `plain`, `lz4` or `zstd`. KIND
 * is `ptx`, `elf` or `nvvm`, SM such as 75 or 90a. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/must.h"
#include "pack.h"

static int find(const char *const *list, size_t n, const char *name,
                size_t size)
{
    for (size_t i = 0; i < n; i++)
        if (strlen(list[i]) == size && !memcmp(list[i], name, size))
            return (int)i;
    return -1;
}

/* KIND:SM:FILE; false after a message. */
static bool read_image(const char *text, diag *dg, pack_image *is)
{
    static const char *const kinds[] = {"ptx", "elf", "nvvm"};
    static const unsigned numbers[] = {PACK_PTX, PACK_ELF, PACK_NVVM};
    size_t n = strcspn(text, ":");
    int kind = find(kinds, COUNTOF(kinds), text, n);
    char *end = NULL, *data;

    if (kind >= 0 && text[n]) {
        is->kind = numbers[kind];
        is->capability = (unsigned)strtoul(text + n + 1, &end, 10);
        is->variant = *end && *end != ':' ? *end++ : 0;
    }
    if (!end || *end != ':') {
        diag_error(dg, "'%s' is not like ptx:75:FILE", text);
        return false;
    }
    if (file_read(end + 1, dg, &data, &is->size) != ST_OK)
        return false;
    is->data = data;
    return true;
}

int main(int argc, char **argv)
{
    static const char *const packings[] = {"plain", "lz4", "zstd"};
    diag *dg = diag_new();
    strbuf out = {0};
    pack_image *images = new0((size_t)argc, sizeof *images);
    size_t n = 0;
    int how = argc > 2
                  ? find(packings, COUNTOF(packings), argv[2], strlen(argv[2]))
                  : -1;
    bool good = how >= 0;

    if (!good)
        diag_error(dg, "usage: heddle-fatbin OUT plain|lz4|zstd "
                       "ptx|elf|nvvm:SM:FILE...");
    for (int i = 3; i < argc && good; i++)
        good = read_image(argv[i], dg, &images[n++]);
    if (good) {
        pack_container(&out, images, n, (pack_how)how);
        good = file_write(argv[1], out.text, out.size, dg) == ST_OK;
    }
    diag_print(dg, stderr, false);
    for (size_t i = 0; i < n; i++)
        free((void *)(uintptr_t)images[i].data);
    free(images);
    strbuf_fini(&out);
    diag_free(dg);
    return !good;
}
