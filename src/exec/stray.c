#include "exec/stray.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/must.h"
#include "exec/async.h"

void exec_strays_append(exec_strays *to, const exec_stray *one)
{
    to->is = renew(to->is, to->count + 1, sizeof *to->is);
    exec_stray *s = &to->is[to->count++];
    *s = *one;
    s->kernel = new_text_if(one->kernel);
    s->file = new_text_if(one->file);
    s->text = new_text_if(one->text);
}

void exec_strays_fini(exec_strays *s)
{
    for (size_t i = 0; i < s->count; i++) {
        free(s->is[i].kernel);
        free(s->is[i].file);
        free(s->is[i].text);
    }
    free(s->is);
    *s = (exec_strays){.count = 0};
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

/* Up to the CTA of the first. */
static bool same_lack(const char *a, const char *b)
{
    const char *end = strstr(a, "; in kernel");

    return end && !strncmp(a, b, (size_t)(end - a));
}

static bool same_stray_place(const exec_stray *a, const exec_stray *b)
{
    return same_text(a->kernel, b->kernel) && same_text(a->file, b->file) &&
           a->line == b->line && (a->line || a->pc == b->pc) &&
           a->write == b->write && a->kind == b->kind &&
           (a->kind != STRAY_ASYNC || same_lack(a->text, b->text));
}

void exec_strays_add(exec_strays *to, const exec_strays *more)
{
    for (size_t i = 0; i < more->count; i++) {
        const exec_stray *m = &more->is[i];
        exec_stray *s = NULL;

        for (size_t k = 0; k < to->count && !s; k++)
            s = same_stray_place(&to->is[k], m) ? &to->is[k] : NULL;
        if (!s) {
            exec_strays_append(to, m);
            continue;
        }
        s->count += m->count;
        s->reach = m->reach > s->reach ? m->reach : s->reach;
        s->pc = m->pc < s->pc ? m->pc : s->pc;
    }
}

static exec_strays by_instruction(const exec_launch *l, const mem_image *image)
{
    const isa_kernel *k = l->kernel;
    exec_strays out = {.count = 0};
    size_t count = 0;
    exec_outside_place *place =
        l->outside ? exec_outside_take(l->outside, &count) : NULL;

    for (size_t i = 0; i < count; i++) {
        const exec_fault *f = &place[i].first;
        const isa_inst *in = &k->code[f->pc];
        const char *file = in->line ? isa_kernel_file(k, in) : NULL;
        char text[1024];

        exec_fault_text(f, l, image, text, sizeof text);
        exec_strays_append(&out, &(exec_stray){.kernel = (char *)k->name,
                                               .file = (char *)file,
                                               .line = in->line,
                                               .pc = f->pc,
                                               .write = f->write,
                                               .kind = (uint8_t)f->kind,
                                               .count = place[i].count,
                                               .reach = place[i].reach,
                                               .text = text});
    }
    free(place);
    return out;
}

static void add_findings(const exec_launch *l, exec_strays *to)
{
    const isa_kernel *k = l->kernel;
    size_t count = 0;
    exec_finding *f = l->async ? exec_findings_take(l->async, &count) : NULL;

    for (size_t i = 0; i < count; i++) {
        const isa_inst *in = &k->code[f[i].pc];
        const char *file = in->line ? isa_kernel_file(k, in) : NULL;
        char *text = exec_finding_text(&f[i], l);

        exec_strays_append(to, &(exec_stray){.kernel = (char *)k->name,
                                             .file = (char *)file,
                                             .line = in->line,
                                             .pc = f[i].pc,
                                             .write = f[i].write,
                                             .kind = STRAY_ASYNC,
                                             .count = f[i].count,
                                             .text = text});
        free(text);
    }
    free(f);
}

exec_strays exec_strays_take(const exec_launch *l, const mem_image *image)
{
    exec_strays each = by_instruction(l, image), out = {.count = 0};

    add_findings(l, &each);
    exec_strays_add(&out, &each);
    exec_strays_fini(&each);
    return out;
}

uint64_t exec_strays_total(const exec_strays *s)
{
    uint64_t n = 0;

    for (size_t i = 0; i < s->count; i++)
        n += s->is[i].count;
    return n;
}

const char *exec_stray_what(const exec_stray *s)
{
    switch (s->kind) {
    case FAULT_SHARED_BOUNDS:
        return "shared memory";
    case FAULT_LOCAL_BOUNDS:
        return "local memory";
    case FAULT_TEXTURE_BOUNDS:
        return "an image";
    case FAULT_FREED:
        return "freed memory";
    default:
        return "a buffer";
    }
}
