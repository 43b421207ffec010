#include "launchfile/npy.h"

#include <unistd.h>

#include "base/child.h"
#include "base/file.h"
#include "test.h"

/* A file of version `major` with this header, padded as numpy does, and
 * `data` bytes of zeros behind it. */
static size_t make(char *to, int major, const char *header, size_t data)
{
    size_t lead = major == 1 ? 10 : 12, text = strlen(header);
    size_t length = (lead + text + 1 + 63) / 64 * 64 - lead;

    memcpy(to, "\x93NUMPY", 6);
    to[6] = (char)major;
    to[7] = 0;
    for (unsigned i = 0; i < lead - 8; i++)
        to[8 + i] = (char)(length >> 8 * i);
    memset(to + lead, ' ', length);
    memcpy(to + lead, header, text);
    to[lead + length - 1] = '\n';
    memset(to + lead + length, 0, data);
    return lead + length + data;
}

static const char *last_error(const diag *dg)
{
    CHECK(diag_count(dg) > 0);
    return diag_get(dg, diag_count(dg) - 1)->text;
}

/* The complaint about a file with this header and that much data; NULL: none.
 * Valid until the next call. */
static const char *complaint(int major, const char *header, size_t data,
                             npy *out)
{
    static char file[8192], text[256];
    diag *dg = diag_new();
    size_t size = make(file, major, header, data);
    status st = npy_read("x.npy", file, size, dg, out);

    CHECK_EQ(diag_errors(dg), st == ST_OK ? 0 : 1);
    if (st != ST_OK) {
        CHECK_EQ(st, ST_CONFIG);
        CHECK_STR(diag_get(dg, 0)->file, "x.npy");
        snprintf(text, sizeof text, "%s", last_error(dg));
    }
    diag_free(dg);
    return st == ST_OK ? NULL : text;
}

#define HEADER(descr, order, shape)                                            \
    "{'descr': '" descr "', 'fortran_order': " order ", 'shape': " shape ", }"

TEST(every_type_is_read)
{
    static const struct {
        const char *descr;
        plan_type type;
    } rows[] = {{"|u1", TYPE_U8},  {"<u2", TYPE_U16}, {"<u4", TYPE_U32},
                {"<u8", TYPE_U64}, {"|i1", TYPE_S8},  {"<i2", TYPE_S16},
                {"<i4", TYPE_S32}, {"<i8", TYPE_S64}, {"<f2", TYPE_F16},
                {"<f4", TYPE_F32}, {"<f8", TYPE_F64}, {"<u1", TYPE_U8},
                {">i1", TYPE_S8}};
    npy out;

    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        char header[128];

        snprintf(header, sizeof header,
                 "{'descr': '%s', 'fortran_order': False, 'shape': (5,), }",
                 rows[i].descr);
        CHECK(!complaint(1, header, 40, &out));
        CHECK_EQ(out.type, rows[i].type);
        CHECK_EQ(out.count, 5);
    }
}

TEST(every_version_and_shape_is_read)
{
    npy out;

    CHECK(!complaint(1, HEADER("<f4", "False", "()"), 4, &out));
    CHECK_EQ(out.count, 1);
    CHECK(!complaint(2, HEADER("<f4", "False", "(2, 3)"), 24, &out));
    CHECK_EQ(out.count, 6);
    CHECK(!complaint(3, HEADER("<f4", "False", "(2, 0, 3)"), 0, &out));
    CHECK_EQ(out.count, 0);
    /* keys in another order, as other writers do */
    CHECK(!complaint(1,
                     "{'shape': (7,), 'fortran_order': False, 'descr': '<i2'}",
                     14, &out));
    CHECK_EQ(out.count, 7);
    CHECK_EQ(out.type, TYPE_S16);
    CHECK(strstr(complaint(9, HEADER("<f4", "False", "(1,)"), 4, &out),
                 "unknown version"));
}

TEST(what_is_not_understood_is_named)
{
    npy out;

    CHECK(strstr(complaint(1, HEADER(">f4", "False", "(1,)"), 4, &out),
                 "big-endian"));
    CHECK(strstr(complaint(1, HEADER("<f4", "True", "(2, 2)"), 16, &out),
                 "Fortran order"));
    CHECK(strstr(complaint(1, HEADER("<c8", "False", "(1,)"), 8, &out),
                 "element type"));
    CHECK(strstr(complaint(1, HEADER("<U4", "False", "(1,)"), 16, &out),
                 "element type"));
    CHECK(strstr(complaint(1,
                           "{'descr': [('a', '<f4')], 'fortran_order': False, "
                           "'shape': (1,)}",
                           4, &out),
                 "no plain numbers"));
    CHECK(strstr(
        complaint(1, "{'descr': '<f4', 'fortran_order': False}", 4, &out),
        "shape"));
    CHECK(strstr(complaint(1, "{'descr': '<f4', 'shape': (1,)}", 4, &out),
                 "order"));
    CHECK(strstr(complaint(1, "", 4, &out), "no plain numbers"));
    CHECK(strstr(complaint(1, "{'descr': '<", 4, &out), "no plain numbers"));
}

