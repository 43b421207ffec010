#include "launchfile/plan.h"
#include "test.h"

/* A plan with one launch, to which arguments are added. */
typedef struct rig {
    plan *p;
    plan_launch *l;
    diag *dg;
} rig;

static rig start(void)
{
    rig r = {plan_new(), NULL, diag_new()};

    CHECK(r.p && r.dg);
    r.l = plan_add_launch(r.p);
    return r;
}

static void stop(rig *r)
{
    plan_free(r->p);
    diag_free(r->dg);
}

static void good(rig *r, const char *text)
{
    CHECK_EQ(plan_add_arg(r->p, r->l, text, r->dg), ST_OK);
    CHECK_EQ(diag_errors(r->dg), 0);
}

/* Refused with one message that quotes the argument and says `why`; nothing
 * is added. */
static void bad(rig *r, const char *text, const char *why)
{
    const plan_arg *last = r->l->args;
    const plan_buffer *buffers = r->p->buffers;

    while (last && last->next)
        last = last->next;
    CHECK_EQ(plan_add_arg(r->p, r->l, text, r->dg), ST_USAGE);
    CHECK_EQ(diag_errors(r->dg), 1);
    const char *said = diag_get(r->dg, 0)->text;
    if (!strstr(said, why) || !strstr(said, text))
        TEST_FAIL("'%s' gives \"%s\", not \"%s\"", text, said, why);
    diag_clear(r->dg);
    CHECK(!last || !last->next);
    CHECK(last || !r->l->args);
    CHECK(buffers == r->p->buffers);
}

static plan_buffer *buffer(rig *r, const char *name)
{
    plan_buffer *b = plan_find_buffer(r->p, name);

    CHECK(b != NULL);
    return b;
}

TEST(a_buffer_has_type_count_and_generator)
{
    rig r = start();

    good(&r, "buf:f32[1024]=zero");
    good(&r, "x=buf:s16[0x10]=iota");
    good(&r, "buf:u8[3]");
    good(&r, "c=buf:f64[1]=constant,value=-2.5");
    good(&r, "u=buf:u32[8]=uniform,seed=7,min=3,max=9");

    plan_buffer *b = buffer(&r, "0");
    CHECK_EQ(b->type, TYPE_F32);
    CHECK_EQ(b->count, 1024);
    CHECK_EQ(b->init, INIT_ZERO);
    CHECK(b->at.file == NULL);
    b = buffer(&r, "x");
    CHECK_EQ(b->type, TYPE_S16);
    CHECK_EQ(b->count, 16);
    CHECK_EQ(b->init, INIT_IOTA);
    b = buffer(&r, "2"); /* the number of its argument, not of unnamed ones */
    CHECK_EQ(b->type, TYPE_U8);
    CHECK_EQ(b->init, INIT_ZERO);
    b = buffer(&r, "c");
    CHECK_EQ(b->init, INIT_CONSTANT);
    CHECK_EQ(b->bits, 0xc004000000000000); /* -2.5 */
    b = buffer(&r, "u");
    CHECK_EQ(b->init, INIT_UNIFORM);
    CHECK_EQ(b->seed, 7);
    CHECK(b->min == 3 && b->max == 9);
    unsigned n = 0;
    for (const plan_arg *a = r.l->args; a; a = a->next, n++)
        CHECK(a->buffer != NULL);
    CHECK_EQ(n, 5);
    stop(&r);
}

TEST(uniform_has_default_limits)
{
    rig r = start();

    good(&r, "a=buf:f32[4]=uniform");
    good(&r, "b=buf:s32[4]=uniform");
    good(&r, "c=buf:s32[4]=uniform,min=-5");
    CHECK(buffer(&r, "a")->min == 0 && buffer(&r, "a")->max == 1);
    CHECK(buffer(&r, "b")->min == 0 && buffer(&r, "b")->max == 100);
    CHECK(buffer(&r, "c")->min == -5 && buffer(&r, "c")->max == 100);
    stop(&r);
}

