/* Lines of printf from formats and arguments in memory, and the heap. */
#include "exec/services.h"

#include <stdlib.h>
#include <string.h>

#include "exec/format.h"
#include "test.h"

/* ---- formats ----------------------------------------------------------- */

enum { ROOM = 4096, FORMAT = 0x1000, ARGS = 0x1400, STRING = 0x1800 };

typedef struct world { /* memory from FORMAT on */
    uint8_t byte[ROOM];
    unsigned at; /* of the next argument, behind ARGS */
} world;

static bool read_world(void *arg, uint64_t addr, void *to, unsigned n)
{
    const world *w = arg;

    if (addr < FORMAT || addr + n > FORMAT + ROOM)
        return false;
    memcpy(to, w->byte + (addr - FORMAT), n);
    return true;
}

static void give(world *w, const void *value, unsigned size)
{
    w->at = (w->at + size - 1) / size * size;
    memcpy(w->byte + (ARGS - FORMAT) + w->at, value, size);
    w->at += size;
}

static void give_int(world *w, int v) { give(w, &v, 4); }
static void give_long(world *w, int64_t v) { give(w, &v, 8); }
static void give_real(world *w, double v) { give(w, &v, 8); }

/* As OpenCL has it: the size first, then the value, in multiples of 8. */
static void give_tagged(world *w, const void *value, uint64_t size)
{
    uint8_t *to = w->byte + (ARGS - FORMAT) + w->at;

    memcpy(to, &size, 8);
    memcpy(to + 8, value, size);
    w->at += 8 + (unsigned)((size + 7) & ~7ull);
}

static const char *text_of(world *w, const char *format, bool tagged)
{
    static char text[1000];
    format_memory m = {.read = read_world, .arg = w};
    format_args a = {.at = ARGS, .tagged = tagged, .last = ARGS + w->at};
    strbuf b = {0};

    memcpy(w->byte, format, strlen(format) + 1);
    if (!format_text(&m, FORMAT, &a, &b))
        snprintf(text, sizeof text, "cannot read 0x%llx",
                 (unsigned long long)m.bad);
    else
        snprintf(text, sizeof text, "%s", b.text ? b.text : "");
    strbuf_fini(&b);
    return text;
}

TEST(integers_of_all_widths_are_written)
{
    world w = {.at = 0};

    give_int(&w, -7);
    give_int(&w, 42);
    give_long(&w, -1234567890123);
    give_int(&w, 255);
    give_int(&w, -1);
    give_int(&w, 0x12345);
    give_int(&w, 0x1ff);
    CHECK_STR(text_of(&w, "[%d|%6d|%lld|%#x|%u|%hd|%hhu]\n", false),
              "[-7|    42|-1234567890123|0xff|4294967295|9029|255]\n");
}

TEST(reals_are_passed_as_doubles)
{
    world w = {.at = 0};

    give_real(&w, 1.5);
    give_int(&w, 1); /* the next double is aligned */
    give_real(&w, -0.125);
    give_real(&w, 1e10);
    CHECK_STR(text_of(&w, "%f %d %+.2e %g", false),
              "1.500000 1 -1.25e-01 1e+10");
}

TEST(strings_characters_pointers_and_stars)
{
    world w = {.at = 0};

    memcpy(w.byte + (STRING - FORMAT), "abc", 4);
    give_long(&w, STRING);
    give_int(&w, 'x');
    give_int(&w, -6);
    give_long(&w, STRING);
    give_long(&w, 0x700000000);
    give_long(&w, 0);
    CHECK_STR(text_of(&w, "%5.2s|%c|%*s|%p|%s|100%%", false),
              "   ab|x|abc   |0x700000000|(null)|100%");
}

TEST(vectors_and_floats_of_opencl_are_tagged)
{
    world w = {.at = 0};
    const float f4[] = {1, 2.5f, -3, 0}, f = 0.25f;
    const uint8_t c[] = {1, 255, 16, 0};
    const double d[] = {1e100, -2};
    int64_t l = -5;

    give_tagged(&w, f4, 16);
    give_tagged(&w, &f, 4);
    give_tagged(&w, c, 4);
    give_tagged(&w, d, 16);
    give_tagged(&w, &l, 8);
    CHECK_STR(text_of(&w, "%2.1v4hlf %f %v3hhx %v2lg %ld %d", true),
              "1.0,2.5,-3.0,0.0 0.250000 1,ff,10 1e+100,-2 -5 0");
}

TEST(vectors_of_vprintf_come_one_by_one)
{
    world w = {.at = 0};

    give_real(&w, 1);
    give_real(&w, 2.5);
    give_int(&w, -1);
    give_int(&w, 0x1ff);
    give_int(&w, 7);
    give_long(&w, -5);
    CHECK_STR(text_of(&w, "%2.1v2hlf %v3hhx %ld", false), "1.0,2.5 ff,ff,7 -5");
}

TEST(what_cannot_be_read_is_named)
{
    world w = {.at = 0};

    give_long(&w, 0x99);
    CHECK_STR(text_of(&w, "%s", false), "cannot read 0x99");
}

