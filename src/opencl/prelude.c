#include "opencl/prelude.h"

#include <stdbool.h>
#include <string.h>

/* A part is needed if one of its texts occurs anywhere. Finding too much only
 * costs time; what #include and ## make of a source is not seen, so that they
 * need everything. */
static const struct {
    const char *flag;
    const char *texts; /* each ends with a 0, the last with two */
} parts[] = {
    {"-DHEDDLE_NEED_ATOM", "atom_\0"},
    {"-DHEDDLE_NEED_NATIVE", "native_\0half_\0"},
    {"-DHEDDLE_NEED_PRINTF", "printf\0"},
    {"-DHEDDLE_NEED_SUB_GROUP", "sub_group\0"},
    {"-DHEDDLE_NEED_HALF", "half\0"},
    {"-DHEDDLE_NEED_IMAGE", "image\0"},
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
        if (need)
            flags[n++] = parts[i].flag;
    }
    return n;
}