TEST(a_buffer_can_come_from_a_file)
{
    rig r = start();

    good(&r, "buf:f32=@some/dir,with=odd.npy");
    good(&r, "y=buf:u8[16]=@raw.bin");
    plan_buffer *b = buffer(&r, "0");
    CHECK_EQ(b->init, INIT_FILE);
    CHECK_STR(b->file, "some/dir,with=odd.npy");
    CHECK_EQ(b->count, 0);
    b = buffer(&r, "y");
    CHECK_STR(b->file, "raw.bin");
    CHECK_EQ(b->count, 16);
    stop(&r);
}

TEST(numbers_keep_their_text_and_type)
{
    static const struct {
        const char *arg, *text;
        plan_type type;
    } rows[] = {{"42", "42", TYPE_NONE},
                {"-1.5e3", "-1.5e3", TYPE_NONE},
                {"0x10", "0x10", TYPE_NONE},
                {"18446744073709551615", "18446744073709551615", TYPE_NONE},
                {"f32:1.5", "1.5", TYPE_F32},
                {"u8:255", "255", TYPE_U8},
                {"s64:-1", "-1", TYPE_S64},
                {"f16:inf", "inf", TYPE_F16}};
    rig r = start();

    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        good(&r, rows[i].arg);
    const plan_arg *a = r.l->args;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++, a = a->next) {
        CHECK(a->buffer == NULL);
        CHECK_STR(a->text, rows[i].text);
        CHECK_EQ(a->type, rows[i].type);
    }
    stop(&r);
}

TEST(a_buffer_can_be_given_again_by_name)
{
    rig r = start();

    good(&r, "data=buf:f32[4]=zero");
    good(&r, "data");
    CHECK(r.l->args->next->buffer == r.l->args->buffer);
    stop(&r);
}

/* The first argument's buffer is called 0, but --arg 0 still means zero. */
TEST(a_number_is_never_an_unnamed_buffer)
{
    rig r = start();

    good(&r, "buf:f32[4]=zero");
    good(&r, "0");
    CHECK(r.l->args->next->buffer == NULL);
    CHECK_STR(r.l->args->next->text, "0");
    stop(&r);
}

TEST(wrong_buffers_are_explained)
{
    rig r = start();

    bad(&r, "buf:f33[4]=zero", "unknown type");
    bad(&r, "buf:[4]=zero", "unknown type");
    bad(&r, "buf:", "unknown type");
    bad(&r, "buf:f32", "needs [COUNT]");
    bad(&r, "buf:f32=zero", "needs [COUNT]");
    bad(&r, "buf:f32[]=zero", "like [1024]");
    bad(&r, "buf:f32[-4]=zero", "like [1024]");
    bad(&r, "buf:f32[ 4]=zero", "like [1024]");
    bad(&r, "buf:f32[4=zero", "like [1024]");
    bad(&r, "buf:f32[4]x=zero", "like [1024]");
    bad(&r, "buf:f32[1e6]=zero", "like [1024]");
    bad(&r, "buf:f32[281474976710657]=zero", "like [1024]");
    bad(&r, "buf:f32[99999999999999999999]=zero", "like [1024]");
    bad(&r, "buf:f32[4]=", "generators are");
    bad(&r, "buf:f32[4]=random", "generators are");
    bad(&r, "buf:f32[4]=@", "name of a file");
    bad(&r, "buf:f32[4]=uniform,seed", "KEY=VALUE");
    bad(&r, "buf:f32[4]=uniform,", "KEY=VALUE");
    bad(&r, "buf:f32[4]=uniform,sed=1", "generators know");
    bad(&r, "buf:f32[4]=uniform,seed=x", "the seed is no whole number");
    bad(&r, "buf:f32[4]=uniform,seed=1.5", "the seed is no whole number");
    bad(&r, "buf:f32[4]=uniform,seed=-1", "the seed is no whole number");
    bad(&r, "buf:f32[4]=uniform,min=", "min is no number");
    bad(&r, "buf:f32[4]=uniform,max=1x", "max is no number");
    bad(&r, "buf:f32[4]=uniform,max=nan", "max is no number");
    bad(&r, "buf:f32[4]=uniform,min=2", "min is larger than max");
    bad(&r, "buf:u8[4]=uniform,max=256", "no value of that type");
    bad(&r, "buf:u8[4]=uniform,min=-1", "no value of that type");
    bad(&r, "buf:s32[4]=uniform,max=1.5", "no value of that type");
    bad(&r, "buf:f32[4]=uniform,value=1", "uniform knows");
    bad(&r, "buf:f32[4]=zero,seed=1", "have no options");
    bad(&r, "buf:f32[4]=iota,min=1", "have no options");
    bad(&r, "buf:f32[4]=constant", "needs a value");
    bad(&r, "buf:f32[4]=constant,seed=1", "constant knows only");
    bad(&r, "buf:u8[4]=constant,value=256", "not of that type");
    bad(&r, "buf:u8[4]=constant,value=1.5", "not of that type");
    stop(&r);
}

