#include "opencl/program/compile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/child.h"
#include "base/must.h"
#include "opencl/program/cache.h"
#include "opencl/program/prelude.h"
#include "opencl/program/toolchain.h"

/* Of processor time for clang, without HEDDLE_CLANG_SECONDS. */
enum { SECONDS = 300 };

/* One run of clang. */
typedef struct run {
    const compile_job *job;
    toolchain tools;
    const char **args; /* NULL at the end; borrowed but for `made` */
    size_t arg_count;
    char **made;
    size_t made_count;
    int *fds;
    size_t fd_count;
    int depends; /* memory file for the names of included files, or -1 */
    cache_key key;
} run;

static void *grow_compile_array(void *array, size_t count, size_t each)
{
    array = renew(array, (count + 2) * each, 1);
    return array;
}

static void arg(run *r, const char *text)
{
    r->args = grow_compile_array(r->args, r->arg_count, sizeof *r->args);
    r->args[r->arg_count++] = text;
    r->args[r->arg_count] = NULL;
}

static void args(run *r, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        arg(r, list[i]);
}

static void frontend_arg(run *r, const char *text)
{
    arg(r, "-Xclang");
    arg(r, text);
}

/* ---- Memory files ---- */

/* A file in memory that the child inherits, with this content; its number,
 * above the standard ones. -1: there is no room. */
static int memory_file(run *r, const char *text, size_t size)
{
    int low = memfd_create("heddle", MFD_CLOEXEC), fd;

    fd = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, 3);
    if (low >= 0)
        close(low);
    if (fd < 0)
        return -1;
    while (size) {
        ssize_t n = write(fd, text, size);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            close(fd);
            return -1;
        }
        text += n;
        size -= (size_t)n;
    }
    r->fds = grow_compile_array(r->fds, r->fd_count, sizeof *r->fds);
    r->fds[r->fd_count++] = fd;
    return fd;
}

static const char *fd_path(run *r, int fd)
{
    strbuf b = {0};

    strbuf_printf(&b, "/proc/self/fd/%d", fd);
    r->made = grow_compile_array(r->made, r->made_count, sizeof *r->made);
    r->made[r->made_count++] = b.text;
    return b.text;
}

/* NULL: no room. */
static const char *memory_path(run *r, const char *text, size_t size)
{
    int fd = memory_file(r, text, size);

    return fd < 0 ? NULL : fd_path(r, fd);
}

static void put_name(strbuf *b, const char *name, size_t size)
{
    strbuf_putc(b, '"');
    for (size_t i = 0; i < size; i++) {
        if (name[i] == '"' || name[i] == '\\')
            strbuf_putc(b, '\\');
        strbuf_putc(b, name[i]);
    }
    strbuf_putc(b, '"');
}

/* A folder that is not there, with the headers in it. */
static bool add_headers(run *r)
{
    strbuf map = {0};
    const char *path = NULL;

    if (!r->job->header_count)
        return true;
    strbuf_puts(&map, "{\"version\":0,\"use-external-names\":false,"
                      "\"roots\":[");
    for (size_t i = 0; i < r->job->header_count; i++) {
        const compile_file *h = &r->job->headers[i];
        const char *slash = strrchr(h->name, '/');
        const char *base = slash ? slash + 1 : h->name;
        strbuf dir = {0};

        path = memory_path(r, h->text, h->size);
        if (!path)
            break;
        strbuf_printf(&dir, "%s/%.*s", COMPILE_HEADERS,
                      slash ? (int)(slash - h->name) : 0, h->name);
        if (dir.text[dir.size - 1] == '/')
            dir.size--;
        strbuf_puts(&map, i ? ",{\"name\":" : "{\"name\":");
        put_name(&map, dir.text, dir.size);
        strbuf_puts(&map, ",\"type\":\"directory\",\"contents\":[{\"name\":");
        put_name(&map, base, strlen(base));
        strbuf_printf(
            &map, ",\"type\":\"file\",\"external-contents\":\"%s\"}]}", path);
        strbuf_fini(&dir);
    }
    strbuf_puts(&map, "]}");
    if (path)
        path = memory_path(r, map.text, map.size);
    strbuf_fini(&map);
    if (!path)
        return false;
    arg(r, "-ivfsoverlay");
    arg(r, path);
    arg(r, "-I");
    arg(r, COMPILE_HEADERS);
    return true;
}

