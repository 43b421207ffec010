/* src/opencl/program/kernel_info.h - the parts of kernels' declarations that
 * are not in their code: names and types of arguments, attributes. Read from
 * LLVM assembly, kept with program binaries as lines of comment. Owns its
 * texts. */
#ifndef OPENCL_PROGRAM_KERNEL_INFO_H
#define OPENCL_PROGRAM_KERNEL_INFO_H

#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

typedef struct arg_info {
    unsigned address; /* as clGetKernelArgInfo gives them */
    unsigned access;
    uint64_t qualifiers;
    char *type, *name;
} arg_info;

typedef struct kernel_info {
    char *name;
    size_t required[3]; /* reqd_work_group_size, 0: none */
    size_t hint[3];     /* work_group_size_hint, 0: none */
    char *vector;       /* vec_type_hint, NULL: none */
    arg_info *args;
    unsigned arg_count;
} kernel_info;

typedef struct kernel_infos {
    kernel_info *kernels;
    unsigned count;
} kernel_infos;

/* From LLVM assembly that clang wrote with -cl-kernel-arg-info. */
kernel_infos *kernel_infos_of_llvm(const char *text);
/* From PTX that begins with what kernel_infos_write wrote; NULL: it does
 * not. */
kernel_infos *kernel_infos_of_ptx(const char *text);
void kernel_infos_write(const kernel_infos *k, strbuf *to);
void kernel_infos_free(kernel_infos *k); /* NULL is fine */

/* NULL: not there. */
const kernel_info *kernel_infos_find(const kernel_infos *k, const char *name);
/* Attributes as the program wrote them, a space between them. */
void kernel_info_attributes(const kernel_info *k, strbuf *to);

#endif
