/* src/sass/assemble.c - statements, a line each. Instructions are read once
 * all labels of their function are known. */
#include "sass/assemble.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "base/suggest.h"
#include "isa/operand.h"
#include "sass/assemble_read.h"
#include "sass/translate.h"

enum { CODE_MOST = 1 << 20, SECTIONS_MOST = 8192 };

/* ---- Parts ---- */

static bool begin_part(assembler *a, const char **at, part_kind kind)
{
    part *p;

    if (!a->s.sm)
        return WRONG(a, *at, ".target has to be first");
    if (a->in)
        return WRONG(a, *at, "'%s' has no .end", a->in->name);
    if (a->s.part_count == SECTIONS_MOST)
        return WRONG(a, *at, "a file has at most %u of these", SECTIONS_MOST);
    ARENA_GROW(a->s.mem, a->s.parts, a->s.part_count, a->s.part_room);
    p = &a->s.parts[a->s.part_count];
    *p = (part){.kind = kind,
                .line = a->line,
                .align = kind == PART_DATA ? 8 : 128,
                .stack_bytes = CUBIN_UNKNOWN,
                .barriers = CUBIN_UNKNOWN,
                .param_base = sass_param_base(a->s.sm)};
    if (!stmt_get_name(a, at, &p->name))
        return false;
    for (uint32_t i = 0; i < a->s.part_count; i++)
        if (!strcmp(a->s.parts[i].name, p->name))
            return WRONG(a, *at - strlen(p->name), "'%s' is there twice",
                         p->name);
    p->labels = strmap_new();
    a->in = p;
    a->s.part_count++;
    return true;
}

static bool do_kernel(assembler *a, const char **at)
{
    return begin_part(a, at, PART_KERNEL);
}

static bool do_function(assembler *a, const char **at)
{
    return begin_part(a, at, PART_FUNCTION);
}

static bool do_data(assembler *a, const char **at)
{
    const char *from = *at + strspn(*at, " \t");

    if (!begin_part(a, at, PART_DATA))
        return false;
    for (size_t i = 0; i < SASS_DATA_SECTIONS; i++)
        if (!strcmp(sass_data_sections[i], a->in->name))
            return true;
    return WRONG(a, from,
                 "data are in .nv.constant3, .nv.constant4, .nv.global or "
                 ".nv.global.init");
}

static bool do_target(assembler *a, const char **at)
{
    const char *from, *name;

    stmt_skip(at);
    from = *at;
    if (a->s.sm)
        return WRONG(a, from, "the file has a target already");
    if (!stmt_get_name(a, at, &name))
        return false;
    if (!strncmp(name, "sm_", 3))
        a->s.sm = (unsigned)strtoul(name + 3, NULL, 10);
    a->table = sass_table_new(a->s.sm);
    if (!a->table || a->s.sm > 90)
        return WRONG(a, from, "sm_70 to sm_90 have to be here");
    return true;
}

/* ---- Code ---- */

static bool add_code(assembler *a, sass_word w, char *text, bool bare)
{
    part *p = a->in;

    if (p->code_count == CODE_MOST)
        return WRONG(a, a->begin, "'%s' has more than %u instructions", p->name,
                     CODE_MOST);
    ARENA_GROW(a->s.mem, p->code, p->code_count, p->code_room);
    if (p->code_count >= p->lines_room) {
        p->lines = arena_renew(a->s.mem, p->lines, p->code_count, p->code_room,
                               sizeof *p->lines);
        p->lines_room = p->code_room;
    }
    p->code[p->code_count] = w;
    p->lines[p->code_count++] = (part_line){text, a->line, bare};
    return true;
}

/* .inst LOWER, UPPER: the words themselves. */
static bool do_inst(assembler *a, const char **at)
{
    uint64_t words[2];

    for (unsigned i = 0; i < 2; i++) {
        if (i && !sass_read_text(at, ","))
            return WRONG(a, *at, "two words of 64 bits have to be here");
        if (!sass_read_place(at, NULL, &words[i]))
            return WRONG(a, *at, "two words of 64 bits have to be here");
    }
    return add_code(a, (sass_word)words[1] << 64 | words[0], NULL, false);
}

