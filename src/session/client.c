#include "session/client.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/map.h"
#include "isa/object.h"
#include "session/shared_tail.h"

enum {
    PATIENCE_S = 30,   /* for the other side to read, or to speak */
    PROGRESS_MS = 100, /* between two messages of progress, and the longest
                          that others wait while there are more */
    WATCH_MS = 50,     /* of waiting at a time for what is asked */
    COMMAND_MOST = 4096,
};

struct session_client {
    pthread_mutex_t lock; /* of everything here */
    char *name;
    int fd;       /* < 0: the session is gone */
    ino_t socket; /* what it was when it was opened */
    pid_t pid;
    bool profile, sources, per_block; /* what is asked for */
    bool watched;                     /* by somebody, who is told at once */
    strbuf out;                       /* messages being built */
    strbuf in;                        /* what has come and is not read yet */
    bool heard;                       /* more has come */
    shared_tail
        *tail; /* where they wait; NULL: nowhere, they are sent at once */
    int give;  /* its descriptor until it was sent, < 0: none */
    int64_t pushed_ms; /* when something was sent */
    map *sent;         /* modules */
    map *named;        /* devices whose counters were named */
    uint64_t launches;
    unsigned connection;             /* how many there were before */
    uint64_t memory_hash;            /* to be sent at the end */
    session_trace trace;             /* what is asked for */
    uint64_t launches_timed, events; /* of the trace */
    session_transfers moved;
    session_transfers before; /* moved before this connection */
    unsigned failures;        /* reported */
};

/* Until the end of the scope; NULL is fine. */
#define LOCKED(client)                                                         \
    pthread_mutex_t *held __attribute__((cleanup(unlock), unused)) =           \
        lock(client)

static pthread_mutex_t *lock(session_client *c)
{
    if (c)
        pthread_mutex_lock(&c->lock);
    return c ? &c->lock : NULL;
}

static void unlock(pthread_mutex_t *const *held)
{
    if (*held)
        pthread_mutex_unlock(*held);
}

/* ---- The connection ---- */

/* Programs that close all descriptors close this one too; its number may mean
 * something of theirs since. */
static bool is_ours(const session_client *c)
{
    struct stat st;

    return c->fd >= 0 && fstat(c->fd, &st) == 0 && S_ISSOCK(st.st_mode) &&
           st.st_ino == c->socket;
}

static void close_connection(session_client *c)
{
    if (is_ours(c))
        close(c->fd);
    c->fd = -1;
    if (c->give >= 0)
        close(c->give);
    c->give = -1;
    shared_tail_free(c->tail);
    c->tail = NULL;
    c->in.size = 0;
}

/* A socket in the abstract name space, -1: errno says why. */
static int dial(const char *name)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    struct timeval wait = {.tv_sec = PATIENCE_S};
    size_t n = strlen(name);
    int fd;

    if (n + 1 > sizeof to.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(to.sun_path + 1, name, n);
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
    socklen_t size =
        (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + n);
    if (connect(fd, (struct sockaddr *)&to, size) != 0) {
        int why = errno;

        close(fd);
        errno = why;
        return -1;
    }
    return fd;
}

