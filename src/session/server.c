/* src/session/server.c - a poll loop over the program's processes: a socket
 * they connect to, a connection each, and the first of them as a descriptor. */
#include "session/server.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/must.h"
#include "session/environment.h"
#include "session/record.h"
#include "session/shared_tail.h"
#include "session/unused.h"
#include "sm/stats.h"

extern char **environ;

enum {
    CHUNK = 1 << 16,
    NAP_MS = 1,     /* lets messages gather: each wakes us otherwise */
    TICK_MS = 200,  /* to look at signals and to show progress */
    PASS_MS = 100,  /* in which a program ends of a signal of its own */
    ROUNDS = 64,    /* of reading from one, before the others' turn */
    CALLERS = 1024, /* that wait to be accepted */
    FIRST = 3,      /* descriptors before those of callers */
};

typedef struct caller {
    int fd;      /* < 0: closed */
    strbuf out;  /* what is to be sent, the setup first, */
    size_t sent; /* and so many bytes of it were */
    strbuf in;
    uint64_t received; /* bytes */
    shared_tail
        *tail; /* where the last ones are if it dies; NULL: it has none */
    record *record;
    bool broken;
    bool traced; /* events of some launch have come */
    bool stands; /* as its lookout said last */
} caller;

struct session_outcome {
    report_program program;
    report_process *processes;
    record **records;
    size_t count;
    char *unused; /* as report_program has it, owned */
};

typedef struct server {
    const session_request *q;
    char name[64];
    int listener, child; /* descriptors, < 0: none */
    pid_t pid;
    int how;           /* as wait says, once it ended; */
    struct rusage use; /* then of it and its processes that have ended */
    bool ended;
    caller **callers;
    size_t count;
    bool received; /* something in this turn */
    bool full;     /* more callers cannot be accepted at the moment */
    strbuf setup;  /* the message for the first of them, */
    strbuf others; /* and for the others */
    struct pollfd *polls;
    session_now now;
    caller *watched;  /* by who watches; NULL: none */
    lookout_ask halt; /* callers to come stand still; its command NONE: they do
                         not */
    sig_atomic_t last_signal; /* the last signal, see session_request */
    int64_t pass_at;          /* when it is passed on; 0: it has been */
} server;

/* ---- The socket and the program ---- */

static bool open_listener(server *s, diag *dg)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    uint64_t key[2];
    socklen_t size;

    if (getrandom(key, sizeof key, 0) != sizeof key)
        key[0] = key[1] = (uint64_t)clock_ms();
    snprintf(s->name, sizeof s->name, "heddle-%d-%016" PRIx64 "%016" PRIx64,
             (int)getpid(), key[0], key[1]);
    memcpy(at.sun_path + 1, s->name, strlen(s->name));
    size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
                       strlen(s->name));
    s->listener =
        socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (s->listener >= 0 &&
        bind(s->listener, (struct sockaddr *)&at, size) == 0 &&
        listen(s->listener, CALLERS) == 0)
        return true;
    diag_error(dg, "cannot make a socket for the program to connect to: %s",
               strerror(errno));
    return false;
}

/* Our environment with the request's values and the session's name. */
static char **program_environment(const server *s, arena *mem)
{
    const char *const *more = s->q->env;
    size_t n = 0;
    const char **entries;

    while (more && more[n])
        n++;
    entries = ARENA_ARRAY(mem, const char *, n + 2);
    for (size_t i = 0; i < n; i++)
        entries[i] = more[i];
    entries[n] = arena_printf(mem, SESSION_VARIABLE "=%s", s->name);
    return environment_make(environ, entries, mem);
}

/* Its folder and its streams. */
static int add_places(const session_request *q, posix_spawn_file_actions_t *act)
{
    int rc = 0;

    for (int i = 0; i < 3 && q->streams && rc == 0; i++)
        rc = posix_spawn_file_actions_adddup2(act, q->streams[i], i);
    if (q->folder && rc == 0)
        rc = posix_spawn_file_actions_addchdir_np(act, q->folder);
    return rc;
}

