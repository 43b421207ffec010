/* tests/cuda/test_fatbin.c - containers of code for GPUs, and which of it a
 * device runs. */
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fatbin/fatbin.h"
#include "pack.h"
#include "test.h"

/* With 700 bytes and more that can be packed. */
static pack_image ptx(unsigned capability, char variant)
{
    static char texts[128][1000];
    char *text = texts[capability];
    int n = sprintf(text, ".version 7.0\n.target sm_%u\n", capability);

    while (n < 700)
        n += sprintf(text + n, "// line at %d, to be packed\n", n);
    return (pack_image){PACK_PTX, capability, variant, text, (size_t)n};
}

static pack_image elf(unsigned capability)
{
    return (pack_image){PACK_ELF, capability, 0, "\177ELF...", 7};
}

/* What a device of `capability` runs of these: "75", "90a", "-" if it is an
 * error, "none". The note or error is in `said`. */
static strbuf said;

static const char *chosen(const pack_image *images, size_t n,
                          unsigned capability)
{
    static char name[16];
    diag *dg = diag_new();
    strbuf b = {0};
    fatbin *f = NULL;
    const fatbin_image *is = NULL;

    pack_container(&b, images, n, PACK_CODE_PLAIN);
    CHECK_EQ(fatbin_open("program", b.text, b.size, dg, &f), ST_OK);
    CHECK_EQ(fatbin_part_count(f), 1);
    if (fatbin_choose(f, 0, capability, dg, &is) != ST_OK)
        strcpy(name, "-");
    else if (!is)
        strcpy(name, "none");
    else
        sprintf(name, "%u%.1s", is->capability, &is->variant);
    CHECK_EQ(diag_errors(dg), !strcmp(name, "-"));
    strbuf_fini(&said);
    strbuf_puts(&said, diag_count(dg) ? diag_get(dg, 0)->text : "");
    CHECK(diag_count(dg) <= 1);
    fatbin_free(f);
    strbuf_fini(&b);
    diag_free(dg);
    return name;
}

#define CHOSEN(capability, ...)                                                \
    chosen((const pack_image[]){__VA_ARGS__},                                  \
           sizeof(const pack_image[]){__VA_ARGS__} / sizeof(pack_image),       \
           capability)

TEST(the_latest_ptx_not_above_the_device_is_chosen)
{
    CHECK_STR(CHOSEN(70, ptx(35, 0), ptx(70, 0), ptx(75, 0)), "70");
    CHECK_STR(said.text, "");
    CHECK_STR(CHOSEN(72, ptx(75, 0), ptx(70, 0), ptx(35, 0)), "70");
    CHECK_STR(CHOSEN(100, elf(100), ptx(90, 0)), "90");
    CHECK_STR(CHOSEN(35, ptx(20, 0), ptx(30, 0), elf(35)), "30");
}

TEST(variants_are_for_their_devices)
{
    CHECK_STR(CHOSEN(90, ptx(90, 'a'), ptx(90, 0)), "90a");
    CHECK_STR(CHOSEN(90, ptx(90, 0), ptx(90, 'a')), "90a");
    CHECK_STR(CHOSEN(100, ptx(90, 'a'), ptx(80, 0)), "80");
    CHECK_STR(CHOSEN(103, ptx(100, 'f'), ptx(90, 0)), "100f");
    CHECK_STR(CHOSEN(120, ptx(100, 'f'), ptx(90, 0)), "90");
    CHECK_STR(CHOSEN(70, ptx(90, 'a')), "-");
    CHECK(strstr(said.text, "only PTX for sm_90a"));
}

TEST(later_ptx_runs_with_a_note)
{
    CHECK_STR(CHOSEN(70, ptx(90, 0), ptx(75, 0), ptx(75, 'a'), elf(70)), "75");
    CHECK_STR(said.text,
              "program: its PTX is for capability 7.5 and later, the GPU has "
              "7.0: a driver would refuse it, Heddle runs it");
}

