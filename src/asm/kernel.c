/* src/asm/kernel.c - kernels of a program being assembled. */
#include "asm/kernel.h"

#include <inttypes.h>
#include <string.h>

bool asm_kernel_begin(asm_parser *a, const asm_token *name)
{
    char *text = asm_text(name, a->p->mem);

    asm_kernel_end(a);
    a->failed = false;
    a->in_kernel = true;
    a->k = (isa_kernel){.name = text};
    a->kernel_tok = *name;
    a->line = 0;
    a->file_number = 0;
    a->params_room = 0;
    a->registers.kind = a->barriers.kind = TOK_END;
    a->shared_given = a->params_given = false;
    if (isa_program_kernel(a->p, text))
        return asm_fail(a, name, "a kernel %s exists already", text);
    return true;
}

void asm_kernel_add(asm_parser *a, const isa_inst *in)
{
    isa_kernel *k = &a->k;

    ARENA_GROW(a->scratch, a->code, k->code_count, a->code_room);
    a->code[k->code_count++] = *in;
}

/* Shared variables of the module count for every kernel without a size of its
 * own. */
static uint32_t module_shared(const asm_parser *a)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < a->p->var_count; i++) {
        const isa_var *v = &a->p->vars[i];

        if (v->space == SPACE_SHARED && v->offset + v->size > bytes)
            bytes = v->offset + v->size;
    }
    return bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes;
}

static uint32_t param_end(const isa_kernel *k)
{
    uint32_t end = 0;

    for (uint32_t i = 0; i < k->param_count; i++)
        if (k->params[i].offset + k->params[i].size > end)
            end = k->params[i].offset + k->params[i].size;
    return end;
}

/* A number that was given must do for the code. */
static void settle_resource(asm_parser *a, const asm_token *given,
                            uint32_t *value, uint32_t needed, const char *what)
{
    if (given->kind == TOK_END)
        *value = needed;
    else if (*value < needed)
        asm_fail(a, given, "the code needs %" PRIu32 " %s", needed, what);
}

void asm_kernel_end(asm_parser *a)
{
    isa_kernel *k = &a->k;
    isa_program *p = a->p;
    uint32_t registers, barriers;

    a->data = NULL;
    if (!a->in_kernel)
        return;
    a->in_kernel = false;
    a->failed = false;
    k->code = ARENA_ARRAY(p->mem, isa_inst, k->code_count);
    if (k->code_count)
        memcpy(k->code, a->code, k->code_count * sizeof *k->code);
    else
        asm_fail(a, &a->kernel_tok, "kernel %s has no instructions", k->name);
    isa_kernel_usage(k, &registers, &barriers);
    settle_resource(a, &a->registers, &k->registers, registers, "registers");
    settle_resource(a, &a->barriers, &k->barriers, barriers, "barriers");
    if (!a->shared_given)
        k->shared_bytes = module_shared(a);
    if (!a->params_given)
        k->param_bytes = param_end(k);
    k->constant_bytes = (uint32_t)a->constants.size;
    if (k->constant_bytes)
        k->constants = (uint8_t *)arena_strndup(p->mem, a->constants.text,
                                                a->constants.size);
    a->constants.size = 0;
    ARENA_GROW(p->mem, p->kernels, p->kernel_count, a->kernels_room);
    p->kernels[p->kernel_count++] = *k;
    a->k = (isa_kernel){0};
}
