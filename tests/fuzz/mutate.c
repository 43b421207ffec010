#include "mutate.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/must.h"
#include "base/rng.h"
#include "ptx/ptx.h"

enum { OPERANDS = 12, TRIES = 24, CHANGES = 40 };

typedef struct range {
    size_t at, n;
} range;

typedef struct text {
    char *s;
    size_t n, room;
    const char *other;
    size_t other_n;
    rng r;
} text;

/* An instruction: its guard with '@', the word before the first dot, its
 * modifiers with dots, operands between commas. */
typedef struct inst {
    range line, guard, op, mods;
    range operand[OPERANDS];
    unsigned count;
} inst;

/* Operations with the modifiers that may follow. */
static const struct {
    const char *op, *mods;
} ops[] = {
#define PTX_OP_ROW(id, text, fewest, most, mods, operands) {text, mods},
#include "ptx/ptx_op.def"
#undef PTX_OP_ROW
};

static const char *const types[] = {
#define PTX_TYPE_ROW(id, text, bits, kind, lanes) text,
#include "ptx/ptx_type.def"
#undef PTX_TYPE_ROW
};

static const char *const numbers[] = {
    "0",
    "1",
    "-1",
    "2",
    "31",
    "32",
    "33",
    "63",
    "64",
    "127",
    "128",
    "255",
    "256",
    "4095",
    "65535",
    "65536",
    "0x7fffffff",
    "0x80000000",
    "0xffffffff",
    "4294967296",
    "0x7fffffffffffffff",
    "-2147483648",
    "0x8000000000000000",
    "18446744073709551615",
    "-9223372036854775808",
    "99999999999999999999",
    "0f7f800000",
    "0fffc00000",
    "0f00000001",
    "0d7ff0000000000000",
    "0d8000000000000000",
    "1.5",
    "(1<<31)-1",
};

static unsigned below(text *t, size_t n)
{
    return n ? rng_below(&t->r, (uint32_t)n) : 0;
}

static void splice(text *t, range cut, const char *with, size_t n)
{
    char copy[4096];

    if (n > sizeof copy || t->n - cut.n + n > t->room)
        return;
    memcpy(copy, with, n); /* it may be a part of the text */
    memmove(t->s + cut.at + n, t->s + cut.at + cut.n, t->n - cut.at - cut.n);
    memcpy(t->s + cut.at, copy, n);
    t->n += n - cut.n;
}

static void splice_word(text *t, range cut, const char *with)
{
    splice(t, cut, with, strlen(with));
}

/* The line around a byte, its newline included. */
static range line_at(const char *s, size_t size, size_t at)
{
    size_t from = at, to = at;

    while (from && s[from - 1] != '\n')
        from--;
    while (to < size && s[to] != '\n')
        to++;
    return (range){from, to - from + (to < size)};
}

static range any_line(text *t) { return line_at(t->s, t->n, below(t, t->n)); }

/* ---- reading ---- */

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || strchr("_$%:", c);
}

static size_t skip_blanks(const text *t, size_t at, size_t end)
{
    while (at < end && (t->s[at] == ' ' || t->s[at] == '\t'))
        at++;
    return at;
}

static void read_operands(const text *t, size_t at, size_t end, inst *in)
{
    int depth = 0;
    size_t from = skip_blanks(t, at, end);

    for (at = from; at < end && t->s[at] != ';'; at++) {
        depth += strchr("[{(", t->s[at]) != NULL;
        depth -= strchr("]})", t->s[at]) != NULL;
        if (t->s[at] != ',' || depth > 0 || in->count + 1 == OPERANDS)
            continue;
        in->operand[in->count++] = (range){from, at - from};
        from = skip_blanks(t, at + 1, end);
    }
    if (at > from)
        in->operand[in->count++] = (range){from, at - from};
}