/* .targets LABEL...: where the next instruction, a jump by a register, goes. */
static bool do_targets(assembler *a, const char **at)
{
    part *p = a->in;
    part_targets t = {.address = (uint32_t)stmt_here(p), .line = a->line};

    do {
        ARENA_GROW(a->s.mem, t.labels, t.count, t.room);
        if (!stmt_get_name(a, at, &t.labels[t.count++]))
            return false;
    } while (sass_read_maybe(at, ","));
    ARENA_GROW(a->s.mem, p->targets, p->targets_count, p->targets_room);
    p->targets[p->targets_count++] = t;
    return true;
}

static bool find_label(void *part_, const char *name, size_t length,
                       uint64_t *address)
{
    const part *p = part_;
    char *key = new_text_n(name, length);
    uintptr_t found = (uintptr_t)strmap_get(p->labels, key);

    free(key);
    *address = found - 1;
    return found != 0;
}

/* The last thing that was not understood, as its reader sees it. */
static void refuse_inst(assembler *a, const part_line *l, const char *text,
                        const char *where)
{
    unsigned line = a->line;
    const char *begin = a->begin;

    a->line = l->line;
    for (a->begin = text; a->begin > a->text && a->begin[-1];)
        a->begin--;
    while (*where == ' ' || *where == ',')
        where++;
    if (where == text ||
        (*text == '@' && where <= text + strcspn(text, " ") + 1))
        WRONG(a, where, "sm_%u has no instruction '%.*s' that Heddle knows",
              a->s.sm, (int)strcspn(where, " ,;"), where);
    else if (!*where)
        WRONG(a, where, "something is missing behind this");
    else
        WRONG(a, where, "'%.*s' cannot be here", (int)stmt_word_length(where),
              where);
    a->line = line;
    a->begin = begin;
}

/* All of a function, once its labels are known. */
static bool read_code(assembler *a, part *p)
{
    const sass_labels labels = {find_label, p};
    bool good = true;

    for (uint32_t i = 0; i < p->code_count; i++) {
        const char *text = p->lines[i].text, *where;
        sass_word w;

        if (!text)
            continue;
        if (sass_parse(a->table, text, (uint64_t)i * SASS_BYTES, &labels, &w,
                       &where)) {
            p->code[i] |= w;
        } else {
            refuse_inst(a, &p->lines[i], text, where);
            good = false;
        }
    }
    return good;
}

static bool place_of(assembler *a, part *p, const char *label, unsigned line,
                     uint32_t *place)
{
    uint64_t to;

    if (!find_label(p, label, strlen(label), &to))
        return stmt_wrong_at(a, line, 0, 1, "there is no label '%s'", label);
    *place = (uint32_t)to;
    return true;
}

/* Labels among constants, and those of jumps. */
static bool place_labels(assembler *a, part *p)
{
    bool good = true;

    for (uint32_t i = 0; i < p->fix_count; i++) {
        const part_fix *f = &p->fixes[i];
        uint32_t place = 0;

        good &= place_of(a, p, f->label, f->line, &place);
        memcpy(p->bytes + f->offset, &place, sizeof place);
    }
    for (uint32_t i = 0; i < p->targets_count; i++) {
        part_targets *t = &p->targets[i];

        t->places = ARENA_ARRAY(a->s.mem, uint32_t, t->count);
        for (uint32_t j = 0; j < t->count; j++)
            good &= place_of(a, p, t->labels[j], t->line, &t->places[j]);
    }
    return good;
}

static bool do_instruction(assembler *a, char *at)
{
    sass_word w = 0;
    const char *from = at;
    bool bare = *at != '[';
    char *end;

    if (!a->in || a->in->kind == PART_DATA)
        return WRONG(a, at,
                     "an instruction has to be in a .kernel or "
                     ".function");
    if (!bare && !sass_parse_control(&from, &w))
        return WRONG(a, at,
                     "control codes have the form [B------:R-:W-:-:S01]");
    at = (char *)from;
    while (*at == ' ' || *at == '\t')
        at++;
    end = at + strlen(at);
    while (end > at && strchr(" \t\r;", end[-1]))
        *--end = '\0';
    return add_code(a, w, at, bare);
}

