/* tests/opencl/capture.h - what is written to a stream while a test wants to
 * know. */
#ifndef OPENCL_CAPTURE_H
#define OPENCL_CAPTURE_H

#include <stdio.h>
#include <unistd.h>

#include "test.h"

typedef struct capture {
    FILE *stream;
    int saved;
    FILE *file;
    char text[2048];
} capture;

static inline void capture_begin(capture *c, FILE *stream)
{
    fflush(stream);
    c->stream = stream;
    c->saved = dup(fileno(stream));
    CHECK((c->file = tmpfile()) != NULL);
    dup2(fileno(c->file), fileno(stream));
}

/* What there is so far. */
static inline const char *capture_look(capture *c)
{
    ssize_t n = pread(fileno(c->file), c->text, sizeof c->text - 1, 0);

    c->text[n > 0 ? n : 0] = 0;
    return c->text;
}

static inline const char *capture_end(capture *c)
{
    fflush(c->stream);
    dup2(c->saved, fileno(c->stream));
    close(c->saved);
    capture_look(c);
    fclose(c->file);
    return c->text;
}

#endif
