/* src/cuda/takeover/takeover.c - see takeover.h. */
#include "cuda/takeover/takeover.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>

#include "cuda/takeover/runtime.h"

/* True: no further ones are wanted. */
typedef bool look(void *arg, const runtime_found *at);

typedef struct visitor {
    look *is;
    void *arg;
} visitor;

static int visit_one(struct dl_phdr_info *info, size_t size, void *arg)
{
    const visitor *v = arg;
    elf_file f =
        elf_open(*info->dlpi_name ? info->dlpi_name : "/proc/self/exe");
    runtime_found r = runtime_look(&f);

    (void)size;
    elf_close(f);
    return v->is(v->arg, &r);
}

/* All loaded files: the program first, the others in the order of loading. */
static void visit_loaded(look *is, void *arg)
{
    dl_iterate_phdr(visit_one, &(visitor){is, arg});
}

/* ---- Runtimes that are left ---- */

static bool count_left(void *arg, const runtime_found *at)
{
    unsigned *left = arg;

    *left += at->kind == RUNTIME_INSIDE || at->kind == RUNTIME_STRIPPED;
    return false;
}

bool takeover_failed(void)
{
    const unsigned *taken = dlsym(RTLD_DEFAULT, TAKEOVER_COUNT);
    unsigned left = 0;

    visit_loaded(count_left, &left);
    return left > (taken ? *taken : 0);
}

/* ---- Generations ---- */

static bool find_generation(void *arg, const runtime_found *at)
{
    unsigned *generation = arg;

    *generation = at->generation;
    return *generation != 0;
}

unsigned takeover_generation(void)
{
    static atomic_uint known; /* libraries may still be loaded */
    unsigned generation = known;

    if (!generation) {
        visit_loaded(find_generation, &generation);
        known = generation;
    }
    return generation;
}