static int spawn_program(server *s, char **env)
{
    short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    posix_spawn_file_actions_t act;
    posix_spawnattr_t attr;
    sigset_t none;
    int rc;

    sigemptyset(&none);
    if ((rc = posix_spawnattr_init(&attr)) != 0)
        return rc;
    if ((rc = posix_spawn_file_actions_init(&act)) != 0) {
        posix_spawnattr_destroy(&attr);
        return rc;
    }
    posix_spawnattr_setsigmask(&attr, &none);
    posix_spawnattr_setsigdefault(&attr, s->q->usual);
    if (s->q->group)
        flags |= POSIX_SPAWN_SETPGROUP;
    posix_spawnattr_setflags(&attr, flags);
    if ((rc = add_places(s->q, &act)) == 0)
        rc = posix_spawnp(&s->pid, s->q->argv[0], &act, &attr,
                          (char *const *)s->q->argv, env);
    posix_spawn_file_actions_destroy(&act);
    posix_spawnattr_destroy(&attr);
    return rc;
}

static int start_program(server *s)
{
    arena *mem = arena_new();
    int rc = spawn_program(s, program_environment(s, mem));

    if (rc == 0)
        s->child = pidfd_open(s->pid, 0); /* without it we look now and then */
    arena_free(mem);
    return rc;
}

/* ---- Callers ---- */

static void hang_up(caller *c, bool broken)
{
    if (c->fd >= 0)
        close(c->fd);
    c->fd = -1;
    c->broken |= broken;
    strbuf_fini(&c->in);
    strbuf_fini(&c->out);
    c->sent = 0;
    shared_tail_free(c->tail);
    c->tail = NULL;
}

/* Abstract names are open to every user of the host. */
static bool is_ours(int fd)
{
    struct ucred who;
    socklen_t size = sizeof who;

    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 &&
           who.uid == geteuid();
}

static void accept_callers(server *s)
{
    for (;;) {
        int fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        caller *c;

        if (fd < 0 && (errno == EINTR || errno == ECONNABORTED))
            continue;
        if (fd < 0) {
            s->full = errno != EAGAIN; /* no descriptor left: later again */
            return;
        }
        if (!is_ours(fd)) {
            close(fd);
            continue;
        }
        c = new0(1, sizeof *c);
        s->callers = renew(s->callers, s->count + 1, sizeof(caller *));
        s->polls = renew(s->polls, s->count + FIRST + 1, sizeof *s->polls);
        c->fd = fd;
        const strbuf *setup = s->count ? &s->others : &s->setup;
        strbuf_write(&c->out, setup->text, setup->size);
        if (s->halt.command != LOOKOUT_NONE)
            msg_ask_put(&c->out, &s->halt);
        c->record =
            record_new(s->q->configs, s->q->setup->device_count, s->q->each);
        MUST(c->record != NULL);
        s->callers[s->count++] = c;
    }
}

static void send_rest(caller *c)
{
    while (c->sent < c->out.size) {
        ssize_t n = send(c->fd, c->out.text + c->sent, c->out.size - c->sent,
                         MSG_NOSIGNAL);

        if (n > 0) {
            c->sent += (size_t)n;
        } else if (n == 0 || errno != EINTR) {
            if (errno == EAGAIN)
                return;
            break; /* it is gone; what it sent can still be read */
        }
    }
    c->out.size = c->sent = 0;
}