/* With the descriptor of the tail, if the other side has yet to get it. */
static ssize_t send_some(session_client *c, const char *bytes, size_t n)
{
    union {
        char room[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control = {.room = {0}};
    struct iovec what = {(char *)bytes, n};
    struct msghdr m = {.msg_iov = &what, .msg_iovlen = 1};
    struct cmsghdr *h;

    if (c->give >= 0) {
        m.msg_control = control.room;
        m.msg_controllen = sizeof control.room;
        h = CMSG_FIRSTHDR(&m);
        h->cmsg_level = SOL_SOCKET;
        h->cmsg_type = SCM_RIGHTS;
        h->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(h), &c->give, sizeof(int));
    }
    ssize_t sent = sendmsg(c->fd, &m, MSG_NOSIGNAL);
    if (sent > 0 && c->give >= 0) {
        close(c->give);
        c->give = -1;
    }
    return sent;
}

static void send_all(session_client *c, const char *bytes, size_t n)
{
    size_t done = 0;

    while (c->fd >= 0 && done < n) {
        ssize_t some = send_some(c, bytes + done, n - done);

        if (some > 0)
            done += (size_t)some;
        else if (some == 0 || errno != EINTR)
            close_connection(c);
    }
}

/* Sends what waits: in the tail, then in `out`. A parent that reads nothing
 * any more is as good as gone, and so is a message beyond the wire's limit. */
static void push_messages(session_client *c)
{
    size_t n = 0;
    const char *bytes = c->tail ? shared_tail_bytes(c->tail, &n) : NULL;

    if (c->out.size > WIRE_MOST)
        close_connection(c);
    else if (n)
        send_all(c, bytes, n);
    if (c->fd >= 0)
        send_all(c, c->out.text, c->out.size);
    if (c->tail)
        shared_tail_sent(c->tail, c->out.size);
    c->out.size = 0;
    c->pushed_ms = clock_ms();
}

/* Sends `out`, or leaves it in shared memory, where the other side finds it. */
static void flush_messages(session_client *c)
{
    if (!c->tail || !shared_tail_put(c->tail, c->out.text, c->out.size)) {
        push_messages(c);
        return;
    }
    c->out.size = 0;
    if (clock_ms() - c->pushed_ms >= PROGRESS_MS)
        push_messages(c);
}

/* ---- What the other side says ---- */

/* More of it, as `flags` say; errno says why there is none, 0: nothing comes
 * any more. */
static bool receive(session_client *c, int flags)
{
    char raw[4096];
    ssize_t n;

    do
        n = recv(c->fd, raw, sizeof raw, flags);
    while (n < 0 && errno == EINTR);
    if (n == 0)
        errno = 0;
    if (n > 0)
        strbuf_write(&c->in, raw, (size_t)n);
    return n > 0;
}

static void forget(strbuf *b, size_t n)
{
    b->size -= n;
    memmove(b->text, b->text + n, b->size);
}

/* The first message, which comes at once. */
static session_setup *read_setup(session_client *c)
{
    session_setup *s = NULL;
    wire payload;
    size_t used;
    uint8_t kind;
    wire_state state = WIRE_MORE;

    while (state == WIRE_MORE && receive(c, 0))
        state = wire_next(c->in.text, c->in.size, &kind, &payload, &used);
    if (state != WIRE_WHOLE)
        return NULL;
    if (kind == MSG_SETUP)
        s = session_setup_get(&payload);
    forget(&c->in, used);
    c->heard = c->in.size > 0;
    return s;
}

/* ---- HELLO ---- */

/* The arguments of this process with blanks between them. */
static void command_line(strbuf *to)
{
    char raw[COMMAND_MOST];
    FILE *f = fopen("/proc/self/cmdline", "re");
    size_t n = f ? fread(raw, 1, sizeof raw, f) : 0;

    if (f)
        fclose(f);
    while (n && !raw[n - 1])
        n--;
    for (size_t i = 0; i < n; i++)
        strbuf_putc(to, raw[i] ? raw[i] : ' ');
    strbuf_puts(to, "");
}

static void hello(session_client *c)
{
    char path[4096];
    strbuf command = {0};
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);

    path[n > 0 ? n : 0] = '\0';
    command_line(&command);
    msg_hello_put(&c->out,
                  &(msg_hello){.pid = (uint32_t)getpid(),
                               .parent = (uint32_t)getppid(),
                               .program = path,
                               .command = command.text ? command.text : "",
                               .version = HEDDLE_VERSION});
    strbuf_fini(&command);
    c->tail = shared_tail_new(&c->give);
    push_messages(c);
}

/* Connects; *setup gets what was read. */
static bool open_session(session_client *c, session_setup **setup)
{
    struct stat st;

    c->fd = dial(c->name);
    if (c->fd < 0 || fstat(c->fd, &st) != 0)
        return false;
    c->socket = st.st_ino;
    *setup = read_setup(c);
    if (!*setup) {
        close_connection(c);
        errno = EPROTO;
        return false;
    }
    hello(c);
    return true;
}

