#include "replay/line.h"

#include <string.h>

#include "base/bits.h"

enum { MODE_LIST, MODE_STRIDE, MODE_DELTAS }; /* of addresses */
enum { WIDTH_MOST = 1024, IMMEDIATES = 2 };

/* The next word is missing, or is not `what`. */
static bool refuse(replay_input *in, word w, const char *what)
{
    if (!w.size)
        replay_input_error(in, "the line ends where %s should be", what);
    else
        replay_input_error(in, "'%.*s' is not %s", (int)(w.size & 0xff), w.at,
                           what);
    return false;
}

static bool take_hex(replay_input *in, const char **at, uint64_t most,
                     const char *what, uint64_t *out)
{
    word w;

    word_next(at, &w);
    return word_hex(w, most, out) || refuse(in, w, what);
}

static bool take_count(replay_input *in, const char **at, uint64_t most,
                       const char *what, unsigned *out)
{
    uint64_t v;
    word w;

    word_next(at, &w);
    if (!word_decimal(w, most, &v))
        return refuse(in, w, what);
    *out = (unsigned)v;
    return true;
}

/* ---- The instruction ---- */

/* Goes over a list of registers: how many, then each. */
static bool skip_registers(replay_input *in, const char **at, const char *what)
{
    unsigned n;
    word w;

    if (!take_count(in, at, REPLAY_REGS, what, &n))
        return false;
    while (n--)
        if (!word_next(at, &w))
            return refuse(in, w, "a register");
    return true;
}

bool replay_line_begin(replay_input *in, const char *text, bool has_number,
                       replay_line *out)
{
    const char *at = text, *begin;
    uint64_t pc, mask;
    unsigned number;
    word w;

    if (has_number &&
        !take_count(in, &at, UINT32_MAX, "a line of the source", &number))
        return false;
    if (!take_hex(in, &at, UINT32_MAX, "an address of code", &pc) ||
        !take_hex(in, &at, UINT32_MAX, "a mask of 32 lanes", &mask))
        return false;
    if (pc >= REPLAY_PC_MOST) {
        replay_input_error(in, "no kernel has code at 0x%llx",
                           (unsigned long long)pc);
        return false;
    }
    begin = at + strspn(at, " \t");
    if (!skip_registers(in, &at, "the number of results, 32 at most"))
        return false;
    if (!word_next(&at, &w))
        return refuse(in, w, "the name of an operation");
    if (!skip_registers(in, &at, "the number of sources, 32 at most"))
        return false;
    out->pc = (uint32_t)pc;
    out->text = (word){begin, (size_t)(at - begin)};
    out->rest = at;
    out->is.mask = (uint32_t)mask;
    out->is.has_addresses = false;
    return true;
}

/* Registers of lanes count; uniform ones and predicates, which newer tracers
 * name as well, are RZ here, as is that. */
static bool take_register(replay_input *in, const char **at, uint8_t *out)
{
    uint64_t n;
    word w;

    word_next(at, &w);
    *out = ISA_RZ;
    if (w.size > 1 && (w.at[0] == 'U' || w.at[0] == 'P' || w.at[1] == 'Z'))
        return true;
    if (w.size < 2 || w.at[0] != 'R' ||
        !word_decimal((word){w.at + 1, w.size - 1}, ISA_RZ, &n))
        return refuse(in, w, "a register, R0 to R255");
    *out = (uint8_t)n;
    return true;
}

static bool take_registers(replay_input *in, const char **at,
                           uint8_t reg[REPLAY_REGS], unsigned *count)
{
    if (!take_count(in, at, REPLAY_REGS, "a number of registers", count))
        return false;
    for (unsigned i = 0; i < *count; i++)
        if (!take_register(in, at, &reg[i]))
            return false;
    return true;
}

bool replay_line_words(replay_input *in, const replay_line *l,
                       replay_words *out)
{
    const char *at = l->text.at;
    word name;

    *out = (replay_words){0};
    if (!take_registers(in, &at, out->dst, &out->dsts))
        return false;
    word_next(&at, &name);
    out->name = name.at;
    out->name_size = name.size;
    return take_registers(in, &at, out->src, &out->srcs);
}

/* ---- Addresses ---- */

static bool take_list(replay_input *in, const char **at, replay_record *r)
{
    for (uint32_t rest = r->mask; rest; rest &= rest - 1)
        if (!take_hex(in, at, UINT64_MAX, "an address",
                      &r->addr[bits_ctz32(rest)]))
            return false;
    return true;
}

static bool take_distance(replay_input *in, const char **at, int64_t *out)
{
    word w;

    word_next(at, &w);
    return word_signed(w, out) || refuse(in, w, "a distance of addresses");
}

static bool take_base(replay_input *in, const char **at, bool deltas,
                      replay_record *r)
{
    int64_t by = 0;
    uint64_t now;

    if (!take_hex(in, at, UINT64_MAX, "an address", &now) ||
        (!deltas && !take_distance(in, at, &by)))
        return false;
    for (uint32_t rest = r->mask; rest; rest &= rest - 1) {
        r->addr[bits_ctz32(rest)] = now;
        if (deltas && (rest & (rest - 1)) && !take_distance(in, at, &by))
            return false;
        now += (uint64_t)by;
    }
    return true;
}

static bool take_addresses(replay_input *in, const char **at, replay_record *r)
{
    unsigned mode;

    if (!take_count(in, at, MODE_DELTAS, "how addresses are given, 0 to 2",
                    &mode))
        return false;
    r->has_addresses = true;
    return mode == MODE_LIST ? take_list(in, at, r)
                             : take_base(in, at, mode == MODE_DELTAS, r);
}

/* Values of registers follow, or none. */
static bool is_values(word w)
{
    return (w.size == 3 && !memcmp(w.at, "Val", 3)) ||
           (w.size == 5 && !memcmp(w.at, "NoVal", 5));
}

bool replay_line_end(replay_input *in, replay_line *l, unsigned version,
                     unsigned *width, uint64_t *immediate)
{
    unsigned most = version > 3 ? IMMEDIATES : 0, n = 0;
    const char *at = l->rest;
    int64_t v = 0;
    word w;

    if (!take_count(in, &at, WIDTH_MOST, "the bytes that a lane accesses",
                    width) ||
        (*width && !take_addresses(in, &at, &l->is)))
        return false;
    while (word_next(&at, &w)) {
        if (version > 5 && is_values(w)) /* of registers: not needed */
            break;
        if (n == most) {
            replay_input_error(in,
                               "the line goes on with '%.*s' behind its end",
                               (int)(w.size & 0xff), w.at);
            return false;
        }
        if (!word_signed(w, &v))
            return refuse(in, w, "an immediate value");
        n++;
    }
    *immediate = (uint64_t)v;
    return true;
}