TEST(wrong_names_are_explained)
{
    rig r = start();

    good(&r, "a=buf:f32[4]=zero");
    bad(&r, "a=buf:f32[4]=zero", "exists already");
    bad(&r, "=buf:f32[4]=zero", "begins with a letter");
    bad(&r, "5=buf:f32[4]=zero", "begins with a letter");
    bad(&r, "a=b=buf:f32[4]=zero", "begins with a letter");
    stop(&r);
}

TEST(wrong_numbers_are_explained)
{
    rig r = start();

    bad(&r, "", "expected a number");
    bad(&r, "nobody", "expected a number");
    bad(&r, "1,2", "expected a number");
    bad(&r, "1 ", "expected a number");
    bad(&r, "f33:1", "unknown type");
    bad(&r, "xbuf:f32[4]", "unknown type");
    bad(&r, ":1", "unknown type");
    bad(&r, "f32:", "not of that type");
    bad(&r, "f32:x", "not of that type");
    bad(&r, "u8:256", "not of that type");
    bad(&r, "s32:1.0", "not of that type");
    bad(&r, "{u32:1", "a structure is written");
    bad(&r, "{}", "a structure is written");
    bad(&r, "{u32:1,}", "expected a number");
    bad(&r, "{u32:1,{u32:2}}", "unknown type");
    stop(&r);
}

TEST(outputs_name_buffers)
{
    rig r = start();

    good(&r, "a=buf:f32[4]=zero");
    good(&r, "buf:f32[4]=zero");
    CHECK_EQ(plan_add_output(r.p, false, "a=out.npy", 0, r.dg), ST_OK);
    CHECK_EQ(plan_add_output(r.p, false, "1=x=y", 0, r.dg), ST_OK);
    CHECK_EQ(plan_add_output(r.p, true, "a=ref.npy", 0.5, r.dg), ST_OK);
    CHECK(r.p->dumps->buffer == buffer(&r, "a"));
    CHECK_STR(r.p->dumps->file, "out.npy");
    CHECK(r.p->dumps->next->buffer == buffer(&r, "1"));
    CHECK_STR(r.p->dumps->next->file, "x=y");
    CHECK(r.p->expects->buffer == buffer(&r, "a"));
    CHECK(r.p->expects->tolerance == 0.5);
    CHECK(!r.p->expects->next);
    stop(&r);
}

TEST(wrong_outputs_are_explained)
{
    static const struct {
        const char *text, *why;
    } rows[] = {{"a", "expected BUFFER=FILE"},
                {"a=", "expected BUFFER=FILE"},
                {"b=f", "no buffer 'b'"},
                {"=f", "no buffer ''"},
                {"", "expected BUFFER=FILE"}};
    rig r = start();

    good(&r, "a=buf:f32[4]=zero");
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        CHECK_EQ(plan_add_output(r.p, i & 1, rows[i].text, 0, r.dg), ST_USAGE);
        CHECK_EQ(diag_errors(r.dg), 1);
        CHECK(strstr(diag_get(r.dg, 0)->text, rows[i].why));
        diag_clear(r.dg);
    }
    CHECK(!r.p->dumps && !r.p->expects);
    stop(&r);
}
