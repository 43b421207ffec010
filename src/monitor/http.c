/* src/monitor/http.c - the server: who may ask, what for, and the answers. It
 * listens on 127.0.0.1 alone. Whoever asks must know the token, which only the
 * user has seen; as pages of others know it not, they cannot ask, whatever
 * name they give this machine. */
#include "monitor/impl.h"

#ifdef HEDDLE_HAVE_MICROHTTPD

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/must.h"
#include "page/live.h"

enum {
    TOKEN_BYTES = 16,
    CONNECTIONS = 32,
    BACKLOG = 128, /* that wait for one of them to go */
    REST_S = 15,   /* before a connection that does nothing is closed */
    STEPS_MOST = 1000000000,
};

/* Of the ABI that is compiled against. */
#define MONITOR_LIBRARY "libmicrohttpd.so.12"

struct monitor_server {
    monitor *m;
    struct MHD_Daemon *daemon;
    uint16_t port;
    char token[2 * TOKEN_BYTES + 1];
    char address[128];
    strbuf page;
};

/* Where a request is, in MHD's pointer: heard of, with a body perhaps; or the
 * last state is on its way. */
static char heard, last_state;

/* ---- The library ---- */

/* Its functions. It is loaded by who watches: all other commands would load it,
 * and a dozen libraries behind it, for nothing. */
#define MHD_FUNCTIONS(F)                                                       \
    F(start_daemon)                                                            \
    F(stop_daemon)                                                             \
    F(create_response_from_buffer)                                             \
    F(add_response_header)                                                     \
    F(queue_response)                                                          \
    F(destroy_response)                                                        \
    F(lookup_connection_value)

static struct {
#define MEMBER(name) __typeof__(&MHD_##name) name;
    MHD_FUNCTIONS(MEMBER)
#undef MEMBER
} mhd;

