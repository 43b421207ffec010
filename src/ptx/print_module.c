#include <inttypes.h>
#include <string.h>

#include "ptx/ptx.h"

static const char *linkage_text(ptx_linkage l)
{
    static const char *const texts[] = {
        [PTX_LOCAL_SYMBOL] = "",     [PTX_EXTERN] = ".extern ",
        [PTX_VISIBLE] = ".visible ", [PTX_WEAK] = ".weak ",
        [PTX_COMMON] = ".common ",
    };

    return texts[l];
}

/* ---- initial values ----------------------------------------------------- */

static const ptx_reloc *reloc_at(const ptx_var *v, uint64_t at)
{
    uint32_t low = 0, high = v->nrelocs; /* they are in order */

    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (v->relocs[mid].at < at)
            low = mid + 1;
        else
            high = mid;
    }
    return low < v->nrelocs && v->relocs[low].at == at ? &v->relocs[low] : NULL;
}

static void print_reloc(const ptx_reloc *r, strbuf *to)
{
    if (r->mask != UINT64_MAX)
        strbuf_printf(to, "0x%" PRIx64 "(", r->mask);
    strbuf_printf(to, r->generic ? "generic(%s)" : "%s",
                  r->var ? r->var->name : r->func->name);
    if (r->addend)
        strbuf_printf(to, "+%" PRId64, r->addend);
    if (r->mask != UINT64_MAX)
        strbuf_putc(to, ')');
}

static void print_element(const ptx_var *v, uint64_t at, strbuf *to)
{
    const ptx_reloc *r = reloc_at(v, at);
    unsigned size = ptx_type_bytes(v->type);
    uint64_t bits = 0;

    if (r) {
        print_reloc(r, to);
        return;
    }
    if (at < v->init_size)
        memcpy(&bits, v->init + at, size < 8 ? size : 8);
    if (v->type == PTX_TYPE_F32)
        strbuf_printf(to, "0f%08" PRIX64, bits);
    else if (v->type == PTX_TYPE_F64)
        strbuf_printf(to, "0d%016" PRIX64, bits);
    else
        strbuf_printf(to, "%" PRIu64, bits);
}

/* One brace for each dimension and one for vectors. */
static void print_values(const ptx_var *v, unsigned level, uint64_t at,
                         strbuf *to)
{
    unsigned levels = v->ndims + (v->vec > 1);
    uint64_t step = ptx_type_bytes(v->type), n;

    if (level == levels) {
        print_element(v, at, to);
        return;
    }
    if (level < v->ndims)
        step *= v->vec;
    for (unsigned i = level + 1; i < v->ndims; i++)
        step *= v->dims[i];
    n = level < v->ndims ? v->dims[level] : v->vec;
    strbuf_putc(to, '{');
    for (uint64_t i = 0; i < n && at + i * step < v->init_size; i++) {
        if (i)
            strbuf_puts(to, i % 8 || level + 1 < levels ? ", " : ",\n    ");
        print_values(v, level + 1, at + i * step, to);
    }
    strbuf_putc(to, '}');
}

/* ---- variables ---------------------------------------------------------- */

static void print_var_type(const ptx_var *v, strbuf *to)
{
    strbuf_printf(to, ".%s ", ptx_space_text(v->space));
    if (v->managed)
        strbuf_puts(to, ".attribute(.managed) ");
    if (v->has_align)
        strbuf_printf(to, ".align %u ", v->align);
    if (v->vec > 1)
        strbuf_printf(to, ".v%u ", v->vec);
    strbuf_printf(to, ".%s ", ptx_type_text(v->type));
    if (v->is_ptr) {
        strbuf_puts(to, ".ptr ");
        if (v->ptr_space)
            strbuf_printf(to, ".%s ", ptx_space_text(v->ptr_space));
        if (v->ptr_align)
            strbuf_printf(to, ".align %u ", v->ptr_align);
    }
}

static void print_var_head(const ptx_var *v, ptx_linkage linkage, strbuf *to)
{
    strbuf_puts(to, linkage_text(linkage));
    print_var_type(v, to);
    strbuf_puts(to, v->name);
    for (uint32_t i = 0; i < v->ndims; i++) {
        if (v->dims[i])
            strbuf_printf(to, "[%" PRIu64 "]", v->dims[i]);
        else
            strbuf_puts(to, i ? "[0]" : "[]");
    }
}

static void print_var(const ptx_var *v, strbuf *to)
{
    print_var_head(v, v->linkage, to);
    if (v->opaque) {
        strbuf_printf(to, " = %s", v->opaque);
    } else if (v->has_init) {
        strbuf_puts(to, " = ");
        print_values(v, 0, 0, to);
    }
    strbuf_puts(to, ";\n");
}

/* ---- functions ---------------------------------------------------------- */

static void print_params(uint32_t n, ptx_var *const *params, strbuf *to)
{
    strbuf_putc(to, '(');
    for (uint32_t i = 0; i < n; i++) {
        if (i)
            strbuf_puts(to, ", ");
        print_var_head(params[i], PTX_LOCAL_SYMBOL, to);
    }
    strbuf_putc(to, ')');
}

static void print_triple(const char *word, const uint32_t v[3], strbuf *to)
{
    if (v[0] || v[1] || v[2])
        strbuf_printf(to, "\n.%s %u, %u, %u", word, v[0], v[1], v[2]);
}

static void print_single(const char *word, uint32_t v, strbuf *to)
{
    if (v)
        strbuf_printf(to, "\n.%s %u", word, v);
}

