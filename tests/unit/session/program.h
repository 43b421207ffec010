/* tests/unit/session/program.h - a program under test and what it does in each
 * mode. The test binary starts itself as it: before main, if the environment
 * says so. */
#ifndef SESSION_PROGRAM_H
#define SESSION_PROGRAM_H

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "config/sheet.h"
#include "session/client.h"

#define MODE "SESSION_TEST_MODE"

static const char program_ptx[] =
    ".version 6.0\n.target sm_30\n.address_size 64\n"
    ".visible .entry first(.param .u64 p)\n{\n.reg .b64 %a;\n.reg .b32 %r;\n"
    "ld.param.u64 %a, [p];\nmov.u32 %r, 7;\nst.global.u32 [%a], %r;\nret;\n}\n"
    ".visible .entry second(.param .u64 p)\n{\nret;\n}\n";

typedef struct program {
    session_client *client;
    session_open open; /* the launch under way */
    session_setup *setup;
    launch_filter_state *select;
    rt_device *device;
    rt_module *module;
    session_module told;
    uint64_t buffer;
    diag *dg;
} program;

/* What would be a failed check in a test. */
static inline void need(bool good, int code)
{
    if (!good)
        _exit(code);
}

static inline void program_open(program *p)
{
    static const msg_text text = {"k.ptx", "the source"};
    const session_device *d;
    config_sheet *sheet = config_sheet_new();

    *p = (program){.dg = diag_new()};
    p->client = session_connect(getenv(SESSION_VARIABLE), p->dg, &p->setup);
    need(p->client && p->setup && p->setup->device_count, 70);
    d = &p->setup->devices[0];
    need(config_sheet_read(sheet, d->name, d->config, strlen(d->config),
                           p->dg) == ST_OK,
         71);
    p->select = launch_filter_new(&p->setup->filter);
    p->device = rt_device_new(config_sheet_values(sheet), &p->setup->rt, p->dg);
    need(p->device && rt_module_load_text(p->device, "k.ptx", program_ptx,
                                          sizeof program_ptx - 1, p->dg,
                                          &p->module) == ST_OK,
         72);
    p->buffer = rt_alloc(rt_device_memory(p->device), 64, "buffer");
    p->told = (session_module){.number = 5,
                               .name = "k.ptx",
                               .program = rt_module_program(p->module),
                               .texts = &text,
                               .text_count = 1};
}

static inline void program_begin(program *p, const char *kernel,
                                 bool functional)
{
    session_begin(
        p->client,
        &(session_launch){.module = &p->told,
                          .kernel = rt_module_kernel(p->module, kernel, p->dg),
                          .grid = {2, 1, 1},
                          .block = {32, 1, 1},
                          .functional = functional},
        &p->open);
}

static inline void program_launch(program *p, const char *kernel)
{
    bool functional = !launch_filter_is_timed(p->select, kernel);
    const isa_kernel *k = rt_module_kernel(p->module, kernel, p->dg);
    sm_profile_row *rows =
        p->setup->profile ? calloc(k->code_count + 1, sizeof *rows) : NULL;
    rt_launch l = {.module = p->module,
                   .kernel = k,
                   .functional = functional,
                   .grid = {2, 1, 1},
                   .block = {32, 1, 1},
                   .params = &p->buffer,
                   .counters = p->setup->per_block,
                   .progress = session_progress,
                   .progress_arg = &p->open,
                   .profile = rows};
    rt_result res;

    program_begin(p, kernel, functional);
    rt_run(p->device, &l, p->dg, &res);
    session_moved(p->client, &(session_transfers){.read_bytes = 64});
    session_result(&p->open, p->device, &res, k, rows, NULL,
                   res.status == ST_OK ? NULL : "it failed");
    free(rows);
}

/* A connection without manners. */
static inline int program_dial(void)
{
    const char *name = getenv(SESSION_VARIABLE);
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    size_t n = strlen(name);

    memcpy(to.sun_path + 1, name, n);
    need(connect(fd, (struct sockaddr *)&to,
                 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + n)) ==
             0,
         73);
    return fd;
}

