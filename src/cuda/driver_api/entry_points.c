/* Functions by name: cuGetProcAddress and what the runtime API has of it. */
#include <dlfcn.h>
#include <string.h>

#include "base/must.h"
#include "cuda/driver_api/driver_call.h"

enum {
    PER_THREAD = 2, /* of the flags */
    NAME_MOST = 128,
    NEWEST_FORM = 4, /* name_v4 */
};

typedef enum entry_answer {
    ENTRY_FOUND,
    ENTRY_UNKNOWN,
    ENTRY_LATER, /* there is one in a later version */
} entry_answer;

/* Forms of functions that came late: before, the name means the one before. The
 * others are older than all programs that ask [CUDA13:driver-api]. */
static const struct {
    const char *name;
    int since;
} late[] = {
    {"cuCtxCreate_v3", 11040},        {"cuCtxCreate_v4", 12050},
    {"cuCtxGetDevice_v2", 13000},     {"cuCtxSynchronize_v2", 13000},
    {"cuDeviceGetUuid_v2", 11040},    {"cuEventElapsedTime_v2", 12080},
    {"cuGetProcAddress_v2", 12000},   {"cuMemAdvise_v2", 12020},
    {"cuMemPrefetchAsync_v2", 12020}, {"cuStreamGetCtx_v2", INT32_MAX},
};

static bool is_too_late(const char *name, int version)
{
    for (size_t i = 0; i < COUNTOF(late); i++)
        if (!strcmp(late[i].name, name))
            return version < late[i].since;
    return false;
}

/* In this library, which programs may have loaded in any way. */
static void *own_symbol(const char *name)
{
    static void *own;
    Dl_info is;

    if (!own && dladdr((void *)(uintptr_t)own_symbol, &is))
        own = dlopen(is.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    return dlsym(own ? own : RTLD_DEFAULT, name);
}

static void *with_suffix(const char *name, bool per_thread)
{
    static const char *const suffixes[] = {"_ptsz", "_ptds"};
    char full[NAME_MOST + 8];
    void *found;

    for (size_t i = 0; per_thread && i < COUNTOF(suffixes); i++) {
        snprintf(full, sizeof full, "%s%s", name, suffixes[i]);
        if ((found = own_symbol(full)))
            return found;
    }
    return own_symbol(name);
}

static entry_answer find_entry(const char *symbol, int version, bool per_thread,
                               void **out)
{
    entry_answer answer = ENTRY_UNKNOWN;
    char name[NAME_MOST];

    *out = NULL;
    if (strlen(symbol) > NAME_MOST - 4 || strncmp(symbol, "cu", 2) != 0)
        return answer;
    for (int form = NEWEST_FORM; form > 0; form--) {
        if (form > 1)
            snprintf(name, sizeof name, "%s_v%d", symbol, form);
        else
            snprintf(name, sizeof name, "%s", symbol);
        void *found = with_suffix(name, per_thread);
        if (!found)
            continue;
        answer = ENTRY_LATER;
        if (is_too_late(name, version))
            continue;
        *out = found;
        return ENTRY_FOUND;
    }
    return answer;
}

static cudaError_t get_entry(const char *symbol, void **out, int version,
                             uint64_t flags, int *answer)
{
    if (!symbol || !out)
        return cudaErrorInvalidValue;
    entry_answer is = find_entry(symbol, version, flags & PER_THREAD, out);
    if (answer)
        *answer = is;
    return cudaSuccess;
}

/* Its first form has no place for the answer, so it is an error. */
DRIVER_WITH(cuGetProcAddress,
            (const char *symbol, void **out, int version, uint64_t flags),
            (symbol, out, version, flags), DRIVER_NOTHING)
{
    int answer = ENTRY_FOUND;
    cudaError_t is = get_entry(symbol, out, version, flags, &answer);

    return is == cudaSuccess && answer != ENTRY_FOUND ? cudaErrorSymbolNotFound
                                                      : is;
}

static cudaError_t get_entry_v2(const char *symbol, void **out, int version,
                                uint64_t flags, int *answer)
{
    cudaError_t is = get_entry(symbol, out, version, flags, answer);

    return is == cudaSuccess && !*out ? cudaErrorSymbolNotFound : is;
}

DRIVER_WITH(cuGetProcAddress_v2,
            (const char *symbol, void **out, int version, uint64_t flags,
             int *answer),
            (symbol, out, version, flags, answer), DRIVER_NOTHING)
{
    return get_entry_v2(symbol, out, version, flags, answer);
}

/* ---- The runtime API ---- */

static cudaError_t get_for_runtime(const char *symbol, void **out, int version,
                                   uint64_t flags, int *answer)
{
    cudaError_t is = get_entry(symbol, out, version, flags, answer);

    return is == cudaSuccess && !answer && !*out ? cudaErrorSymbolNotFound : is;
}

EXPORT cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **out,
                                           unsigned long long flags,
                                           int *answer)
{
    int version = 0;

    cudaRuntimeGetVersion(&version);
    return get_for_runtime(symbol, out, version, flags, answer);
}

EXPORT cudaError_t cudaGetDriverEntryPoint_ptsz(const char *symbol, void **out,
                                                unsigned long long flags,
                                                int *answer)
{
    return cudaGetDriverEntryPoint(symbol, out, flags ? flags : PER_THREAD,
                                   answer);
}

EXPORT cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol,
                                                    void **out,
                                                    unsigned version,
                                                    unsigned long long flags,
                                                    int *answer)
{
    return get_for_runtime(symbol, out, (int)version, flags, answer);
}

EXPORT cudaError_t cudaGetDriverEntryPointByVersion_ptsz(
    const char *symbol, void **out, unsigned version, unsigned long long flags,
    int *answer)
{
    return get_for_runtime(symbol, out, (int)version,
                           flags ? flags : PER_THREAD, answer);
}