/* ---- The command ---- */

static const char *const common_args[] = {
    "-x",
    "cl",
    "--target=nvptx64-nvidia-nvcl",
    /* One target for all GPUs: the code for each is made from the PTX. */
    "-Xclang",
    "-target-cpu",
    "-Xclang",
    "sm_70",
    "-nogpulib",
    "-fno-color-diagnostics",
    "-fno-crash-diagnostics", /* it would write files */
    "-O2",
};

static const char *const source_args[] = {
    "-cl-std=CL1.2", /* the default */
    "-Xclang",
    OPENCL_PRELUDE_EXTENSIONS,
    "-D__OPENCL_VERSION__=300",
    "-Dcl_khr_image2d_from_buffer=1", /* clang does not define it */
    "-DHEDDLE_GLOBAL_OFFSET",
    "-fgnu-keywords",
    "-Wno-linker-warnings",
};

/* `inline` alone defines a function for all units; where there will be several
 * of them it defines none (prelude.cl). */
static const char *const program_args[] = {"-fgnu89-inline"};
static const char *const unit_args[] = {"-DHEDDLE_UNIT", "-Wno-macro-redefined",
                                        "-Wno-static-in-inline"};

/* Lines for faults and profiles; they do not change the code. Of newer DWARF
 * clang 14 describes calls, and crashes or writes labels into them. The folder
 * is left out so that the same source gives the same PTX anywhere. */
static const char *const line_args[] = {"-gline-directives-only", "-gdwarf-2",
                                        "-fdebug-compilation-dir=."};

static const char *const quick_divide_args[] = {"-mllvm",
                                                "-nvptx-prec-divf32=1"};
static const char unsafe_math[] = "-cl-unsafe-math-optimizations";

static const char *const info_args[] = {
    "-cl-kernel-arg-info", "-emit-llvm", "-S", "-O0", "-w", "-Xclang",
    "-disable-llvm-passes"};

compile_traits compile_traits_of(const char *options, char *const *args)
{
    static const char exact[] = "-cl-fp32-correctly-rounded-divide-sqrt";
    compile_traits t = {.quick_divide = !options || !strstr(options, exact)};

    for (size_t i = 0; args && args[i]; i++)
        t.relaxed |= !strcmp(args[i], unsafe_math) ||
                     !strcmp(args[i], "-cl-fast-relaxed-math");
    return t;
}

static void source_fixed_args(run *r)
{
    const compile_job *j = r->job;
    const char *flags[PRELUDE_FLAGS];

    args(r, source_args, COUNTOF(source_args));
    if (j->to == COMPILE_BITCODE)
        args(r, unit_args, COUNTOF(unit_args));
    else
        args(r, program_args, COUNTOF(program_args));
    args(r, flags,
         opencl_prelude_flags(j->source, strlen(j->source), j->options, flags));
    if (j->to == COMPILE_INFO)
        return;
    frontend_arg(r, "-mlink-builtin-bitcode");
    frontend_arg(r, r->tools.libclc);
    args(r, line_args, COUNTOF(line_args));
    if (compile_traits_of(j->options, j->args).quick_divide)
        args(r, quick_divide_args, COUNTOF(quick_divide_args));
}

static void link_fixed_args(run *r)
{
    arg(r, "-cl-no-stdinc");
    if (r->job->traits.quick_divide)
        args(r, quick_divide_args, COUNTOF(quick_divide_args));
    if (r->job->traits.relaxed)
        arg(r, unsafe_math);
}