static void note_progress(server *s, const caller *c, uint8_t kind)
{
    session_now *now = &s->now;
    uint64_t last = record_last(c->record);
    const report_launch *l = record_launch(c->record, last, &now->is);

    now->launches += kind == MSG_RESULT;
    if (kind == MSG_RESULT) {
        const report_launch *ended = record_nth(c->record, last);

        now->ended = ended->status == ST_OK ? ended->kernel->name : NULL;
        now->ended_ctas = ended->ctas;
        now->ended_insts = ended->warp_insts;
    }
    now->kernel = l ? l->kernel->name : NULL;
    now->functional = l && l->functional;
    now->pid = record_pid(c->record);
    if (kind == MSG_BEGIN || kind == MSG_PROGRESS)
        now->launch = last;
}

/* A driver may be damaged by its program: an event must name what is there. */
static bool is_valid(const report_launch *l, const trace_event *e)
{
    const config *cfg = l->cfg;
    uint32_t count = l->kernel->code_count;
    bool has_pc = e->kind == TRACE_FETCH || e->kind == TRACE_ISSUE ||
                  e->kind == TRACE_FLYING;

    return e->kind < TRACE_KINDS && e->sm < cfg->gpu.sms && e->warp < 64 &&
           (!has_pc || e->a < count) &&
           (e->kind != TRACE_WAIT ||
            ((e->b & 0xff) < WHY_COUNT && e->b >> 8 <= WHY_COUNT &&
             (!e->inst || e->a < count))) &&
           trace_event_valid(e, cfg->gpu.sms, cfg->l2.slices,
                             cfg->dram.channels);
}

/* False: no driver sends that. */
static bool take_trace(server *s, caller *c, wire *payload)
{
    gpu_progress is;
    uint64_t launch;
    size_t n = 0;
    const trace_event *e = msg_trace_get(payload, &launch, &n);
    const report_launch *l = record_launch(c->record, launch, &is);

    if (!e || !l || !l->source || l->functional)
        return false;
    trace_event *copy = new_copy(e, n, sizeof *copy); /* aligned */
    for (size_t i = 0; i < n; i++) {
        if (!is_valid(l, &copy[i])) {
            free(copy);
            return false;
        }
    }
    c->traced = true;
    if (s->q->trace && n)
        s->q->trace(s->q->trace_arg,
                    &(session_events){.pid = record_pid(c->record),
                                      .number = launch + 1,
                                      .launch = l,
                                      .event = copy,
                                      .n = n});
    free(copy);
    return true;
}

/* A launch is over, of which events may have come. */
static void end_trace(server *s, const caller *c)
{
    uint64_t n = record_last(c->record);

    if (c->traced && s->q->trace)
        s->q->trace(s->q->trace_arg,
                    &(session_events){.pid = record_pid(c->record),
                                      .number = n + 1,
                                      .launch = record_nth(c->record, n)});
}

/* False: no driver sends that. */
static bool take_seen(server *s, caller *c, wire *payload)
{
    arena *mem = arena_new();
    lookout_seen is;
    bool good = msg_seen_get(payload, mem, &is) &&
                is.device < s->q->setup->device_count;

    if (good)
        c->stands = is.standing;
    if (good && s->q->watch && c == s->watched)
        s->q->watch->line.tell(s->q->watch->line.arg, &is);
    arena_free(mem);
    return good;
}

static bool take_message(server *s, caller *c, uint8_t kind, wire *payload)
{
    return kind == MSG_TRACE  ? take_trace(s, c, payload)
           : kind == MSG_SEEN ? take_seen(s, c, payload)
                              : record_take(c->record, kind, payload);
}

/* Takes the whole messages out of what has come. */
static void understand(server *s, caller *c)
{
    size_t done = 0, used;
    uint8_t kind;
    wire payload;
    wire_state state;

    while ((state = wire_next(c->in.text + done, c->in.size - done, &kind,
                              &payload, &used)) == WIRE_WHOLE) {
        if (!take_message(s, c, kind, &payload)) {
            state = WIRE_BAD;
            break;
        }
        note_progress(s, c, kind);
        if (kind == MSG_RESULT)
            end_trace(s, c);
        done += used;
    }
    if (state == WIRE_BAD) {
        hang_up(c, true);
        return;
    }
    if (done)
        memmove(c->in.text, c->in.text + done, c->in.size - done);
    c->in.size -= done;
}

