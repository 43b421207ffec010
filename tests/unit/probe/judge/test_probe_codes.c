/* tests/unit/probe/judge/test_probe_codes.c - machines with another table of
 * control codes than any preset: the probe has to find the new one, and nothing
 * but that. */
#include "probe_rig.h"

typedef struct change {
    const char *text;    /* of section sm.dual */
    const char *changes; /* what is found otherwise */
    const char *id, *is; /* one of them, and what it is now */
} change;

static const change table[] = {
    {"pair: 0x0b", "codes.dual codes.pair", "codes.dual", "0x0b"},
    {"tail: 0x11", "codes.second codes.tail", "codes.second", "0x11 0x12 0x13"},
    {"zero: 9", "codes.zero", "codes.zero", "9"},
    {"bits: 3", "codes.bits codes.saturates codes.delays", "codes.bits", "3"},
    {"saturates: 13", "codes.saturates codes.delays", "codes.delays",
     "0x20 0x40 0x60 0xe0: 1 + bits 0-4, 32 from 0x0d; "
     "0x80 0xa0 0xc0: 1 + 2 bits 0-3, 32 from 0x07"},
    {"longest: 40", "codes.longest codes.delays", "codes.longest", "40"},
    {"refused: 20", "codes.refused", "codes.refused", "20"},
    {"tails: 4", "codes.tails", "codes.tails", "4"},
    {"first: true", "codes.no_pair", "codes.no_pair", "7"},
    {"waits: false", "codes.wait codes.delays", "codes.wait", "no"},
};

TEST(each_entry_of_the_table_is_found)
{
    static const char *const list[] = {"pairs", NULL};
    machine base = machine_new("k20", "gpu: {sms: 1}\n");

    run(&base, list);
    CHECK(check_truth(&base, 0) > 9);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const change *c = &table[i];
        char text[96], is[16];

        snprintf(text, sizeof text, "gpu: {sms: 1}\nsm: {dual: {%s}}\n",
                 c->text);
        machine m = machine_new("k20", text);
        run(&m, list);
        check_truth(&m, 0);
        check_changes(&base, &m, c->changes);
        const probe_value *v = probe_found_get(&m.found, c->id);
        CHECK(v != NULL);
        snprintf(is, sizeof is, "%g", v->number);
        CHECK_STR(v->word ? v->word : is, c->is);
        machine_free(&m);
    }
    machine_free(&base);
}

TEST(without_codes_none_are_found)
{
    static const char *const list[] = {"pairs", NULL};
    machine m = machine_new("k20-single", "gpu: {sms: 1}\n");

    run(&m, list);
    CHECK_STR(word(&m, "codes.dual"), "none");
    CHECK_STR(word(&m, "codes.second"), "none");
    CHECK_STR(word(&m, "codes.wait"), "no");
    CHECK(!probe_found_get(&m.found, "codes.pair"));
    CHECK(!probe_found_get(&m.found, "codes.zero"));
    machine_free(&m);
}