TEST(impossible_shapes_are_refused)
{
    static const char *const shapes[] = {
        HEADER("<f8", "False", "(18446744073709551615,)"),
        HEADER("<f8", "False", "(99999999999999999999999,)"),
        HEADER("<f8", "False", "(4294967296, 4294967296)"),
        HEADER("<f8", "False", "(2305843009213693952,)"), /* 2^61 times 8 */
        HEADER("<f8", "False", "(-1,)"),
        HEADER("<f8", "False", "(0, -1)"),
        HEADER("<f8", "False", "(x,)"),
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3"};
    npy out;

    for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++)
        CHECK(strstr(complaint(1, shapes[i], 64, &out), "shape"));
    CHECK(strstr(complaint(1, HEADER("<f8", "False", "(2305843009213693951,)"),
                           64, &out),
                 "truncated"));
}

/* However much of a file is missing, reading it fails; nothing beyond its end
 * is touched, which the sanitizers see. */
TEST(truncated_files_are_refused)
{
    char whole[256];
    size_t size = make(whole, 1, HEADER("<u4", "False", "(10,)"), 40);

    for (size_t n = 0; n < size; n++) {
        char *part = malloc(n ? n : 1);
        diag *dg = diag_new();
        npy out;

        memcpy(part, whole, n);
        CHECK_EQ(npy_read("x", part, n, dg, &out), ST_CONFIG);
        CHECK_EQ(diag_errors(dg), 1);
        diag_free(dg);
        free(part);
    }
}

TEST(a_header_longer_than_the_file_is_refused)
{
    diag *dg = diag_new();
    npy out;

    CHECK_EQ(
        npy_read("x", "\x93NUMPY\x02\x00\xff\xff\xff\xff{}  ", 16, dg, &out),
        ST_CONFIG);
    CHECK(strstr(last_error(dg), "truncated"));
    diag_free(dg);
}

TEST(what_is_written_is_read_back)
{
    static const uint64_t data[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};

    for (unsigned t = 0; t < TYPE_NONE; t++)
        for (uint64_t n = 0; n < 9; n++) {
            strbuf b = {0};
            diag *dg = diag_new();
            npy out;

            npy_write((plan_type)t, n, data, &b);
            CHECK_EQ(npy_read("x", b.text, b.size, dg, &out), ST_OK);
            CHECK_EQ(out.type, t);
            CHECK_EQ(out.count, n);
            CHECK_EQ((out.data - b.text) % 64, 0); /* so that maps align */
            CHECK(!memcmp(out.data, data, n * plan_type_bytes((plan_type)t)));
            CHECK_EQ(b.size, (size_t)(out.data - b.text) +
                                 n * plan_type_bytes((plan_type)t));
            strbuf_fini(&b);
            diag_free(dg);
        }
}

/* ---- Against numpy itself, where it is installed ---- */

static char *python(const char *script, const char *path)
{
    const char *argv[] = {"/usr/bin/python3", "-c", script, path, NULL};
    child_request req = {.argv = argv, .timeout_ms = 30000};
    child_result res;
    diag *dg = diag_new();
    char *out = NULL;

    if (child_run(&req, dg, &res) == ST_OK) {
        if (res.exit_code == 0)
            out = strdup(res.out);
        child_result_fini(&res);
    }
    diag_free(dg);
    return out;
}

TEST(numpy_reads_what_is_written)
{
    static const float data[3] = {1.5f, -2, 1e30f};
    char path[] = "/tmp/heddle-npy-XXXXXX";
    int fd = mkstemp(path);
    strbuf b = {0};
    diag *dg = diag_new();

    CHECK(fd >= 0);
    close(fd);
    npy_write(TYPE_F32, 3, data, &b);
    CHECK_EQ(file_write(path, b.text, b.size, dg), ST_OK);
    char *said = python("import sys, numpy\na = numpy.load(sys.argv[1])\n"
                        "print(a.dtype, a.shape, a.tolist()[:2])",
                        path);
    unlink(path);
    strbuf_fini(&b);
    diag_free(dg);
    if (!said)
        TEST_SKIP("python3 has no numpy");
    CHECK_STR(said, "float32 (3,) [1.5, -2.0]\n");
    free(said);
}

TEST(what_numpy_writes_is_read)
{
    char path[] = "/tmp/heddle-npy-XXXXXX", *text;
    int fd = mkstemp(path);
    diag *dg = diag_new();
    size_t size;
    npy out;

    CHECK(fd >= 0);
    close(fd);
    char *said = python("import sys, numpy\n"
                        "with open(sys.argv[1], 'wb') as f:\n"
                        "    numpy.save(f, numpy.arange(6, dtype='i8')"
                        ".reshape(2, 3))",
                        path);
    if (!said) {
        unlink(path);
        diag_free(dg);
        TEST_SKIP("python3 has no numpy");
    }
    free(said);
    CHECK_EQ(file_read(path, dg, &text, &size), ST_OK);
    unlink(path);
    CHECK_EQ(npy_read(path, text, size, dg, &out), ST_OK);
    CHECK_EQ(out.type, TYPE_S64);
    CHECK_EQ(out.count, 6);
    for (int64_t i = 0; i < 6; i++)
        CHECK(!memcmp(out.data + 8 * i, &i, 8));
    free(text);
    diag_free(dg);
}