/* Messages that were in shared memory and not sent when the process died. */
static void take_rest(server *s, caller *c)
{
    const char *bytes;
    size_t n = c->tail ? shared_tail_rest(c->tail, c->received, &bytes) : 0;

    if (!n)
        return;
    strbuf_write(&c->in, bytes, n);
    c->received += n;
    understand(s, c);
}

static void take_descriptor(caller *c, const struct msghdr *m)
{
    for (struct cmsghdr *h = CMSG_FIRSTHDR(m); h;
         h = CMSG_NXTHDR((void *)m, h)) {
        int fd;

        if (h->cmsg_level != SOL_SOCKET || h->cmsg_type != SCM_RIGHTS ||
            h->cmsg_len != CMSG_LEN(sizeof fd))
            continue;
        memcpy(&fd, CMSG_DATA(h), sizeof fd);
        if (!c->tail)
            c->tail = shared_tail_open(fd);
        close(fd);
    }
}

/* A descriptor that comes with the bytes is that of its tail. */
static ssize_t receive_bytes(caller *c, char *raw, size_t room)
{
    union {
        char room[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control;
    struct iovec where = {raw, room};
    struct msghdr m = {.msg_iov = &where,
                       .msg_iovlen = 1,
                       .msg_control = control.room,
                       .msg_controllen = sizeof control.room};
    ssize_t n = recvmsg(c->fd, &m, MSG_CMSG_CLOEXEC);

    if (n > 0) {
        c->received += (uint64_t)n;
        take_descriptor(c, &m);
    }
    return n;
}

/* Reads what is there, or a good part of it. */
static void read_messages(server *s, caller *c)
{
    char raw[CHUNK];

    for (unsigned i = 0; i < ROUNDS && c->fd >= 0; i++) {
        ssize_t n = receive_bytes(c, raw, sizeof raw);

        if (n > 0) {
            strbuf_write(&c->in, raw, (size_t)n);
            s->received = true;
            understand(s, c);
            if ((size_t)n < sizeof raw && !s->ended)
                return; /* poll reports when there is more */
        } else if (n < 0 && errno == EINTR) {
            continue;
        } else if (n < 0 && errno == EAGAIN) {
            return;
        } else { /* a message that was cut off is what a crash leaves */
            take_rest(s, c);
            hang_up(c, false);
        }
    }
}

/* ---- Who watches ---- */

static void ask(caller *c, const lookout_ask *a)
{
    if (c->fd < 0)
        return;
    msg_ask_put(&c->out, a);
    send_rest(c);
    if (c->tail)
        shared_tail_ask(c->tail);
}

/* All stand still and go on together; the rest is for the one that is seen. */
static void pass_asks(server *s)
{
    const lookout_line *line = &s->q->watch->line;

    for (lookout_ask a; line->take(line->arg, &a);) {
        lookout_ask all = {.command = a.command, .number = a.number};

        if (a.command == LOOKOUT_GO)
            s->halt = (lookout_ask){.command = LOOKOUT_NONE};
        else if (a.command != LOOKOUT_NONE)
            s->halt = (lookout_ask){LOOKOUT_PAUSE, .number = a.number};
        for (size_t i = 0; i < s->count; i++)
            if (s->callers[i] != s->watched &&
                (a.command == LOOKOUT_PAUSE || a.command == LOOKOUT_GO))
                ask(s->callers[i], &all);
        if (s->watched)
            ask(s->watched, &a);
    }
}

/* The launch that it is in; NULL: none. */
static const report_launch *launch_of(const caller *c, gpu_progress *is)
{
    return c->fd < 0 ? NULL
                     : record_launch(c->record, record_last(c->record), is);
}

static bool is_simulating(const caller *c)
{
    gpu_progress is;
    const report_launch *l = launch_of(c, &is);

    return l && !l->functional;
}

/* One that simulates, before all one that stands still; else any. */
static caller *choose_watched(const server *s)
{
    caller *best = s->watched && s->watched->fd >= 0 ? s->watched : NULL;

    if (best && is_simulating(best))
        return best;
    for (size_t i = 0; i < s->count; i++) {
        caller *c = s->callers[i];

        if (c->fd < 0)
            continue;
        if (is_simulating(c) &&
            (!best || !is_simulating(best) || (c->stands && !best->stands)))
            best = c;
        if (!best)
            best = c;
    }
    return best;
}

static void watch_callers(server *s)
{
    const session_watch *w = s->q->watch;
    caller *before = s->watched, *c = s->watched = choose_watched(s);
    session_now now = {.launches = s->now.launches};

    for (size_t i = 0; i < s->count; i++)
        now.processes += s->callers[i]->fd >= 0;
    const report_launch *l = c ? launch_of(c, &now.is) : NULL;
    if (c) {
        now.pid = record_pid(c->record);
        now.launch = record_last(c->record);
        now.kernel = l ? l->kernel->name : NULL;
        now.functional = l && l->functional;
    }
    w->now(w->arg, &now);
    if (c && c != before) /* it may stand still, and tell nothing */
        ask(c, &(lookout_ask){.command = LOOKOUT_NONE});
    pass_asks(s);
}

/* ---- The loop ---- */

static void pass_signal(server *s)
{
    sig_atomic_t asked = s->q->signal ? *s->q->signal : 0;

    if (asked != s->last_signal) {
        s->last_signal = asked;
        s->pass_at = clock_ms() + (s->q->group ? 0 : PASS_MS);
    }
    if (!s->pass_at || clock_ms() < s->pass_at)
        return;
    kill(s->q->group ? -s->pid : s->pid, asked % SESSION_SIGNALS);
    s->pass_at = 0;
}

static void look_after_child(server *s, bool may_have_ended)
{
    pid_t got;

    if (s->ended)
        return;
    pass_signal(s);
    if (!may_have_ended)
        return;
    do
        got = wait4(s->pid, &s->how, WNOHANG, &s->use);
    while (got < 0 && errno == EINTR);
    s->ended = got != 0;
}

/* Waits until there is something to do; then does all of it. */
static void poll_turn(server *s, int wait_ms)
{
    size_t n = s->count;
    struct pollfd first[FIRST] = {
        {.fd = s->full ? -1 : s->listener, .events = POLLIN},
        {.fd = s->child, .events = POLLIN},
        {.fd = s->q->watch ? s->q->watch->bell : -1, .events = POLLIN}};

    if (s->child < 0 || s->ended)
        first[1].fd = -1;
    if (!s->polls)
        s->polls = new0(FIRST, sizeof *s->polls);
    memcpy(s->polls, first, sizeof first);
    for (size_t i = 0; i < n; i++) {
        const caller *c = s->callers[i];

        s->polls[i + FIRST] = (struct pollfd){
            .fd = c->fd,
            .events = (short)(POLLIN | (c->sent < c->out.size ? POLLOUT : 0))};
    }
    if (poll(s->polls, n + FIRST, wait_ms) < 0)
        memset(s->polls, 0, (n + FIRST) * sizeof *s->polls); /* EINTR */
    look_after_child(s, s->child < 0 || s->polls[1].revents);
    if (s->full || s->polls[0].revents)
        accept_callers(s);
    for (size_t i = 0; i < s->count; i++) {
        if (i < n && !s->polls[i + FIRST].revents)
            continue;
        if (s->callers[i]->fd >= 0)
            send_rest(s->callers[i]);
        if (s->callers[i]->fd >= 0)
            read_messages(s, s->callers[i]);
    }
    if (s->q->watch)
        watch_callers(s);
    if (s->q->progress)
        s->q->progress(s->q->progress_arg, &s->now);
}

static bool anyone_there(const server *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->callers[i]->fd >= 0)
            return true;
    return false;
}

/* Until the program has ended and its processes have hung up, or the grace of
 * those that outlive it is over. What the dead have sent is all there. */
static void serve(server *s)
{
    int tick = s->child < 0 ? TICK_MS / 10 : TICK_MS;
    int64_t end;

    if (s->q->watch)
        pass_asks(s);
    while (!s->ended) {
        s->received = false;
        poll_turn(s, s->pass_at ? PASS_MS / 4 : tick);
        if (s->received && !s->ended)
            poll(NULL, 0, NAP_MS);
    }
    poll_turn(s, 0);
    end = clock_ms() + s->q->grace_ms;
    while (anyone_there(s)) {
        int64_t left = end - clock_ms();

        if (left <= 0)
            break;
        poll_turn(s, left < tick ? (int)left : tick);
    }
    if (s->q->group)
        kill(-s->pid, SIGKILL);
}

/* ---- The outcome ---- */

static session_outcome *conclude(server *s, double seconds)
{
    session_outcome *o = new0(1, sizeof *o);

    o->processes = new0(s->count + 1, sizeof *o->processes);
    o->records = new0(s->count + 1, sizeof(record *));
    for (size_t i = 0; i < s->count; i++) {
        caller *c = s->callers[i];

        if (c->fd >= 0)
            take_rest(s, c);
        if (!record_pid(c->record) && !c->broken)
            continue; /* it went before it spoke */
        o->processes[o->count] =
            record_report(c->record, c->fd >= 0, c->broken);
        o->records[o->count++] = c->record;
        c->record = NULL;
    }
    if (!o->count)
        o->unused = unused_why(s->q->argv[0], s->q->folder);
    o->program = (report_program){
        .exit_code = WIFEXITED(s->how) ? WEXITSTATUS(s->how) : 0,
        .signal = WIFSIGNALED(s->how) ? WTERMSIG(s->how) : 0,
        .processes = o->processes,
        .process_count = o->count,
        .unused = o->unused,
        .seconds = seconds,
        .cpu_seconds = clock_used_s(&s->use)};
    return o;
}

static void server_fini(server *s)
{
    for (size_t i = 0; i < s->count; i++) {
        hang_up(s->callers[i], false);
        record_free(s->callers[i]->record);
        free(s->callers[i]);
    }
    free(s->callers);
    free(s->polls);
    strbuf_fini(&s->setup);
    strbuf_fini(&s->others);
    if (s->listener >= 0)
        close(s->listener);
    if (s->child >= 0)
        close(s->child);
}

/* A checkpoint is of one process. */
static void put_setups(server *s)
{
    session_setup others = *s->q->setup;

    others.checkpoint.taken = others.checkpoint.file != NULL;
    session_setup_put(&s->setup, s->q->setup);
    session_setup_put(&s->others, &others);
}

status session_run(const session_request *q, int *why, diag *dg,
                   session_outcome **out)
{
    server s = {.q = q, .listener = -1, .child = -1};
    int64_t began = clock_ms();
    status st = ST_OK;

    *why = 0;
    put_setups(&s);
    if (!open_listener(&s, dg)) {
        st = ST_IO;
    } else if ((*why = start_program(&s)) != 0) {
        st = ST_USAGE;
    } else {
        serve(&s);
        *out = conclude(&s, (double)(clock_ms() - began) * 1e-3);
    }
    server_fini(&s);
    return st;
}

void session_outcome_free(session_outcome *o)
{
    if (!o)
        return;
    for (size_t i = 0; i < o->count; i++)
        record_free(o->records[i]);
    free(o->records);
    free(o->processes);
    free(o->unused);
    free(o);
}

const report_program *session_outcome_get(const session_outcome *o)
{
    return &o->program;
}
