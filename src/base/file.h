/* src/base/file.h - host files, whole. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "base/status.h"

/* Reads all of `path` ("-" is standard input). On ST_OK the caller frees
 * *text, which has a NUL behind its *size bytes; otherwise both untouched and
 * one error is in `dg`; ST_INPUT, ST_NOMEM. */
status file_read(const char *path, diag *dg, char **text, size_t *size);

/* Writes all or nothing: to a temporary name beside `path`, then renames. */
status file_write(const char *path, const void *data, size_t size, diag *dg);

/* What file_write would say of a path that it cannot write at all, before there
 * is something to write. Leaves the file as it is; pipes and devices are not
 * opened. */
status file_can_write(const char *path, diag *dg);

/* Follows symbolic links; false: no folder, or not there. */
bool file_is_folder(const char *path);

#endif
