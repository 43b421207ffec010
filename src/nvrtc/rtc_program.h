/* src/nvrtc/rtc_program.h - a program that is compiled at run time. Its texts
 * are its own. */
#ifndef NVRTC_RTC_PROGRAM_H
#define NVRTC_RTC_PROGRAM_H

#include "nvrtc/nvrtc_api.h"

typedef struct nvrtc_text {
    char *name, *text; /* of a header; an expression and its lowered name */
} nvrtc_text;

struct nvrtc_program {
    char *name, *source;
    nvrtc_text *headers, *names;
    int header_count, name_count;
    char *log, *ptx; /* NULL: not compiled */
};

/* Makes ptx or not, and the log. */
nvrtcResult nvrtc_compile(nvrtcProgram p, int count,
                          const char *const *options);

/* Reads the names from the PTX and takes what told them out of it. False: one
 * is not there. */
int nvrtc_read_names(nvrtcProgram p);

#endif
