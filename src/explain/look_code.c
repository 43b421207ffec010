#include "explain/look_code.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "explain/look.h"
#include "report/profile.h"
#include "text/word.h"

/* ---- Which line ---- */

/* Numbers in look.line, from 1, in order of files and lines. */
typedef struct places {
    const look *k;
    unsigned *order;
} places;

static int by_place(const look_line *l, uint16_t file, uint32_t number)
{
    if (l->file != file)
        return l->file < file ? -1 : 1;
    return l->number < number ? -1 : l->number > number;
}

static int compare_places(const void *a, const void *b, void *arg)
{
    const look *k = arg;
    const look_line *y = &k->line[*(const unsigned *)b - 1];

    return by_place(&k->line[*(const unsigned *)a - 1], y->file, y->number);
}

static places places_make(look *k)
{
    places p = {k, new0(k->line_count + 1, sizeof *p.order)};

    for (unsigned i = 0; i < k->line_count; i++)
        p.order[i] = i + 1;
    qsort_r(p.order, k->line_count, sizeof *p.order, compare_places, k);
    return p;
}

/* The number of that line; 0: the kernel has no instruction of it. */
static unsigned line_of(const void *arg, uint16_t file, uint32_t number)
{
    const places *p = arg;
    size_t low = 0, high = p->k->line_count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        int is = by_place(&p->k->line[p->order[middle] - 1], file, number);

        if (!is)
            return p->order[middle];
        if (is < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

/* ---- Machine code ---- */

static const char *function_at(const isa_kernel *code, uint32_t index,
                               arena *mem)
{
    for (uint32_t i = 0; i < code->function_count; i++)
        if (code->functions[i].start == index)
            return arena_strdup(mem, code->functions[i].name);
    return NULL;
}

static void take_insts(look *k, const report_launch *l, const places *at,
                       arena *mem)
{
    profile p = profile_make(l, PROFILE_INSTS);
    strbuf text = {0};

    k->code.inst = ARENA_ARRAY(mem, look_inst, p.count);
    for (size_t i = 0; i + 1 < p.count; i++) { /* the last one is of none */
        const profile_row *r = &p.row[i];

        text.size = 0;
        profile_inst_text(l, r->first, &text);
        k->code.inst[k->code.inst_count++] =
            (look_inst){.text = arena_strndup(mem, text.text, text.size),
                        .function = function_at(l->kernel, r->first, mem),
                        .line = line_of(at, r->file, r->line),
                        .share = word_share(r->slots, p.total.slots),
                        .waits = word_share(r->waits, p.total.waits),
                        .sum = r->sum};
    }
    strbuf_fini(&text);
    profile_free(&p);
}

/* ---- Source ---- */

static look_file *find_file(look *k, const report_launch *l, uint16_t number,
                            uint16_t *numbers, arena *mem)
{
    const char *path = number && l->source ? l->source->files[number - 1] : "";
    const char *slash = strrchr(path, '/');
    look_file *f;

    for (size_t i = 0; i < k->code.file_count; i++)
        if (numbers[i] == number)
            return &k->code.file[i];
    numbers[k->code.file_count] = number;
    f = &k->code.file[k->code.file_count++];
    f->name = arena_strdup(mem, slash ? slash + 1 : path);
    return f;
}

static void add_text(look_file *f, const char *text, size_t length,
                     uint32_t number, unsigned line, arena *mem)
{
    f->row[f->count++] = (look_text){.text = arena_strndup(mem, text, length),
                                     .number = number,
                                     .line = line};
}

/* The lines of a file around those of the kernel. */
static void take_file(look_file *f, const report_launch *l, uint16_t number,
                      const places *at, arena *mem)
{
    const look *k = at->k;
    uint32_t next = 1;

    f->row = ARENA_ARRAY(mem, look_text, k->line_count * (2 * LOOK_AROUND + 1));
    for (size_t i = 0; i < k->line_count; i++) {
        const look_line *is = &k->line[at->order[i] - 1];
        uint32_t from, n;
        size_t length;

        if (is->file != number)
            continue;
        from = is->number > LOOK_AROUND ? is->number - LOOK_AROUND : 1;
        for (n = from > next ? from : next; n <= is->number + LOOK_AROUND;
             n++) {
            const char *text =
                number ? sources_indented(l->sources, number - 1u, n, &length)
                       : NULL;
            unsigned line = line_of(at, number, n);

            if (text || line)
                add_text(f, text ? text : "", text ? length : 0, n, line, mem);
            f->known |= text != NULL;
        }
        next = n;
        if (!is->number)
            add_text(f, "", 0, 0, at->order[i], mem);
    }
}

static void take_files(look *k, const report_launch *l, const places *at,
                       arena *mem)
{
    uint16_t *numbers = new0(k->line_count + 1, sizeof *numbers);

    k->code.file = ARENA_ARRAY(mem, look_file, k->line_count + 1);
    for (size_t i = 0; i < k->line_count; i++)
        find_file(k, l, k->line[i].file, numbers, mem);
    for (size_t i = 0; i < k->code.file_count; i++)
        take_file(&k->code.file[i], l, numbers[i], at, mem);
    free(numbers);
}

/* ---- All of it ---- */

static void take_ptx(look *k, const report_launch *l, const places *at,
                     arena *mem)
{
    const char *text = sources_program(l->sources);
    const char *symbol = l->kernel->symbol;
    look_ptx x = {.text = text,
                  .kernel = symbol ? symbol : l->kernel->name,
                  .code = l->kernel,
                  .line_of = line_of,
                  .arg = at};

    if (!text || !l->source)
        return;
    x.paths = (const char *const *)l->source->files;
    x.path_count = l->source->file_count;
    k->code.ptx = look_ptx_lines(&x, mem, &k->code.ptx_count);
}

void look_code_make(look *k, const report_launch *l, arena *mem)
{
    places at = places_make(k);

    take_insts(k, l, &at, mem);
    take_files(k, l, &at, mem);
    take_ptx(k, l, &at, mem);
    free(at.order);
}
