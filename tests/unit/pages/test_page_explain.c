/* tests/unit/pages/test_page_explain.c - pages of kernels that never ran: how
 * large they may get, and that nothing in them is markup. */
#include "pages/page_explain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

enum { MOST = 3000 * 1000 };

static config cfg;

static const char hostile[] =
    "</script><script>alert(1)</script><img src=x onerror='x'>\"&<b>\x80\xff";

static size_t count_of(const char *s, const char *part)
{
    size_t n = 0;

    for (; (s = strstr(s, part)); s += strlen(part))
        n++;
    return n;
}

static const char *long_text(arena *mem)
{
    enum { LENGTH = 4000 };
    char *s = arena_alloc(mem, LENGTH + 1);

    memset(s, '<', LENGTH);
    return s;
}

/* A kernel of `lines` lines, each of two instructions and one line of PTX; the
 * first line is the hottest. */
static look big_look(arena *mem, size_t lines, const char *line)
{
    look k = {.name = hostile,
              .cfg = &cfg,
              .launches = 1,
              .cycles = 1000,
              .time_s = 1e-6,
              .share = 1,
              .registers = 8,
              .line = ARENA_ARRAY(mem, look_line, lines),
              .line_count = lines};
    look_code *c = &k.code;

    c->inst = ARENA_ARRAY(mem, look_inst, 2 * lines);
    c->inst_count = 2 * lines;
    c->file = ARENA_NEW(mem, look_file);
    c->file_count = 1;
    *c->file =
        (look_file){hostile, true, ARENA_ARRAY(mem, look_text, lines), lines};
    c->ptx = ARENA_ARRAY(mem, look_text, lines);
    c->ptx_count = lines;
    for (size_t i = 0; i < lines; i++) {
        unsigned of = (unsigned)i + 1;
        double share = 1. / (double)(i + 2);

        k.line[i] = (look_line){.place = hostile,
                                .text = line,
                                .file = 1,
                                .number = of,
                                .share = share};
        c->file->row[i] = c->ptx[i] = (look_text){line, NULL, of, of};
        for (size_t n = 0; n < 2; n++)
            c->inst[2 * i + n] =
                (look_inst){line,      NULL,      of,
                            share / 2, share / 2, (sm_profile_row){.insts = 0}};
    }
    return k;
}

static char *page_of(explain *x)
{
    page *p = page_explain(x, NULL, hostile,
                           &(page_origin){.command = "heddle <explain>"});
    strbuf out = {0};

    page_finish(p, &out);
    page_free(p);
    return out.text;
}

/* An explanation of `count` such kernels, whose last line is what a change is
 * about. */
static char *page_of_kernels(arena *mem, size_t count, size_t lines,
                             const char *line)
{
    explain x = {.mem = mem,
                 .looks = ARENA_ARRAY(mem, look, count),
                 .look_count = count,
                 .trials = ARENA_ARRAY(mem, explain_trial, 1),
                 .trial_count = 1};

    config_defaults(&cfg);
    for (size_t i = 0; i < count; i++)
        x.looks[i] = big_look(mem, lines, line);
    x.trials[0] = (explain_trial){.rule = explain_rule_find("banks"),
                                  .kernel = count - 1,
                                  .most = 0.5,
                                  .sets = "",
                                  .worst = &x.looks[count - 1].line[lines - 1],
                                  .figure = hostile};
    return page_of(&x);
}

TEST(a_small_kernel_is_shown_whole)
{
    arena *mem = arena_new();
    char *s = page_of_kernels(mem, 1, 10, "x = y;");

    /* 10 lines of source, of PTX and 20 instructions. */
    CHECK_EQ(count_of(s, "<code>x = y;</code></td>"), 40);
    CHECK_EQ(count_of(s, "id=\"c1-10\""), 1);
    CHECK_EQ(count_of(s, "href=\"#c1-10\""), 1);
    CHECK(!strstr(s, "have no room"));
    free(s);
    arena_free(mem);
}

TEST(names_and_texts_are_no_markup)
{
    arena *mem = arena_new();
    char *s = page_of_kernels(mem, 2, 10, hostile);

    CHECK_EQ(count_of(s, "<script>alert"), 0);
    CHECK_EQ(count_of(s, "<img"), 0);
    CHECK_EQ(count_of(s, "<b>\x80"), 0);
    CHECK(count_of(s, "&lt;script&gt;alert") > 80);
    /* The page's two, and no more. */
    CHECK_EQ(count_of(s, "<script>"), 2);
    free(s);
    arena_free(mem);
}

TEST(a_large_kernel_leaves_out_what_is_cold)
{
    arena *mem = arena_new();
    char *s = page_of_kernels(mem, 1, 20000, long_text(mem));

    CHECK(strlen(s) < MOST);
    CHECK(strlen(s) > 500000);
    CHECK(strstr(s, "have no room"));
    CHECK_EQ(count_of(s, "id=\"c1-1\""), 1);
    /* The link still leads somewhere. */
    CHECK_EQ(count_of(s, "id=\"c1-20000\""), 1);
    CHECK_EQ(count_of(s, "href=\"#c1-20000\""), 1);
    free(s);
    arena_free(mem);
}

TEST(many_large_kernels_fit_as_well)
{
    arena *mem = arena_new();
    char *s = page_of_kernels(mem, 8, 5000, long_text(mem));

    CHECK(strlen(s) < MOST);
    CHECK(strstr(s, "There is no room for it"));
    CHECK_EQ(count_of(s, "id=\"c8-5000\""), 1);
    free(s);
    arena_free(mem);
}
