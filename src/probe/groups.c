#include "probe/groups.h"

enum {
    PLAIN = 0x20,
    DEPTH = 12, /* of the destinations, from R16 on */
    COUNT = 3,  /* groups whose fillers count the passes, far apart: the */
    TEST = 19,  /* second waits for the first */
};

unsigned probe_code_pair(const probe_run *r)
{
    return r->known.pair ? r->known.pair : 0x04;
}

unsigned probe_code_second(const probe_run *r)
{
    return r->known.second ? r->known.second : 0x05;
}

/* FFMAs of a group. */
static unsigned probe_groups_work(const char *order)
{
    unsigned n = 0;

    for (; *order; order++)
        n += (unsigned)(*order - '0');
    return n;
}

/* Groups in the loop. */
static unsigned probe_groups_blocks(const probe_run *r)
{
    return probe_loop_room(r, GROUP_BLOCKS * GROUP_SIZE + GROUP_SIZE) /
               GROUP_SIZE -
           1;
}

/* Counts the passes in place of an instruction of those groups; NULL: not
 * there. */
static const char *counter_of(unsigned block)
{
    return block == COUNT ? "$down" : block == TEST ? "$test" : NULL;
}

static void put_ffma(const probe_groups *g, unsigned n, unsigned dest,
                     strbuf *out)
{
    static const uint8_t same[3] = {8, 8, 8};
    const uint8_t *reads = g->reads ? g->reads[n] : same;

    strbuf_printf(out, "FFMA R%u, R%u, R%u, R%u\n", dest, reads[0], reads[1],
                  reads[2]);
}

/* The first of a group without filler counts the passes, else the filler. */
static void put_code_group(const probe_run *r, const probe_groups *g,
                           unsigned block, strbuf *out)
{
    unsigned n = 0, work = probe_groups_work(g->order);
    const char *counter = counter_of(block);

    for (const char *o = g->order; *o; o++)
        for (char k = '1'; k <= *o; k++, n++) {
            bool before = work < GROUP_SIZE && n + 1 == work;
            unsigned code = before     ? g->before
                            : *o < '2' ? PLAIN
                            : k < '2'  ? probe_code_pair(r)
                                       : probe_code_second(r);

            strbuf_printf(out, "    {0x%02x} ", code);
            if (!n && counter && work == GROUP_SIZE)
                strbuf_printf(out, "%s\n", counter);
            else
                put_ffma(g, n, 16 + (work * block + n) % DEPTH, out);
        }
    if (work < GROUP_SIZE)
        strbuf_printf(out, "    {0x%02x} %s\n", PLAIN,
                      counter ? counter : "NOP");
}

unsigned probe_groups_put(const probe_run *r, const probe_groups *g,
                          strbuf *out)
{
    unsigned blocks = probe_groups_blocks(r);
    unsigned work = probe_groups_work(g->order);

    for (unsigned b = 0; b < blocks; b++)
        put_code_group(r, g, b, out);
    return blocks * work - (work == GROUP_SIZE ? 2 : 0);
}

status probe_groups_time(probe_run *r, const probe_groups *g, unsigned warps,
                         probe_groups_cost *cost)
{
    double blocks = probe_groups_blocks(r), cycles = 0;
    strbuf text = {0};

    unsigned work = probe_groups_put(r, g, &text);
    status st = probe_pass(
        r, &(probe_loop){.text = text.text, .warps = warps, .place = g->place},
        &cycles);
    cost->rate = 32.0 * warps * work / cycles;
    cost->group = cycles / blocks * LOOP_SCHEDULERS / warps;
    strbuf_fini(&text);
    return st;
}
