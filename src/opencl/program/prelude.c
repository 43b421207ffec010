#include "opencl/program/prelude.h"

#include <stdbool.h>
#include <string.h>

/* A part is needed if one of its texts occurs anywhere. Finding too much only
 * costs time; what #include and ## make of a source is not seen, so that they
 * need everything. */
static const struct {
    const char *flag;
    const char *texts; /* each ends with a 0, the last with two */
    const char *also;  /* and this one, if not NULL */
} parts[] = {
    {"-DHEDDLE_NEED_MATH",
     "exp\0sinpi\0cospi\0tanpi\0nextafter\0fmod\0rem\0erfc\0rootn\0ldexp\0"
     "gamma\0smoothstep\0",
     NULL},
    {"-DHEDDLE_NEED_MATH", "sin\0cos\0tan\0", "double"},
    {"-DHEDDLE_NEED_COPY", "wait_group\0async\0prefetch\0", NULL},
    {"-DHEDDLE_NEED_WORK_GROUP", "work_group_\0", NULL},
    {"-DHEDDLE_NEED_CONVERT", "_sat\0_rt\0", NULL},
    {"-DHEDDLE_NEED_INTEGER", "rotate\0mad_sat\0ctz\0", NULL},
    {"-DHEDDLE_NEED_LOAD", "vload16\0", NULL},
    {"-DHEDDLE_NEED_STORE", "vstore\0", "_half"},
    {"-DHEDDLE_NEED_ATOMIC", "atomic_\0", NULL},
    {"-DHEDDLE_NEED_ATOM", "atom_\0atomic_\0", NULL},
    {"-DHEDDLE_NEED_NATIVE", "native_\0half_\0", NULL},
    {"-DHEDDLE_NEED_PRINTF", "printf\0", NULL},
    {"-DHEDDLE_NEED_SUB_GROUP", "sub_group\0", NULL},
    {"-DHEDDLE_NEED_HALF", "half\0", NULL},
    {"-DHEDDLE_NEED_IMAGE", "image\0", NULL},
};

static bool occurs(const char *text, const char *in, size_t size)
{
    return in && memmem(in, size, text, strlen(text));
}

size_t opencl_prelude_flags(const char *source, size_t size,
                            const char *options,
                            const char *flags[PRELUDE_FLAGS])
{
    size_t opts = options ? strlen(options) : 0, n = 0;
    bool all = occurs("##", source, size) || occurs("include", source, size) ||
               occurs("-include", options, opts);

    flags[n++] = "-DHEDDLE_NEED_SELECTED";
    if (all || occurs("sampler_t", source, size))
        flags[n++] = "-DHEDDLE_SAMPLERS";
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        bool need = all;

        for (const char *t = parts[i].texts; *t && !need; t += strlen(t) + 1)
            need = occurs(t, source, size) || occurs(t, options, opts);
        if (need && parts[i].also && !all)
            need = occurs(parts[i].also, source, size) ||
                   occurs(parts[i].also, options, opts);
        if (need)
            flags[n++] = parts[i].flag;
    }
    return n;
}
