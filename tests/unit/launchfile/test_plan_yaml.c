#include <unistd.h>

#include "base/file.h"
#include "launchfile/plan.h"
#include "test.h"

static const char *const launches = "launches: [{grid: 1}]\n";

static plan *read_good(const char *path, const char *text)
{
    plan *p = plan_new();
    diag *dg = diag_new();

    CHECK(p && dg);
    status st = plan_read_text(p, path, text, strlen(text), dg);
    if (st != ST_OK)
        TEST_FAIL("refused: %s", diag_get(dg, 0)->text);
    CHECK_EQ(diag_count(dg), 0);
    diag_free(dg);
    return p;
}

/* One error is expected, at this line and column, with `why` in its text. */
static void bad(const char *text, unsigned line, unsigned column,
                const char *why)
{
    plan *p = plan_new();
    diag *dg = diag_new();

    CHECK(p && dg);
    CHECK_EQ(plan_read_text(p, "f.yaml", text, strlen(text), dg), ST_CONFIG);
    for (size_t i = 1; i < diag_errors(dg); i++)
        fprintf(stderr, "also: %u:%u %s\n", diag_get(dg, i)->line,
                diag_get(dg, i)->column, diag_get(dg, i)->text);
    const diag_item *it = diag_get(dg, 0);
    if (!strstr(it->text, why) || it->line != line || it->column != column ||
        diag_errors(dg) != 1)
        TEST_FAIL("%u:%u: \"%s\" instead of %u:%u: \"%s\" for\n%s", it->line,
                  it->column, it->text, line, column, why, text);
    CHECK_STR(it->file, "f.yaml");
    diag_free(dg);
    plan_free(p);
}

/* As bad, in a file with the launches that every file needs. */
static void bad_buffers(const char *text, unsigned line, unsigned column,
                        const char *why)
{
    char whole[1024];

    snprintf(whole, sizeof whole, "%s%s", text, launches);
    bad(whole, line, column, why);
}

/* docs/launch.md, and a little more. */
static const char documented[] =
    "program: kernel.ptx            # the command line's program wins\n"
    "gpu: v100\n"
    "buffers:\n"
    "  a: {type: f32, count: 1048576, init: uniform, seed: 1, min: 0, "
    "max: 1}\n"
    "  b: {type: f32, file: b.npy}\n"
    "  c: {type: f32, count: 1048576, init: zero}\n"
    "  k: {type: u64, count: 2, init: constant, value: "
    "0x123456789abcdef1}\n"
    "  n: {file: /abs/n.npy, count: 3}\n"
    "launches:\n"
    "  - {kernel: vecadd, grid: [4096, 1, 1], block: [256, 1, 1], "
    "shared: 64,\n"
    "     args: [a, b, c, 1048576, {f32: 1.5}, {struct: [{u8: 7}, b]}],\n"
    "     repeat: 3}\n"
    "  - {grid: 7, block: [32, 2]}\n"
    "dump: {c: out.npy}\n"
    "expect:\n"
    "  c: {file: c_ref.npy, tolerance: 1e-6}\n"
    "  b: /abs/ref.npy\n";

static plan *read_documented(void)
{
    return read_good("dir/sub/run.yaml", documented);
}

TEST(the_buffers_of_the_documented_file_are_read)
{
    plan *p = read_documented();

    CHECK_STR(p->program, "dir/sub/kernel.ptx");
    CHECK_STR(p->gpu, "v100");
    plan_buffer *a = p->buffers, *b = a->next, *c = b->next, *k = c->next,
                *n = k->next;
    CHECK(!n->next);
    CHECK_STR(a->name, "a");
    CHECK_EQ(a->type, TYPE_F32);
    CHECK_EQ(a->count, 1048576);
    CHECK_EQ(a->init, INIT_UNIFORM);
    CHECK_EQ(a->seed, 1);
    CHECK(a->min == 0 && a->max == 1);
    CHECK_STR(a->at.file, "dir/sub/run.yaml");
    CHECK_EQ(a->at.line, 4);
    CHECK_EQ(a->at.column, 3);
    CHECK_EQ(b->init, INIT_FILE);
    CHECK_STR(b->file, "dir/sub/b.npy");
    CHECK_EQ(c->init, INIT_ZERO);
    CHECK_EQ(k->bits, 0x123456789abcdef1); /* to the last bit */
    CHECK_EQ(n->type, TYPE_NONE);          /* the file will say */
    CHECK_STR(n->file, "/abs/n.npy");
    CHECK_EQ(n->count, 3);
    plan_free(p);
}