/* ---- Control codes ---- */

/* Has all of the text of `p` control codes, or none? Words (.inst) have some
 * in any case. */
static bool check_codes(assembler *a, const part *p, bool *none)
{
    uint32_t bare = 0, coded = 0, first = 0;

    for (uint32_t i = p->code_count; i-- > 0;) {
        coded += p->lines[i].text && !p->lines[i].bare;
        if (p->lines[i].bare)
            bare++, first = i;
    }
    *none = bare != 0;
    if (!bare || (a->coder && !coded))
        return true;
    return stmt_wrong_at(
        a, p->lines[first].line, 0, 1,
        "control codes, such as [B------:R-:W-:-:S01], have to "
        "be in front of each instruction%s",
        a->coder ? " of a function, or of none" : "");
}

/* A block begins at labels and where jumps go, by number or by a label. */
static bool *find_leaders(assembler *a, const part *p, const isa_inst *code)
{
    bool *leader = ARENA_ARRAY(a->s.mem, bool, p->code_count + 1);

    leader[0] = true;
    for (uint32_t i = 0; i < p->leader_count; i++)
        leader[p->leaders[i]] = true;
    for (uint32_t i = 0; i < p->code_count; i++)
        if (isa_has_target((isa_op)code[i].op) &&
            code[i].val[0] < p->code_count)
            leader[code[i].val[0]] = true;
    return leader;
}

static void put_codes(part *p, const isa_inst *code)
{
    for (uint32_t i = 0; i < p->code_count; i++)
        sass_set(&p->code[i], SASS_CONTROL, SASS_CONTROL_BITS - 4,
                 code[i].ctl ^ 1u << CTL_YIELD);
}

static void tell_unknown(assembler *a, const part *p, const char *unknown)
{
    uint32_t i = (uint32_t)(strtoul(unknown + 2, NULL, 16) / SASS_BYTES);
    const char *why = strrchr(unknown, ':');

    stmt_wrong_at(a, i < p->code_count ? p->lines[i].line : p->line, 0, 1,
                  "Heddle cannot find control codes for this instruction, give "
                  "them%.*s",
                  (int)strcspn(why ? why : "", "\n"), why ? why : "");
}

/* Does all that jumps stay in the function? */
static bool check_jumps(assembler *a, const part *p, const isa_inst *code)
{
    bool good = true;

    for (uint32_t i = 0; i < p->code_count; i++)
        if (isa_has_target((isa_op)code[i].op) && code[i].op != ISA_CALL &&
            code[i].val[0] >= p->code_count)
            good = stmt_wrong_at(a, p->lines[i].line, 0, 1,
                                 "this goes to where no instruction of the "
                                 "function is");
    for (uint32_t i = 0; i < p->targets_count; i++)
        for (uint32_t j = 0; j < p->targets[i].count; j++)
            if (p->targets[i].places[j] / SASS_BYTES >= p->code_count)
                good = stmt_wrong_at(a, p->targets[i].line, 0, 1,
                                     "there is no instruction at '%s'",
                                     p->targets[i].labels[j]);
    return good;
}

/* Gives all of the code its control codes. */
static bool code_bare(assembler *a, part *p)
{
    isa_inst *code = ARENA_ARRAY(a->s.mem, isa_inst, p->code_count);
    uint32_t *places = NULL, count = 0, room = 0;
    strbuf unknown = {0};
    bool good = sass_translate(
        a->s.sm, p->code, (size_t)p->code_count * SASS_BYTES, code, &unknown);

    if (!good)
        tell_unknown(a, p, unknown.text);
    strbuf_fini(&unknown);
    if (!good || !check_jumps(a, p, code))
        return false;
    for (uint32_t i = 0; i < p->targets_count; i++)
        for (uint32_t j = 0; j < p->targets[i].count; j++) {
            ARENA_GROW(a->s.mem, places, count, room);
            places[count++] = p->targets[i].places[j] / SASS_BYTES;
        }
    a->coder(sass_arch(a->s.sm), code, p->code_count, find_leaders(a, p, code),
             places, count);
    put_codes(p, code);
    return true;
}

