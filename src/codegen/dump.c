#include "codegen/dump.h"

#include <string.h>

#include "codegen/ir/ir.h"

const cg_dump_word cg_dump_words[] = {
#define PASS(name, help) {#name, help},
#include "codegen/pass.def"
#undef PASS
    {"before", "every pass before allocation, in order"},
    {"after", "allocation and every pass after it"},
    {"all", "every pass"},
    {NULL, NULL},
};

bool cg_dump_choose(cg_dump *d, const char *name)
{
    bool all = !strcmp(name, "all");
    bool before = all || !strcmp(name, "before");
    bool after = all || !strcmp(name, "after");

    d->before |= before;
    d->after |= after;
    for (unsigned i = 0; i < CG_PASSES; i++) {
        if (!strcmp(name, cg_dump_words[i].name)) {
            d->chosen[i] = true;
            return true;
        }
    }
    return before || after;
}

void cg_dump_after(const cg_func *f, cg_pass pass)
{
    cg_dump *d = f->opt->dump;

    if (!d)
        return;
    if (pass == CG_PASS_lower) {
        d->step = 0;
        d->allocated = false;
    }
    d->step++;
    d->allocated |= pass == CG_PASS_allocate;
    if (!d->chosen[pass] && !(d->allocated ? d->after : d->before))
        return;
    strbuf_printf(&d->text, "// %s %s: step %u, after %s\n",
                  f->is_function ? "function" : "kernel", f->name, d->step,
                  cg_dump_words[pass].name);
    cg_print(f, d->allocated, &d->text);
    strbuf_putc(&d->text, '\n');
}
