/* src/fatbin/fatbin.c - reads containers. No number in them is trusted:
 * each is held against the bytes that are left. */
#include "fatbin/fatbin.h"

#include <ctype.h>
#include <elf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/kind.h"
#include "base/must.h"
#include "base/strbuf.h"
#include "fatbin/container.h"
#include "fatbin/extent.h"

enum {
    EM_CUDA_GPU = 190, /* e_machine of machine code */
    PARTS_MOST = 1 << 20,
};
#define IMAGE_MOST ((size_t)1 << 30)

typedef struct part {
    size_t first, count; /* of the images */
} part;

struct fatbin {
    char *name;
    fatbin_image *images;
    size_t count, room;
    part *parts;
    size_t part_count, part_room;
    bool linked; /* the last part is made of the others */
};

/* One reading of one thing. */
typedef struct reader {
    fatbin *f;
    diag *dg;
    const unsigned char *begin; /* of the container, to tell places */
} reader;

static status corrupt(const reader *r, const void *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static status corrupt(const reader *r, const void *at, const char *fmt, ...)
{
    strbuf why = {0};
    va_list ap;

    va_start(ap, fmt);
    strbuf_vprintf(&why, fmt, ap);
    va_end(ap);
    diag_error(r->dg,
               "%s: the container of GPU code is corrupt or truncated: %s, at "
               "byte %zu of it",
               r->f->name, why.text,
               (size_t)((const unsigned char *)at - r->begin));
    strbuf_fini(&why);
    return ST_PROGRAM;
}

static uint16_t get_u16(const unsigned char *at)
{
    uint16_t v;

    memcpy(&v, at, sizeof v);
    return v;
}

static uint32_t get_u32(const unsigned char *at)
{
    uint32_t v;

    memcpy(&v, at, sizeof v);
    return v;
}

static uint64_t get_u64(const unsigned char *at)
{
    uint64_t v;

    memcpy(&v, at, sizeof v);
    return v;
}

/* ---- Lists ---- */

static fatbin *fatbin_new(const char *name)
{
    fatbin *f = new0(1, sizeof *f);

    f->name = new_text(name);
    return f;
}

void fatbin_free(fatbin *f)
{
    if (!f)
        return;
    free(f->name);
    free(f->images);
    free(f->parts);
    free(f);
}

const char *fatbin_name(const fatbin *f) { return f->name; }

/* The images that are added from now on. */
static void add_part(fatbin *f)
{
    GROW(f->parts, f->part_count + 1, f->part_room);
    f->parts[f->part_count++] = (part){.first = f->count};
}

static void add_image(fatbin *f, const fatbin_image *image)
{
    GROW(f->images, f->count + 1, f->room);
    f->images[f->count++] = *image;
    f->parts[f->part_count - 1].count++;
}

size_t fatbin_part_count(const fatbin *f) { return f->part_count - f->linked; }

bool fatbin_has_linked(const fatbin *f) { return f->linked; }

fatbin_part fatbin_part_get(const fatbin *f, size_t i)
{
    MUST(i < f->part_count);
    return (fatbin_part){f->images ? f->images + f->parts[i].first : NULL,
                         f->parts[i].count};
}

/* ---- Containers ---- */

static fatbin_kind kind_of_entry(unsigned number)
{
    return number == ENTRY_PTX   ? FATBIN_PTX
           : number == ENTRY_ELF ? FATBIN_MACHINE_CODE
                                 : FATBIN_OTHER;
}

/* How the bytes are packed that stand behind `head`. */
static status read_packing(const reader *r, const unsigned char *head,
                           fatbin_image *image)
{
    uint32_t packed = get_u32(head + 16);
    uint64_t size = get_u64(head + 56);
    bool lz4 = image->flags & FLAG_LZ4, zstd = image->flags & FLAG_ZSTD;

    image->size = image->stored_size;
    if (!lz4 && !zstd)
        return ST_OK;
    if (lz4 && zstd)
        return corrupt(r, head + 40, "an image is packed in two ways");
    if (!packed || packed > image->stored_size || packed > IMAGE_MOST)
        return corrupt(r, head + 16,
                       "%" PRIu32 " packed bytes in an image of %zu", packed,
                       image->stored_size);
    if (!size || size > IMAGE_MOST)
        return corrupt(r, head + 56, "an image of %" PRIu64 " bytes", size);
    image->packing = lz4 ? FATBIN_LZ4 : FATBIN_ZSTD;
    image->stored_size = packed;
    image->size = size;
    return ST_OK;
}

/* The entry at `at`, of `left` bytes; *size is its own. */
static status read_entry(const reader *r, const unsigned char *at, size_t left,
                         size_t *size)
{
    fatbin_image image = {0};
    uint32_t header;
    uint64_t stored;
    status st;

    if (left < ENTRY_HEADER)
        return corrupt(r, at, "%zu bytes are too few for an entry", left);
    header = get_u32(at + 4);
    stored = get_u64(at + 8);
    if (header < ENTRY_HEADER || header > left)
        return corrupt(r, at + 4, "an entry with a header of %" PRIu32 " bytes",
                       header);
    if (stored > left - header)
        return corrupt(r, at + 8,
                       "an image of %" PRIu64 " bytes where %zu are left",
                       stored, left - header);
    image.kind = kind_of_entry(get_u16(at));
    image.capability = get_u32(at + 28);
    image.flags = get_u64(at + 40);
    image.variant = image.flags & FLAG_EXACT    ? 'a'
                    : image.flags & FLAG_FAMILY ? 'f'
                                                : 0;
    image.stored = at + header;
    image.stored_size = stored;
    st = read_packing(r, at, &image);
    if (st == ST_OK)
        add_image(r->f, &image);
    *size = header + stored;
    return st;
}

/* The container at the beginning of `left` bytes; *size is its own. */
static status read_container(reader *r, const unsigned char *at, size_t left,
                             size_t *size)
{
    uint16_t header;
    uint64_t entries;
    status st = ST_OK;
    size_t one = 0;

    r->begin = at;
    if (left < CONTAINER_HEADER)
        return corrupt(r, at, "%zu bytes are too few for a header", left);
    header = get_u16(at + 6);
    entries = get_u64(at + 8);
    if (get_u32(at) != CONTAINER_MAGIC)
        return corrupt(r, at, "no container begins with 0x%08" PRIx32,
                       get_u32(at));
    if (get_u16(at + 4) != CONTAINER_VERSION)
        return corrupt(r, at + 4, "version %u is not known", get_u16(at + 4));
    if (header < CONTAINER_HEADER || header > left)
        return corrupt(r, at + 6, "a header of %u bytes", header);
    if (entries > left - header)
        return corrupt(r, at + 8,
                       "%" PRIu64 " bytes of images where %zu are left",
                       entries, left - header);
    add_part(r->f);
    for (size_t i = 0; i < entries && st == ST_OK; i += one)
        st = read_entry(r, at + header + i, entries - i, &one);
    *size = header + entries;
    return st;
}

/* All of a file; what stands between containers are zeros. */
static status read_containers(reader *r, const unsigned char *at, size_t size)
{
    status st = ST_OK;

    for (size_t i = 0, one; i < size && st == ST_OK; i += one) {
        one = 1;
        if (i == 0 || at[i])
            st = read_container(r, at + i, size - i, &one);
    }
    return st;
}

/* ---- PTX and machine code by themselves ---- */

/* The operand of the first .target, such as sm_90a. */
static void read_target(const char *text, size_t size, fatbin_image *image)
{
    const char *at = memmem(text, size, ".target", strlen(".target"));
    const char *end = text + size;

    if (!at)
        return;
    at += strlen(".target");
    while (at < end && isspace((unsigned char)*at))
        at++;
    if (end - at < 3 || memcmp(at, "sm_", 3) != 0)
        return;
    for (at += 3; at < end && isdigit((unsigned char)*at); at++)
        if (image->capability < 10000)
            image->capability = image->capability * 10 + (unsigned)(*at - '0');
    if (at < end && (*at == 'a' || *at == 'f'))
        image->variant = *at;
}

static void read_ptx(reader *r, const char *text, size_t size)
{
    fatbin_image image = {
        .kind = FATBIN_PTX, .stored = text, .stored_size = size, .size = size};

    read_target(text, size, &image);
    add_part(r->f);
    add_image(r->f, &image);
}

/* Since CUDA 13 the capability is in bits 15 to 8 of the flags, before that in
 * bits 7 to 0. */
static status read_elf(reader *r, const unsigned char *at, size_t size)
{
    enum { OLD_VERSION = 7 };
    fatbin_image image = {.kind = FATBIN_MACHINE_CODE,
                          .stored = at,
                          .stored_size = size,
                          .size = size};
    Elf64_Ehdr head;

    if (size >= sizeof head)
        memcpy(&head, at, sizeof head);
    if (size < sizeof head || head.e_machine != EM_CUDA_GPU) {
        diag_error(r->dg, "%s: this is a program or library, no code for a GPU",
                   r->f->name);
        return ST_PROGRAM;
    }
    image.capability = head.e_ident[EI_ABIVERSION] > OLD_VERSION
                           ? head.e_flags >> 8 & 0xff
                           : head.e_flags & 0xff;
    add_part(r->f);
    add_image(r->f, &image);
    return ST_OK;
}

/* ---- Files ---- */

static bool begins(const void *at, size_t size, uint32_t magic)
{
    return size >= sizeof magic && get_u32(at) == magic;
}

static bool is_elf(const void *at, size_t size)
{
    return size >= SELFMAG && !memcmp(at, ELFMAG, SELFMAG);
}

static status read_text(reader *r, const char *text, size_t size)
{
    const char *word = file_first_word(text, size);

    if (word < text + size && *word == '.') {
        read_ptx(r, text, size);
        return ST_OK;
    }
    diag_error(r->dg,
               "%s: this is no code for a GPU: neither PTX nor a container of "
               "it (fatbin) nor machine code (cubin)",
               r->f->name);
    return ST_PROGRAM;
}

/* Hands over what was read. */
static status finish(reader *r, status st, fatbin **out)
{
    if (st == ST_OK)
        *out = r->f;
    else
        fatbin_free(r->f);
    return st;
}

bool fatbin_is(const void *data, size_t size)
{
    return begins(data, size, CONTAINER_MAGIC);
}

status fatbin_open(const char *name, const void *data, size_t size, diag *dg,
                   fatbin **out)
{
    reader r = {.f = fatbin_new(name), .dg = dg, .begin = data};
    status st;

    if (begins(data, size, CONTAINER_MAGIC))
        st = read_containers(&r, data, size);
    else if (is_elf(data, size))
        st = read_elf(&r, data, size);
    else
        st = read_text(&r, data, strnlen(data, size));
    return finish(&r, st, out);
}

/* ---- Memory ---- */

static status unreadable(const reader *r, const void *at)
{
    diag_error(r->dg,
               "%s: there is no code for a GPU at %p, which cannot be "
               "read",
               r->f->name, at);
    return ST_PROGRAM;
}

static status read_loaded_container(reader *r, const unsigned char *at)
{
    size_t size = extent_readable(at, CONTAINER_HEADER);

    if (size == CONTAINER_HEADER) {
        uint64_t most = SIZE_MAX - get_u16(at + 6);
        uint64_t entries = get_u64(at + 8);

        size = get_u16(at + 6) + (entries < most ? entries : most);
        size = extent_readable(at, size);
    }
    return size ? read_container(r, at, size, &size) : unreadable(r, at);
}

/* The parts that nvcc linked, by their containers. */
static status read_linked(reader *r, const void *const *list)
{
    status st = ST_OK;

    for (size_t i = 0; st == ST_OK; i++) {
        if (i == PARTS_MOST ||
            extent_readable(&list[i], sizeof list[i]) < sizeof list[i])
            return unreadable(r, &list[i]);
        if (!list[i])
            break;
        st = read_loaded_container(r, list[i]);
    }
    return st;
}

static status read_wrapper(reader *r, const unsigned char *at)
{
    uint32_t version;
    const void *container, *const *list;
    status st = ST_OK;

    if (extent_readable(at, WRAPPER_SIZE) < WRAPPER_SIZE)
        return unreadable(r, at);
    version = get_u32(at + 4);
    memcpy(&container, at + 8, sizeof container);
    memcpy(&list, at + 16, sizeof list);
    if (version != WRAPPER_ONE && version != WRAPPER_LINKED) {
        diag_error(r->dg,
                   "%s: its code for GPUs has a wrapper of version %" PRIu32
                   ", which is not known",
                   r->f->name, version);
        return ST_PROGRAM;
    }
    if (version == WRAPPER_LINKED && list)
        st = read_linked(r, list);
    if (st != ST_OK)
        return st;
    bool parts = r->f->part_count > 0;
    if (parts && !container)
        return ST_OK;
    st = read_loaded_container(r, container);
    r->f->linked = st == ST_OK && parts;
    return st;
}

/* As long as its headers say, or as memory goes. */
static status read_loaded_elf(reader *r, const unsigned char *at)
{
    Elf64_Ehdr head;
    size_t size = extent_readable(at, sizeof head);

    if (size == sizeof head) {
        memcpy(&head, at, sizeof head);
        if (head.e_shoff < IMAGE_MOST)
            size = head.e_shoff + (size_t)head.e_shnum * head.e_shentsize;
        size = extent_readable(at, size > sizeof head ? size : sizeof head);
    }
    return read_elf(r, at, size);
}

static status read_loaded_text(reader *r, const char *at)
{
    size_t size = extent_of_text(at);

    return size == SIZE_MAX ? unreadable(r, at) : read_text(r, at, size);
}

status fatbin_open_loaded(const char *name, const void *at, diag *dg,
                          fatbin **out)
{
    reader r = {.f = fatbin_new(name), .dg = dg, .begin = at};
    size_t size = extent_readable(at, sizeof(uint32_t));
    status st;

    if (begins(at, size, WRAPPER_MAGIC))
        st = read_wrapper(&r, at);
    else if (begins(at, size, CONTAINER_MAGIC))
        st = read_loaded_container(&r, at);
    else if (is_elf(at, size))
        st = read_loaded_elf(&r, at);
    else
        st = read_loaded_text(&r, at);
    return finish(&r, st, out);
}
