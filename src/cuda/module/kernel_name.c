#include "cuda/module/kernel_name.h"

#include <stddef.h>
#include <string.h>

#include "base/alloc.h"

/* Of the C++ runtime, after the interface that all C++ compilers share: the
 * name in memory of malloc, NULL if it is none. */
char *__cxa_demangle(const char *mangled, char *to, size_t *room, int *status);

/* Of "ns::f<int>(int*)" the "(": the one that belongs to the last character.
 * NULL: there is none. Parameters hold brackets themselves, as do names
 * ("(anonymous namespace)"). */
static char *parameters_of(char *name)
{
    unsigned depth = 0;

    for (size_t i = strlen(name); i-- > 0;) {
        depth += name[i] == ')';
        if (name[i] == '(' && !--depth)
            return name + i;
        if (!depth)
            return NULL;
    }
    return NULL;
}

/* Behind the return type, which names of templates have in front. */
static const char *behind_type(const char *name, const char *end)
{
    const char *at = name;
    int depth = 0;

    for (const char *p = name; p < end; p++) {
        depth += *p == '<' || *p == '(';
        depth -= *p == '>' || *p == ')';
        if (*p == ' ' && !depth)
            at = p + 1;
    }
    return at;
}

char *kernel_name(const char *mangled, bool parameters)
{
    int failed = 1;
    char *full = strncmp(mangled, "_Z", 2)
                     ? NULL
                     : __cxa_demangle(mangled, NULL, NULL, &failed);

    if (!full)
        return alloc_try_text(mangled);
    char *list = parameters_of(full);
    const char *from = behind_type(full, list ? list : full + strlen(full));
    if (list && !parameters)
        *list = '\0';
    memmove(full, from, strlen(from) + 1);
    return full;
}