/* ---- Ends ---- */

static bool do_end(assembler *a, const char **at)
{
    part *p = a->in;
    bool good = true, bare = false;

    if (p->kind != PART_DATA) {
        good = read_code(a, p);
        good &= place_labels(a, p);
        good &= check_codes(a, p, &bare);
        if (good && bare)
            good = code_bare(a, p);
        if (!p->registers)
            good = stmt_wrong_at(a, p->line, 0, 1,
                                 "'%s' does not say how many registers it has: "
                                 ".registers N",
                                 p->name);
        if (!p->code_count)
            good = stmt_wrong_at(a, p->line, 0, 1, "'%s' has no instructions",
                                 p->name);
    }
    (void)at;
    a->in = NULL;
    return good;
}

/* ---- Statements ---- */

enum { IN_FILE = 1, IN_CODE = 2, IN_DATA = 4 };

static const struct directive {
    const char *name;
    unsigned where;
    bool (*run)(assembler *a, const char **at);
} directives[] = {
    {".target", IN_FILE, do_target},
    {".kernel", IN_FILE, do_kernel},
    {".function", IN_FILE, do_function},
    {".data", IN_FILE, do_data},
    {".end", IN_CODE | IN_DATA, do_end},
    {".registers", IN_CODE, stmt_registers},
    {".param", IN_CODE, stmt_param},
    {".param_base", IN_CODE, stmt_param_base},
    {".shared", IN_CODE, stmt_shared},
    {".frame", IN_CODE, stmt_frame},
    {".stack", IN_CODE, stmt_stack},
    {".barriers", IN_CODE, stmt_barriers},
    {".max_threads", IN_CODE, stmt_max_threads},
    {".req_threads", IN_CODE, stmt_req_threads},
    {".cluster", IN_CODE, stmt_cluster},
    {".max_cluster", IN_CODE, stmt_max_cluster},
    {".extern", IN_CODE, stmt_extern},
    {".inner", IN_CODE, stmt_inner},
    {".targets", IN_CODE, do_targets},
    {".inst", IN_CODE, do_inst},
    {".reloc", IN_CODE | IN_DATA, stmt_reloc},
    {".align", IN_CODE | IN_DATA, stmt_align},
    {".object", IN_DATA, stmt_object},
    {".byte", IN_CODE | IN_DATA, stmt_byte},
    {".word", IN_CODE | IN_DATA, stmt_word},
    {".zero", IN_CODE | IN_DATA, stmt_zero},
};