TEST(machine_code_alone_is_refused_and_named)
{
    pack_image lto = {PACK_NVVM, 80, 0, "BC", 2};

    CHECK_STR(CHOSEN(70, elf(80), lto, elf(90)), "-");
    CHECK_STR(said.text,
              "program: it has no PTX that a GPU of capability 7.0 could run, "
              "only machine code for sm_80, sm_90; code of other kinds for "
              "sm_80; compile it with -gencode arch=compute_75,code=compute_75 "
              "or with -arch=sm_75");
}

TEST(a_container_may_be_empty) { CHECK_STR(chosen(NULL, 0, 70), "none"); }

TEST(all_packings_give_the_text_back)
{
    for (pack_code how = PACK_CODE_PLAIN; how <= PACK_CODE_ZSTD; how++) {
        const pack_image images[] = {elf(75), ptx(75, 0)};
        diag *dg = diag_new();
        strbuf b = {0};
        fatbin *f = NULL;
        char *text = NULL;
        size_t size = 0;

        pack_container(&b, images, 2, how);
        CHECK_EQ(fatbin_open("f", b.text, b.size, dg, &f), ST_OK);
        const fatbin_part p = fatbin_part_get(f, 0);
        CHECK_EQ(p.count, 2);
        CHECK_EQ(p.images[0].kind, FATBIN_MACHINE_CODE);
        CHECK_EQ(p.images[1].kind, FATBIN_PTX);
        CHECK_EQ(fatbin_unpack(f, &p.images[1], dg, &text, &size), ST_OK);
        CHECK_EQ(size, images[1].size);
        CHECK_STR(text, images[1].data);
        free(text);
        CHECK_EQ(fatbin_unpack(f, &p.images[0], dg, &text, &size), ST_OK);
        CHECK_EQ(size, how == PACK_CODE_PLAIN ? 8 : 7);
        CHECK(!memcmp(text, "\177ELF...", 7));
        free(text);
        fatbin_free(f);
        strbuf_fini(&b);
        diag_free(dg);
    }
}

/* ---- In memory ---- */

typedef struct wrapper {
    int magic, version;
    const void *data;
    const void *const *list;
} wrapper;

/* Opens what the program has there; says the error in `said`. */
static fatbin *open_loaded(const void *at)
{
    diag *dg = diag_new();
    fatbin *f = NULL;

    strbuf_fini(&said);
    if (fatbin_open_loaded("program", at, dg, &f) != ST_OK) {
        CHECK_EQ(diag_errors(dg), 1);
        strbuf_puts(&said, diag_get(dg, 0)->text);
        f = NULL;
    }
    diag_free(dg);
    return f;
}

TEST(a_wrapper_leads_to_its_container)
{
    strbuf b = {0};

    pack_container(&b, (const pack_image[]){ptx(50, 0)}, 1, PACK_CODE_ZSTD);
    fatbin *f = open_loaded(&(wrapper){0x466243b1, 1, b.text, NULL});
    CHECK(f);
    CHECK_EQ(fatbin_part_count(f), 1);
    CHECK_EQ(fatbin_part_get(f, 0).images[0].capability, 50);
    fatbin_free(f);
    strbuf_fini(&b);
}

TEST(a_linked_program_is_its_parts)
{
    strbuf whole = {0}, one = {0}, two = {0};

    pack_container(&whole, (const pack_image[]){elf(80)}, 1, PACK_CODE_PLAIN);
    pack_container(&one, (const pack_image[]){ptx(50, 0)}, 1, PACK_CODE_LZ4);
    pack_container(&two, (const pack_image[]){ptx(60, 0), ptx(70, 0)}, 2,
                   PACK_CODE_PLAIN);
    const void *list[] = {one.text, two.text, NULL};
    fatbin *f = open_loaded(&(wrapper){0x466243b1, 2, whole.text, list});
    CHECK(f);
    CHECK_EQ(fatbin_part_count(f), 2);
    CHECK_EQ(fatbin_part_get(f, 0).count, 1);
    CHECK_EQ(fatbin_part_get(f, 0).images[0].capability, 50);
    CHECK_EQ(fatbin_part_get(f, 1).count, 2);
    CHECK_EQ(fatbin_part_get(f, 1).images[1].capability, 70);
    fatbin_free(f);
    f = open_loaded(&(wrapper){0x466243b1, 2, whole.text, NULL});
    CHECK(f);
    CHECK_EQ(fatbin_part_get(f, 0).images[0].kind, FATBIN_MACHINE_CODE);
    fatbin_free(f);
    CHECK(!open_loaded(&(wrapper){0x466243b1, 3, whole.text, NULL}));
    CHECK(strstr(said.text, "a wrapper of version 3"));
    strbuf_fini(&whole);
    strbuf_fini(&one);
    strbuf_fini(&two);
}

