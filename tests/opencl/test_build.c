/* tests/opencl/test_build.c - programs through the compiler: what it is asked
 * and what becomes of its answers, with scripts in its place; and, where clang
 * and libclc are installed, what it makes of sources. */
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler.h"
#include "opencl/program/program_object.h"
#include "ptx.h"

/* A folder for scripts, headers and the cache. */
static char root[] = "/tmp/heddle-build-XXXXXX";

__attribute__((constructor)) static void make_root(void)
{
    if (!mkdtemp(root))
        abort();
}

__attribute__((destructor)) static void remove_root(void)
{
    char command[64];

    snprintf(command, sizeof command, "rm -rf %s", root);
    if (system(command))
        abort();
}

static const char *in_root(const char *name)
{
    static char path[4][128];
    static unsigned next;
    char *p = path[next++ % 4];

    snprintf(p, sizeof path[0], "%s/%s", root, name);
    return p;
}

static void write_file(const char *name, const char *text)
{
    FILE *f = fopen(in_root(name), "w");

    CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

/* `script` stands for clang from now on. */
static void use_script(const char *script)
{
    char text[8192];

    snprintf(text, sizeof text, "#!/bin/sh\ncd %s\n%s\n", root, script);
    write_file("clang", text);
    CHECK_EQ(chmod(in_root("clang"), 0700), 0);
    write_file("libclc.bc", "");
    setenv("HEDDLE_CLANG", in_root("clang"), 1);
    setenv("HEDDLE_LIBCLC", in_root("libclc.bc"), 1);
    setenv("HEDDLE_CACHE", "0", 1);
    unsetenv("HEDDLE_CLANG_SECONDS");
}

static void close_all(rig *r, cl_program p)
{
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    rig_close(r);
}

/* ---- Which compiler ---- */

/* As clang 14 and 19 begin their files. */
TEST(bitcode_says_its_version)
{
    static const uint8_t head14[] = {
        0x42, 0x43, 0xc0, 0xde, 0x35, 0x14, 0x00, 0x00, 0x05, 0x00, 0x00,
        0x00, 0x62, 0x0c, 0x30, 0x24, 0x4a, 0x59, 0xbe, 0x66, 0x8d, 0xfb,
        0xb4, 0xaf, 0x0b, 0x51, 0x80, 0x4c, 0x01, 0x00, 0x00, 0x00};
    static const uint8_t head19[] = {
        0x42, 0x43, 0xc0, 0xde, 0x35, 0x14, 0x00, 0x00, 0x05, 0x00, 0x00,
        0x00, 0x62, 0x0c, 0x30, 0x24, 0x4a, 0x59, 0xbe, 0x66, 0xdd, 0xfb,
        0xb5, 0xbf, 0x0b, 0x51, 0x80, 0x4c, 0x01, 0x00, 0x00, 0x00};
    uint8_t other[32] = {'B', 'C', 0xc0, 0xde};

    CHECK_EQ(toolchain_bitcode_version(head14, sizeof head14), 14);
    CHECK_EQ(toolchain_bitcode_version(head19, sizeof head19), 19);
    CHECK_EQ(toolchain_bitcode_version(other, sizeof other), 0);
    CHECK_EQ(toolchain_bitcode_version((const uint8_t *)"text", 4), 0);
    for (size_t n = 0; n < sizeof head14; n++)
        CHECK(toolchain_bitcode_version(head14, n) <= 14);
}

/* A file that begins as bitcode of that version: "LLVM15" in six bits per
 * letter from bit 96 on. */
static void write_bitcode(const char *name, unsigned version)
{
    unsigned text[] = {37, 37, 47, 38, 52 + version / 10, 52 + version % 10, 2};
    uint8_t head[64] = {'B', 'C', 0xc0, 0xde};
    FILE *f = fopen(in_root(name), "w");

    for (size_t i = 0; i < COUNTOF(text) * 6; i++)
        if (text[i / 6] >> i % 6 & 1)
            head[12 + i / 8] |= (uint8_t)(1u << i % 8);
    CHECK(f && fwrite(head, sizeof head, 1, f) == 1 && fclose(f) == 0);
}

static void write_program(const char *name)
{
    write_file(name, "#!/bin/sh\n");
    CHECK_EQ(chmod(in_root(name), 0700), 0);
}

static void check_found(const char *clang, unsigned version)
{
    strbuf why = {0};
    toolchain t;

    if (!toolchain_find(&t, &why))
        TEST_FAIL("nothing was found: %s", why.text);
    CHECK_STR(t.clang, in_root(clang));
    CHECK_EQ(t.version, version);
    toolchain_fini(&t);
    strbuf_fini(&why);
}

static void check_not_found(const char *text)
{
    strbuf why = {0};
    toolchain t;

    CHECK(!toolchain_find(&t, &why));
    if (!strstr(why.text, text))
        TEST_FAIL("'%s' is not in: %s", text, why.text);
    strbuf_fini(&why);
}

/* Of versions that nobody has installed. */
TEST(clang_is_of_the_version_of_libclc)
{
    char *path = strdup(getenv("PATH"));

    unsetenv("HEDDLE_CLANG");
    setenv("HEDDLE_LIBCLC", in_root("23.bc"), 1);
    setenv("PATH", root, 1);
    write_bitcode("23.bc", 23);
    check_not_found("no clang for libclc 23");
    check_not_found("(Debian: clang-23)");
    write_program("clang-22"); /* too old to read it */
    check_not_found("clang-22. Install the one that fits");
    write_program("clang-24");
    check_found("clang-24", 23);
    write_program("clang-23");
    check_found("clang-23", 23);
    setenv("HEDDLE_CLANG", "clang-22", 1);
    check_not_found("clang-22 cannot read libclc 23");
    setenv("HEDDLE_CLANG", "clang-24", 1);
    check_found("clang-24", 23);
    setenv("HEDDLE_LIBCLC", in_root("22.bc"), 1);
    write_bitcode("22.bc", 22);
    setenv("HEDDLE_CLANG", "clang-22", 1);
    check_found("clang-22", 22);
    CHECK_EQ(unlink(in_root("clang-22")) | unlink(in_root("clang-23")) |
                 unlink(in_root("clang-24")),
             0);
    setenv("PATH", path, 1);
    free(path);
}

/* ---- Compilers that fail ---- */

TEST(no_compiler)
{
    rig r = rig_open(0);
    cl_program p = source(&r, "kernel void k(){}");
    cl_bool there;

    use_script("");
    CHECK_EQ(clGetDeviceInfo(r.devices[0], CL_DEVICE_COMPILER_AVAILABLE,
                             sizeof there, &there, NULL),
             CL_SUCCESS);
    CHECK(there);
    setenv("HEDDLE_CLANG", in_root("no-such"), 1);
    CHECK_EQ(clGetDeviceInfo(r.devices[0], CL_DEVICE_COMPILER_AVAILABLE,
                             sizeof there, &there, NULL),
             CL_SUCCESS);
    CHECK(!there);
    CHECK_EQ(build(p, ""), CL_COMPILER_NOT_AVAILABLE);
    check_log(&r, p, "no-such is no program");
    use_script("");
    setenv("HEDDLE_LIBCLC", in_root("no.bc"), 1);
    CHECK_EQ(build(p, ""), CL_COMPILER_NOT_AVAILABLE);
    check_log(&r, p, "no.bc cannot be read");
    CHECK_EQ(clCompileProgram(p, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL),
             CL_COMPILER_NOT_AVAILABLE);
    close_all(&r, p);
}

TEST(a_compiler_that_complains)
{
    rig r = rig_open(0);
    cl_program p = source(&r, "kernel void k(){}");

    use_script("echo '<source>:1: error: no' >&2; exit 1");
    CHECK_EQ(build(p, "-DX"), CL_BUILD_PROGRAM_FAILURE);
    CHECK_STR(log_of(&r, p), "<source>:1: error: no\n");
    CHECK_STR(build_text(&r, p, CL_PROGRAM_BUILD_OPTIONS), "-DX");
    CHECK_EQ(clCompileProgram(p, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL),
             CL_COMPILE_PROGRAM_FAILURE);
    close_all(&r, p);
}

TEST(a_compiler_that_crashes_hangs_or_is_silent)
{
    rig r = rig_open(0);
    cl_program p = source(&r, "kernel void k(){}");

    use_script("kill -SEGV $$");
    CHECK_EQ(build(p, ""), CL_BUILD_PROGRAM_FAILURE);
    check_log(&r, p, "crashed: Segmentation fault");
    use_script("exit 3");
    CHECK_EQ(build(p, ""), CL_BUILD_PROGRAM_FAILURE);
    check_log(&r, p, "exit status 3");
    use_script("cat >/dev/null");
    CHECK_EQ(build(p, ""), CL_BUILD_PROGRAM_FAILURE);
    check_log(&r, p, "wrote nothing");
    use_script("sleep 60");
    setenv("HEDDLE_CLANG_SECONDS", "0.2", 1);
    CHECK_EQ(build(p, ""), CL_BUILD_PROGRAM_FAILURE);
    check_log(&r, p,
              "was ended, as in 0.2 seconds or more it had only 0 of "
              "processor time");
    use_script("while :; do :; done");
    setenv("HEDDLE_CLANG_SECONDS", "0.2", 1);
    CHECK_EQ(build(p, ""), CL_BUILD_PROGRAM_FAILURE);
    check_log(&r, p, "was ended after 0.2 seconds of processor time");
    close_all(&r, p);
}

TEST(a_compiler_that_writes_something_else)
{
    rig r = rig_open(0);
    cl_program p = source(&r, "kernel void k(){}");

    use_script("echo '.version 6.0 .target sm_70 .nonsense'");
    CHECK_EQ(build(p, ""), CL_BUILD_PROGRAM_FAILURE);
    check_log(&r, p, "error");
    CHECK(!clCreateKernel(p, "k", NULL));
    close_all(&r, p);
}

/* ---- What the compiler gets ---- */

static void script_with_ptx(const char *before)
{
    char text[8192];

    snprintf(text, sizeof text, "%s\ncat > source\ncat <<'END'\n%s\nEND",
             before, ptx_text);
    use_script(text);
}

static char *read_file(const char *name)
{
    static char text[4096];
    FILE *f = fopen(in_root(name), "r");

    CHECK(f != NULL);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    return text;
}

TEST(options_source_and_prelude_reach_the_compiler)
{
    rig r = rig_open(0);
    cl_program p = source(&r, "// hello\nkernel void k(){}");

    script_with_ptx("echo \"$@\" > args; for i; do case $i in "
                    "/proc/self/fd/*) cat <$i >prelude;; esac; done");
    CHECK_EQ(build(p, "-DN=4 -I \"a b\""), CL_SUCCESS);
    CHECK_STR(read_file("source"),
              "#line 1 \"<source>\"\n// hello\nkernel void k(){}\n");
    CHECK(strstr(read_file("args"), " -DN=4 -I a b "));
    CHECK(strstr(read_file("prelude"), "HEDDLE_PRELUDE"));
    CHECK_STR(log_of(&r, p), "");
    cl_kernel k = ptx_kernel(p, "f");
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    close_all(&r, p);
}

/* As on a machine that is busy with something else. */
TEST(a_compiler_that_gets_little_of_the_processor)
{
    rig r = rig_open(0);
    cl_program p = source(&r, "kernel void k(){}");

    script_with_ptx("i=0; while [ $i -lt 150000 ]; do i=$((i + 1)); done; "
                    "sleep 2.2");
    setenv("HEDDLE_CLANG_SECONDS", "2", 1);
    CHECK_EQ(build(p, ""), CL_SUCCESS);
    close_all(&r, p);
}

TEST(warnings_stay_in_the_log)
{
    rig r = rig_open(0);
    cl_program p = source(&r, "kernel void k(){}");

    script_with_ptx("echo a warning >&2");
    CHECK_EQ(build(p, ""), CL_SUCCESS);
    CHECK_STR(log_of(&r, p), "a warning\n");
    close_all(&r, p);
}

/* ---- The cache ---- */

static unsigned runs(void)
{
    struct stat s;

    return stat(in_root("runs"), &s) == 0 ? (unsigned)s.st_size : 0;
}

static void build_new(const rig *r, const char *text, const char *options)
{
    cl_program p = source(r, text);

    CHECK_EQ(build(p, options), CL_SUCCESS);
    CHECK_STR(log_of(r, p), "a warning\n");
    cl_kernel k = ptx_kernel(p, "f");
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
}

TEST(the_same_program_is_compiled_once)
{
    rig r = rig_open(0);

    script_with_ptx("printf x >>runs; echo a warning >&2");
    setenv("HEDDLE_CACHE", "1", 1);
    setenv("XDG_CACHE_HOME", in_root("cache"), 1);
    build_new(&r, "kernel void a(){}", "");
    CHECK_EQ(runs(), 1);
    build_new(&r, "kernel void a(){}", NULL);
    CHECK_EQ(runs(), 1);
    build_new(&r, "kernel void a(){ }", "");
    CHECK_EQ(runs(), 2);
    build_new(&r, "kernel void a(){}", "-DX");
    CHECK_EQ(runs(), 3);
    write_file("libclc.bc", "another version");
    build_new(&r, "kernel void a(){}", "");
    CHECK_EQ(runs(), 4);
    setenv("HEDDLE_CACHE", "0", 1);
    build_new(&r, "kernel void a(){}", "");
    CHECK_EQ(runs(), 5);
    rig_close(&r);
}

TEST(what_fails_is_not_kept)
{
    rig r = rig_open(0);
    cl_program p = source(&r, "kernel void b(){}");

    use_script("printf x >>failures; exit 1");
    setenv("HEDDLE_CACHE", "1", 1);
    setenv("XDG_CACHE_HOME", in_root("cache"), 1);
    CHECK_EQ(build(p, ""), CL_BUILD_PROGRAM_FAILURE);
    CHECK_EQ(build(p, ""), CL_BUILD_PROGRAM_FAILURE);
    CHECK_STR(read_file("failures"), "xx");
    close_all(&r, p);
}

/* ---- Two at once ---- */

typedef struct worker {
    rig *r;
    char name;
    cl_int code;
} worker;

static void *build_some(void *arg)
{
    worker *w = arg;

    for (int i = 0; i < 2 && w->code == CL_SUCCESS; i++) {
        char text[64];
        const char *strings = text;
        cl_program p;

        snprintf(text, sizeof text, "kernel void %c%d(){}", w->name, i);
        p = clCreateProgramWithSource(w->r->context, 1, &strings, NULL, NULL);
        w->code = build(p, "");
        clReleaseProgram(p);
    }
    return NULL;
}

TEST(two_threads_build_at_once)
{
    rig r = rig_open(0);
    worker w[2] = {{&r, 'a', CL_SUCCESS}, {&r, 'b', CL_SUCCESS}};
    pthread_t t[2];

    script_with_ptx("");
    for (int i = 0; i < 2; i++)
        CHECK_EQ(pthread_create(&t[i], NULL, build_some, &w[i]), 0);
    for (int i = 0; i < 2; i++) {
        pthread_join(t[i], NULL);
        CHECK_EQ(w[i].code, CL_SUCCESS);
    }
    rig_close(&r);
}

/* ---- The real one ---- */

TEST(errors_name_lines_of_the_source)
{
    rig r = rig_open(0);
    cl_program p = source(&r, "kernel void k(global int *a)\n{\n"
                              "    *a = nothing;\n}\n");

    use_installed();
    CHECK_EQ(build(p, ""), CL_BUILD_PROGRAM_FAILURE);
    check_log(&r, p, "<source>:3:10: error: use of undeclared identifier");
    close_all(&r, p);
}

static const char sum[] =
    "#include \"part.h\"\n"
    "kernel void sum(global int *to, local int *part)\n"
    "{\n"
    "    part[get_local_id(0)] = PART(get_global_id(0));\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    to[get_global_id(0)] = part[0] + (int)get_work_dim();\n"
    "}\n";

/* Runs `sum` over eight items from 2 on in groups of four. */
static void run_sum(rig *r, cl_program p, const cl_int want[10])
{
    const size_t global = 8, local = 4, offset = 2;
    cl_int got[10] = {0}, err;
    cl_kernel k = ptx_kernel(p, "sum");
    cl_mem m =
        clCreateBuffer(r->context, CL_MEM_COPY_HOST_PTR, sizeof got, got, &err);

    CHECK_EQ(clSetKernelArg(k, 0, sizeof m, &m), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(k, 1, 4 * sizeof(cl_int), NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueNDRangeKernel(r->queue, k, 1, &offset, &global, &local, 0,
                                    NULL, NULL),
             CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(r->queue, m, CL_TRUE, 0, sizeof got, got, 0,
                                 NULL, NULL),
             CL_SUCCESS);
    for (int i = 0; i < 10; i++)
        CHECK_EQ(got[i], want[i]);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
}

TEST(files_are_included_and_the_cache_sees_them_change)
{
    const cl_int first[10] = {0, 0, 21, 21, 21, 21, 61, 61, 61, 61};
    const cl_int then[10] = {0, 0, 3, 3, 3, 3, 7, 7, 7, 7};
    char options[160];
    rig r = rig_open(0);
    cl_program p = source(&r, sum);

    use_installed();
    setenv("HEDDLE_CACHE", "1", 1);
    setenv("XDG_CACHE_HOME", in_root("cache"), 1);
    snprintf(options, sizeof options, "-I %s", root);
    write_file("part.h", "#define PART(i) (10 * (i))\n");
    CHECK_EQ(build(p, options), CL_SUCCESS);
    run_sum(&r, p, first);
    CHECK_EQ(build(p, options), CL_SUCCESS);
    run_sum(&r, p, first);
    write_file("part.h", "#define PART(i) (i)\n");
    CHECK_EQ(build(p, options), CL_SUCCESS);
    run_sum(&r, p, then);
    close_all(&r, p);
}

/* Reports and faults show the program's own text. */
TEST(code_knows_the_lines_of_its_source)
{
    rig r = rig_open(0);
    cl_program p = source(&r, "\n\nkernel void k(global int *a)\n{\n"
                              "    a[get_global_id(0)] = 3;\n}\n");

    use_installed();
    CHECK_EQ(build(p, ""), CL_SUCCESS);
    cl_kernel k = ptx_kernel(p, "k");
    drv_module m;
    const isa_kernel *code = kernel_code(k, r.devices[0], &m);
    unsigned other = 0;
    CHECK_STR(m.file, "<source>");
    CHECK(strstr(m.source, "a[get_global_id(0)] = 3"));
    for (uint32_t i = 0; i < code->code_count; i++) {
        const char *file = isa_kernel_file(code, &code->code[i]);

        CHECK_STR(file ? file : "none", m.file);
        other += code->code[i].line < 3 || code->code[i].line > 6;
    }
    CHECK_EQ(other, 0);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    close_all(&r, p);
}

TEST(attributes_can_come_by_options)
{
    const size_t good = 8, bad = 4;
    rig r = rig_open(0);
    cl_program p = source(&r, "kernel SHAPE void k() {}");

    use_installed();
    CHECK_EQ(build(p, "-DSHAPE=__attribute__((reqd_work_group_size(8,1,1)))"),
             CL_SUCCESS);
    cl_kernel k = ptx_kernel(p, "k");
    CHECK_EQ(
        clEnqueueNDRangeKernel(r.queue, k, 1, NULL, &good, &bad, 0, NULL, NULL),
        CL_INVALID_WORK_GROUP_SIZE);
    CHECK_EQ(
        clEnqueueNDRangeKernel(r.queue, k, 1, NULL, &good, NULL, 0, NULL, NULL),
        CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    close_all(&r, p);
}

TEST(objects_libraries_and_headers)
{
    const cl_int want[10] = {0, 0, 31, 31, 31, 31, 71, 71, 71, 71};
    rig r = rig_open(0);
    cl_program parts[] = {
        source(&r, sum),
        source(&r, "int piece(int i) { return 10 * i + get_local_size(0) * 2"
                   " + 2; }")};
    cl_program header = source(&r, "int piece(int);\n#define PART piece\n");
    const char *name = "part.h";
    cl_int err;

    use_installed();
    CHECK_EQ(clCompileProgram(parts[0], 0, NULL, "-DX", 1, &header, NULL, NULL,
                              NULL),
             CL_INVALID_VALUE);
    CHECK_EQ(
        clCompileProgram(parts[0], 0, NULL, "", 1, &header, &name, NULL, NULL),
        CL_SUCCESS);
    CHECK_EQ(clCompileProgram(parts[1], 0, NULL, "", 0, NULL, NULL, NULL, NULL),
             CL_SUCCESS);
    CHECK_EQ(type_of(&r, parts[0]), CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
    cl_program lone =
        clLinkProgram(r.context, 0, NULL, "", 1, parts, NULL, NULL, &err);
    CHECK_EQ(err, CL_LINK_PROGRAM_FAILURE);
    check_log(&r, lone, "function 'piece' is used, but not defined");
    cl_program lib = clLinkProgram(r.context, 0, NULL, "-create-library", 1,
                                   &parts[1], NULL, NULL, &err);
    CHECK_EQ(err, CL_SUCCESS);
    CHECK_EQ(type_of(&r, lib), CL_PROGRAM_BINARY_TYPE_LIBRARY);
    cl_program both[] = {parts[0], lib};
    cl_program all =
        clLinkProgram(r.context, 0, NULL, "", 2, both, NULL, NULL, &err);
    CHECK_EQ(err, CL_SUCCESS);
    CHECK_EQ(type_of(&r, all), CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    run_sum(&r, all, want);
    CHECK(!clLinkProgram(r.context, 0, NULL, "-DX", 2, both, NULL, NULL, &err));
    CHECK_EQ(err, CL_INVALID_LINKER_OPTIONS);
    CHECK(!clLinkProgram(r.context, 0, NULL, "", 1, &header, NULL, NULL, &err));
    CHECK_EQ(err, CL_INVALID_OPERATION);
    cl_program made[] = {lone, lib, all, header, parts[0]};
    for (int i = 0; i < 5; i++)
        CHECK_EQ(clReleaseProgram(made[i]), CL_SUCCESS);
    close_all(&r, parts[1]);
}

TEST(arguments_and_attributes_of_sources)
{
    rig r = rig_open(0);
    cl_program p =
        source(&r, "kernel __attribute__((reqd_work_group_size(4, 2, 1)))\n"
                   "void k(global const float4 *restrict in, uint n,\n"
                   "       read_only image2d_t im, sampler_t s) {}\n");
    char text[64];
    size_t shape[3];
    cl_int err;
    cl_mem m = clCreateBuffer(r.context, 0, 64, NULL, &err);

    use_installed();
    CHECK_EQ(build(p, "-cl-kernel-arg-info"), CL_SUCCESS);
    cl_kernel k = ptx_kernel(p, "k");
    CHECK_EQ(clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_TYPE_NAME, sizeof text,
                                text, NULL),
             CL_SUCCESS);
    CHECK_STR(text, "float4*");
    CHECK_EQ(
        clGetKernelArgInfo(k, 2, CL_KERNEL_ARG_NAME, sizeof text, text, NULL),
        CL_SUCCESS);
    CHECK_STR(text, "im");
    CHECK_EQ(clGetKernelInfo(k, CL_KERNEL_ATTRIBUTES, sizeof text, text, NULL),
             CL_SUCCESS);
    CHECK_STR(text, "reqd_work_group_size(4,2,1)");
    CHECK_EQ(clGetKernelWorkGroupInfo(k, r.devices[0],
                                      CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                      sizeof shape, shape, NULL),
             CL_SUCCESS);
    CHECK(shape[0] == 4 && shape[1] == 2 && shape[2] == 1);
    CHECK_EQ(clSetKernelArg(k, 0, sizeof m, &m), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(k, 2, sizeof m, &m), CL_INVALID_MEM_OBJECT);
    CHECK_EQ(clSetKernelArg(k, 3, sizeof m, &m), CL_INVALID_SAMPLER);
    CHECK_EQ(clSetKernelArg(k, 0, sizeof m, NULL), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(k, 2, sizeof m, NULL), CL_INVALID_MEM_OBJECT);
    CHECK_EQ(clSetKernelArg(k, 3, sizeof m, NULL), CL_INVALID_SAMPLER);
    cl_sampler s = clCreateSampler(r.context, CL_FALSE, CL_ADDRESS_NONE,
                                   CL_FILTER_NEAREST, &err);
    CHECK_EQ(err, CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(k, 0, sizeof s, &s), CL_INVALID_MEM_OBJECT);
    CHECK_EQ(clSetKernelArg(k, 3, sizeof s, &s), CL_SUCCESS);
    CHECK_EQ(clReleaseSampler(s), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    close_all(&r, p);
}

static cl_int ask_name(cl_program p, const char *name)
{
    cl_kernel k = ptx_kernel(p, name);
    cl_int code =
        clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_NAME, 0, NULL, &(size_t){0});

    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    return code;
}

/* That option is what makes it available [OCL30:clGetKernelArgInfo]. */
TEST(arguments_are_told_only_where_that_was_asked_for)
{
    rig r = rig_open(0);
    cl_program p = source(&r, "kernel void k(global int *a) { a[0] = 1; }\n");
    cl_int err;

    use_installed();
    CHECK_EQ(build(p, ""), CL_SUCCESS);
    CHECK_EQ(ask_name(p, "k"), CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
    CHECK_EQ(build(p, "-cl-kernel-arg-info"), CL_SUCCESS);
    CHECK_EQ(ask_name(p, "k"), CL_SUCCESS);
    for (int told = 0; told < 2; told++) {
        CHECK_EQ(clCompileProgram(p, 0, NULL, told ? "-cl-kernel-arg-info" : "",
                                  0, NULL, NULL, NULL, NULL),
                 CL_SUCCESS);
        cl_program all =
            clLinkProgram(r.context, 0, NULL, "", 1, &p, NULL, NULL, &err);
        CHECK_EQ(err, CL_SUCCESS);
        CHECK_EQ(ask_name(all, "k"),
                 told ? CL_SUCCESS : CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
        CHECK_EQ(clReleaseProgram(all), CL_SUCCESS);
    }
    close_all(&r, p);
}