/* Called before each message. False: there is no connection. After a fork the
 * connection belongs to the parent, and what was sent over it is unknown to
 * ours; so it is if the program closed it. */
static bool is_open(session_client *c)
{
    session_setup *again = NULL;

    if (!c || (c->fd < 0 && c->pid == getpid()))
        return false;
    if (c->pid == getpid() && is_ours(c))
        return true;
    close_connection(c);
    c->pid = getpid();
    c->out.size = 0;
    c->launches = 0;
    c->failures = 0;
    c->connection++;
    c->before = c->moved;
    map_free(c->sent);
    map_free(c->named);
    c->sent = map_new();
    c->named = map_new();
    if (!c->sent || !c->named || !open_session(c, &again))
        return false;
    session_setup_free(again);
    return true;
}

/* Over this connection. */
static session_transfers bytes_moved(const session_client *c)
{
    return (session_transfers){
        .read_bytes = c->moved.read_bytes - c->before.read_bytes,
        .write_bytes = c->moved.write_bytes - c->before.write_bytes,
        .copy_bytes = c->moved.copy_bytes - c->before.copy_bytes};
}

session_client *session_connect(const char *name, diag *dg, session_setup **out)
{
    session_client *c;

    if (!name || !*name)
        return NULL;
    c = new0(1, sizeof *c);
    pthread_mutex_init(&c->lock, NULL);
    c->name = new_text(name);
    c->sent = map_new();
    c->named = map_new();
    c->pid = getpid();
    c->fd = c->give = -1;
    if (open_session(c, out)) {
        c->profile = (*out)->profile;
        c->sources = (*out)->sources;
        c->per_block = (*out)->per_block;
        c->trace = (*out)->trace;
        c->watched = (*out)->watch.wanted;
        return c;
    }
    diag_error(dg,
               "cannot reach the 'heddle exec' that " SESSION_VARIABLE
               " names: %s",
               strerror(errno));
    c->fd = -1;
    session_close(c, NULL);
    return NULL;
}

void session_memory(session_client *c, uint64_t hash)
{
    if (c)
        c->memory_hash = hash;
}

