/* Every form of forms.txt, which ptxas accepts, compiles for every family into
 * well-formed machine code; those marked there are refused, each by name. */
#include "base/file.h"
#include "rig.h"

#include "test.h"

enum { FIRST_LINE = 4 }; /* of the first kernel */

/* A module with a kernel on a line of its own for each form that is, or is
 * not, marked. Owned by the caller. */
static char *module(const char *forms, bool refused, unsigned *count)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    *count = 0;
    fputs(".version 9.0\n.target sm_100a\n.address_size 64\n", to);
    for (const char *s = forms, *end; *s; s = end + 1) {
        bool marked = !strncmp(s, "- ", 2);

        end = strchr(s, '\n');
        if (*s == '#' || !strncmp(s, "target", 6) || marked != refused)
            continue;
        s += marked ? 2 : 0;
        fprintf(to,
                ".entry k%u(.param .b64 out, .param .align 16 .b8 par[64]) { "
                ".reg .b16 h<10>; .reg .b32 r<10>; .reg .b64 d<10>; "
                ".reg .b128 q<5>; .reg .pred p<5>; %.*s }\n",
                (*count)++, (int)(end - s), s);
    }
    fclose(to);
    return text;
}

static char *forms_text(const char *name)
{
    const char *root = getenv("HEDDLE_SOURCE");
    char path[1024], *text = NULL;
    diag *dg = diag_new();
    size_t size;

    snprintf(path, sizeof path, "%s/tests/unit/codegen/%s", root ? root : ".",
             name);
    CHECK_EQ(file_read(path, dg, &text, &size), ST_OK);
    diag_free(dg);
    return text;
}

static void show_errors(const rig *r, const char *text)
{
    for (size_t i = 0; i < diag_count(r->dg) && i < 20; i++) {
        const diag_item *d = diag_get(r->dg, i);
        const char *s = text;

        for (uint32_t n = 1; n < d->line && s; n++)
            s = strchr(s, '\n') + 1;
        fprintf(stderr, "%s: %.*s\n", d->text, (int)strcspn(s, "\n"), s);
    }
}

TEST(every_bulk_form_becomes_machine_code)
{
    cg_options o = cg_default_options(ARCH_HOPPER);
    char *forms = forms_text("bulk_forms.txt");
    unsigned count;
    char *text = module(forms, false, &count);
    rig r;
    status st = rig_compile(&r, "forms.ptx", text, &o);

    if (st != ST_OK)
        show_errors(&r, text);
    CHECK_EQ(st, ST_OK);
    CHECK_EQ(count, 437);
    CHECK_EQ(r.p ? r.p->kernel_count : 0, count);
    rig_free(&r);
    free(text);
    free(forms);
}

TEST(every_form_becomes_machine_code)
{
    char *forms = forms_text("forms.txt");
    unsigned count;
    char *text = module(forms, false, &count);

    CHECK(count > 6000);
    for (isa_arch arch = 0; arch < (isa_arch)ISA_ARCHS; arch++) {
        cg_options o = cg_default_options(arch);
        rig r;
        status st = rig_compile(&r, "forms.ptx", text, &o);

        if (st != ST_OK)
            show_errors(&r, text);
        CHECK_EQ(st, ST_OK);
        CHECK_EQ(r.p ? r.p->kernel_count : 0, count);
        rig_free(&r);
    }
    free(text);
    free(forms);
}

/* One error for each, with its line and what is missing. */
TEST(other_forms_are_refused_one_by_one)
{
    char *forms = forms_text("forms.txt");
    unsigned count;
    char *text = module(forms, true, &count);
    cg_options o = cg_default_options(ARCH_VOLTA);
    bool seen[64] = {false};
    rig r;

    CHECK(count > 0 && count < 64);
    CHECK_EQ(rig_compile(&r, "forms.ptx", text, &o), ST_PROGRAM);
    CHECK_EQ(diag_errors(r.dg), count);
    for (size_t i = 0; i < diag_count(r.dg); i++) {
        const diag_item *d = diag_get(r.dg, i);

        CHECK(d->line >= FIRST_LINE && d->line < FIRST_LINE + count);
        CHECK(d->column > 1);
        CHECK(strlen(d->text) > 40);
        seen[d->line - FIRST_LINE] = true;
    }
    for (unsigned i = 0; i < count; i++)
        CHECK(seen[i]);
    rig_free(&r);
    free(text);
    free(forms);
}
