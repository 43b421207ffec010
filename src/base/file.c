/* src/base/file.c - whole files through POSIX calls. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/strbuf.h"

static status io_error(diag *dg, const char *path, const char *what)
{
    diag_add(dg, DIAG_ERROR, path, 0, 0, 1, "cannot %s: %s", what,
             strerror(errno));
    return ST_IO;
}

/* Grows geometrically; the size of a pipe is unknown before its end. */
static status read_all(int fd, const char *path, diag *dg, char **text,
                       size_t *size)
{
    size_t used = 0, room = 1 << 16;
    struct stat sb;
    char *buf;

    if (fstat(fd, &sb) == 0 && S_ISREG(sb.st_mode) && sb.st_size > 0)
        room = (size_t)sb.st_size + 2;
    buf = alloc_try_array(room, 1);
    while (buf) {
        ssize_t n = read(fd, buf + used, room - used - 1);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            free(buf);
            io_error(dg, path, "read");
            return ST_INPUT;
        }
        if (n == 0) {
            buf[used] = '\0';
            *text = buf;
            *size = used;
            return ST_OK;
        }
        used += (size_t)n;
        if (used + 1 == room) {
            char *more = alloc_try_renew(buf, 2 * room, 1);

            if (!more)
                free(buf);
            buf = more;
            room *= 2;
        }
    }
    diag_add(dg, DIAG_ERROR, path, 0, 0, 1, "too large for this host's memory");
    return ST_NOMEM;
}

status file_read(const char *path, diag *dg, char **text, size_t *size)
{
    status st;
    int fd;

    if (!strcmp(path, "-"))
        return read_all(STDIN_FILENO, "<stdin>", dg, text, size);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        io_error(dg, path, "open");
        return ST_INPUT;
    }
    st = read_all(fd, path, dg, text, size);
    close(fd);
    return st;
}

static bool write_all(int fd, const char *data, size_t size)
{
    while (size) {
        ssize_t n = write(fd, data, size);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        data += n;
        size -= (size_t)n;
    }
    return true;
}

/* Devices and pipes are written in place. */
static status write_special(const char *path, const void *data, size_t size,
                            diag *dg)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool ok;

    if (fd < 0)
        return io_error(dg, path, "open");
    ok = write_all(fd, data, size);
    if (close(fd) != 0)
        ok = false;
    return ok ? ST_OK : io_error(dg, path, "write");
}

/* An unused name beside `path`, opened; mkstemp would force mode 0600. */
static int open_temporary(const char *path, strbuf *name)
{
    for (unsigned i = 0; i < 100; i++) {
        int fd;

        name->size = 0;
        strbuf_printf(name, "%s.%ld-%u.tmp", path, (long)getpid(), i);
        fd = open(name->text, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

static status write_renamed(const char *path, const char *target,
                            const void *data, size_t size, diag *dg)
{
    strbuf name = {0};
    status st = ST_OK;
    int fd = open_temporary(target, &name);

    if (fd < 0) {
        st = io_error(dg, path, "create");
        goto done;
    }
    if (!write_all(fd, data, size))
        st = io_error(dg, path, "write");
    if (close(fd) != 0 && st == ST_OK)
        st = io_error(dg, path, "write");
    if (st == ST_OK && rename(name.text, target) != 0)
        st = io_error(dg, path, "write");
    if (st != ST_OK)
        unlink(name.text);
done:
    strbuf_fini(&name);
    return st;
}

static status refuse_folder(const char *path, diag *dg)
{
    if (!file_is_folder(path))
        return ST_OK;
    errno = EISDIR;
    return io_error(dg, path, "write");
}

static bool is_special(const char *path)
{
    struct stat sb;

    return stat(path, &sb) == 0 && !S_ISREG(sb.st_mode);
}

status file_write(const char *path, const void *data, size_t size, diag *dg)
{
    char *real;
    status st = refuse_folder(path, dg);

    if (st != ST_OK)
        return st;
    if (is_special(path))
        return write_special(path, data, size, dg);
    real = realpath(path, NULL); /* write through symbolic links */
    st = write_renamed(path, real ? real : path, data, size, dg);
    free(real);
    return st;
}

status file_can_write(const char *path, diag *dg)
{
    strbuf name = {0};
    char *real;
    status st = refuse_folder(path, dg);
    int fd;

    if (st != ST_OK || is_special(path))
        return st;
    real = realpath(path, NULL);
    fd = open_temporary(real ? real : path, &name);
    if (fd < 0) {
        st = io_error(dg, path, "create");
    } else {
        close(fd);
        unlink(name.text);
    }
    strbuf_fini(&name);
    free(real);
    return st;
}

bool file_is_folder(const char *path)
{
    struct stat is;

    return stat(path, &is) == 0 && S_ISDIR(is.st_mode);
}