void session_close(session_client *c, const uint64_t *hash)
{
    if (!c)
        return;
    if (is_ours(c) && c->pid == getpid()) {
        msg_bye_put(&c->out, &(msg_bye){.moved = bytes_moved(c),
                                        .has_hash = hash != NULL,
                                        .hash = hash ? *hash : 0,
                                        .memory_hash = c->memory_hash});
        push_messages(c);
    }
    close_connection(c);
    strbuf_fini(&c->out);
    strbuf_fini(&c->in);
    map_free(c->sent);
    map_free(c->named);
    free(c->name);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

/* ---- Launches ---- */

static void send_module(session_client *c, const session_module *m)
{
    strbuf object = {0};
    msg_module msg = {.number = m->number, .name = m->name};

    if (map_get(c->sent, m->number, &(uint64_t){0}))
        return;
    map_put(c->sent, m->number, 1);
    if (c->profile || c->trace.wanted) {
        object_write(m->program, &object);
        msg.object = object.text;
        msg.object_size = object.size;
    }
    if (c->sources || c->trace.wanted) {
        msg.texts = (msg_text *)m->texts;
        msg.text_count = m->text_count;
    }
    msg_module_put(&c->out, &msg);
    strbuf_fini(&object);
}

/* Of kernel `k` of a launch or part. */
static msg_kernel kernel_of(const session_module *m, const isa_kernel *k,
                            const uint32_t grid[3], const uint32_t block[3],
                            uint32_t shared_bytes)
{
    msg_kernel is = {.module = m->number,
                     .name = k->name,
                     .sass = isa_kernel_is_sass(k),
                     .registers = k->registers,
                     .shared = k->shared_bytes,
                     .local = k->local_bytes,
                     .spill = k->spill_bytes,
                     .shared_bytes = shared_bytes};

    memcpy(is.grid, grid, sizeof is.grid);
    memcpy(is.block, block, sizeof is.block);
    return is;
}

void session_begin(session_client *c, const session_launch *l, session_open *o)
{
    LOCKED(c);

    *o = (session_open){.client = NULL};
    if (!is_open(c))
        return;
    *o = (session_open){.client = c,
                        .number = c->launches++,
                        .connection = c->connection,
                        .device = l->device,
                        .timed = !l->functional,
                        .progress_ms = clock_ms()};
    send_module(c, l->module);
    msg_begin_put(
        &c->out, &(msg_begin){.launch = o->number,
                              .device = l->device,
                              .functional = l->functional,
                              .kernel = kernel_of(l->module, l->kernel, l->grid,
                                                  l->block, l->shared_bytes)});
    flush_messages(c);
}

/* Within a launch nothing is opened anew. */
static bool is_in_launch(const session_open *o)
{
    const session_client *c = o->client;

    return c && c->connection == o->connection && c->fd >= 0 &&
           c->pid == getpid();
}

/* One more than the limit, so that the other side sees that there are more. */
static bool send_events(void *arg, const trace_event *e, size_t n)
{
    enum { AT_ONCE = 1 << 15 };
    session_open *o = arg;
    session_client *c = o->client;
    LOCKED(c);

    for (size_t some; n && is_in_launch(o) && c->events <= c->trace.limit;
         n -= some, e += some) {
        some = n < AT_ONCE ? n : AT_ONCE;
        if (some > c->trace.limit + 1 - c->events)
            some = (size_t)(c->trace.limit + 1 - c->events);
        c->events += some;
        msg_trace_put(&c->out, o->number, e, some);
        if (c->out.size >= (size_t)AT_ONCE * sizeof *e)
            push_messages(c);
    }
    return is_in_launch(o) && c->events <= c->trace.limit;
}

const gpu_trace *session_traced(session_open *o)
{
    session_client *c = o->client;
    LOCKED(c);

    if (!is_in_launch(o) || !o->timed || !c->trace.wanted)
        return NULL;
    c->launches_timed++;
    if (c->launches_timed < c->trace.first ||
        c->launches_timed > c->trace.last || c->events > c->trace.limit)
        return NULL;
    o->tracing =
        (gpu_trace){.filter = c->trace.filter, .take = send_events, .arg = o};
    return &o->tracing;
}

void session_progress(void *arg, const gpu_progress *p)
{
    session_open *o = arg;
    int64_t now = clock_ms();
    LOCKED(o->client);

    if (!is_in_launch(o) || now - o->progress_ms < PROGRESS_MS)
        return;
    o->progress_ms = now;
    msg_progress_put(&o->client->out, o->number, p);
    push_messages(o->client);
}

void session_ended(session_open *o, const session_part *p)
{
    session_client *c = o->client;
    LOCKED(c);

    if (!is_in_launch(o))
        return;
    send_module(c, p->module);
    msg_part m = {.launch = o->number,
                  .kernel = kernel_of(p->module, p->kernel, p->grid, p->block,
                                      p->shared_bytes),
                  .stream = p->stream,
                  .outcome = p->is->outcome};
    if (p->profile && c->profile) {
        m.profile = (sm_profile_row *)p->profile;
        m.profile_count = (size_t)p->kernel->code_count + 1;
    }
    msg_part_put(&c->out, &m);
    flush_messages(c);
}

/* Once, the names of what is counted there. */
static void send_names(const session_open *o, const stats *s)
{
    session_client *c = o->client;

    if (!map_get(c->named, o->device, &(uint64_t){0}))
        msg_counters_put(&c->out, o->device, c->per_block, s);
    map_put(c->named, o->device, 1);
}

void session_sofar(void *arg, const rt_device *d, const rt_result *r)
{
    session_open *o = arg;
    msg_result m = {.launch = o->number, .is = *r};
    LOCKED(o->client);

    if (!is_in_launch(o))
        return;
    send_names(o, rt_stats(d));
    m.total_count = stats_total_count(rt_stats(d));
    m.moved = bytes_moved(o->client);
    msg_sofar_put(&o->client->out, &m);
    push_messages(o->client);
}

void session_result(session_open *o, const rt_device *d, const rt_result *r,
                    const isa_kernel *kernel, const sm_profile_row *profile,
                    const session_samples *samples, const char *error)
{
    session_client *c = o->client;
    msg_result m = {.error = (char *)error};
    const stats *s;
    LOCKED(c);

    if (!is_in_launch(o))
        return;
    m.is = *r;
    s = rt_stats(d);
    if (r->totals) {
        m.total_count = stats_total_count(s);
        send_names(o, s);
    }
    o->client = NULL;
    if (r->counters && c->per_block)
        m.counter_count = stats_count(s);
    if (profile && c->profile) {
        m.profile = (sm_profile_row *)profile;
        m.profile_count = (size_t)kernel->code_count + 1;
    }
    if (samples) {
        m.series = *samples->energy;
        m.warps = *samples->warps;
    }
    m.launch = o->number;
    m.moved = bytes_moved(c);
    msg_result_put(&c->out, &m);
    if (c->watched)
        push_messages(c);
    else
        flush_messages(c);
}

/* ---- Being watched ---- */

/* Is the connection that of this process? Asked where a launch is under way. */
static bool is_heard(const session_client *c)
{
    return c->pid == getpid() && is_ours(c);
}

static int heard_from(session_client *c)
{
    LOCKED(c);

    return is_heard(c) ? c->fd : -1;
}

static bool line_asked(void *arg)
{
    session_client *c = arg;
    LOCKED(c);

    return c->heard || (c->tail && shared_tail_asked(c->tail));
}

static bool line_take(void *arg, lookout_ask *out)
{
    session_client *c = arg;
    wire payload;
    size_t used;
    uint8_t kind;
    LOCKED(c);

    if (!is_heard(c))
        return false;
    c->heard = false;
    if (c->tail)
        shared_tail_forget(c->tail);
    while (receive(c, MSG_DONTWAIT))
        ;
    bool over = errno != EAGAIN; /* what it said still counts */
    wire_state state =
        wire_next(c->in.text, c->in.size, &kind, &payload, &used);
    if (state == WIRE_WHOLE && kind == MSG_ASK && msg_ask_get(&payload, out)) {
        forget(&c->in, used);
        c->heard = c->in.size > 0;
        return true;
    }
    if (over || state != WIRE_MORE)
        close_connection(c);
    return false;
}

static bool line_wait(void *arg)
{
    session_client *c = arg;
    struct pollfd from = {.fd = heard_from(c), .events = POLLIN};

    if (from.fd >= 0 && poll(&from, 1, WATCH_MS) > 0)
        c->heard = true;
    return from.fd >= 0;
}

static void line_tell(void *arg, const lookout_seen *s)
{
    session_client *c = arg;
    LOCKED(c);

    if (!is_heard(c))
        return;
    msg_seen_put(&c->out, s);
    push_messages(c);
}

lookout_line session_line(session_client *c)
{
    return (lookout_line){.asked = line_asked,
                          .take = line_take,
                          .wait = line_wait,
                          .tell = line_tell,
                          .arg = c};
}

void session_moved(session_client *c, const session_transfers *all)
{
    LOCKED(c);

    if (c)
        c->moved = *all;
}

void session_activity(session_client *c, const report_activity *a)
{
    LOCKED(c);

    if (!is_open(c))
        return;
    msg_activity_put(&c->out, a);
    flush_messages(c);
}

void session_note(session_client *c, const char *text)
{
    LOCKED(c);

    if (!is_open(c))
        return;
    msg_note_put(&c->out, text);
    flush_messages(c);
}

void session_failed(session_client *c, const char *function, int code,
                    const char *name, const char *text)
{
    LOCKED(c);

    if (!c || c->failures == SESSION_FAILURES || !is_open(c))
        return;
    c->failures++;
    msg_failed_put(&c->out, &(msg_failed){function, code, name, text});
    flush_messages(c);
}
