/* A program's compilation: files in a folder of its own, tools/ptxcc, and what
 * that wrote. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nvrtc/rtc_program.h"

enum { WORDS = 64, PATH = 4096 };

extern char **environ;

/* A command; its words are its own. */
typedef struct command {
    char *word[WORDS];
    int count;
    int full; /* it has no room for more, or memory ran out */
} command;

__attribute__((format(printf, 2, 3))) static void add(command *c,
                                                      const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    if (c->count + 1 == WORDS || vasprintf(&c->word[c->count], fmt, ap) < 0)
        c->full = 1;
    else
        c->word[++c->count] = NULL;
    va_end(ap);
}

static void command_fini(command *c)
{
    for (int i = 0; i < c->count; i++)
        free(c->word[i]);
}

/* ---- Files ---- */

/* All of a file, NULL: it cannot be read. */
static char *read_file(const char *path)
{
    FILE *f = fopen(path, "r");
    size_t room = 0;
    char *text = NULL;

    if (!f)
        return NULL;
    if (getdelim(&text, &room, '\0', f) < 0) { /* it is empty */
        free(text);
        text = strdup("");
    }
    fclose(f);
    return text;
}

/* A file in `folder`, whose name may have folders in it. */
static int write_file(const char *folder, const char *name, const char *text)
{
    char path[PATH];
    FILE *f;
    int n = snprintf(path, sizeof path, "%s/%s", folder, name), good;

    if (n >= (int)sizeof path)
        return 0;
    for (char *at = path + strlen(folder) + 1; (at = strchr(at, '/')); at++) {
        *at = 0;
        mkdir(path, 0700);
        *at = '/';
    }
    f = fopen(path, "w");
    if (!f)
        return 0;
    good = fputs(text, f) >= 0;
    return fclose(f) == 0 && good;
}

/* The program, behind it a variable for each name that is asked for: PTX says
 * what such a variable points to. */
static int write_source(const struct nvrtc_program *p, const char *folder)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    int good;

    if (!f)
        return 0;
    fprintf(f,
            "#ifdef HEDDLE_ALL_DEVICE\n"
            "#pragma clang force_cuda_host_device begin\n"
            "#endif\n"
            "typedef long clock_t;\n" /* NVRTC has it without a header */
            "#line 1 \"%s\"\n%s\n",
            p->name, p->source);
    for (int i = 0; i < p->name_count; i++)
        fprintf(f,
                "extern \"C\" __device__ __attribute__((used)) "
                "const void *heddle_name_%d = (const void *)(%s);\n",
                i, p->names[i].name);
    good = fclose(f) == 0 && write_file(folder, "program.cu", text);
    free(text);
    return good;
}

static int remove_one(const char *path, const struct stat *is, int type,
                      struct FTW *where)
{
    (void)is, (void)type, (void)where;
    return remove(path);
}

/* tools/ptxcc: beside the library in a build, or where it is installed. */
static int find_ptxcc(char out[PATH])
{
    static const char *const places[] = {"ptxcc",
                                         "../../share/heddle/tools/ptxcc",
                                         "../../../share/heddle/tools/ptxcc"};
    Dl_info own;

    if (!dladdr((void *)nvrtcVersion, &own) || !own.dli_fname)
        return 0;
    const char *slash = strrchr(own.dli_fname, '/');
    int folder = slash ? (int)(slash + 1 - own.dli_fname) : 0;

    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(out, PATH, "%.*s%s", folder, own.dli_fname, places[i]);
        if (access(out, X_OK) == 0)
            return 1;
    }
    return 0;
}

/* ---- Options ---- */

/* Behind the `=` of option `name`, or in the next word; NULL: another one. */
static const char *value_of(const char *name, int count,
                            const char *const *options, int *i)
{
    const char *o = options[*i];
    size_t n = strlen(name);

    if (strncmp(o, name, n) != 0)
        return NULL;
    if (o[n] == '=')
        return o + n + 1;
    if (!o[n] && *i + 1 < count)
        return options[++*i];
    return NULL;
}

static int is_one_of(const char *o, const char *const *names)
{
    for (; *names; names++)
        if (!strcmp(o, *names))
            return 1;
    return 0;
}

/* Options that have a value. */
static int add_valued(command *c, int count, const char *const *options, int *i)
{
    static const char *const same[][2] = {{"--define-macro", "-D"},
                                          {"-D", "-D"},
                                          {"--undefine-macro", "-U"},
                                          {"-U", "-U"},
                                          {"--include-path", "-I"},
                                          {"-I", "-I"},
                                          {"--std", "-std="},
                                          {"-std", "-std="},
                                          {"--pre-include", "-include"},
                                          {"-include", "-include"}};
    const char *v;

    if ((v = value_of("--gpu-architecture", count, options, i)) ||
        (v = value_of("-arch", count, options, i))) {
        v += strncmp(v, "compute_", 8) ? 0 : 8;
        v += strncmp(v, "sm_", 3) ? 0 : 3;
        add(c, "--arch=sm_%s", v);
        return 1;
    }
    for (size_t k = 0; k < sizeof same / sizeof *same; k++)
        if ((v = value_of(same[k][0], count, options, i))) {
            if (!strcmp(same[k][1], "-include"))
                add(c, "-include");
            add(c, "%s%s",
                *same[k][1] && strcmp(same[k][1], "-include") ? same[k][1] : "",
                v);
            return 1;
        }
    return !strncmp(options[*i], "-D", 2) || !strncmp(options[*i], "-I", 2) ||
                   !strncmp(options[*i], "-U", 2)
               ? (add(c, "%s", options[*i]), 1)
               : 0;
}

