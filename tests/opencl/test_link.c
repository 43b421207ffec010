/* tests/opencl/test_link.c - clLinkProgram: what units share and what each has
 * for itself, which options of them count, and what is said of names that
 * several define or none. */
#include <stdlib.h>

#include "compiler.h"
#include "opencl/program/program_object.h"
#include "ptx.h"

enum { ITEMS = 8 };

static cl_program compile_as(const rig *r, const char *text,
                             const char *options, cl_uint count,
                             const cl_program *headers, const char **names)
{
    cl_program p = source(r, text);

    if (clCompileProgram(p, 0, NULL, options, count, headers, names, NULL,
                         NULL) != CL_SUCCESS)
        TEST_FAIL("%s\n%s", text, log_of(r, p));
    return p;
}

static cl_program compile(const rig *r, const char *text)
{
    return compile_as(r, text, "", 0, NULL, NULL);
}

/* The inputs are released; they end with a NULL. */
static cl_program link_all(const rig *r, const char *options, cl_int want,
                           cl_program *inputs)
{
    cl_uint n = 0;
    cl_int err;

    while (inputs[n])
        n++;
    cl_program p = clLinkProgram(r->context, 0, NULL, options, n, inputs, NULL,
                                 NULL, &err);
    if (err != want)
        TEST_FAIL("error %d: %s", err, p ? log_of(r, p) : "no program");
    for (cl_uint i = 0; i < n; i++)
        CHECK_EQ(clReleaseProgram(inputs[i]), CL_SUCCESS);
    return p;
}
#define LINK(r, options, want, ...)                                            \
    link_all(r, options, want, (cl_program[]){__VA_ARGS__, NULL})

/* kernel NAME(global int *o) with one group of items. */
static void run(const rig *r, cl_program p, const char *name,
                const cl_int want[ITEMS])
{
    const size_t items = ITEMS;
    cl_int got[ITEMS] = {0}, err;
    cl_kernel k = ptx_kernel(p, name);
    cl_mem m =
        clCreateBuffer(r->context, CL_MEM_COPY_HOST_PTR, sizeof got, got, &err);

    CHECK_EQ(clSetKernelArg(k, 0, sizeof m, &m), CL_SUCCESS);
    CHECK_EQ(clEnqueueNDRangeKernel(r->queue, k, 1, NULL, &items, &items, 0,
                                    NULL, NULL),
             CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(r->queue, m, CL_TRUE, 0, sizeof got, got, 0,
                                 NULL, NULL),
             CL_SUCCESS);
    for (int i = 0; i < ITEMS; i++)
        if (got[i] != want[i])
            TEST_FAIL("%s, item %d: %d, not %d", name, i, got[i], want[i]);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
}

static void run_both(const rig *r, cl_program p)
{
    const cl_int a[ITEMS] = {112, 113, 114, 115, 116, 117, 118, 119};
    const cl_int b[ITEMS] = {224, 226, 228, 230, 232, 234, 236, 238};

    run(r, p, "a", a);
    run(r, p, "b", b);
}

static void close_all(rig *r, cl_program p)
{
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    rig_close(r);
}

/* ---- Of each unit ---- */

TEST(units_that_include_the_same_header)
{
    static const char header_text[] =
        "#ifndef SHARED\n#define SHARED\n"
        "typedef struct pair { int x, y; } pair;\n"
        "static constant int ten[] = {10, 10};\n"
        "constant sampler_t unused = CLK_FILTER_NEAREST;\n"
        "static int plain(int i) { return ten[i & 1]; }\n"
        "static inline int both(pair p) { return p.x + p.y; }\n"
        "inline int alone(int i) { return plain(i) + 1; }\n"
        "inline __attribute__((noinline)) int large(int i) { return i; }\n"
        "__inline int older(int i) { return i + 100; }\n"
        "#endif\n";
    const char *name = "dir/shared.h";
    rig r = rig_open(0);

    use_installed();
    cl_program header = source(&r, header_text);
    /* 11 + 1 + 100 + i, and twice as much */
    cl_program a =
        compile_as(&r,
                   "#include \"dir/shared.h\"\n"
                   "kernel void a(global int *o) { int i = get_global_id(0);\n"
                   "    pair p = {alone(i), 1}; o[i] = both(p) + older(i); }\n",
                   "", 1, &header, &name);
    cl_program b = compile_as(
        &r,
        "#include \"dir/shared.h\"\n"
        "kernel void b(global int *o) { int i = get_global_id(0);\n"
        "    pair p = {alone(i), 1}; o[i] = 2 * (both(p) + older(i)); }\n",
        "-Werror", 1, &header, &name);
    cl_program p = LINK(&r, "", CL_SUCCESS, a, b);
    run_both(&r, p);
    CHECK_EQ(clReleaseProgram(header), CL_SUCCESS);
    close_all(&r, p);
}

