/* src/codegen/lower_host.c - functions without a body that the run-time
 * performs. */
#include <stdio.h>
#include <string.h>

#include "codegen/lower.h"

void lo_service(lower *l, const ptx_func *fn, const ptx_call *call)
{
    char why[256];

    (void)call;
    snprintf(why, sizeof why, "'%s' has no body", fn->name);
    lo_unsupported(l, why);
}