/* The arguments that depend on the job's content; those of memory files, whose
 * numbers vary, are not part of the cache key. */
static void fixed_args(run *r)
{
    const compile_job *j = r->job;

    arg(r, r->tools.clang);
    args(r, common_args, COUNTOF(common_args));
    if (j->source)
        source_fixed_args(r);
    else
        link_fixed_args(r);
    for (size_t i = 0; j->args && j->args[i]; i++)
        arg(r, j->args[i]);
    if (j->to == COMPILE_INFO)
        args(r, info_args, COUNTOF(info_args));
    else if (j->to == COMPILE_BITCODE)
        args(r, (const char *[]){"-emit-llvm", "-c"}, 2);
    else
        arg(r, "-S");
    args(r, (const char *[]){"-o", "-", "-"}, 3);
}

static void make_key(run *r)
{
    const compile_job *j = r->job;

    r->key = cache_key_new();
    cache_key_text(&r->key, HEDDLE_VERSION);
    cache_key_add(&r->key, opencl_prelude, opencl_prelude_size);
    cache_key_add(&r->key, &r->tools.identity, sizeof r->tools.identity);
    for (size_t i = 0; i < r->arg_count; i++)
        cache_key_text(&r->key, r->args[i]);
    cache_key_text(&r->key, j->source);
    for (size_t i = 0; i < j->header_count; i++) {
        cache_key_text(&r->key, j->headers[i].name);
        cache_key_add(&r->key, j->headers[i].text, j->headers[i].size);
    }
    for (size_t i = 0; i < j->object_count; i++)
        cache_key_add(&r->key, j->objects[i].text, j->objects[i].size);
}

/* Warnings in the prelude are not the program's. What is inlined of it counts
 * as the line that calls it. */
static const char prelude_head[] =
    "#pragma clang system_header\n"
    "#pragma clang attribute push(__attribute__((nodebug)), "
    "apply_to = hasType(functionType))\n"
    "#line 1 \"<heddle>\"\n";
static const char prelude_tail[] = "\n#pragma clang attribute pop\n";

static bool add_prelude(run *r)
{
    strbuf text = {0};
    const char *path;

    strbuf_puts(&text, prelude_head);
    strbuf_write(&text, opencl_prelude, opencl_prelude_size);
    strbuf_puts(&text, prelude_tail);
    path = memory_path(r, text.text, text.size);
    strbuf_fini(&text);
    arg(r, "-include");
    arg(r, path);
    return path != NULL;
}

/* Programs name files by #include or by options. */
static bool may_include(const compile_job *j)
{
    return strstr(j->source, "include") || strstr(j->source, "import") ||
           (j->options && strstr(j->options, "-include"));
}

static bool memory_args(run *r)
{
    const compile_job *j = r->job;

    if (j->source && (!add_prelude(r) || !add_headers(r)))
        return false;
    if (j->source && may_include(j)) {
        r->depends = memory_file(r, "", 0);
        if (r->depends < 0)
            return false;
        args(r, (const char *[]){"-MMD", "-MT", "x", "-MF"}, 4);
        arg(r, fd_path(r, r->depends));
    }
    for (size_t i = 0; i < j->object_count; i++) {
        const char *path =
            memory_path(r, j->objects[i].text, j->objects[i].size);

        if (!path)
            return false;
        frontend_arg(r, "-mlink-bitcode-file");
        frontend_arg(r, path);
    }
    return true;
}

/* ---- What came of it ---- */

/* Appends one path of a list of dependencies, unless it is a memory file or
 * of ours. */
static void keep_path(strbuf *to, const strbuf *path)
{
    if (!path->size || !strcmp(path->text, "-") || path->text[0] == '<' ||
        !strncmp(path->text, "/proc/self/fd/", 14) ||
        !strncmp(path->text, COMPILE_HEADERS "/", sizeof COMPILE_HEADERS))
        return;
    strbuf_printf(to, "%s\n", path->text);
}

