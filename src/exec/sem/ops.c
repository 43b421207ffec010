/* src/exec/sem/ops.c - the table of bodies of one level. */
#include "exec/sem/sem.h"

extern const exec_ops SEM_LEVEL(exec_ops);

const exec_ops SEM_LEVEL(exec_ops) = {
    .body =
        {
#define INST(id, code, text, form, mods, class, flags, source)                 \
    [ISA_##id] = SEM_NAME(id),
#include "isa/isa.def"
#undef INST
        },
    .perform = sem_perform,
    .begin = sem_begin,
    .part = sem_part,
    .check = sem_check,
    .run = sem_run,
    .once = sem_once,
    .plain = sem_plain,
};