static bool read_inst(const text *t, range line, inst *in)
{
    size_t at, end = line.at + line.n;

    *in = (inst){.line = line};
    at = skip_blanks(t, line.at, end);
    if (at < end && t->s[at] == '@') {
        in->guard.at = at;
        while (at < end && t->s[at] != ' ' && t->s[at] != '\t')
            at++;
        in->guard.n = at - in->guard.at;
        at = skip_blanks(t, at, end);
    }
    in->op.at = at;
    while (at < end && is_word(t->s[at]))
        at++;
    in->op.n = at - in->op.at;
    if (!in->op.n || !isalpha((unsigned char)t->s[in->op.at]) ||
        !memchr(t->s + at, ';', end - at))
        return false;
    in->mods.at = at;
    while (at < end && (t->s[at] == '.' || is_word(t->s[at])))
        at++;
    in->mods.n = at - in->mods.at;
    read_operands(t, at, end, in);
    return true;
}

static bool any_inst(text *t, inst *in)
{
    for (unsigned i = 0; i < TRIES; i++)
        if (read_inst(t, any_line(t), in))
            return true;
    return false;
}

/* The n'th of the words in `list`. */
static bool word_of(const char *list, unsigned n, char out[32])
{
    for (;; n--) {
        size_t k = strcspn(list, " ");

        if (!n) {
            snprintf(out, 32, "%.*s", (int)k, list);
            return k > 0;
        }
        if (!list[k])
            return false;
        list += k + 1;
    }
}

static unsigned count_words(const char *list)
{
    unsigned n = *list != 0;

    for (; *list; list++)
        n += *list == ' ';
    return n;
}

/* One of the modifiers that the operation takes, or of any. */
static void any_modifier(text *t, const inst *in, char out[32])
{
    size_t row = below(t, COUNTOF(ops));

    for (size_t i = 0; i < COUNTOF(ops) && below(t, 8); i++)
        if (strlen(ops[i].op) == in->op.n &&
            !memcmp(ops[i].op, t->s + in->op.at, in->op.n))
            row = i;
    if (!word_of(ops[row].mods, below(t, count_words(ops[row].mods)), out) ||
        strchr(out, '*'))
        snprintf(out, 32, "%s", types[below(t, COUNTOF(types))]);
}

/* The n'th modifier with its dot. */
static range modifier(const text *t, const inst *in, unsigned n)
{
    size_t at = in->mods.at, end = at + in->mods.n;

    for (;; n--) {
        size_t from = at++;

        while (at < end && t->s[at] != '.')
            at++;
        if (!n || at >= end)
            return (range){from, at - from};
    }
}

static unsigned count_modifiers(const text *t, const inst *in)
{
    unsigned n = 0;

    for (size_t i = 0; i < in->mods.n; i++)
        n += t->s[in->mods.at + i] == '.';
    return n;
}

/* ---- changes ---- */

static void drop_line(text *t) { splice(t, any_line(t), "", 0); }

static void copy_line(text *t)
{
    range from = any_line(t), to = any_line(t);

    to.n = 0;
    splice(t, to, t->s + from.at, from.n);
}

static void move_line(text *t)
{
    range from = any_line(t), to;
    char line[256];

    if (from.n > sizeof line)
        return;
    memcpy(line, t->s + from.at, from.n);
    splice(t, from, "", 0);
    to = any_line(t);
    to.n = 0;
    splice(t, to, line, from.n);
}

/* Up to 16 lines again, somewhere else. */
static void copy_block(text *t)
{
    range from = any_line(t), to = any_line(t), next;

    for (unsigned n = below(t, 16); n && from.at + from.n < t->n; n--) {
        next = line_at(t->s, t->n, from.at + from.n);
        from.n += next.n;
    }
    to.n = 0;
    splice(t, to, t->s + from.at, from.n);
}

static void foreign_line(text *t)
{
    range from, to = any_line(t);

    if (!t->other_n)
        return;
    from = line_at(t->other, t->other_n, below(t, t->other_n));
    to.n = 0;
    splice(t, to, t->other + from.at, from.n);
}