TEST(bare_ptx_says_for_what_it_is)
{
    fatbin *f = open_loaded(" // made by hand\n.version 7.0\n"
                            ".target\tsm_90a, texmode_unified\n.func f();\n");

    CHECK(f);
    const fatbin_image *is = fatbin_part_get(f, 0).images;
    CHECK_EQ(is->kind, FATBIN_PTX);
    CHECK_EQ(is->capability, 90);
    CHECK_EQ(is->variant, 'a');
    fatbin_free(f);
    CHECK(!open_loaded("int main(void) { }"));
    CHECK(strstr(said.text, "this is no code for a GPU"));
}

TEST(machine_code_alone_is_recognised)
{
    Elf64_Ehdr h = {.e_ident = ELFMAG, .e_machine = 190, .e_flags = 0x4b05};
    fatbin *f;

    h.e_ident[EI_ABIVERSION] = 8; /* nvcc 13 */
    CHECK((f = open_loaded(&h)) != NULL);
    CHECK_EQ(fatbin_part_get(f, 0).images[0].capability, 75);
    fatbin_free(f);
    h.e_ident[EI_ABIVERSION] = 7; /* nvcc 12 */
    h.e_flags = 0x500556;
    CHECK((f = open_loaded(&h)) != NULL);
    CHECK_EQ(fatbin_part_get(f, 0).images[0].capability, 86);
    fatbin_free(f);
    h.e_machine = EM_X86_64;
    CHECK(!open_loaded(&h));
    CHECK(strstr(said.text, "a program or library"));
}

/* ---- What is corrupt ---- */

/* Two pages, of which the second cannot be touched; `size` bytes end where it
 * begins. */
static char *at_the_edge(const void *data, size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE),
           room = (size / page + 1) * page;
    char *at = mmap(NULL, room + page, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    CHECK(at != MAP_FAILED);
    CHECK_EQ(mprotect(at + room, page, PROT_NONE), 0);
    memcpy(at + room - size, data, size);
    return at + room - size;
}

TEST(every_truncation_is_an_error)
{
    strbuf b = {0};

    pack_container(&b, (const pack_image[]){ptx(50, 0), elf(60)}, 2,
                   PACK_CODE_ZSTD);
    for (size_t n = 0; n <= b.size; n++) {
        diag *dg = diag_new();
        char *part = at_the_edge(b.text, n);
        fatbin *f = NULL;

        if (fatbin_open("f", part, n, dg, &f) == ST_OK)
            CHECK_EQ(n, b.size);
        CHECK_EQ(diag_errors(dg), n < b.size);
        fatbin_free(f);
        f = open_loaded(part);
        CHECK_EQ(f == NULL, n < b.size);
        fatbin_free(f);
        diag_free(dg);
    }
    strbuf_fini(&b);
}

/* Replaces bytes of a container of one packed image; says the error. */
static const char *said_of(pack_code how, size_t at, const char *bytes,
                           size_t n)
{
    diag *dg = diag_new();
    strbuf b = {0};
    fatbin *f = NULL;
    char *text = NULL;
    size_t size;

    pack_container(&b, (const pack_image[]){ptx(50, 0)}, 1, how);
    memcpy(b.text + at, bytes, n);
    if (fatbin_open("f", b.text, b.size, dg, &f) == ST_OK)
        CHECK_EQ(
            fatbin_unpack(f, fatbin_part_get(f, 0).images, dg, &text, &size),
            ST_PROGRAM);
    CHECK(!text);
    CHECK_EQ(diag_errors(dg), 1);
    strbuf_fini(&said);
    strbuf_puts(&said, diag_get(dg, 0)->text);
    fatbin_free(f);
    strbuf_fini(&b);
    diag_free(dg);
    return said.text;
}