/* As a lookout: told to stand still, then to go on. */
static inline void program_watched(void)
{
    static const lookout_command asked[] = {LOOKOUT_PAUSE, LOOKOUT_GO};
    uint64_t done = 0;
    program p;

    program_open(&p);
    need(p.setup->watch.wanted && p.setup->watch.hold, 77);
    lookout_line l = session_line(p.client);
    program_begin(&p, "first", false);
    while (done < 2) {
        lookout_ask a;

        while (!l.asked(l.arg) || !l.take(l.arg, &a))
            need(l.wait(l.arg), 78);
        need(a.command == LOOKOUT_NONE ||
                 (a.command == asked[done] && a.number == done + 1),
             79);
        done += a.command != LOOKOUT_NONE;
        l.tell(l.arg, &(lookout_seen){
                          .text = "{}", .done = done, .standing = done == 1});
    }
    _exit(0);
}

static inline void program_good(const char *mode)
{
    program p;
    uint64_t hash = 42;

    program_open(&p);
    program_launch(&p, "first");
    program_launch(&p, "second");
    program_launch(&p, "first");
    session_note(p.client, "mind the gap");
    if (!strcmp(mode, "good"))
        session_close(p.client, &hash);
    if (!strcmp(mode, "crash")) {
        program_begin(&p, "second", false);
        raise(SIGKILL);
    }
    if (!strcmp(mode, "closes")) { /* and takes the number for its own */
        int ends[2];

        for (int fd = 3; fd < 64; fd++)
            close(fd);
        need(pipe(ends) == 0, 75);
        program_launch(&p, "first");
        program_launch(&p, "second");
        session_moved(p.client, &(session_transfers){.read_bytes = 100});
        session_close(p.client, NULL);
        need(write(ends[1], "x", 1) == 1, 76); /* it is still there */
    }
    if (!strcmp(mode, "sleep"))
        for (;;)
            pause();
    if (!strcmp(mode, "fork")) { /* the child is on its own */
        pid_t child = fork();

        program_launch(&p, child ? "first" : "second");
        session_close(p.client, NULL);
        if (child)
            waitpid(child, NULL, 0);
        _exit(child ? 3 : 4);
    }
    if (!strcmp(mode, "daemon") && fork() == 0) {
        program_launch(&p, "second");
        usleep(1500000);
    } else if (!strcmp(mode, "daemon")) {
        usleep(300000); /* time to connect */
    }
    if (!strcmp(mode, "orphan")) { /* its session is killed under its hands */
        char *end;
        int out = (int)strtol(getenv("SESSION_TEST_FD"), &end, 10);

        pid_t parent = getppid();

        kill(parent, SIGKILL);
        while (getppid() == parent)
            usleep(1000);
        for (unsigned i = 0; i < 50; i++)
            program_launch(&p, "first");
        session_close(p.client, NULL);
        need(write(out, "ok", 2) == 2, 74);
    }
    _exit(0);
}

static inline void program_bad(const char *mode)
{
    int fd = program_dial();
    unsigned char raw[4096];
    strbuf b = {0};

    for (size_t i = 0; i < sizeof raw; i++)
        raw[i] = (unsigned char)(i * 131 + 7);
    if (!strcmp(mode, "garbage")) {
        (void)!send(fd, raw, sizeof raw, MSG_NOSIGNAL);
    } else if (!strcmp(mode, "huge")) {
        memcpy(raw, "HDL\1\2\0\0\0\377\377\377\177", 12);
        (void)!send(fd, raw, sizeof raw, MSG_NOSIGNAL);
    } else if (!strcmp(mode, "cut")) {
        msg_hello_put(
            &b, &(msg_hello){
                    .pid = 9, .program = "p", .command = "c", .version = "v"});
        (void)!send(fd, b.text, b.size, MSG_NOSIGNAL);
        (void)!send(fd, b.text, b.size - 1, MSG_NOSIGNAL);
    } else if (!strcmp(mode, "early")) { /* a result without a launch */
        msg_hello_put(
            &b, &(msg_hello){
                    .pid = 9, .program = "p", .command = "c", .version = "v"});
        msg_result_put(&b, &(msg_result){.launch = 0});
        (void)!send(fd, b.text, b.size, MSG_NOSIGNAL);
    }
    /* Until the other side hangs up, or not at all. */
    if (!strcmp(mode, "garbage") || !strcmp(mode, "huge"))
        while (recv(fd, raw, sizeof raw, 0) > 0)
            ;
    _exit(0);
}

__attribute__((constructor)) static void program_start(void)
{
    const char *mode = getenv(MODE);

    if (!mode)
        return;
    if (!strcmp(mode, "silent"))
        _exit(0);
    if (strstr("garbage huge cut early", mode))
        program_bad(mode);
    if (!strcmp(mode, "watched"))
        program_watched();
    program_good(mode);
}

#endif