TEST(the_launches_of_the_documented_file_are_read)
{
    plan *p = read_documented();
    plan_buffer *a = p->buffers, *b = a->next, *c = b->next;
    plan_launch *l = p->launches, *m = l->next;
    CHECK_STR(l->kernel, "vecadd");
    CHECK_EQ(l->grid[0], 4096);
    CHECK_EQ(l->block[0], 256);
    CHECK_EQ(l->shared_bytes, 64);
    CHECK_EQ(l->repeat, 3);
    CHECK_EQ(l->at.line, 10);
    plan_arg *arg = l->args;
    CHECK(arg->buffer == a);
    CHECK((arg = arg->next)->buffer == b);
    CHECK((arg = arg->next)->buffer == c);
    arg = arg->next;
    CHECK(!arg->buffer);
    CHECK_EQ(arg->type, TYPE_NONE);
    CHECK_STR(arg->text, "1048576");
    CHECK_EQ(arg->at.line, 11);
    CHECK_EQ(arg->at.column, 22);
    arg = arg->next;
    CHECK_EQ(arg->type, TYPE_F32);
    CHECK_STR(arg->text, "1.5");
    arg = arg->next;
    CHECK_EQ(arg->fields->type, TYPE_U8);
    CHECK(arg->fields->next->buffer == b);
    CHECK(!arg->fields->next->next);
    CHECK(!arg->next);

    CHECK(m && !m->next && !m->kernel && !m->args);
    CHECK_EQ(m->grid[0], 7);
    CHECK_EQ(m->grid[1], 1);
    CHECK_EQ(m->block[0], 32);
    CHECK_EQ(m->block[1], 2);
    CHECK_EQ(m->block[2], 1);
    CHECK_EQ(m->repeat, 1);

    CHECK(p->dumps->buffer == c && !p->dumps->next);
    CHECK_STR(p->dumps->file, "dir/sub/out.npy");
    CHECK(p->expects->buffer == c);
    CHECK(p->expects->tolerance == 1e-6);
    CHECK_STR(p->expects->file, "dir/sub/c_ref.npy");
    CHECK(p->expects->next->buffer == b);
    CHECK_STR(p->expects->next->file, "/abs/ref.npy");
    CHECK(p->expects->next->tolerance == 0);
    plan_free(p);
}

TEST(paths_beside_a_file_in_this_folder_stay_as_they_are)
{
    plan *p = read_good("run.yaml", "program: k.ptx\nlaunches: [{}]\n");

    CHECK_STR(p->program, "k.ptx");
    plan_free(p);
}

TEST(the_file_itself_must_be_right)
{
    bad("[1, 2]\n", 1, 1, "a launch file must be a mapping");
    bad("text\n", 1, 1, "a launch file must be a mapping");
    bad("", 1, 1, "needs 'launches'");
    bad("gpu: v100\n", 1, 1, "needs 'launches'");
    bad("launches: []\n", 1, 11, "at least one launch");
    bad("launches: 3\n", 1, 11, "launches must be a list");
    bad("launches: [{}]\nbufers: {}\n", 2, 1,
        "unknown key 'bufers' (did you mean 'buffers'?)");
    bad("launches: [{}]\nzzzzzz: 1\n", 2, 1, "unknown key 'zzzzzz'");
    bad("launches: [{}]\nprogram: [a]\n", 2, 10, "program must be a value");
    bad("launches: [{}]\nprogram:\n", 2, 1, "nothing is given for 'program'");
    bad("launches: [{}]\ngpu: {}\n", 2, 6, "gpu must be a value");
    bad("launches: [{}]\nbuffers: [a]\n", 2, 10, "buffers must be a mapping");
    bad("launches: [{}]\nlaunches: [{}]\n", 2, 1, "launches");
}