/* The #included files, a newline behind each, from what -MMD wrote:
 * "x: a.h b\ c.h \<newline> d.h". */
static void read_depends(const run *r, strbuf *to)
{
    char text[4096];
    strbuf all = {0}, path = {0};
    ssize_t n;

    if (r->depends < 0 || lseek(r->depends, 0, SEEK_SET) != 0)
        return;
    while ((n = read(r->depends, text, sizeof text)) > 0)
        strbuf_write(&all, text, (size_t)n);
    const char *p = all.size ? strstr(all.text, ": ") : NULL;
    for (p = p ? p + 2 : ""; *p; p++) {
        bool space = *p == ' ' || *p == '\n';

        if (*p == '\\' && p[1] == '\n')
            continue;
        if (space) {
            keep_path(to, &path);
            path.size = 0;
        } else {
            if ((*p == '\\' && (p[1] == ' ' || p[1] == '#')) ||
                (*p == '$' && p[1] == '$'))
                p++;
            strbuf_putc(&path, *p);
        }
    }
    keep_path(to, &path);
    strbuf_fini(&path);
    strbuf_fini(&all);
}

/* The log of clang, with headers under the names that the program gave them. */
static char *make_log(const char *said)
{
    strbuf b = {0};
    const char *at;

    for (; (at = strstr(said, COMPILE_HEADERS "/"));
         said = at + sizeof COMPILE_HEADERS)
        strbuf_write(&b, said, (size_t)(at - said));
    strbuf_puts(&b, said);
    return b.text;
}

static double seconds_allowed(void)
{
    const char *text = getenv("HEDDLE_CLANG_SECONDS");
    double n = text ? strtod(text, NULL) : 0;

    return n > 0 && n < 1e6 ? n : SECONDS;
}

static void put_compiler_end(const run *r, const child_result *c, strbuf *log)
{
    double limit = seconds_allowed(), had = c->cpu_ms / 1000.0;

    if (c->timed_out && had < limit)
        strbuf_printf(
            log,
            "%s was ended, as in %g seconds or more it had only %g of "
            "processor time: does it wait for something? "
            "(HEDDLE_CLANG_SECONDS allows more)\n",
            r->tools.clang, limit, had);
    else if (c->timed_out)
        strbuf_printf(log,
                      "%s was ended after %g seconds of processor time "
                      "(HEDDLE_CLANG_SECONDS allows more)\n",
                      r->tools.clang, limit);
    else if (c->signal)
        strbuf_printf(log, "%s crashed: %s\n", r->tools.clang,
                      strsignal(c->signal));
    else if (c->truncated)
        strbuf_printf(log, "%s wrote more than can be taken\n", r->tools.clang);
    else if (c->exit_code && !c->err_size)
        strbuf_printf(log, "%s failed with exit status %d\n", r->tools.clang,
                      c->exit_code);
    else if (!c->exit_code && !c->out_size)
        strbuf_printf(log, "%s wrote nothing\n", r->tools.clang);
}

/* Labels of debug information, which are no branch targets: clang puts them
 * even within calls, which is not valid PTX. */
static bool is_debug_label(const char *line, size_t size)
{
    static const char *const words[] = {"tmp", "func_begin", "func_end"};

    if (size && *line == '$')
        line++, size--;
    for (size_t i = 0; i < COUNTOF(words); i++) {
        size_t n = strlen(words[i]), prefix = !strncmp(line, "L__", 3) ? 3 : 1;

        if (size > prefix + n + 1 && *line == 'L' && line[size - 1] == ':' &&
            !strncmp(line + prefix, words[i], n) &&
            strspn(line + prefix + n, "0123456789") == size - prefix - n - 1)
            return true;
    }
    return false;
}

