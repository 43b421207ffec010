/* tests/fuzz/cuda_arguments.c - see cuda_arguments.h. */
#include "cuda_arguments.h"

#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#include "base/must.h"

enum {
    SLOTS = 4, /* of each kind of handle */
    MEMORIES = 8,
    NUMBERS = 4,
    HOST_BYTES = 64 << 20, /* more than any copy that is not huge takes */
    SCRATCH_BYTES = 1 << 16,
    WORDS = 256, /* more than any span that is not huge */
};

static struct {
    void *handle[ARGUMENT_KINDS][SLOTS];
    void *memory[MEMORIES];
    unsigned long long number[NUMBERS];
    char *host;
    const void *const *symbols, *const *images;
    bool has_host, has_huge; /* in this call: not both */
    bool has_large;          /* edge of a grid, in this call */
} st;

void arguments_init(const void *const *symbols, const void *const *images)
{
    static const void *own_symbols[ARGUMENT_SYMBOLS],
        *own_images[ARGUMENT_IMAGES];

    memcpy(own_symbols, symbols, sizeof own_symbols);
    memcpy(own_images, images, sizeof own_images);
    st.symbols = own_symbols;
    st.images = own_images;
    st.host = mmap(NULL, HOST_BYTES, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    MUST(st.host != MAP_FAILED);
}

void arguments_begin(void) { st.has_host = st.has_huge = st.has_large = false; }

static unsigned below(unsigned n) { return argument_below(n); }

/* ---- Handles ---- */

void *argument_handle(argument_kind kind)
{
    static char none[64];
    unsigned how = below(16);

    if (how < 12)
        return st.handle[kind][below(SLOTS)];
    if (how == 12)
        return NULL;
    if (how == 13)
        return st.handle[below(ARGUMENT_KINDS)][below(SLOTS)];
    return how == 14 ? (void *)(uintptr_t)(1 + below(2)) : none;
}

/* Where the function puts a new one. */
void *argument_new(argument_kind kind)
{
    unsigned i = below(4 * SLOTS);

    return i ? &st.handle[kind][i % SLOTS] : NULL;
}

void *argument_nodes(void)
{
    static void *list[SLOTS];

    if (!below(4))
        return NULL;
    for (unsigned i = 0; i < SLOTS; i++)
        list[i] = argument_handle(NODE);
    return list;
}

unsigned long long argument_number(void)
{
    return below(8) ? st.number[below(NUMBERS)] : below(3);
}

void *argument_new_number(void)
{
    return below(8) ? &st.number[below(NUMBERS)] : NULL;
}

/* ---- Memory ---- */

static const unsigned offsets[] = {0, 1, 4, 64, 4096, 4097, 8192, 65536};

void *argument_bytes(void)
{
    unsigned how = below(16);

    if (how == 0)
        return NULL;
    if (how > 11 && !st.has_huge) {
        st.has_host = true;
        return st.host + offsets[below(8)];
    }
    char *at = st.memory[below(MEMORIES)];
    return at && how < 4 ? at + offsets[below(8)] : at;
}

void *argument_new_bytes(void)
{
    return below(16) ? &st.memory[below(MEMORIES)] : NULL;
}

size_t argument_span(void)
{
    static const size_t some[] = {0, 1, 4, 7, 64, 100, 256, 300},
                        huge[] = {1ull << 33, 1ull << 40, 1ull << 63,
                                  SIZE_MAX - 255, SIZE_MAX};
    unsigned how = below(64);

    if (how < 5 && !st.has_host) {
        st.has_huge = true;
        return huge[how];
    }
    return some[how % 8];
}

int argument_small(void)
{
    static const int some[] = {0,  1,  2,    3,    4,    5,    6,
                               7,  8,  9,    10,   16,   32,   64,
                               -1, -2, 1000, 1024, 1025, 9999, INT32_MAX};
    unsigned how = below(64);

    return how < 21 ? some[how] : some[how % 5];
}

void *argument_answer(void)
{
    static uint64_t scratch[SCRATCH_BYTES / 8];

    return below(16) ? &scratch[below(4)] : NULL;
}

void *argument_room(void)
{
    static uint64_t room[4];
    unsigned i = below(4);

    room[i] = below(SLOTS + 1);
    return below(16) ? &room[i] : NULL;
}

/* For functions that read some structure which is all numbers. */
void *argument_record(void)
{
    static int words[WORDS];

    for (unsigned i = 0; i < 8; i++)
        words[i] = argument_small();
    return below(16) ? words : NULL;
}

/* ---- Programs ---- */

void *argument_symbol(void)
{
    unsigned i = below(ARGUMENT_SYMBOLS + 2);

    if (i == ARGUMENT_SYMBOLS)
        return argument_handle(FUNCTION);
    return i < ARGUMENT_SYMBOLS ? (void *)(uintptr_t)st.symbols[i] : NULL;
}

const void *argument_image(void)
{
    unsigned i = below(ARGUMENT_IMAGES + 3);

    return i > ARGUMENT_IMAGES   ? st.images[0]
           : i < ARGUMENT_IMAGES ? st.images[i]
                                 : NULL;
}

const char *argument_text(void)
{
    static const char *const some[] = {
        NULL,   "",           "work",       "rest",          "count",
        "%s%n", "cudaMalloc", "cuMemAlloc", "00000000:00:0", "\xff"};

    return some[below(10)];
}

const char *argument_path(void)
{
    static const char *const some[] = {NULL, "", "/", "/dev/null", "/no/such"};

    return some[below(5)];
}

void **argument_list(void)
{
    static uint64_t value[8][512]; /* a log fits */
    static void *list[8];

    for (unsigned i = 0; i < 8; i++) {
        list[i] = value[i];
        value[i][0] = (uintptr_t)st.memory[i % MEMORIES];
    }
    return below(8) ? list : NULL;
}

void **argument_extra(void)
{
    static char buffer[256];
    static size_t size;
    static void *list[5] = {(void *)1, buffer, (void *)2, &size, NULL};

    size = argument_span() % sizeof buffer;
    return below(2) ? list : NULL;
}

const int *argument_options(void)
{
    static int list[8];

    for (unsigned i = 0; i < 8; i++)
        list[i] = argument_small();
    return below(8) ? list : NULL;
}

unsigned argument_edge(void)
{
    static const unsigned some[] = {1, 2, 3, 0, 1025, 1u << 31, UINT32_MAX};
    unsigned i = below(16);
    bool large = i == 4 && !st.has_large; /* one: a launch ends soon */

    st.has_large |= large;
    return i < 7 && (i != 4 || large) ? some[i] : 1;
}

static void do_nothing(void *unused) { (void)unused; }

void *argument_host_function(void)
{
    return below(8) ? (void *)(uintptr_t)do_nothing : NULL;
}

/* ---- The end ---- */

static void destroy_handle(argument_kind kind, void *is)
{
    switch (kind) {
    case STREAM:
        cudaStreamDestroy(is);
        break;
    case EVENT:
        cudaEventDestroy(is);
        break;
    case GRAPH:
        cudaGraphDestroy(is);
        break;
    case EXEC:
        cudaGraphExecDestroy(is);
        break;
    case MODULE:
        cuModuleUnload(is);
        break;
    case LIBRARY:
        cuLibraryUnload(is);
        break;
    case CONTEXT:
        cuCtxDestroy_v2(is);
        break;
    case POOL:
        cudaMemPoolDestroy(is);
        break;
    case ARRAY:
        cudaFreeArray(is);
        break;
    case MIPMAP:
        cudaFreeMipmappedArray(is);
        break;
    case LINK:
        cuLinkDestroy(is);
        break;
    case USER_OBJECT:
        cudaUserObjectRelease(is, 1);
        break;
    case NODE:
    case FUNCTION:
    case KERNEL:
    case ARGUMENT_KINDS:
        break;
    }
}

/* Memory, or addresses at which some may be mapped. */
static void end_mapped(unsigned long long is)
{
    const size_t granule = (size_t)2 << 20;

    cuMemRelease(is);
    for (size_t at = 0; at < 3; at++)
        for (size_t size = 1; size <= 3; size++)
            cuMemUnmap(is + at * granule, size * granule);
    for (size_t size = 1; size <= 3; size++)
        cuMemAddressFree(is, size * granule);
}

void arguments_end(void)
{
    for (unsigned k = 0; k < ARGUMENT_KINDS; k++)
        for (unsigned i = 0; i < SLOTS; i++)
            if (st.handle[k][i])
                destroy_handle(k, st.handle[k][i]);
    for (unsigned i = 0; i < NUMBERS; i++) {
        cudaDestroyTextureObject(st.number[i]);
        cudaDestroySurfaceObject(st.number[i]);
        end_mapped(st.number[i]);
    }
    for (unsigned i = 0; i < 8; i++)
        cudaHostUnregister(st.host + offsets[i]);
    memset(st.handle, 0, sizeof st.handle);
    memset(st.memory, 0, sizeof st.memory);
    memset(st.number, 0, sizeof st.number);
}