/* False after a message. */
static bool load_library(diag *dg)
{
    void *library = dlopen(MONITOR_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    bool all = library != NULL;

    if (!library)
        diag_error(dg,
                   "cannot load libmicrohttpd (%s): install it (Debian: "
                   "apt-get install libmicrohttpd12)",
                   dlerror());
#define LOAD(name)                                                             \
    all = all && (*(void **)&mhd.name = dlsym(library, "MHD_" #name));
    MHD_FUNCTIONS(LOAD)
#undef LOAD
    if (library && !all)
        diag_error(dg, "%s lacks functions of libmicrohttpd", MONITOR_LIBRARY);
    return all;
}

/* ---- Answers ---- */

typedef struct MHD_Connection connection;
typedef enum MHD_Result result;

static result answer_allowing(connection *c, unsigned code, const char *type,
                              const char *text, size_t size,
                              enum MHD_ResponseMemoryMode mode,
                              const char *allow)
{
    static const struct {
        const char *name, *value;
    } always[] = {{"Cache-Control", "no-store"},
                  {"X-Content-Type-Options", "nosniff"},
                  {"X-Frame-Options", "DENY"},
                  {"Referrer-Policy", "no-referrer"},
                  {"Cross-Origin-Resource-Policy", "same-origin"},
                  {"Cross-Origin-Opener-Policy", "same-origin"}};
    struct MHD_Response *r =
        mhd.create_response_from_buffer(size, (void *)(uintptr_t)text, mode);

    if (!r)
        return MHD_NO;
    mhd.add_response_header(r, "Content-Type", type);
    for (size_t i = 0; i < COUNTOF(always); i++)
        mhd.add_response_header(r, always[i].name, always[i].value);
    mhd.add_response_header(r, "Content-Security-Policy", PAGE_LIVE_POLICY);
    if (allow)
        mhd.add_response_header(r, "Allow", allow);
    result done = mhd.queue_response(c, code, r);
    mhd.destroy_response(r);
    return done;
}

static result answer(connection *c, unsigned code, const char *type,
                     const char *text, size_t size,
                     enum MHD_ResponseMemoryMode mode)
{
    return answer_allowing(c, code, type, text, size, mode, NULL);
}

static const char plain[] = "text/plain; charset=utf-8";

/* A sentence. */
static result refuse(connection *c, unsigned code, const char *text)
{
    return answer(c, code, plain, text, strlen(text), MHD_RESPMEM_PERSISTENT);
}

static result refuse_method(connection *c, const char *wants)
{
    const char *text = !strcmp(wants, "GET")
                           ? "This is looked at, with GET.\n"
                           : "This changes something: it takes POST.\n";

    return answer_allowing(c, MHD_HTTP_METHOD_NOT_ALLOWED, plain, text,
                           strlen(text), MHD_RESPMEM_PERSISTENT, wants);
}

/* Frees it. */
static result answer_json(connection *c, unsigned code, char *text)
{
    return answer(c, code, "application/json", text, strlen(text),
                  MHD_RESPMEM_MUST_FREE);
}

/* ---- Who may ask ---- */

/* Takes as long whatever is wrong with it. */
static bool is_token(const monitor_server *s, const char *given)
{
    size_t n = given ? strlen(given) : 0;
    unsigned char differ = n != strlen(s->token);

    for (size_t i = 0; i < strlen(s->token); i++)
        differ |= (unsigned char)(s->token[i] ^ (n ? given[i % n] : 0));
    return !differ;
}

static bool is_here(const monitor_server *s, const char *host)
{
    char one[32], other[32];

    snprintf(one, sizeof one, "127.0.0.1:%u", s->port);
    snprintf(other, sizeof other, "localhost:%u", s->port);
    return host && (!strcmp(host, one) || !strcmp(host, other));
}

static const char *header(connection *c, const char *name)
{
    return mhd.lookup_connection_value(c, MHD_HEADER_KIND, name);
}

static const char *argument(connection *c, const char *name)
{
    return mhd.lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, name);
}

/* NULL: may. */
static const char *refusal(const monitor_server *s, connection *c)
{
    const char *origin = header(c, "Origin"), *scheme = "http://";
    const char *token = header(c, "X-Heddle-Token");

    if (!is_here(s, header(c, "Host")))
        return "This server answers to 127.0.0.1 and localhost alone, with "
               "the port that heddle watch printed.\n";
    if (origin && (strncmp(origin, scheme, strlen(scheme)) != 0 ||
                   !is_here(s, origin + strlen(scheme))))
        return "Pages of other origins may not ask.\n";
    if (!is_token(s, token ? token : argument(c, "token")))
        return "The token is missing or wrong: open the address that heddle "
               "watch printed, all of it.\n";
    return NULL;
}

/* ---- What is asked ---- */

static bool take_number(const char *text, uint64_t most, uint64_t *out)
{
    char *end;

    if (!text || *text < '0' || *text > '9')
        return false;
    errno = 0;
    *out = strtoull(text, &end, 10);
    return !*end && !errno && *out <= most;
}

static result answer_state(monitor_server *s, connection *c, unsigned code,
                           void **stage)
{
    bool last;
    char *text = monitor_state(s->m, &last);

    if (last)
        *stage = &last_state;
    return answer_json(c, code, text);
}

static result answer_about(const monitor_server *s, connection *c)
{
    const char *asked = argument(c, "device");
    uint64_t device = 0;

    if (asked && !take_number(asked, s->m->how.devices - 1, &device))
        return refuse(c, MHD_HTTP_BAD_REQUEST,
                      "Which GPU? /about?device=NUMBER, from 0\n");
    const char *text = s->m->about[device];
    return answer(c, MHD_HTTP_OK, "application/json", text, strlen(text),
                  MHD_RESPMEM_PERSISTENT);
}

static result answer_warp(monitor_server *s, connection *c)
{
    uint64_t number, slot;
    char *text;

    if (!take_number(argument(c, "sm"), UINT32_MAX, &number) ||
        !take_number(argument(c, "slot"), UINT32_MAX, &slot))
        return refuse(c, MHD_HTTP_BAD_REQUEST,
                      "Which warp? /warp?sm=NUMBER&slot=NUMBER\n");
    text = monitor_ask_warp(s->m, (unsigned)number, (unsigned)slot);
    if (!text)
        return refuse(c, MHD_HTTP_SERVICE_UNAVAILABLE,
                      "Nothing is simulated at the moment, or the simulation "
                      "is busy: ask again.\n");
    return answer_json(c, MHD_HTTP_OK, text);
}

static result command(monitor_server *s, connection *c, lookout_command is,
                      uint64_t cycles, void **stage)
{
    bool done = monitor_ask(s->m, is, cycles);

    return answer_state(s, c, done ? MHD_HTTP_OK : MHD_HTTP_ACCEPTED, stage);
}

static result answer_step(monitor_server *s, connection *c, void **stage)
{
    uint64_t cycles;

    if (!take_number(argument(c, "cycles"), STEPS_MOST, &cycles) || !cycles)
        return refuse(c, MHD_HTTP_BAD_REQUEST,
                      "How far? /step?cycles=NUMBER, from 1 to 1000000000\n");
    return command(s, c, LOOKOUT_STEP, cycles, stage);
}

static result answer_get(monitor_server *s, connection *c, const char *path,
                         void **stage)
{
    if (!strcmp(path, "/"))
        return answer(c, MHD_HTTP_OK, "text/html; charset=utf-8", s->page.text,
                      s->page.size, MHD_RESPMEM_PERSISTENT);
    if (!strcmp(path, "/about"))
        return answer_about(s, c);
    if (!strcmp(path, "/state"))
        return answer_state(s, c, MHD_HTTP_OK, stage);
    return answer_warp(s, c);
}

static result answer_post(monitor_server *s, connection *c, const char *path,
                          void **stage)
{
    if (!strcmp(path, "/pause"))
        return command(s, c, LOOKOUT_PAUSE, 0, stage);
    if (!strcmp(path, "/go"))
        return command(s, c, LOOKOUT_GO, 0, stage);
    return answer_step(s, c, stage);
}

/* What there is, and how it is asked for. */
static const struct {
    const char *path, *method;
} places[] = {{"/", "GET"},     {"/about", "GET"},  {"/state", "GET"},
              {"/warp", "GET"}, {"/pause", "POST"}, {"/go", "POST"},
              {"/step", "POST"}};

static const char *method_of(const char *path)
{
    for (size_t i = 0; i < COUNTOF(places); i++)
        if (!strcmp(places[i].path, path))
            return places[i].method;
    return NULL;
}

static result handle(void *arg, connection *c, const char *path,
                     const char *method, const char *version, const char *body,
                     size_t *body_size, void **stage)
{
    monitor_server *s = arg;
    const char *no, *wants;

    (void)version;
    (void)body;
    if (!*stage) { /* a body may follow */
        *stage = &heard;
        return MHD_YES;
    }
    if (*body_size) { /* which nobody reads */
        *body_size = 0;
        return MHD_YES;
    }
    if (!strcmp(path, "/favicon.ico")) /* browsers ask for it by themselves */
        return answer(c, MHD_HTTP_NO_CONTENT, plain, "", 0,
                      MHD_RESPMEM_PERSISTENT);
    if ((no = refusal(s, c)))
        return refuse(c, MHD_HTTP_FORBIDDEN, no);
    if (!(wants = method_of(path)))
        return refuse(c, MHD_HTTP_NOT_FOUND, "There is nothing here.\n");
    if (strcmp(method, wants) != 0)
        return refuse_method(c, wants);
    return !strcmp(wants, "GET") ? answer_get(s, c, path, stage)
                                 : answer_post(s, c, path, stage);
}

static void note_completed(void *arg, connection *c, void **stage,
                           enum MHD_RequestTerminationCode how)
{
    monitor_server *s = arg;

    (void)c;
    if (*stage == &last_state && how == MHD_REQUEST_TERMINATED_COMPLETED_OK)
        monitor_told(s->m);
}

/* ---- Beginning and end ---- */

static bool make_token(monitor_server *s, diag *dg)
{
    unsigned char bytes[TOKEN_BYTES];

    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) {
        diag_error(dg, "no random numbers for the token: %s", strerror(errno));
        return false;
    }
    for (unsigned i = 0; i < TOKEN_BYTES; i++)
        snprintf(s->token + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

/* A socket that listens; -1: `dg` says why not. */
static int listen_here(monitor_server *s, uint16_t port, diag *dg)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons(port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    int on = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd >= 0)
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (fd >= 0 && !bind(fd, (struct sockaddr *)&at, size) &&
        !listen(fd, BACKLOG) &&
        !getsockname(fd, (struct sockaddr *)&at, &size)) {
        s->port = ntohs(at.sin_port);
        return fd;
    }
    if (errno == EADDRINUSE)
        diag_error(dg,
                   "port %u is in use: name another with --port, or leave it "
                   "out, and one that is free is taken",
                   port);
    else
        diag_error(dg, "cannot listen on port %u of 127.0.0.1: %s", port,
                   strerror(errno));
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Signals are for the thread that simulates. */
static struct MHD_Daemon *start(monitor_server *s, int fd)
{
    struct MHD_Daemon *d;
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    d = mhd.start_daemon(
        MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD, 0, NULL, NULL, handle,
        s, MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)REST_S,
        MHD_OPTION_NOTIFY_COMPLETED, note_completed, s, MHD_OPTION_END);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return d;
}

monitor_server *monitor_server_new(monitor *m, uint16_t port, diag *dg)
{
    monitor_server *s = new0(1, sizeof *s);
    int fd = -1;

    s->m = m;
    page_live(m->command, &s->page);
    if (load_library(dg) && make_token(s, dg) &&
        (fd = listen_here(s, port, dg)) >= 0) {
        snprintf(s->address, sizeof s->address, "http://127.0.0.1:%u/?token=%s",
                 s->port, s->token);
        s->daemon = start(s, fd);
        if (!s->daemon) {
            diag_error(dg, "the server does not start");
            close(fd);
        }
    }
    if (s->daemon)
        return s;
    monitor_server_free(s);
    return NULL;
}

void monitor_server_free(monitor_server *s)
{
    if (!s)
        return;
    if (s->daemon)
        mhd.stop_daemon(s->daemon);
    strbuf_fini(&s->page);
    free(s);
}

const char *monitor_server_address(const monitor_server *s)
{
    return s->address;
}

#else

monitor_server *monitor_server_new(monitor *m, uint16_t port, diag *dg)
{
    (void)m;
    (void)port;
    diag_error(dg, "this heddle was built without libmicrohttpd: install it "
                   "(Debian: apt-get install libmicrohttpd-dev) and build "
                   "again");
    return NULL;
}

void monitor_server_free(monitor_server *s) { (void)s; }

const char *monitor_server_address(const monitor_server *s)
{
    (void)s;
    return "";
}

#endif
