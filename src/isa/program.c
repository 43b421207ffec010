/* src/isa/program.c - a program's end, and its kernels by name. */
#include "isa/program.h"

#include <string.h>

/* Where the vendor's tools put them; no manual says. [guess] */
unsigned cbank_param_base(isa_arch arch)
{
    return arch == ARCH_VOLTA ? 0x160 : 0x140;
}

isa_program *isa_program_new(isa_arch arch)
{
    arena *mem = arena_new();
    isa_program *p;

    if (!mem)
        return NULL;
    p = ARENA_NEW(mem, isa_program);
    p->mem = mem;
    p->arch = arch;
    return p;
}

void isa_program_free(isa_program *p)
{
    if (p)
        arena_free(p->mem); /* *p included */
}

const isa_kernel *isa_program_kernel(const isa_program *p, const char *name)
{
    for (uint32_t i = 0; i < p->kernel_count; i++)
        if (!strcmp(p->kernels[i].name, name))
            return &p->kernels[i];
    return NULL;
}
