/* The vendor's libraries that cannot run on Heddle and have no replacement:
 * programs find all their functions, so that they start. The first call of a
 * library says in one sentence that it is not there; each returns an error of
 * that library. */
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

#include "cuda/functions.h"

typedef struct library {
    const char *name;
    int code;
    const char *code_name, *text;
    atomic_flag told;
} library;

#define LIBRARY(id, name, code, code_name)                                     \
    static library id = {name, code, code_name,                                \
                         name " is not there on Heddle", ATOMIC_FLAG_INIT};
#include "refused/libraries.def"
#undef LIBRARY

static int refuse(library *l, const char *function)
{
    if (!atomic_flag_test_and_set(&l->told))
        fprintf(stderr,
                "heddle: %s: there is no %s on Heddle: the vendor's cannot "
                "run, and Heddle has none of its own. All its functions "
                "return %s; take the program's path without %s, if it has "
                "one\n",
                function, l->name, l->code_name, l->name);
    return l->code;
}

#define REFUSED(library, name)                                                 \
    EXPORT int name(void);                                                     \
    EXPORT int name(void) { return refuse(&library, __func__); }
/* What error handling prints. */
#define TEXT(library, name)                                                    \
    EXPORT const char *name(void);                                             \
    EXPORT const char *name(void) { return library.text; }
#include "refused/cudnn.def"
#include "refused/cufft.def"
#include "refused/cusolver.def"
#include "refused/cusparse.def"
#include "refused/nccl.def"

/* No profiler listens: handles and levels are 0. */
#define SILENT(name)                                                           \
    EXPORT uintptr_t name(void);                                               \
    EXPORT uintptr_t name(void) { return 0; }
#include "refused/nvtx.def"
