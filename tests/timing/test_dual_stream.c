/* tests/timing/test_dual_stream.c - the multiply-adds of the product in
 * workloads/sgemm_gk110 without its loads: what their order and their registers
 * are worth. Of the published one 97.67 % of the peak is said [PPOPP:SGEMM]. */
#include "dual.h"

enum { SIDE = 12, STEPS = 2, PRODUCTS = SIDE * SIDE, WARPS = 8, LANES = 192 };

/* c += a * b; all of a step have other c, both steps the same. */
typedef struct product {
    unsigned code, c, a, b;
} product;

typedef struct stream {
    product of[STEPS * PRODUCTS];
} stream;

/* Reads probes/product.sass, whose every seventh instruction is $filler. */
static void read_stream(stream *s)
{
    const char *source = getenv("HEDDLE_SOURCE");
    char path[512], *text, *line, *rest;
    unsigned n = 0, at = 0;
    size_t size;
    FILE *f;

    if (!source)
        TEST_SKIP("HEDDLE_SOURCE does not name the sources");
    snprintf(path, sizeof path, "%s/probes/product.sass", source);
    f = fopen(path, "r");
    CHECK(f != NULL);
    text = calloc(1, 1 << 16);
    size = fread(text, 1, (1 << 16) - 1, f);
    CHECK(size > 0);
    fclose(f);
    for (line = strtok_r(text, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        product *p = &s->of[n];
        unsigned c;

        if (!strncmp(line, "//", 2))
            continue;
        if (at++ % 7 == 6) {
            CHECK_STR(line, "$filler");
            continue;
        }
        CHECK(n++ < COUNTOF(s->of));
        CHECK_EQ(sscanf(line, "{0x%x} FFMA R%u, R%u, R%u, R%u", &p->code, &p->c,
                        &p->a, &p->b, &c),
                 5);
        CHECK_EQ(c, p->c);
    }
    CHECK_EQ(n, COUNTOF(s->of));
    free(text);
}

/* The loop of both steps twice: 96 groups. Two of the fillers count. */
static uint64_t passes(rig *r, const stream *s, unsigned n)
{
    const double as = n;
    uint64_t bits, cycles;
    strbuf t = {0};

    memcpy(&bits, &as, sizeof bits);
    strbuf_printf(&t, "{0x20} MOV R0, RZ;\n{0x20} MOV R1, 0x%08x;\n",
                  (unsigned)(bits >> 32));
    for (unsigned at = 2; at < 14; at++)
        strbuf_puts(&t, "{0x20} NOP;\n");
    strbuf_puts(&t, "loop:\n");
    for (unsigned i = 0; i < 2 * COUNTOF(s->of); i++) {
        const product *p = &s->of[i % COUNTOF(s->of)];
        unsigned group = i / 6;

        strbuf_printf(&t, "{0x%02x} FFMA R%u, R%u, R%u, R%u;\n", p->code, p->c,
                      p->a, p->b, p->c);
        if (i % 6 == 5)
            strbuf_printf(&t, "{0x20} %s;\n",
                          group == 1    ? "DADD R0, R0, -1.0"
                          : group == 9  ? "DSETP.GT.AND P0, PT, R0, RZ, PT"
                          : group == 95 ? "@P0 BRA loop"
                                        : "NOP");
    }
    cycles = rig_run(r, t.text, 1, 32 * WARPS, 0, 0);
    strbuf_fini(&t);
    return cycles;
}

/* Percent of what 192 lanes do, but for the first passes. */
static double efficiency(const stream *s, const char *const *sets)
{
    enum { FEW = 2, MORE = 6 };
    rig *r = dual_rig(sets);
    uint64_t few = passes(r, s, FEW), more = passes(r, s, MORE);
    double work = 2.0 * COUNTOF(s->of) * 32 * WARPS * (MORE - FEW);

    rig_free(r);
    return 100 * work / LANES / (double)(more - few);
}

/* ---- Other orders and registers ---- */

static int by_registers(const void *x, const void *y)
{
    const product *p = x, *q = y;

    return p->a != q->a ? (p->a > q->a) - (p->a < q->a)
                        : (p->b > q->b) - (p->b < q->b);
}

/* Row by row; the codes stay where they are. */
static void order_by_rows(stream *s)
{
    stream was = *s;

    for (unsigned k = 0; k < STEPS; k++)
        qsort(&s->of[k * PRODUCTS], PRODUCTS, sizeof s->of[0], by_registers);
    for (unsigned i = 0; i < COUNTOF(s->of); i++)
        s->of[i].code = was.of[i].code;
}

/* Each of `reg` gets the place that it has among those that are used. */
static unsigned place_of(const bool used[256], unsigned reg)
{
    unsigned place = 0;

    for (unsigned r = 0; r < reg; r++)
        place += used[r];
    return place;
}

/* Registers as they come: A, then B, then the results by rows. */
static void number_registers(stream *s)
{
    bool a[256] = {0}, b[256] = {0};

    for (unsigned i = 0; i < COUNTOF(s->of); i++) {
        a[s->of[i].a] = true;
        b[s->of[i].b] = true;
    }
    for (unsigned i = 0; i < COUNTOF(s->of); i++) {
        unsigned row = place_of(a, s->of[i].a), at = place_of(b, s->of[i].b);

        s->of[i].a = 8 + row;
        s->of[i].b = 8 + STEPS * SIDE + at;
        s->of[i].c = 8 + 2 * STEPS * SIDE + row % SIDE * SIDE + at % SIDE;
    }
}

/* ---- Tests ---- */

/* A thread's 12 x 12 products of 12 by 12 values, each once. */
TEST(the_stream_is_a_product)
{
    stream s;

    read_stream(&s);
    for (unsigned k = 0; k < STEPS; k++)
        for (unsigned i = k * PRODUCTS; i < (k + 1) * PRODUCTS; i++)
            for (unsigned j = k * PRODUCTS; j < i; j++) {
                CHECK(s.of[i].a != s.of[j].a || s.of[i].b != s.of[j].b);
                CHECK(s.of[i].c != s.of[j].c);
                CHECK(s.of[i].a != s.of[j].b && s.of[i].b != s.of[j].a);
            }
    number_registers(&s); /* results are in rows and columns, not anywhere */
    for (unsigned i = 0; i < PRODUCTS; i++)
        for (unsigned j = 0; j < PRODUCTS; j++)
            CHECK(s.of[i].c != s.of[PRODUCTS + j].c ||
                  (s.of[i].a + SIDE == s.of[PRODUCTS + j].a &&
                   s.of[i].b + SIDE == s.of[PRODUCTS + j].b));
}

TEST(order_registers_and_operand_cache_make_the_rate)
{
    static const char *const no_cache[] = {"sm.rf.operand_cache=0", NULL};
    static const char *const entry[] = {"sm.rf.second_entries=1", NULL};
    static const char *const no_pairs[] = {"sm.issue.width=1", NULL};
    static const char *const as_planned[] = {
        "sm.rf.entries=1", "sm.rf.second_entries=2", "sm.rf.reuse=0", NULL};
    stream s, rows, naive;

    read_stream(&s);
    rows = naive = s;
    order_by_rows(&rows);
    number_registers(&naive);
    double best = efficiency(&s, NULL), planned = efficiency(&s, as_planned);
    struct {
        const char *what;
        double rate, most;
    } other[] = {
        {"by rows", efficiency(&rows, NULL), 85},
        {"registers as they come", efficiency(&naive, NULL), 90},
        {"no operand cache", efficiency(&s, no_cache), 90},
        {"one entry at the second port", efficiency(&s, entry), 80},
        /* fillers take slots of their own */
        {"no pairs", efficiency(&s, no_pairs), 100 * 128 / 192.0 * 6 / 7},
        {"as planned, by rows", efficiency(&rows, as_planned), 85},
        {"as planned, registers as they come", efficiency(&naive, as_planned),
         75},
    };

    printf("the stream: %.2f %%\non the machine it is planned for: %.2f %%\n",
           best, planned);
    CHECK(best > 97 && best < 98);
    CHECK(planned > 97 && planned < 98);
    for (size_t i = 0; i < COUNTOF(other); i++) {
        printf("%s: %.2f %%\n", other[i].what, other[i].rate);
        CHECK(other[i].rate > 50 && other[i].rate < other[i].most);
    }
}
