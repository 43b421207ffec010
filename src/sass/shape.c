/* src/sass/shape.c - printing of the shapes of shape.def. */
#include "sass/shape.h"

#include <string.h>

#include "base/must.h"

const char *const sass_dims[8] = {"1D",       "2D",       "3D", "CUBE",
                                  "ARRAY_1D", "ARRAY_2D", "?",  "ARRAY_CUBE"};

unsigned sass_shape_named(const char *name, size_t length)
{
    for (unsigned i = 0; i < SASS_SHAPES; i++)
        if (strlen(sass_shapes[i].name) == length &&
            !memcmp(sass_shapes[i].name, name, length))
            return i;
    MUST(!"a shape that shape.def lacks");
    return 0;
}

void sass_put_register(unsigned number, bool uniform, strbuf *out)
{
    if (uniform && number == SASS_URZ)
        strbuf_puts(out, "URZ");
    else if (!uniform && number == SASS_RZ)
        strbuf_puts(out, "RZ");
    else
        strbuf_printf(out, uniform ? "UR%u" : "R%u", number);
}

static void put_hex(int64_t v, strbuf *out)
{
    if (v < 0)
        strbuf_printf(out, "-0x%llx", (unsigned long long)-v);
    else
        strbuf_printf(out, "0x%llx", (unsigned long long)v);
}

/* "+0x10" behind a register. */
static void put_offset(int64_t v, strbuf *out)
{
    if (v) {
        strbuf_putc(out, '+');
        put_hex(v, out);
    }
}

static int64_t distance_of(const sass_table *t, sass_word w)
{
    return sass_jump_bytes(sass_table_sm(t), w);
}

static void print_plut(const sass_table *t, sass_word w, uint64_t address,
                       strbuf *out)
{
    (void)t, (void)address;
    put_hex((int64_t)(sass_get(w, 72, 5) << 3 | sass_get(w, 64, 3)), out);
}

static unsigned bank_of(sass_word w) { return (unsigned)sass_get(w, 54, 5); }

static void print_cbank(const sass_table *t, sass_word w, uint64_t address,
                        strbuf *out)
{
    (void)t, (void)address;
    strbuf_printf(out, "c[0x%x][0x%x]", bank_of(w),
                  (unsigned)sass_get(w, 38, 16));
}

static void put_indexed_bank(sass_word w, bool uniform, strbuf *out)
{
    strbuf_printf(out, "c[0x%x][", bank_of(w));
    sass_put_register((unsigned)sass_get(w, 24, uniform ? 6 : 8), uniform, out);
    put_offset(sass_get_signed(w, 38, 16), out);
    strbuf_putc(out, ']');
}

static void print_rcbank(const sass_table *t, sass_word w, uint64_t address,
                         strbuf *out)
{
    if (sass_get(w, 24, 8) == SASS_RZ && sass_get(w, 38, 16))
        print_cbank(t, w, address, out);
    else
        put_indexed_bank(w, false, out);
}

static void print_ucbank(const sass_table *t, sass_word w, uint64_t address,
                         strbuf *out)
{
    (void)t, (void)address;
    put_indexed_bank(w, true, out);
}

/* Both addresses of a copy to shared memory. */
static void put_copied_to(sass_word w, bool uniform, strbuf *out)
{
    unsigned base = (unsigned)sass_get(w, 16, 8);

    strbuf_putc(out, '[');
    if (base != SASS_RZ || !uniform)
        sass_put_register(base, false, out);
    if (uniform) {
        if (base != SASS_RZ)
            strbuf_putc(out, '+');
        sass_put_register((unsigned)sass_get(w, 64, 6), true, out);
    }
    put_offset(sass_get_signed(w, 44, 20), out);
    strbuf_puts(out, "], ");
}

static void put_copied_from(sass_word w, bool uniform, strbuf *out)
{
    unsigned ur = ((unsigned)sass_get(w, 64, 6) + !uniform) & SASS_URZ;

    if (sass_get(w, 101, 1)) {
        strbuf_puts(out, "desc[");
        sass_put_register(ur, true, out);
        strbuf_putc(out, ']');
    }
    strbuf_putc(out, '[');
    sass_put_register((unsigned)sass_get(w, 24, 8), false, out);
    strbuf_puts(out, sass_get(w, 70, 1) ? ".64" : ".U32");
    if (uniform && !sass_get(w, 101, 1) && ur != SASS_URZ)
        strbuf_printf(out, "+UR%u", ur);
    put_offset(sass_get_signed(w, 32, 12), out);
    strbuf_putc(out, ']');
}

