#include "session/shared_tail.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"

enum { TAIL_BYTES = 1 << 16 };

typedef struct shared {
    _Atomic uint64_t sent; /* bytes, before those here */
    _Atomic uint64_t used; /* bytes here */
    _Atomic bool asked;    /* by the other side */
    char bytes[TAIL_BYTES];
} shared;

struct shared_tail {
    shared *is;
};

/* The reader maps it, so it must not shrink. */
static const int seals = F_SEAL_SHRINK | F_SEAL_GROW;

static shared_tail *map(int fd)
{
    shared_tail *t = new_array(1, sizeof *t);
    void *at;

    at = mmap(NULL, sizeof *t->is, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED) {
        free(t);
        return NULL;
    }
    t->is = at;
    return t;
}

shared_tail *shared_tail_new(int *fd)
{
    shared_tail *t = NULL;

    *fd = memfd_create("heddle", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (*fd < 0)
        return NULL;
    if (ftruncate(*fd, sizeof(shared)) == 0 &&
        fcntl(*fd, F_ADD_SEALS, seals) == 0)
        t = map(*fd);
    if (!t) {
        close(*fd);
        *fd = -1;
    }
    return t;
}

shared_tail *shared_tail_open(int fd)
{
    struct stat st;
    int has = fcntl(fd, F_GET_SEALS);

    if (has < 0 || (has & seals) != seals || fstat(fd, &st) != 0 ||
        st.st_size != sizeof(shared))
        return NULL;
    return map(fd);
}

void shared_tail_free(shared_tail *t)
{
    if (!t)
        return;
    munmap(t->is, sizeof *t->is);
    free(t);
}

bool shared_tail_put(shared_tail *t, const void *bytes, size_t n)
{
    uint64_t used = t->is->used;

    if (n > TAIL_BYTES - used)
        return false;
    memcpy(t->is->bytes + used, bytes, n);
    t->is->used = used + n; /* whole, or not at all */
    return true;
}

const char *shared_tail_bytes(const shared_tail *t, size_t *n)
{
    *n = t->is->used;
    return t->is->bytes;
}

/* In this order: a reader in between misses nothing. */
void shared_tail_sent(shared_tail *t, size_t more)
{
    uint64_t used = t->is->used;

    t->is->used = 0;
    t->is->sent += used + more;
}

void shared_tail_ask(shared_tail *t) { t->is->asked = true; }

bool shared_tail_asked(const shared_tail *t)
{
    return atomic_load_explicit(&t->is->asked, memory_order_relaxed);
}

void shared_tail_forget(shared_tail *t) { t->is->asked = false; }

size_t shared_tail_rest(const shared_tail *t, uint64_t received,
                        const char **bytes)
{
    uint64_t sent = t->is->sent, used = t->is->used;

    *bytes = NULL;
    if (used > TAIL_BYTES || received < sent || received - sent >= used)
        return 0;
    *bytes = t->is->bytes + (received - sent);
    return used - (received - sent);
}