/* Names of kernels must differ, those of what is static need not. */
TEST(what_is_static_is_of_its_unit)
{
    rig r = rig_open(0);

    use_installed();
    cl_program a = compile(
        &r, "static constant int base = 112;\n"
            "static int at(int i) { return base + i; }\n"
            "kernel void a(global int *o) { int i = get_global_id(0);\n"
            "    constant char *s = \"ab\"; o[i] = at(i) + s[1] - 'b'; }\n");
    cl_program b = compile(
        &r, "static constant int base = 224;\n"
            "static int at(int i) { return base + 2 * i; }\n"
            "kernel void b(global int *o) { int i = get_global_id(0);\n"
            "    constant char *s = \"ab\"; o[i] = at(i) + s[1] - 'b'; }\n");
    cl_program p = LINK(&r, "", CL_SUCCESS, a, b);
    run_both(&r, p);
    close_all(&r, p);
}

/* ---- Between units ---- */

static const char provider[] =
    "typedef struct pair { int x; long y[2]; } pair;\n"
    "constant int table[4] = {1, 20, 300, 4000};\n"
    "APART pair make(int x, long y) { pair p = {x, {y, 2 * y}}; return p; }\n"
    "APART int take(pair p) { return p.x + (int)p.y[1]; }\n"
    "APART void mirror(local int *l, int i, int n)\n"
    "{ int v = l[n - 1 - i]; barrier(CLK_LOCAL_MEM_FENCE); l[i] = v; }\n"
    "kernel void fill(global int *o) { o[get_global_id(0)] = 7; }\n";
static const char user[] =
    "typedef struct pair { int x; long y[2]; } pair;\n"
    "extern constant int table[4];\n"
    "pair make(int x, long y);\nint take(pair p);\n"
    "void mirror(local int *l, int i, int n);\n"
    "kernel void fill(global int *o);\n"
    "kernel void use(global int *o) {\n"
    "    local int l[8]; int i = get_local_id(0); pair p = make(i, 100);\n"
    "    fill(o); l[i] = i; barrier(CLK_LOCAL_MEM_FENCE); mirror(l, i, 8);\n"
    "    o[i] += table[i & 3] + take(p) + 10000 * l[i]; }\n";

static void run_user(const rig *r, cl_program p)
{
    static const cl_int table[] = {1, 20, 300, 4000};
    const cl_int sevens[ITEMS] = {7, 7, 7, 7, 7, 7, 7, 7};
    cl_int want[ITEMS];

    for (int i = 0; i < ITEMS; i++)
        want[i] = 7 + table[i & 3] + i + 200 + 10000 * (ITEMS - 1 - i);
    run(r, p, "use", want);
    run(r, p, "fill", sevens);
}

/* Inlined, and as calls. */
static const char *const ways[] = {"-DAPART=",
                                   "-DAPART=__attribute__((noinline))"};

TEST(units_use_each_other)
{
    for (size_t i = 0; i < COUNTOF(ways); i++) {
        rig r = rig_open(0);

        use_installed();
        cl_program p = LINK(&r, "", CL_SUCCESS, compile(&r, user),
                            compile_as(&r, provider, ways[i], 0, NULL, NULL));
        run_user(&r, p);
        close_all(&r, p);
    }
}