static void print_ldgsts(const sass_table *t, sass_word w, uint64_t address,
                         strbuf *out)
{
    bool shared = sass_get(w, 9, 3) == 6; /* the uniform register is there */
    unsigned p = (unsigned)sass_get(w, 87, 4);

    (void)t, (void)address;
    put_copied_to(w, shared, out);
    put_copied_from(w, !shared, out);
    if (p == (8 | SASS_PT))
        strbuf_puts(out, ", !PT");
    else if (p != SASS_PT)
        strbuf_printf(out, ", %sP%u", p & 8 ? "!" : "", p & 7);
}

/* {5,2}: the scoreboards of a mask, the highest first. */
static void print_depbar(const sass_table *t, sass_word w, uint64_t address,
                         strbuf *out)
{
    unsigned others = (unsigned)sass_get(w, 32, 6);
    const char *between = ", {";

    (void)t, (void)address;
    strbuf_printf(out, "SB%u, 0x%x", (unsigned)sass_get(w, 44, 3),
                  (unsigned)sass_get(w, 38, 6));
    for (unsigned i = 6; i-- > 0;)
        if (others >> i & 1) {
            strbuf_printf(out, "%s%u", between, i);
            between = ",";
        }
    if (others)
        strbuf_putc(out, '}');
}

static void print_jrel(const sass_table *t, sass_word w, uint64_t address,
                       strbuf *out)
{
    (void)address;
    put_hex(distance_of(t, w), out);
}

static void print_jabs(const sass_table *t, sass_word w, uint64_t address,
                       strbuf *out)
{
    (void)t, (void)address;
    put_hex((int64_t)sass_get(w, 32, 32), out);
}

/* RET.REL adds the distance to where its code begins. */
static void print_jret(const sass_table *t, sass_word w, uint64_t address,
                       strbuf *out)
{
    int64_t distance = distance_of(t, w);

    if (!sass_get(w, 85, 1))
        distance += (int64_t)address + SASS_BYTES;
    put_hex(distance, out);
}

static void print_jbssy(const sass_table *t, sass_word w, uint64_t address,
                        strbuf *out)
{
    (void)t;
    put_hex(sass_get_signed(w, 34, 30) * 4 + (int64_t)address + SASS_BYTES,
            out);
}

static void print_cctl(const sass_table *t, sass_word w, uint64_t address,
                       strbuf *out)
{
    unsigned base = (unsigned)sass_get(w, 24, 8);

    (void)t, (void)address;
    if (base == SASS_RZ)
        return;
    strbuf_putc(out, '[');
    sass_put_register(base, false, out);
    put_offset(sass_get_signed(w, 32, 32), out);
    strbuf_putc(out, ']');
}

static void print_lepc(const sass_table *t, sass_word w, uint64_t address,
                       strbuf *out)
{
    (void)t;
    put_hex((int64_t)(address + SASS_BYTES + sass_get(w, 24, 8)), out);
}

static void print_collective(const sass_table *t, sass_word w, uint64_t address,
                             strbuf *out)
{
    sass_put_register((unsigned)sass_get(w, 24, 8), false, out);
    strbuf_puts(out, ", ");
    put_hex((int64_t)address + SASS_BYTES + distance_of(t, w), out);
}

static void print_texdim(const sass_table *t, sass_word w, uint64_t address,
                         strbuf *out)
{
    (void)t, (void)address;
    strbuf_puts(out, sass_dims[sass_get(w, 61, 3)]);
}

static void print_suaddr(const sass_table *t, sass_word w, uint64_t address,
                         strbuf *out)
{
    (void)t, (void)address;
    strbuf_putc(out, '[');
    sass_put_register((unsigned)sass_get(w, 24, 8), false, out);
    strbuf_putc(out, ']');
}

static void put_uniform_place(sass_word w, unsigned bit, const char *before,
                              int64_t offset, strbuf *out)
{
    strbuf_puts(out, before);
    sass_put_register((unsigned)sass_get(w, bit, 6), true, out);
    put_offset(offset, out);
    strbuf_putc(out, ']');
}

static void print_usync(const sass_table *t, sass_word w, uint64_t address,
                        strbuf *out)
{
    (void)t, (void)address;
    put_uniform_place(w, 24, "[", sass_get_signed(w, 40, 24), out);
}

static void print_usrc(const sass_table *t, sass_word w, uint64_t address,
                       strbuf *out)
{
    (void)t, (void)address;
    put_uniform_place(w, 24, "[", 0, out);
}

static void print_udst(const sass_table *t, sass_word w, uint64_t address,
                       strbuf *out)
{
    (void)t, (void)address;
    put_uniform_place(w, 32, "[", 0, out);
}

static void print_uhint(const sass_table *t, sass_word w, uint64_t address,
                        strbuf *out)
{
    (void)t, (void)address;
    put_uniform_place(w, 40, "desc[", 0, out);
}

const sass_shape sass_shapes[SASS_SHAPES] = {
#define SHAPE(name, bits) {#name, bits, print_##name},
#include "sass/shape.def"
#undef SHAPE
};