static size_t drop_debug_labels(char *text)
{
    char *to = text;

    for (const char *line = text, *next; *line; line = next) {
        const char *end = strchrnul(line, '\n');

        next = *end ? end + 1 : end;
        if (is_debug_label(line, (size_t)(end - line)))
            continue;
        memmove(to, line, (size_t)(next - line));
        to += next - line;
    }
    *to = '\0';
    return (size_t)(to - text);
}

static bool went_well(const child_result *c)
{
    return !c->exit_code && !c->signal && !c->timed_out && !c->truncated &&
           c->out_size;
}

/* What clang reads: the source with its name, or what units lack to become an
 * executable. */
static char *make_input(const compile_job *j, size_t *size)
{
    strbuf b = {0};

    if (j->source)
        strbuf_printf(&b, "#line 1 \"%s\"\n%s\n", COMPILE_FILE, j->source);
    else if (j->to == COMPILE_PTX)
        strbuf_puts(&b, opencl_prelude_once);
    *size = b.size;
    return b.text;
}

/* Runs it; the log, which is never empty if it fails. */
static cl_int call_clang(run *r, compile_result *out)
{
    strbuf log = {0}, files = {0};
    diag *dg = diag_new();
    child_result c = {0};
    child_request q = {.argv = r->args,
                       .cpu_ms = (unsigned)(seconds_allowed() * 1000),
                       .fds = r->fds,
                       .fd_count = r->fd_count};
    char *input = make_input(r->job, &q.input_size);
    cl_int code = CL_COMPILER_NOT_AVAILABLE;

    q.input = input;
    if (dg && child_run(&q, dg, &c) == ST_OK) {
        out->log = make_log(c.err);
        strbuf_puts(&log, out->log);
        free(out->log);
        put_compiler_end(r, &c, &log);
        code = went_well(&c) ? CL_SUCCESS : CL_BUILD_PROGRAM_FAILURE;
    } else {
        strbuf_printf(&log, "%s\n",
                      dg && diag_count(dg) ? diag_get(dg, 0)->text
                                           : "out of memory");
    }
    out->log = log.text;
    if (code == CL_SUCCESS) {
        out->out = c.out;
        out->size = c.out_size;
        c.out = NULL;
        if (r->job->to == COMPILE_PTX)
            out->size = drop_debug_labels(out->out);
        read_depends(r, &files);
        cache_put(&r->key, &(cache_entry){out->out, out->size, out->log},
                  files.text, 0);
    }
    child_result_fini(&c);
    strbuf_fini(&files);
    free(input);
    diag_free(dg);
    return code;
}

static void run_fini(run *r)
{
    for (size_t i = 0; i < r->fd_count; i++)
        close(r->fds[i]);
    for (size_t i = 0; i < r->made_count; i++)
        free(r->made[i]);
    free(r->made);
    free(r->fds);
    free(r->args);
    toolchain_fini(&r->tools);
}

bool compile_available(void)
{
    strbuf why = {0};
    toolchain t;
    bool found = toolchain_find(&t, &why);

    if (found)
        toolchain_fini(&t);
    strbuf_fini(&why);
    return found;
}

cl_int compile_run(const compile_job *job, compile_result *out)
{
    run r = {.job = job, .depends = -1};
    strbuf why = {0};
    cache_entry kept;
    cl_int code;

    *out = (compile_result){0};
    if (!toolchain_find(&r.tools, &why)) {
        out->log = why.text;
        return CL_COMPILER_NOT_AVAILABLE;
    }
    fixed_args(&r);
    make_key(&r);
    if (cache_get(&r.key, &kept)) {
        *out = (compile_result){kept.out, kept.size, kept.log};
        code = CL_SUCCESS;
    } else if (memory_args(&r)) {
        code = call_clang(&r, out);
    } else {
        out->log = new_text("no memory for the compiler's input\n");
        code = CL_OUT_OF_HOST_MEMORY;
    }
    run_fini(&r);
    return code;
}

void compile_result_fini(compile_result *r)
{
    free(r->out);
    free(r->log);
    *r = (compile_result){0};
}
