/* src/session/program_file.c - see program_file.h. */
#include "session/program_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/elf.h"
#include "base/must.h"
#include "base/strbuf.h"

static char *join_path(const char *folder, size_t n, const char *name)
{
    strbuf b = {0};

    strbuf_printf(&b, "%.*s/%s", (int)n, folder, name);
    return b.text;
}

char *session_program_path(const char *program, const char *folder)
{
    const char *path = getenv("PATH");

    if (*program == '/' || (strchr(program, '/') && !folder))
        return new_text(program);
    if (strchr(program, '/'))
        return join_path(folder, strlen(folder), program);
    for (const char *at = path ? path : "/bin:/usr/bin"; *at;) {
        size_t n = strcspn(at, ":");
        char *one = n ? join_path(at, n, program) : new_text(program);

        if (access(one, X_OK) == 0)
            return one;
        free(one);
        at += n + (at[n] == ':');
    }
    return NULL;
}

static bool starts_with(const char *text, const char *start)
{
    return !strncmp(text, start, strlen(start));
}

bool session_program_is_cuda(const char *path)
{
    static const char *const libraries[] = {"libcudart.so", "libcuda.so",
                                            "libnvrtc.so", "libcublas.so",
                                            "libnvidia-ml.so"};
    elf_file f = elf_open(path);
    bool cuda = f.head && elf_section_named(&f, ".nv_fatbin"), opencl = false;
    const char *name;

    for (size_t i = 0; f.head && (name = elf_needed(&f, i)) != NULL; i++) {
        opencl |= starts_with(name, "libOpenCL.so");
        for (size_t k = 0; k < COUNTOF(libraries); k++)
            cuda |= starts_with(name, libraries[k]);
    }
    elf_close(f);
    return cuda && !opencl;
}
