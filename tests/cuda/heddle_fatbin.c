/* tests/cuda/heddle_fatbin.c - heddle-fatbin OUT PACKING KIND:SM:FILE...:
 * writes a container of code for GPUs, packed by `plain`, `lz4` or `zstd`. KIND
 * is `ptx`, `elf` or `nvvm`, SM such as 75 or 90a. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/must.h"
#include "fatbin/fatbin.h"
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

static int write_container(int argc, char **argv, diag *dg)
{
    static const char *const packings[] = {"plain", "lz4", "zstd"};
    strbuf out = {0};
    pack_image *images = new0((size_t)argc, sizeof *images);
    size_t n = 0;
    int how = argc > 2
                  ? find(packings, COUNTOF(packings), argv[2], strlen(argv[2]))
                  : -1;
    bool good = how >= 0;

    if (!good)
        diag_error(dg, "usage: heddle-fatbin OUT plain|lz4|zstd "
                       "ptx|elf|nvvm:SM:FILE..., --list FILE, --ptx SM FILE");
    for (int i = 3; i < argc && good; i++)
        good = read_image(argv[i], dg, &images[n++]);
    if (good) {
        pack_container(&out, images, n, (pack_code)how);
        good = file_write(argv[1], out.text, out.size, dg) == ST_OK;
    }
    for (size_t i = 0; i < n; i++)
        free((void *)(uintptr_t)images[i].data);
    free(images);
    strbuf_fini(&out);
    return !good;
}

/* ---- Reading ---- */

static bool list_images(const fatbin *f, diag *dg)
{
    static const char *const kinds[] = {[FATBIN_PTX] = "ptx",
                                        [FATBIN_MACHINE_CODE] = "elf",
                                        [FATBIN_OTHER] = "other"};
    static const char *const packings[] = {
        [FATBIN_PLAIN] = "plain", [FATBIN_LZ4] = "lz4", [FATBIN_ZSTD] = "zstd"};
    bool good = true;

    for (size_t i = 0; i < fatbin_part_count(f); i++) {
        fatbin_part p = fatbin_part_get(f, i);

        for (size_t k = 0; k < p.count && good; k++) {
            const fatbin_image *is = &p.images[k];
            char *data = NULL;
            size_t size = is->size;

            /* What is of another kind may be packed in ways of its own. */
            good = is->kind == FATBIN_OTHER ||
                   fatbin_unpack(f, is, dg, &data, &size) == ST_OK;
            if (!good)
                break;
            printf("%s %u%.1s %s %zu\n", kinds[is->kind], is->capability,
                   &is->variant, packings[is->packing], size);
            free(data);
        }
    }
    return good;
}

static bool print_ptx(const fatbin *f, unsigned capability, diag *dg)
{
    const fatbin_image *is = NULL;
    char *text;
    size_t size;
    bool good = fatbin_part_count(f) &&
                fatbin_choose(f, 0, capability, dg, &is) == ST_OK && is &&
                fatbin_unpack(f, is, dg, &text, &size) == ST_OK;

    if (good) {
        fwrite(text, 1, size, stdout);
        free(text);
    }
    return good;
}

static int read_container(int argc, char **argv, diag *dg)
{
    bool list = !strcmp(argv[1], "--list");
    const char *path = argv[argc - 1];
    fatbin *f = NULL;
    char *data;
    size_t size;
    bool good;

    if (file_read(path, dg, &data, &size) != ST_OK)
        return 1;
    good = fatbin_open(path, data, size, dg, &f) == ST_OK &&
           (list ? list_images(f, dg)
                 : print_ptx(f, (unsigned)strtoul(argv[2], NULL, 10), dg));
    fatbin_free(f);
    free(data);
    return !good;
}

int main(int argc, char **argv)
{
    diag *dg = diag_new();
    bool reads = (argc == 3 && !strcmp(argv[1], "--list")) ||
                 (argc == 4 && !strcmp(argv[1], "--ptx"));
    int code = reads ? read_container(argc, argv, dg)
                     : write_container(argc, argv, dg);

    diag_print(dg, stderr, false);
    diag_free(dg);
    return code;
}