/* False: there is no such option. */
static int add_option(command *c, int count, const char *const *options, int *i)
{
    static const char *const fast[] = {"--use_fast_math", "-use_fast_math",
                                       NULL};
    static const char *const apart[] = {"--relocatable-device-code=true",
                                        "-rdc=true", "--device-c", "-dc", NULL};
    static const char *const all_device[] = {
        "--device-as-default-execution-space", "-default-device", NULL};
    /* Of code that is not there, or of what clang does anyway. */
    static const char *const accepted[] = {"--generate-line-info",
                                           "-lineinfo",
                                           "--device-debug",
                                           "-G",
                                           "--relocatable-device-code=false",
                                           "-rdc=false",
                                           "--device-w",
                                           "-dw",
                                           "--restrict",
                                           "-restrict",
                                           "--disable-warnings",
                                           "-w",
                                           "--extra-device-vectorization",
                                           "-extra-device-vectorization",
                                           "--fmad=true",
                                           "-fmad=true",
                                           "-dopt=on",
                                           NULL};
    const char *o = options[*i];

    if (!o)
        return 0;
    if (add_valued(c, count, options, i) || is_one_of(o, accepted))
        return 1;
    if (!strcmp(o, "--fmad=false") || !strcmp(o, "-fmad=false"))
        add(c, "-ffp-contract=off");
    else if (is_one_of(o, fast))
        add(c, "-ffast-math");
    else if (is_one_of(o, apart))
        add(c, "-fgpu-rdc");
    else if (is_one_of(o, all_device))
        add(c, "-DHEDDLE_ALL_DEVICE");
    else if (!strncmp(o, "--maxrregcount", 14) ||
             !strncmp(o, "-maxrregcount", 13))
        *i += !strchr(o, '='); /* registers are Heddle's compiler's */
    else
        return 0;
    return 1;
}

/* ---- Running ---- */

/* Its exit status; what it says goes to the file `log`. */
static int run_command(const command *c, const char *log)
{
    posix_spawn_file_actions_t to;
    pid_t child;
    int how, err;

    posix_spawn_file_actions_init(&to);
    posix_spawn_file_actions_addopen(&to, 1, log, O_WRONLY | O_CREAT, 0600);
    posix_spawn_file_actions_adddup2(&to, 1, 2);
    err = posix_spawn(&child, c->word[0], &to, NULL, c->word, environ);
    posix_spawn_file_actions_destroy(&to);
    if (err)
        return -1;
    while (waitpid(child, &how, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(how) ? WEXITSTATUS(how) : -1;
}

/* Says why, as the compiler would. */
__attribute__((format(printf, 3, 4))) static nvrtcResult
fail(nvrtcProgram p, nvrtcResult code, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    if (vasprintf(&p->log, fmt, ap) < 0)
        p->log = NULL;
    va_end(ap);
    return code;
}

static nvrtcResult compile_in(nvrtcProgram p, const char *folder, command *c)
{
    char log[PATH], ptx[PATH];
    int good = write_source(p, folder), code;

    for (int i = 0; good && i < p->header_count; i++)
        good = write_file(folder, p->headers[i].name, p->headers[i].text);
    if (!good || c->full)
        return fail(p, NVRTC_ERROR_INTERNAL_ERROR,
                    "cannot write the program's files to %s", folder);
    snprintf(log, sizeof log, "%s/log", folder);
    snprintf(ptx, sizeof ptx, "%s/program.ptx", folder);
    code = run_command(c, log);
    p->log = read_file(log);
    if (code)
        return NVRTC_ERROR_COMPILATION;
    p->ptx = read_file(ptx);
    if (!p->ptx)
        return NVRTC_ERROR_INTERNAL_ERROR;
    return nvrtc_read_names(p) ? NVRTC_SUCCESS
                               : NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}

nvrtcResult nvrtc_compile(nvrtcProgram p, int count, const char *const *options)
{
    const char *tmp = getenv("TMPDIR");
    char folder[PATH - 64], ptxcc[PATH];
    command c = {.count = 0};
    nvrtcResult result = NVRTC_SUCCESS;

    free(p->log);
    free(p->ptx);
    p->log = p->ptx = NULL;
    snprintf(folder, sizeof folder, "%s/heddle-nvrtc-XXXXXX",
             tmp && *tmp == '/' ? tmp : "/tmp");
    if (!find_ptxcc(ptxcc))
        return fail(p, NVRTC_ERROR_INTERNAL_ERROR,
                    "Heddle's tools/ptxcc is missing");
    if (!mkdtemp(folder))
        return fail(p, NVRTC_ERROR_INTERNAL_ERROR, "cannot write to %s",
                    folder);
    add(&c, "%s", ptxcc);
    add(&c, "%s/program.cu", folder);
    add(&c, "-o");
    add(&c, "%s/program.ptx", folder);
    add(&c, "-D__CUDACC_RTC__");
    add(&c, "-I%s", folder);
    for (int i = 0; i < count && result == NVRTC_SUCCESS; i++)
        if (!add_option(&c, count, options, &i))
            result =
                fail(p, NVRTC_ERROR_INVALID_OPTION, "unknown option '%s'\n",
                     options[i] ? options[i] : "");
    if (result == NVRTC_SUCCESS)
        result = compile_in(p, folder, &c);
    command_fini(&c);
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    return result;
}
