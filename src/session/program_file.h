/* src/session/program_file.h - the file of a program that is to be run, and
 * what can be seen in it. */
#ifndef SESSION_PROGRAM_FILE_H
#define SESSION_PROGRAM_FILE_H

#include <stdbool.h>

/* Where it is, if it is started in `folder` (NULL: here), to be freed; NULL:
 * nowhere. */
char *session_program_path(const char *program, const char *folder);

/* Is it made for CUDA and not for OpenCL? So it has code for GPUs inside or is
 * linked to CUDA's runtime or driver, and not to OpenCL's loader. */
bool session_program_is_cuda(const char *path);

#endif