TEST(images_and_samplers_go_between_units)
{
    static const char take[] =
        "__attribute__((noinline))\n"
        "float pick(read_only image2d_t im, sampler_t s, int2 c)\n"
        "{ return read_imagef(im, s, c).x; }\n";
    static const char give[] =
        "float pick(read_only image2d_t im, sampler_t s, int2 c);\n"
        "constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE |\n"
        "    CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;\n"
        "kernel void use(global int *o, read_only image2d_t im, sampler_t s)\n"
        "{ int i = get_global_id(0);\n"
        "  o[i] = (int)(pick(im, s, (int2)(i + 1, 0)) +\n"
        "               1000 * pick(im, edge, (int2)(i + 1, 0))); }\n";
    const cl_image_format format = {CL_R, CL_FLOAT};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                .image_width = 8,
                                .image_height = 1};
    float texels[ITEMS] = {1, 2, 3, 4, 5, 6, 7, 8};
    const size_t items = ITEMS;
    cl_int got[ITEMS], err;
    rig r = rig_open(0);

    use_installed();
    cl_program p =
        LINK(&r, "", CL_SUCCESS, compile(&r, give), compile(&r, take));
    cl_mem im = clCreateImage(r.context, CL_MEM_COPY_HOST_PTR, &format, &desc,
                              texels, &err);
    CHECK_EQ(err, CL_SUCCESS);
    cl_mem o = clCreateBuffer(r.context, 0, sizeof got, NULL, &err);
    cl_sampler s = clCreateSampler(r.context, CL_FALSE, CL_ADDRESS_CLAMP,
                                   CL_FILTER_NEAREST, &err);
    cl_kernel k = ptx_kernel(p, "use");
    CHECK_EQ(clSetKernelArg(k, 0, sizeof o, &o), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(k, 1, sizeof im, &im), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(k, 2, sizeof s, &s), CL_SUCCESS);
    CHECK_EQ(clEnqueueNDRangeKernel(r.queue, k, 1, NULL, &items, &items, 0,
                                    NULL, NULL),
             CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(r.queue, o, CL_TRUE, 0, sizeof got, got, 0,
                                 NULL, NULL),
             CL_SUCCESS);
    for (int i = 0; i < ITEMS - 1; i++)
        CHECK_EQ(got[i], 1001 * (i + 2));
    CHECK_EQ(got[ITEMS - 1], 8000); /* beyond the border: 0, the edge: 8 */
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(im), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(o), CL_SUCCESS);
    CHECK_EQ(clReleaseSampler(s), CL_SUCCESS);
    close_all(&r, p);
}

TEST(three_units_of_three_standards_and_a_library)
{
    static const char first[] = "int first(int i) { return i + 1; }\n";
    static const char second[] =
        "int second(int i) { return work_group_reduce_add(i); }\n";
    static const char third[] =
        "int first(int); int second(int);\n"
        "kernel void all(global int *o) { int i = get_global_id(0);\n"
        "    o[i] = first(i) + 100 * second(i) +\n"
        "           10000 * work_group_reduce_max(i); }\n";
    cl_int want[ITEMS];
    rig r = rig_open(0);

    use_installed();
    for (int i = 0; i < ITEMS; i++)
        want[i] = i + 1 + 100 * 28 + 10000 * 7;
    cl_program library =
        LINK(&r, "-create-library -enable-link-options", CL_SUCCESS,
             compile_as(&r, first, "-cl-std=CL1.1", 0, NULL, NULL),
             compile_as(&r, second, "-cl-std=CL2.0", 0, NULL, NULL));
    CHECK_EQ(type_of(&r, library), CL_PROGRAM_BINARY_TYPE_LIBRARY);
    cl_program p = LINK(&r, "", CL_SUCCESS, library,
                        compile_as(&r, third, "-cl-std=CL3.0", 0, NULL, NULL));
    run(&r, p, "all", want);
    close_all(&r, p);
}

/* ---- Binaries ---- */

static size_t binary_of(const rig *r, cl_program p, unsigned char **to)
{
    unsigned char *each[2];
    size_t sizes[2];

    (void)r;
    CHECK_EQ(
        clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, NULL),
        CL_SUCCESS);
    for (int i = 0; i < 2; i++)
        each[i] = calloc(1, sizes[i] + 1);
    CHECK_EQ(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof each, each, NULL),
             CL_SUCCESS);
    free(each[1]);
    *to = each[0];
    return sizes[0];
}