static void print_directives(const ptx_func *f, strbuf *to)
{
    if (f->noreturn)
        strbuf_puts(to, "\n.noreturn");
    if (f->noinline && !f->npragmas)
        strbuf_puts(to, "\n.noinline");
    print_triple("maxntid", f->maxntid, to);
    print_triple("reqntid", f->reqntid, to);
    print_single("minnctapersm", f->minnctapersm, to);
    print_single("maxnctapersm", f->maxnctapersm, to);
    print_single("maxnreg", f->maxnreg, to);
    print_triple("reqnctapercluster", f->reqnctapercluster, to);
    print_single("maxclusterrank", f->maxclusterrank, to);
    if (f->explicitcluster)
        strbuf_puts(to, "\n.explicitcluster");
    for (uint32_t i = 0; i < f->npragmas; i++)
        strbuf_printf(to, "\n.pragma %s;", f->pragmas[i]);
}

static void print_signature(const ptx_func *f, const char *name, strbuf *to)
{
    if (f->nrets) {
        print_params(f->nrets, f->rets, to);
        strbuf_putc(to, ' ');
    }
    strbuf_puts(to, name);
    print_params(f->nparams, f->params, to);
    print_directives(f, to);
}

static void print_header(const ptx_func *f, strbuf *to)
{
    strbuf_puts(to, linkage_text(f->linkage));
    strbuf_puts(to, f->entry ? ".entry " : ".func ");
    print_signature(f, f->name, to);
}

static void print_table(const ptx_table *t, strbuf *to)
{
    strbuf_printf(to, "%s: .%s ", t->name,
                  t->calls ? "calltargets" : "branchtargets");
    for (uint32_t i = 0; i < t->count; i++)
        strbuf_printf(to, "%s%s", i ? ", " : "",
                      t->calls ? t->funcs[i]->name : t->labels[i]->name);
    strbuf_puts(to, ";\n");
}

static void print_regdecl(const ptx_regdecl *d, strbuf *to)
{
    strbuf_puts(to, ".reg ");
    if (d->vec > 1)
        strbuf_printf(to, ".v%u ", d->vec);
    strbuf_printf(to, ".%s %s", ptx_type_text(d->type), d->name);
    if (d->range)
        strbuf_printf(to, "<%u>", d->count);
    strbuf_puts(to, ";\n");
}

static void print_item(const ptx_func *f, const ptx_item *item, strbuf *to)
{
    switch (item->kind) {
    case PTX_ITEM_INST:
        strbuf_putc(to, '\t');
        ptx_print_inst(f, &f->insts[item->index], to);
        strbuf_putc(to, '\n');
        break;
    case PTX_ITEM_LABEL:
        strbuf_printf(to, "%s:\n", f->labels[item->index]->name);
        break;
    case PTX_ITEM_REGS:
        print_regdecl(&f->regdecls[item->index], to);
        break;
    case PTX_ITEM_VAR:
        print_var(f->vars[item->index], to);
        break;
    case PTX_ITEM_OPEN:
        strbuf_puts(to, "{\n");
        break;
    case PTX_ITEM_CLOSE:
        strbuf_puts(to, "}\n");
        break;
    case PTX_ITEM_LOC:
        strbuf_printf(to, ".loc %s\n", item->text);
        break;
    case PTX_ITEM_PRAGMA:
        strbuf_printf(to, ".pragma %s;\n", item->text);
        break;
    case PTX_ITEM_TABLE:
        print_table(f->tables[item->index], to);
        break;
    case PTX_ITEM_PROTO:
        strbuf_printf(to, "%s: .callprototype ", f->protos[item->index]->name);
        print_signature(f->protos[item->index], "_", to);
        strbuf_puts(to, ";\n");
        break;
    }
}

static void print_func(const ptx_func *f, strbuf *to)
{
    print_header(f, to);
    strbuf_puts(to, "\n{\n");
    for (uint32_t i = 0; i < f->nitems; i++)
        print_item(f, &f->items[i], to);
    strbuf_puts(to, "}\n");
}

/* ---- modules ------------------------------------------------------------ */

static void print_top(const ptx_module *m, const ptx_top *top, strbuf *to)
{
    switch (top->kind) {
    case PTX_TOP_VAR:
        print_var(m->globals[top->index], to);
        break;
    case PTX_TOP_EXTERN:
        print_var_head(m->globals[top->index], PTX_EXTERN, to);
        strbuf_puts(to, ";\n");
        break;
    case PTX_TOP_PROTOTYPE:
        print_header(m->funcs[top->index], to);
        strbuf_puts(to, ";\n");
        break;
    case PTX_TOP_FUNC:
        print_func(m->funcs[top->index], to);
        break;
    case PTX_TOP_ALIAS:
        strbuf_printf(to, ".alias %s, %s;\n", m->funcs[top->index]->name,
                      m->funcs[top->index]->alias_of->name);
        break;
    case PTX_TOP_PRAGMA:
        strbuf_printf(to, ".pragma %s;\n", top->text);
        break;
    case PTX_TOP_SECTION:
        strbuf_printf(to, "%s\n", top->text);
        break;
    case PTX_TOP_FILE:
        strbuf_printf(to, ".file %s\n", top->text);
        break;
    }
}

void ptx_print(const ptx_module *m, strbuf *to)
{
    strbuf_printf(to, ".version %u.%u\n.target %s\n.address_size %u\n",
                  m->version_major, m->version_minor, m->target_text,
                  m->address_size);
    for (uint32_t i = 0; i < m->ntops; i++)
        print_top(m, &m->tops[i], to);
}
