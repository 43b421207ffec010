/* Names of what a program asked for, read from the PTX. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvrtc/rtc_program.h"

/* The name behind `=` in the line of a variable: "f" or "generic(v)". */
static char *pointed_to(const char *line)
{
    const char *at = strstr(line, " = ");

    if (!at)
        return NULL;
    at += 3;
    at += strncmp(at, "generic(", 8) ? 0 : 8;
    return strndup(at, strcspn(at, ");\n"));
}

int nvrtc_read_names(nvrtcProgram p)
{
    for (int i = 0; i < p->name_count; i++) {
        char own[48];
        char *at, *begin, *end;

        snprintf(own, sizeof own, " heddle_name_%d = ", i);
        at = strstr(p->ptx, own);
        if (!at)
            return 0;
        for (begin = at; begin > p->ptx && begin[-1] != '\n';)
            begin--;
        end = begin + strcspn(begin, "\n");
        free(p->names[i].text);
        p->names[i].text = pointed_to(at);
        if (!p->names[i].text)
            return 0;
        memmove(begin, end, strlen(end) + 1);
    }
    return 1;
}