/* The program again, by its binary; `p` is released. */
static cl_program again(const rig *r, cl_program p)
{
    unsigned char *binary;
    size_t size = binary_of(r, p, &binary);
    const unsigned char *each[] = {binary, binary};
    const size_t sizes[] = {size, size};
    cl_int err;
    cl_program copy = clCreateProgramWithBinary(r->context, 2, r->devices,
                                                sizes, each, NULL, &err);

    CHECK_EQ(err, CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    free(binary);
    return copy;
}

TEST(units_go_through_binaries)
{
    rig r = rig_open(0);

    use_installed();
    cl_program library =
        again(&r, LINK(&r, "-create-library", CL_SUCCESS,
                       compile_as(&r, provider, ways[0], 0, NULL, NULL)));
    CHECK_EQ(type_of(&r, library), CL_PROGRAM_BINARY_TYPE_LIBRARY);
    cl_program object = again(&r, compile(&r, user));
    CHECK_EQ(type_of(&r, object), CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
    cl_program p = LINK(&r, "", CL_SUCCESS, object, library);
    run_user(&r, p);
    p = again(&r, p);
    CHECK_EQ(type_of(&r, p), CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    CHECK_EQ(build(p, ""), CL_SUCCESS);
    run_user(&r, p);
    close_all(&r, p);
}

/* Names of arguments and attributes, too. */
TEST(binaries_of_units_keep_what_declarations_say)
{
    static const char text[] =
        "kernel __attribute__((reqd_work_group_size(4, 1, 1)))\n"
        "void k(global int *result) { *result = work_group_reduce_add(1); }\n";
    char name[32];
    size_t shape[3];

    for (int linked = 0; linked < 2; linked++) {
        rig r = rig_open(0);

        use_installed();
        cl_program p =
            again(&r, compile_as(&r, text, "-cl-kernel-arg-info -cl-std=CL2.0",
                                 0, NULL, NULL));
        if (linked)
            p = LINK(&r, "", CL_SUCCESS, p);
        else
            CHECK_EQ(build(p, ""), CL_SUCCESS);
        cl_kernel k = ptx_kernel(p, "k");
        CHECK_EQ(clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_NAME, sizeof name, name,
                                    NULL),
                 CL_SUCCESS);
        CHECK_STR(name, "result");
        CHECK_EQ(clGetKernelWorkGroupInfo(k, r.devices[0],
                                          CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                          sizeof shape, shape, NULL),
                 CL_SUCCESS);
        CHECK_EQ(shape[0], 4);
        CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
        close_all(&r, p);
    }
}

/* What is kept of links is found again by all of the units. */
TEST(a_cache_knows_the_units_of_a_link)
{
    static char folder[] = "/tmp/heddle-link-XXXXXX";
    char command[64];
    const cl_int ones[ITEMS] = {1, 1, 1, 1, 1, 1, 1, 1};
    const cl_int twos[ITEMS] = {2, 2, 2, 2, 2, 2, 2, 2};
    static const char text[] =
        "int part(void);\n"
        "kernel void k(global int *o) { o[get_global_id(0)] = part(); }\n";
    rig r = rig_open(0);

    use_installed();
    CHECK(mkdtemp(folder));
    setenv("XDG_CACHE_HOME", folder, 1);
    setenv("HEDDLE_CACHE", "1", 1);
    for (int i = 0; i < 4; i++) {
        cl_program a = compile(&r, text);
        cl_program b = compile(&r, i % 2 ? "int part(void) { return 2; }"
                                         : "int part(void) { return 1; }");
        cl_program p = LINK(&r, "", CL_SUCCESS, a, b);

        run(&r, p, "k", i % 2 ? twos : ones);
        CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    }
    setenv("HEDDLE_CACHE", "0", 1);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK_EQ(system(command), 0);
    rig_close(&r);
}

/* ---- Options ---- */

static const char divides[] =
    "#ifndef NAME\n#define NAME k\n#endif\n"
    "kernel void NAME(global float *x)\n"
    "{ x[0] = x[1] / x[2]; x[3] = rsqrt(x[4]); x[5] = sqrt(x[6]); }\n";

/* Its divisions and roots, a line for each. */
static char *chosen(char *ptx)
{
    strbuf b = {0};

    strbuf_puts(&b, "");
    for (char *rest = ptx, *line; (line = strtok_r(rest, "\n", &rest));)
        if (strstr(line, "div.") || strstr(line, "sqrt") ||
            strstr(line, "rcp."))
            strbuf_printf(&b, "%.*s\n", (int)strcspn(line, "%"), line);
    free(ptx);
    return b.text;
}

static char *chosen_by_build(const rig *r, const char *options)
{
    unsigned char *text;
    cl_program p = source(r, divides);

    CHECK_EQ(build(p, options), CL_SUCCESS);
    binary_of(r, p, &text);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    return chosen((char *)text);
}

/* Of two units; through binaries if asked for. */
static char *chosen_by_link(const rig *r, const char *a, const char *b,
                            bool binaries)
{
    const char *options[] = {a, b};
    unsigned char *text;
    cl_program units[2];

    for (int i = 0; i < 2; i++) {
        char with[128];

        snprintf(with, sizeof with, "-DNAME=k%d %s", i, options[i]);
        units[i] = compile_as(r, divides, with, 0, NULL, NULL);
        if (binaries)
            units[i] = again(r, units[i]);
    }
    cl_program p = LINK(r, "", CL_SUCCESS, units[0], units[1]);
    binary_of(r, p, &text);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    return chosen((char *)text);
}

/* Instructions of both units are those of programs that are built at once;
 * where these differ, the ones of the unit that wants it more exact. */
TEST(options_of_units_choose_instructions)
{
    static const char exact[] = "-cl-fp32-correctly-rounded-divide-sqrt";
    static const char fast[] = "-cl-fast-relaxed-math";
    const struct {
        const char *a, *b, *like;
    } cases[] = {{"", "", ""},
                 {exact, exact, exact},
                 {fast, fast, fast},
                 {"", exact, exact},
                 {exact, "", exact}};
    rig r = rig_open(0);

    use_installed();
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        char *one = chosen_by_build(&r, cases[i].like);
        strbuf want = {0};

        CHECK(strstr(one, cases[i].like == exact ? "div.rn" : "div.full"));
        strbuf_printf(&want, "%s%s", one, one);
        for (int binaries = 0; binaries < 2; binaries++) {
            char *got = chosen_by_link(&r, cases[i].a, cases[i].b, binaries);

            CHECK_STR(got, want.text);
            free(got);
        }
        strbuf_fini(&want);
        free(one);
    }
    rig_close(&r);
}

/* ---- Names ---- */

static void fails(const rig *r, cl_program p, const char *want)
{
    check_log(r, p, want);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
}

/* Programs are numbered in the order of their creation. */
TEST(names_that_two_units_define)
{
    char want[256];
    rig r = rig_open(0);

    use_installed();
    cl_program a = compile(&r, "\nint twice(int i) { return i; }\n"
                               "constant int both[] = {1};\n"
                               "kernel void k(global int *o) { *o = 1; }\n");
    cl_program b = compile(&r, "static int own(int i) { return i; }\n"
                               "\n\nint twice(int i) { return own(i); }\n"
                               "constant int both[] = {2};\n");
    cl_program c = compile(&r, "kernel void k(global int *o) { *o = 2; }\n"
                               "int other(int i) { return i; }\n");
    unsigned first;
    CHECK_EQ(sscanf(a->name, "program %u", &first), 1);
    cl_program p = LINK(&r, "", CL_LINK_PROGRAM_FAILURE, a, b, c);
    snprintf(want, sizeof want,
             "error: 'twice' is defined in program %u (<source>:2) and in "
             "program %u (<source>:4): make it static",
             first, first + 1);
    check_log(&r, p, want);
    snprintf(want, sizeof want,
             "error: 'both' is defined in program %u and in program %u: ",
             first, first + 1);
    check_log(&r, p, want);
    CHECK(!strstr(log_of(&r, p), "'own'"));
    CHECK(!strstr(log_of(&r, p), "'other'"));
    snprintf(want, sizeof want,
             "error: 'k' is defined in program %u (<source>:4) and in "
             "program %u (<source>:1): ",
             first, first + 2);
    fails(&r, p, want);
    rig_close(&r);
}

TEST(names_that_no_unit_defines)
{
    static const char text[] = "int nowhere(int);\n"
                               "extern constant int lost[4];\n"
                               "kernel void k(global int *o)\n"
                               "{\n"
                               "    o[0] = nowhere(o[1]);\n"
                               "    o[2] = lost[o[3]];\n"
                               "}\n";
    const char *name = "sub/n.h";
    char want[256];
    unsigned first;
    rig r = rig_open(0);

    use_installed();
    cl_program a = compile(&r, "kernel void a(global int *o) { *o = 1; }\n");
    cl_program b = compile(&r, text);
    CHECK_EQ(sscanf(b->name, "program %u", &first), 1);
    cl_program p = LINK(&r, "", CL_LINK_PROGRAM_FAILURE, a, b);
    snprintf(want, sizeof want,
             "error: function 'nowhere' is used, but not defined: program %u "
             "(<source>:5, in 'k')",
             first);
    check_log(&r, p, want);
    snprintf(want, sizeof want,
             "error: variable 'lost' is used, but not defined: program %u "
             "(<source>:6, in 'k')",
             first);
    fails(&r, p, want);
    cl_program header = source(&r, "int gone(int);\n"
                                   "static int f(int i) { return gone(i); }\n");
    a = compile_as(&r,
                   "#include \"sub/n.h\"\n"
                   "kernel void k(global int *o) { *o = f(*o); }\n",
                   "", 1, &header, &name);
    p = LINK(&r, "", CL_LINK_PROGRAM_FAILURE, a);
    CHECK_EQ(clReleaseProgram(header), CL_SUCCESS);
    fails(&r, p, "(sub/n.h:2, in 'k')");
    /* in a library it may be missing yet */
    p = LINK(&r, "-create-library", CL_SUCCESS, compile(&r, text));
    fails(&r, LINK(&r, "", CL_LINK_PROGRAM_FAILURE, p), "'nowhere' is used");
    rig_close(&r);
}