static void swap_operands(text *t)
{
    inst in;
    char first[256], last[256];

    if (!any_inst(t, &in) || in.count < 2)
        return;
    range a = in.operand[below(t, in.count - 1)], b = in.operand[in.count - 1];
    if (a.n > sizeof first || b.n > sizeof last)
        return;
    memcpy(first, t->s + a.at, a.n);
    memcpy(last, t->s + b.at, b.n);
    splice(t, b, first, a.n); /* the later one first: it moves nothing */
    splice(t, a, last, b.n);
}

/* "%rd1" and "%rd2" are, "%rd1" and "%r1" are not. */
static bool same_kind(const text *t, range a, range b)
{
    for (size_t i = 0; i < a.n && i < b.n; i++) {
        char x = t->s[a.at + i], y = t->s[b.at + i];

        if (isdigit((unsigned char)x) && isdigit((unsigned char)y))
            return true;
        if (x != y)
            return false;
    }
    return a.n && b.n;
}

/* An operand from another instruction, mostly of its kind. */
static void other_operand(text *t)
{
    inst in, from;

    if (!any_inst(t, &in) || !any_inst(t, &from) || !in.count || !from.count)
        return;
    range to = in.operand[below(t, in.count)], r;

    for (unsigned i = 0; i < TRIES; i++) {
        r = from.operand[below(t, from.count)];
        if (same_kind(t, r, to) || !below(t, TRIES))
            break;
        any_inst(t, &from);
        if (!from.count)
            return;
    }
    splice(t, to, t->s + r.at, r.n);
}

static void number_operand(text *t)
{
    inst in;

    if (any_inst(t, &in) && in.count)
        splice_word(t, in.operand[below(t, in.count)],
                    numbers[below(t, COUNTOF(numbers))]);
}

static void drop_operand(text *t)
{
    inst in;

    if (!any_inst(t, &in) || in.count < 2)
        return;
    range r = in.operand[1 + below(t, in.count - 1)];
    while (r.at && t->s[r.at - 1] != ',') {
        r.at--;
        r.n++;
    }
    splice(t, (range){r.at - 1, r.n + 1}, "", 0);
}

static void other_modifier(text *t)
{
    inst in;
    char word[32];

    if (!any_inst(t, &in) || !in.mods.n)
        return;
    range r = modifier(t, &in, below(t, count_modifiers(t, &in)));
    any_modifier(t, &in, word);
    splice_word(t, (range){r.at + 1, r.n - 1}, word);
}

static void add_modifier(text *t)
{
    inst in;
    char word[32], dotted[33];

    if (!any_inst(t, &in))
        return;
    any_modifier(t, &in, word);
    snprintf(dotted, sizeof dotted, ".%s", word);
    splice_word(t, (range){in.mods.at, 0}, dotted);
}

static void drop_modifier(text *t)
{
    inst in;

    if (any_inst(t, &in) && in.mods.n)
        splice(t, modifier(t, &in, below(t, count_modifiers(t, &in))), "", 0);
}

static void other_op(text *t)
{
    inst in, from;

    if (!any_inst(t, &in))
        return;
    if (below(t, 2))
        splice_word(t, in.op, ops[below(t, COUNTOF(ops))].op);
    else if (any_inst(t, &from))
        splice(t, in.op, t->s + from.op.at, from.op.n);
}

/* The type of all of an instruction. */
static void other_type(text *t)
{
    inst in;

    if (!any_inst(t, &in) || !in.mods.n)
        return;
    range r = modifier(t, &in, count_modifiers(t, &in) - 1);
    splice_word(t, (range){r.at + 1, r.n - 1}, types[below(t, COUNTOF(types))]);
}