TEST(buffers_must_be_right)
{
    bad_buffers("buffers: {a: 3}\n", 1, 14, "a buffer must be a mapping");
    bad_buffers("buffers: {a: {count: 3}}\n", 1, 11, "needs a type");
    bad_buffers("buffers: {a: {type: f32}}\n", 1, 11, "needs a count");
    bad_buffers("buffers: {a: {type: f33, count: 3}}\n", 1, 21,
                "unknown type 'f33'");
    bad_buffers("buffers: {a: {type: [], count: 3}}\n", 1, 21,
                "type must be a value");
    bad_buffers("buffers: {a: {type: f32, cout: 3, count: 1}}\n", 1, 26,
                "did you mean 'count'?");
    bad_buffers("buffers: {a: {type: f32, count: x}}\n", 1, 33,
                "'x' is no whole number");
    bad_buffers("buffers: {a: {type: f32, count: -1}}\n", 1, 33,
                "'-1' is no whole number");
    bad_buffers("buffers: {a: {type: f32, count: 1.5}}\n", 1, 33,
                "'1.5' is no whole number");
    bad_buffers("buffers: {a: {type: f32, count: 281474976710657}}\n", 1, 33,
                "from 0 to 281474976710656");
    bad_buffers("buffers: {a: {type: f32, count: [1]}}\n", 1, 33,
                "count must be a value");
    bad_buffers("buffers: {a: {type: f32, count: 4, init: rand}}\n", 1, 42,
                "unknown init 'rand'");
    bad_buffers("buffers: {1a: {type: f32, count: 4}}\n", 1, 11,
                "begins with a letter");
    bad_buffers("buffers: {a: {type: f32, file: x, init: zero}}\n", 1, 11,
                "needs no init");
    bad_buffers("buffers: {a: {type: f32, file: }}\n", 1, 26,
                "nothing is given for 'file'");
    bad_buffers("buffers:\n  a: {type: u8, count: 1}\n"
                "  a: {type: u8, count: 1}\n",
                3, 3, "a");
}

TEST(generators_must_be_right)
{
    bad_buffers("buffers: {a: {type: f32, count: 4, init: uniform,\n"
                "  seed: -1}}\n",
                2, 9, "the seed is no whole number");
    bad_buffers("buffers: {a: {type: f32, count: 4, init: uniform,\n"
                "  min: low}}\n",
                2, 8, "min is no number");
    bad_buffers("buffers: {a: {type: f32, count: 4, init: uniform,\n"
                "  max: [1]}}\n",
                2, 8, "max must be a value");
    bad_buffers("buffers: {a: {type: f32, count: 4, init: uniform, min: 2}}\n",
                1, 11, "min is larger than max");
    bad_buffers("buffers: {a: {type: u8, count: 4, init: uniform,\n"
                "  max: 300}}\n",
                1, 11, "no value of that type");
    bad_buffers("buffers: {a: {type: u8, count: 4, init: constant}}\n", 1, 11,
                "constant needs a value");
    bad_buffers("buffers: {a: {type: u8, count: 4, init: constant,\n"
                "  value: 256}}\n",
                1, 11, "not of that type");
    bad_buffers("buffers: {a: {type: u8, count: 4, value: 2}}\n", 1, 11,
                "have no options");
    bad_buffers("buffers: {a: {type: u8, file: f, seed: 2}}\n", 1, 11,
                "a file has no");
}

TEST(streams_are_known_by_their_names)
{
    static const unsigned want[] = {0, 1, 2, 1, 0};
    plan *p = read_good("l.yaml", "launches:\n  - {grid: 1}\n"
                                  "  - {grid: 1, stream: left}\n"
                                  "  - {grid: 1, stream: 7}\n"
                                  "  - {grid: 1, stream: left}\n"
                                  "  - {grid: 1, stream: 0}\n");
    unsigned i = 0;

    CHECK_EQ(p->streams, 3);
    CHECK_STR(p->stream[1], "left");
    CHECK_STR(p->stream[2], "7");
    for (plan_launch *l = p->launches; l; l = l->next)
        CHECK_EQ(l->stream, want[i++]);
    CHECK_EQ(i, 5);
    plan_free(p);
    bad("launches:\n  - {stream: [a]}\n", 2, 14, "stream must be a value");
    bad("launches:\n  - {stream: }\n", 2, 6, "nothing is given");
    bad("samplers: {s: {}}\nlaunches:\n  - {stream: a}\n"
        "  - {bind: {t: s}}\n",
        4, 5, "cannot bind");
}

TEST(launches_of_one_stream_are_as_if_they_named_none)
{
    plan *p = read_good("l.yaml", "samplers: {s: {}}\nlaunches:\n"
                                  "  - {grid: 1, stream: only}\n"
                                  "  - {grid: 1, stream: only, "
                                  "bind: {t: s}}\n");

    CHECK_EQ(p->streams, 1);
    for (plan_launch *l = p->launches; l; l = l->next)
        CHECK_EQ(l->stream, 0);
    plan_free(p);
}