static bool no_directive(assembler *a, const char *at, size_t length)
{
    const char *names[COUNTOF(directives)], *near;
    char *name = new_text_n(at, length);

    for (size_t i = 0; i < COUNTOF(directives); i++)
        names[i] = directives[i].name;
    near = suggest_nearest(name, names, COUNTOF(directives));
    WRONG(a, at, "there is no directive '%s'%s%s%s", name,
          near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
    free(name);
    return false;
}

static bool do_directive(assembler *a, const char *at)
{
    size_t length = 1;
    unsigned where = !a->in                     ? IN_FILE
                     : a->in->kind == PART_DATA ? IN_DATA
                                                : IN_CODE;

    while (stmt_in_symbol(at[length]))
        length++;
    for (size_t i = 0; i < COUNTOF(directives); i++) {
        const struct directive *d = &directives[i];
        const char *rest = at + length;

        if (strlen(d->name) != length || memcmp(d->name, at, length))
            continue;
        if (where == IN_FILE && d->where != IN_FILE)
            return WRONG(a, at, "%s has to be inside of %s", d->name,
                         d->where == IN_DATA ? "a .data"
                                             : "a .kernel or .function");
        if (!(d->where & where) && d->where != IN_FILE)
            return WRONG(a, at, "%s cannot be here", d->name);
        if (!d->run(a, &rest))
            return false;
        return stmt_at_end(rest) || WRONG(a, rest + strspn(rest, " \t"),
                                          "this is too much for %s", d->name);
    }
    return no_directive(a, at, length);
}

/* The end of "NAME:" at the beginning of a line; NULL: it is none. */
static char *label_end(char *at)
{
    char *end = at;

    while (stmt_in_symbol(*end))
        end++;
    return end > at && *end == ':' ? end : NULL;
}

static bool do_line(assembler *a, char *at)
{
    char *end;

    while (*at == ' ' || *at == '\t')
        at++;
    if ((end = label_end(at))) {
        if (!a->in || a->in->kind == PART_DATA)
            return WRONG(a, at, "a label has to be in a .kernel or .function");
        if (!stmt_add_label(a, arena_strndup(a->s.mem, at, (size_t)(end - at)),
                            at))
            return false;
        return do_line(a, end + 1);
    }
    if (!*at || *at == '\r')
        return true;
    return *at == '.' ? do_directive(a, at) : do_instruction(a, at);
}

/* ---- The file ---- */

/* Comments become blanks, so that columns stay as they are; names in quotes
 * have none. */
static char *without_comments(arena *mem, const char *text, size_t size)
{
    char *copy = arena_alloc(mem, size + 2), *to = copy + 1;

    memcpy(to, text, size);
    for (size_t i = 0; i < size; i++) {
        if (to[i] == '"') {
            do
                i++;
            while (i < size && to[i] != '"' && to[i] != '\n');
        } else if (to[i] == '/' && to[i + 1] == '/') {
            for (; to[i] && to[i] != '\n'; i++)
                to[i] = ' ';
            i--;
        } else if (to[i] == '/' && to[i + 1] == '*') {
            const char *end = strstr(to + i + 2, "*/");
            size_t last = end ? (size_t)(end - to) + 2 : size;

            for (; i < last; i++)
                if (to[i] != '\n')
                    to[i] = ' ';
            i--;
        } else if (!to[i] || to[i] == '\r') {
            to[i] = ' ';
        }
    }
    return to;
}

bool sass_is_source(const char *text, size_t size)
{
    arena *mem = arena_new();
    const char *at = without_comments(mem, text, size < 65536 ? size : 65536);
    bool is;

    at += strspn(at, " \t\n");
    is = !strncmp(at, ".target", 7) && (at[7] == ' ' || at[7] == '\t');
    arena_free(mem);
    return is;
}

static bool read_lines(assembler *a, char *at)
{
    bool good = true;

    for (char *end; at; at = end ? end + 1 : NULL) {
        end = strchr(at, '\n');
        if (end)
            *end = '\0';
        a->line++;
        a->begin = at;
        good &= do_line(a, at);
        if (a->s.sm && !a->table) /* nothing is known of its code */
            return false;
    }
    if (a->in)
        good = stmt_wrong_at(a, a->in->line, 0, 1, "'%s' has no .end",
                             a->in->name);
    else if (good && !a->s.sm)
        good = stmt_wrong_at(a, 0, 0, 1, "it has no .target");
    return good;
}

status sass_assemble(const char *file, const char *text, size_t size,
                     sass_coder *coder, arena *mem, diag *dg, cubin **out)
{
    assembler a = {
        .s = {.mem = mem, .file = arena_strdup(mem, file), .dg = dg}};
    char *copy = without_comments(mem, text, size);
    bool good;

    a.text = copy;
    a.coder = coder;
    good = read_lines(&a, copy) && sass_build(&a.s, out);
    for (uint32_t i = 0; i < a.s.part_count; i++)
        strmap_free(a.s.parts[i].labels);
    sass_table_free(a.table);
    return good ? ST_OK : ST_PROGRAM;
}