static void other_guard(text *t)
{
    inst in, from;

    if (!any_inst(t, &in))
        return;
    if (in.guard.n > 1 && below(t, 2)) {
        bool negated = t->s[in.guard.at + 1] == '!';
        splice_word(t, (range){in.guard.at + 1, negated}, negated ? "" : "!");
    } else if (in.guard.n) {
        splice(t, in.guard, "", 0);
    } else {
        for (unsigned i = 0; i < TRIES; i++)
            if (any_inst(t, &from) && from.guard.n) {
                size_t at = in.op.at;
                splice_word(t, (range){at, 0}, " ");
                from.guard.at += from.guard.at >= at;
                splice(t, (range){at, 0}, t->s + from.guard.at, from.guard.n);
                return;
            }
    }
}

/* Any number in the text. */
static void other_number(text *t)
{
    size_t at = below(t, t->n), end;

    while (at < t->n && !isdigit((unsigned char)t->s[at]))
        at++;
    for (end = at; end < t->n && isalnum((unsigned char)t->s[end]);)
        end++;
    if (end > at)
        splice_word(t, (range){at, end - at},
                    numbers[below(t, COUNTOF(numbers))]);
}

static void nest(text *t)
{
    range from = any_line(t), to = any_line(t);
    range *last = from.at < to.at ? &to : &from;
    range first = from.at < to.at ? from : to;

    splice_word(t, (range){last->at + last->n, 0}, "}\n");
    splice_word(t, (range){first.at, 0}, "{\n");
}

/* A label and a jump to it, in either order. */
static void jump(text *t)
{
    char line[64];
    unsigned n = below(t, 100000);
    range to = any_line(t);

    to.n = 0;
    snprintf(line, sizeof line, "ZZ%u:\n", n);
    splice_word(t, to, line);
    to = any_line(t);
    to.n = 0;
    snprintf(line, sizeof line, "bra%s ZZ%u;\n", below(t, 3) ? "" : ".uni", n);
    splice_word(t, to, line);
    if (below(t, 2) && to.at + 3 < t->n)
        other_guard(t);
}

static void any_byte(text *t)
{
    if (t->n)
        t->s[below(t, t->n)] = (char)below(t, 256);
}

static void (*const changes[])(text *t) = {
    drop_line,      copy_line,     move_line,      copy_block,
    foreign_line,   foreign_line,  swap_operands,  swap_operands,
    other_operand,  other_operand, other_operand,  number_operand,
    number_operand, drop_operand,  other_modifier, other_modifier,
    other_modifier, add_modifier,  add_modifier,   drop_modifier,
    other_op,       other_op,      other_op,       other_type,
    other_type,     other_type,    other_guard,    other_guard,
    other_number,   nest,          jump,           any_byte,
};

static bool parses(const text *t)
{
    arena *a = arena_new();
    diag *dg = diag_new();
    ptx_module *m;
    status st;

    MUST(a && dg);
    st = ptx_parse("mutate.ptx", t->s, t->n, a, dg, &m);
    diag_free(dg);
    arena_free(a);
    return st == ST_OK;
}

/* Keeps those changes that the parser lets through, so that many add up. */
static void change_parsed(text *t, unsigned n)
{
    char *before = malloc(t->room + 1);
    size_t size = t->n;

    MUST(before);
    memcpy(before, t->s, size);
    while (n--) {
        changes[below(t, COUNTOF(changes))](t);
        if (parses(t)) {
            size = t->n;
            memcpy(before, t->s, size);
        } else {
            t->n = size;
            memcpy(t->s, before, size);
        }
    }
    free(before);
}

size_t mutate_ptx(char *s, size_t size, size_t room, const char *other,
                  size_t other_size, uint64_t seed)
{
    text t = {.s = s,
              .n = size,
              .room = room,
              .other = other,
              .other_n = other ? other_size : 0};
    unsigned n = 1;

    rng_init(&t.r, seed, "fuzz.ptx");
    while (n < CHANGES && below(&t, 8))
        n++;
    if (below(&t, 8)) {
        change_parsed(&t, n);
        return t.n;
    }
    for (n = 1 + n / 4; n; n--)
        changes[below(&t, COUNTOF(changes))](&t);
    return t.n;
}