TEST(launches_must_be_right)
{
    bad("launches: [3]\n", 1, 12, "a launch must be a mapping");
    bad("launches:\n  - {gird: 1}\n", 2, 6, "did you mean 'grid'?");
    bad("launches:\n  - {grid: x}\n", 2, 12, "'x' is no whole number");
    bad("launches:\n  - {grid: []}\n", 2, 12, "grid needs one to three");
    bad("launches:\n  - {grid: [1, y]}\n", 2, 16, "'y' is no whole number");
    bad("launches:\n  - {block: [1, 2, 3, 4]}\n", 2, 23, "at most three");
    bad("launches:\n  - {grid: 4294967296}\n", 2, 12, "from 0 to 4294967295");
    bad("launches:\n  - {grid: {x: 1}}\n", 2, 12, "grid must be a list");
    bad("launches:\n  - {shared: 48K}\n", 2, 14, "'48K' is no whole number");
    bad("launches:\n  - {repeat: 0}\n", 2, 14, "repeat");
    bad("launches:\n  - {repeat: 1000000001}\n", 2, 14, "from 0 to 1000000000");
    bad("launches:\n  - {kernel: [k]}\n", 2, 14, "kernel must be a value");
    bad("launches:\n  - {args: a}\n", 2, 12, "args must be a list");
}

TEST(arguments_must_be_right)
{
    bad("launches:\n  - {args: [nobody]}\n", 2, 13,
        "'nobody' is neither a buffer nor a number");
    bad("launches:\n  - {args: [1, [2]]}\n", 2, 16, "an argument");
    bad("launches:\n  - {args: [{struct: 1}]}\n", 2, 22, "must be a list");
    bad("launches:\n  - {args: [{struct: [{struct: [1]}]}]}\n", 2, 24,
        "write the fields");
    bad("launches:\n  - {args: [{struct: [nobody]}]}\n", 2, 23, "neither");
    bad("launches:\n  - {args: [{f33: 1}]}\n", 2, 14, "unknown type 'f33'");
    bad("launches:\n  - {args: [{u8: 256}]}\n", 2, 18, "'256' is no u8");
    bad("launches:\n  - {args: [{u8: 1, f32: 2}]}\n", 2, 13, "an argument");
    bad("launches:\n  - {args: [{f32: [1]}]}\n", 2, 19, "must be a value");
}

TEST(outputs_must_be_right)
{
#define WITH "buffers: {a: {type: u8, count: 1}}\nlaunches: [{}]\n"
    bad(WITH "dump: {b: f}\n", 3, 8, "no buffer 'b'");
    bad(WITH "dump: [a]\n", 3, 7, "dump must be a mapping");
    bad(WITH "dump: {a: {file: f}}\n", 3, 11, "a file must be a value");
    bad(WITH "dump: {a: }\n", 3, 8, "nothing is given for 'a'");
    bad(WITH "expect: {b: f}\n", 3, 10, "no buffer 'b'");
    bad(WITH "expect: 3\n", 3, 9, "expect must be a mapping");
    bad(WITH "expect: {a: {tolerance: 1}}\n", 3, 10, "'a' needs a file");
    bad(WITH "expect: {a: {file: f, tol: 1}}\n", 3, 23, "unknown key 'tol'");
    bad(WITH "expect: {a: {file: f, tolerance: x}}\n", 3, 34, "no number");
    bad(WITH "expect: {a: {file: f, tolerance: -1}}\n", 3, 34, "no number");
    bad(WITH "expect: {a: {file: f, tolerance: nan}}\n", 3, 34, "no number");
    bad(WITH "expect: {a: [f]}\n", 3, 13, "a file must be a value");
#undef WITH
}

TEST(all_errors_are_reported)
{
    const char *text = "program: []\n"
                       "buffers:\n"
                       "  a: {type: x, count: y}\n"
                       "launches:\n"
                       "  - {grid: z, args: [a, q]}\n";
    plan *p = plan_new();
    diag *dg = diag_new();

    CHECK_EQ(plan_read_text(p, "f", text, strlen(text), dg), ST_CONFIG);
    CHECK_EQ(diag_errors(dg), 5); /* not one for the use of `a` */
    for (size_t i = 0; i < 5; i++)
        CHECK(diag_get(dg, i)->line && diag_get(dg, i)->column);
    diag_free(dg);
    plan_free(p);
}

TEST(files_are_read_from_disk)
{
    char path[] = "/tmp/heddle-plan-XXXXXX";
    const char *text = "launches: [{grid: 5}]\n";
    int fd = mkstemp(path);
    plan *p = plan_new();
    diag *dg = diag_new();

    CHECK(fd >= 0);
    CHECK_EQ(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    status st = plan_read(p, path, dg);
    unlink(path);
    CHECK_EQ(st, ST_OK);
    CHECK_EQ(p->launches->grid[0], 5);
    CHECK_EQ(plan_read(p, path, dg), ST_INPUT); /* gone */
    CHECK_EQ(diag_errors(dg), 1);
    CHECK_STR(diag_get(dg, 0)->file, path);
    diag_free(dg);
    plan_free(p);
}
