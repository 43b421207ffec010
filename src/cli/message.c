/* Messages, exit codes and the GPU a command line names. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "cli/cli.h"

const cli_exit cli_exits[] = {
    {0, "success"},
    {1, "results differ from what was expected, workloads failed, or something "
        "could not be written"},
    {2, "the command line or the launch asks for what cannot be"},
    {3, "a file that is named cannot be read; or a configuration, launch file, "
        "plan, suite or results file is wrong"},
    {4, "a kernel is not accepted: PTX, assembly or object file"},
    {5, "the simulated program did something illegal"},
    {6, "no progress, or a limit was reached"},
    {7, "out of memory, or a bug of Heddle"},
    {125, "a driver of Heddle's is missing, or the compiler of kernels does "
          "not work"},
    {126, "exec: the program cannot be run; 127: it is not there; other "
          "statuses of exec are those of the program"},
    {130, "interrupted"},
    {0, NULL}};

int cli_exit_code(status st)
{
    static const int codes[] = {
        [ST_OK] = 0,
        [ST_MISMATCH] = 1,
        [ST_USAGE] = 2,
        [ST_CONFIG] = 3,
        [ST_PROGRAM] = 4,
        [ST_FAULT] = 5,
        [ST_HANG] = 6,
        [ST_LIMIT] = 6,
        [ST_NOMEM] = 7,
        [ST_IO] = 1,
        [ST_INPUT] = 3,
        [ST_INTERNAL] = 7,
        [ST_INTERRUPTED] = 130,
    };

    return codes[st];
}

static bool cli_colour(FILE *to)
{
    const char *term = getenv("TERM"), *no = getenv("NO_COLOR");

    return isatty(fileno(to)) && !(no && *no) && term &&
           strcmp(term, "dumb") != 0;
}

unsigned cli_width(FILE *to)
{
    struct winsize w;

    return ioctl(fileno(to), TIOCGWINSZ, &w) == 0 ? w.ws_col : 0;
}

/* A number that is none, or 0, says nothing. */
static unsigned width_of_environment(void)
{
    const char *s = getenv("COLUMNS");
    char *end;
    unsigned long v;

    if (!s || *s < '0' || *s > '9')
        return 0;
    v = strtoul(s, &end, 10);
    return *end || v > CLI_WIDTH_MOST ? 0 : (unsigned)v;
}

unsigned cli_columns(FILE *to)
{
    unsigned width = width_of_environment();

    return width ? width : cli_width(to);
}

unsigned cli_text_width(FILE *to, unsigned asked)
{
    unsigned width = asked ? asked : cli_columns(to);

    return width ? width : CLI_WIDTH;
}

void cli_report(diag *dg)
{
    diag_print(dg, stderr, cli_colour(stderr));
    diag_clear(dg);
}

int cli_finish(int code)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    fprintf(stderr, "heddle: cannot write results to standard output: %s\n",
            strerror(errno ? errno : EIO));
    clearerr(stdout); /* reported once */
    return code ? code : cli_exit_code(ST_IO);
}

static int cannot_write(const char *command, const char *path)
{
    fprintf(stderr, "heddle %s: cannot write %s: %s\n", command, path,
            strerror(errno ? errno : EIO));
    return cli_exit_code(ST_IO);
}

int cli_can_write(const char *path)
{
    diag *dg = diag_new();
    int code = path && strcmp(path, "-") != 0
                   ? cli_exit_code(file_can_write(path, dg))
                   : 0;

    cli_report(dg);
    diag_free(dg);
    return code;
}

FILE *cli_output(const char *command, const char *path)
{
    FILE *to = path && strcmp(path, "-") != 0 ? fopen(path, "we") : stdout;

    if (!to)
        cannot_write(command, path);
    return to;
}

int cli_output_end(const char *command, const char *path, FILE *to, int code)
{
    bool good;
    int failed;

    if (to == stdout)
        return cli_finish(code);
    errno = 0;
    good = !ferror(to);
    if (fclose(to) == 0 && good)
        return code;
    failed = cannot_write(command, path);
    return code ? code : failed;
}

bool cli_gpu_option(cli_gpu *g, cli_args *a)
{
    if (cli_is(a, "gpu")) {
        g->name = a->value;
        return true;
    }
    if (!cli_is(a, "set"))
        return false;
    g->set = renew(g->set, g->set_count + 1, sizeof *g->set);
    g->set[g->set_count++] = a->value;
    return true;
}

config_sheet *cli_gpu_sheet(const cli_gpu *g, const char *fallback, int *code)
{
    config_sheet *s = config_sheet_new();
    diag *dg = diag_new();
    status st = ST_OK;

    st = config_sheet_load(s, g->name ? g->name : fallback, dg);
    for (unsigned i = 0; i < g->set_count; i++) {
        status one = config_sheet_set(s, g->set[i], CONFIG_FROM_SET, dg);
        st = st == ST_OK ? one : st;
    }
    if (st == ST_OK)
        st = config_sheet_check(s, dg);
    cli_report(dg);
    diag_free(dg);
    *code = cli_exit_code(st);
    if (st != ST_OK) {
        config_sheet_free(s);
        return NULL;
    }
    return s;
}

void cli_gpu_free(cli_gpu *g) { free(g->set); }