/* ---- the heap ---------------------------------------------------------- */

enum { BASE = 0x700000000, BYTES = 4096 };

typedef struct machine {
    exec_services *host;
    exec_launch launch;
    exec_cta cta[2];
    exec_warp warp[2]; /* on SM 0 and SM 1 */
} machine;

static void setup(machine *m)
{
    memset(m, 0, sizeof *m);
    m->host = exec_services_new(2, 1000);
    CHECK(m->host != NULL);
    exec_services_heap(m->host, BASE, BYTES);
    m->launch.services = m->host;
    for (unsigned i = 0; i < 2; i++) {
        m->cta[i] = (exec_cta){.launch = &m->launch, .sm = i};
        m->warp[i].cta = &m->cta[i];
    }
}

TEST(blocks_do_not_overlap_and_stay_in_the_part_of_their_sm)
{
    static machine m;
    static uint8_t taken[2 * BYTES];
    unsigned blocks = 0;

    setup(&m);
    for (unsigned i = 0; i < 1000; i++) {
        unsigned sm = i % 2, size = 1 + i * 37 % 300;
        uint64_t at = exec_services_malloc(&m.warp[sm], size) - BASE;

        if (at == 0 - (uint64_t)BASE)
            continue;
        CHECK_EQ(at % 16, 0);
        CHECK(at >= sm * BYTES && at + size <= (sm + 1) * BYTES);
        for (unsigned k = 0; k < size; k++)
            CHECK_EQ(taken[at + k]++, 0);
        blocks++;
    }
    CHECK(blocks > 20);
    exec_services_free(m.host);
}

TEST(freed_blocks_are_given_again)
{
    static machine m;

    setup(&m);
    for (unsigned i = 0; i < 1000; i++) {
        uint64_t a = exec_services_malloc(&m.warp[0], 1000);
        uint64_t b = exec_services_malloc(&m.warp[0], 2000);

        CHECK(a && b && a != b);
        CHECK(exec_services_release(&m.warp[0], a));
        CHECK(!exec_services_release(&m.warp[0], a));
        CHECK(!exec_services_release(&m.warp[0], b + 16));
        CHECK(exec_services_release(&m.warp[0], b));
    }
    CHECK(!exec_services_release(&m.warp[0], 64));
    CHECK(exec_services_release(&m.warp[0], 0));
    exec_services_free(m.host);
}

TEST(a_block_of_another_sm_is_free_after_the_launch)
{
    static machine m;
    size_t count;
    uint64_t lost, a;

    setup(&m);
    a = exec_services_malloc(&m.warp[0], BYTES);
    CHECK_EQ(a, BASE);
    CHECK(exec_services_release(&m.warp[1], a));
    CHECK_EQ(exec_services_malloc(&m.warp[0], BYTES), 0);
    exec_services_settle(m.host, &count, &lost);
    CHECK_EQ(count + lost, 0);
    CHECK_EQ(exec_services_malloc(&m.warp[0], BYTES), BASE);
    exec_services_free(m.host);
}

TEST(heaps_are_put_back_as_they_were)
{
    static machine m;
    uint64_t a, b, next[3];
    size_t count;
    uint64_t lost;

    setup(&m);
    a = exec_services_malloc(&m.warp[0], 100);
    b = exec_services_malloc(&m.warp[0], 100);
    CHECK(exec_services_release(&m.warp[0], a));
    for (unsigned turn = 0; turn < 3; turn++) {
        exec_heaps *was = exec_services_keep(m.host);

        CHECK(was != NULL);
        next[turn] = exec_services_malloc(&m.warp[0], 100); /* in place of a */
        CHECK_EQ(next[turn], a);
        CHECK(exec_services_malloc(&m.warp[0], 48));
        CHECK(exec_services_malloc(&m.warp[1], 48)); /* its first */
        CHECK(exec_services_release(&m.warp[1], b)); /* of another SM */
        exec_services_settle(m.host, &count, &lost);
        CHECK(!exec_services_release(&m.warp[0], b));
        if (turn == 2) { /* by way of bytes, as from another process */
            strbuf bytes = {0};

            exec_heaps_put(was, &bytes);
            exec_heaps_free(was);
            for (size_t n = 0; n < bytes.size; n++) /* cut off anywhere */
                CHECK(!exec_heaps_get(m.host, bytes.text, n));
            was = exec_heaps_get(m.host, bytes.text, bytes.size);
            CHECK(was != NULL);
            bytes.text[0]++; /* of another number of SMs */
            CHECK(!exec_heaps_get(m.host, bytes.text, bytes.size));
            strbuf_fini(&bytes);
        }
        exec_services_restore(m.host, was);
        exec_heaps_free(was);
    }
    CHECK(exec_services_release(&m.warp[0], b));
    CHECK(!exec_services_release(&m.warp[0], a));
    for (uint64_t at = BASE; at < BASE + 2 * BYTES; at += 16)
        CHECK(!exec_services_release(&m.warp[at >= BASE + BYTES], at));
    exec_services_free(m.host);
}
