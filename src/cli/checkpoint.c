/* src/cli/checkpoint.c - see checkpoint.h. */
#include "cli/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "session/checkpoint_file.h"

/* ---- Options ---- */

/* KERNEL[:N]. */
static void take_kernel(cli_checkpoint *c, cli_machine *m, cli_args *a)
{
    session_checkpoint *is = &m->setup.checkpoint;
    launch_filter_rule rule;
    size_t length;

    c->writes = true;
    if (!launch_filter_parse(a->value, &length, &rule) ||
        (rule.last != rule.first && a->value[length])) {
        cli_usage(a->command,
                  "--checkpoint-after: '%s' is not like gemm, gemm:3 or "
                  "'gemm*:3'",
                  a->value);
        a->wrong = true;
        return;
    }
    is->kernel = arena_strndup(m->mem, a->value, length);
    is->nth = rule.first;
}

bool cli_checkpoint_option(cli_checkpoint *c, cli_machine *m, cli_args *a)
{
    if (cli_is(a, "checkpoint-after"))
        take_kernel(c, m, a);
    else if (cli_is(a, "checkpoint"))
        c->file = a->value;
    else if (cli_is(a, "resume"))
        c->resume = a->value;
    else
        return false;
    return true;
}

/* Up to the checkpoint nothing is timed. */
static int check_writing(const cli_machine *m, const cli_args *a)
{
    const launch_filter *r = &m->setup.filter;
    const char *other = r->sample      ? "--sample"
                        : r->count     ? "--timed"
                        : r->max_timed ? "--max-launches"
                        : r->skip      ? "--skip-launches"
                                       : NULL;

    if (other)
        return cli_usage(a->command,
                         "up to a checkpoint nothing is timed: leave out %s, "
                         "or say it with --resume",
                         other);
    return 0;
}

int cli_checkpoint_check(const cli_checkpoint *c, cli_machine *m,
                         const cli_args *a)
{
    if (c->file && !c->writes)
        return cli_usage(a->command, "--checkpoint FILE is written with "
                                     "--checkpoint-after KERNEL[:N], which is "
                                     "missing; --resume FILE reads one");
    if (c->writes && c->resume)
        return cli_usage(a->command, "--checkpoint-after begins with the "
                                     "program: leave it out, or --resume");
    if ((c->writes || c->resume) && m->sim.rt.trace_folder)
        return cli_usage(a->command, "--accelsim writes all that a program "
                                     "executes: leave out the checkpoint");
    if (!c->writes)
        return 0;
    int code = check_writing(m, a);
    m->sim.rt.functional = true;
    return code;
}

/* ---- Files ---- */

/* Programs may change their folder. */
static char *whole_name(const char *name)
{
    char folder[4096], *whole = NULL;

    if (*name == '/' || !getcwd(folder, sizeof folder))
        return new_text(name);
    if (asprintf(&whole, "%s/%s", folder, name) < 0)
        return new_text(name);
    return whole;
}

/* Many programs copy pointers, or what was left in padding, to the GPU: with
 * the same addresses each time they copy the same. Where that is not allowed
 * such a program is refused when it is resumed. */
static void keep_addresses(void)
{
    int is = personality(0xffffffff);

    if (is >= 0)
        personality((unsigned long)is | ADDR_NO_RANDOMIZE);
}

static int begin_writing(cli_checkpoint *c)
{
    char *part = NULL;
    struct stat is;

    c->existed = stat(c->whole, &is) == 0;
    c->inode = c->existed ? is.st_ino : 0;
    if (c->existed && !S_ISREG(is.st_mode))
        return 0; /* it is what it is */
    if (asprintf(&part, "%s.part", c->whole) < 0)
        return cli_exit_code(ST_NOMEM);
    int fd = open(part, O_WRONLY | O_CREAT | O_CLOEXEC, 0666), why = errno;
    if (fd >= 0) {
        close(fd);
        unlink(part);
    } else {
        fprintf(stderr, "heddle exec: cannot write the checkpoint %s: %s\n",
                c->whole, strerror(why));
    }
    free(part);
    return fd >= 0 ? 0 : cli_exit_code(ST_IO);
}

static int begin_reading(const cli_checkpoint *c)
{
    diag *dg = diag_new();
    status st = checkpoint_verify(c->whole, dg);

    cli_report(dg);
    diag_free(dg);
    return cli_exit_code(st);
}

int cli_checkpoint_begin(cli_checkpoint *c, cli_machine *m, const char *name)
{
    char *by_name = arena_printf(m->mem, "%s.checkpoint", cli_last_part(name));
    int code;

    if (!c->writes && !c->resume)
        return 0;
    c->whole = whole_name(c->resume ? c->resume : c->file ? c->file : by_name);
    m->setup.checkpoint.file = c->whole;
    m->setup.checkpoint.resumes = c->resume != NULL;
    code = c->resume ? begin_reading(c) : begin_writing(c);
    if (!code)
        keep_addresses();
    return code;
}

/* What the program's process has to say about it, it has said; but it may have
 * been killed, or its status been lost in a script. */
int cli_checkpoint_end(const cli_checkpoint *c, int code)
{
    struct stat is;

    if (!c->writes || code)
        return code;
    if (stat(c->whole, &is) == 0 &&
        (!S_ISREG(is.st_mode) || !c->existed || is.st_ino != c->inode))
        return 0;
    fprintf(stderr, "heddle exec: no checkpoint was written to %s\n", c->whole);
    return cli_exit_code(ST_INPUT);
}

void cli_checkpoint_fini(cli_checkpoint *c) { free(c->whole); }