TEST(wrong_numbers_are_told_with_their_place)
{
    CHECK(strstr(said_of(PACK_CODE_PLAIN, 4, "\2", 1),
                 "version 2 is not known, at byte 4"));
    CHECK(strstr(said_of(PACK_CODE_PLAIN, 6, "\10", 1), "a header of 8 bytes"));
    CHECK(strstr(said_of(PACK_CODE_PLAIN, 15, "\x7f", 1), "at byte 8"));
    CHECK(strstr(said_of(PACK_CODE_PLAIN, 20, "\0", 1),
                 "a header of 0 bytes, at byte 20"));
    CHECK(strstr(said_of(PACK_CODE_PLAIN, 31, "\xff", 1), "at byte 24"));
    CHECK(strstr(said_of(PACK_CODE_ZSTD, 35, "\1", 1), "packed bytes"));
    CHECK(strstr(said_of(PACK_CODE_ZSTD, 57, "\xa0", 1), "packed in two ways"));
    CHECK(strstr(said_of(PACK_CODE_ZSTD, 79, "\1", 1), "at byte 72"));
}

TEST(packed_bytes_that_are_not_are_an_error)
{
    CHECK(strstr(said_of(PACK_CODE_ZSTD, 96, "\0", 1), "packed with zstd"));
    CHECK(strstr(said_of(PACK_CODE_LZ4, 96, "\xff\xff\xff\xff\xff", 5),
                 "packed with LZ4"));
    CHECK(strstr(said_of(PACK_CODE_ZSTD, 72, "\1", 1), "not the"));
}

TEST(memory_that_cannot_be_read_is_an_error)
{
    char *edge = at_the_edge("\xb1\x43\x62\x46\1\0\0\0", 8);

    CHECK(!open_loaded(NULL));
    CHECK(strstr(said.text, "which cannot be read"));
    CHECK(!open_loaded((const void *)0x1234567890abcdef));
    CHECK(!open_loaded(edge));
    CHECK(!open_loaded(&(wrapper){0x466243b1, 1, NULL, NULL}));
    CHECK(!open_loaded(&(wrapper){0x466243b1, 2, NULL, (const void *)16}));
    CHECK(!open_loaded(at_the_edge(".version", 8)));
}

/* The same of machine code. */
static const char *chosen_code(const pack_image *images, size_t n,
                               unsigned capability)
{
    static char name[16] = "-";
    diag *dg = diag_new();
    strbuf b = {0};
    fatbin *f = NULL;
    const fatbin_image *is = NULL;

    pack_container(&b, images, n, PACK_CODE_PLAIN);
    CHECK_EQ(fatbin_open("program", b.text, b.size, dg, &f), ST_OK);
    if (fatbin_choose_machine_code(f, 0, capability, dg, &is) == ST_OK && is)
        sprintf(name, "%u", is->capability);
    else
        strcpy(name, "-");
    CHECK_EQ(diag_errors(dg), !is);
    strbuf_fini(&said);
    strbuf_puts(&said, diag_count(dg) ? diag_get(dg, 0)->text : "");
    fatbin_free(f);
    strbuf_fini(&b);
    diag_free(dg);
    return name;
}

TEST(machine_code_is_for_one_generation)
{
    const pack_image all[] = {elf(70), elf(75), elf(80), elf(86), ptx(90, 0)};

    CHECK_STR(chosen_code(all, 5, 70), "70");
    CHECK_STR(chosen_code(all, 5, 80), "80");
    CHECK_STR(chosen_code(all, 5, 89), "86");
    CHECK_STR(chosen_code(all, 5, 90), "-");
    CHECK(strstr(said.text, "no machine code that a GPU of capability 9.0"));
    CHECK(strstr(said.text, "heddle exec --code ptx"));
    CHECK_STR(chosen_code(all, 1, 75), "70");
    CHECK_STR(CHOSEN(80, elf(80)), "-");
    CHECK(strstr(said.text, "heddle exec --code auto"));
}
