/* src/opencl/program/ptx_text.h - facts about PTX that the driver needs before
 * it is compiled. */
#ifndef OPENCL_PROGRAM_PTX_TEXT_H
#define OPENCL_PROGRAM_PTX_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"

/* Does PTX begin here? Comments may stand before it. */
bool ptx_text_is(const char *text, size_t size);

/* A name as the source has it: of "_Z3ctzc" that is "ctz". */
const char *ptx_text_source_name(const char *name, size_t *size);

/* Adds to a message where the name is used. */
typedef struct ptx_text_users {
    void (*put)(void *data, const char *name, size_t size, strbuf *log);
    void *data;
} ptx_text_users;

/* Are there functions or variables that are declared and not defined, and that
 * no device has either? A line for each is added to `log`, with the users that
 * `users`, if not NULL, finds. */
bool ptx_text_undefined(const char *text, const ptx_text_users *users,
                        strbuf *log);

#endif
