#include "exec/front.h"

#include "exec/sem/sem.h"

static bool perform_none(exec_warp *w, exec_mem *m, unsigned spaces,
                         mem_view *view, exec_fault *fault)
{
    (void)w, (void)m, (void)spaces, (void)view, (void)fault;
    return true;
}

static bool begin_none(exec_warp *w, exec_mem *m, mem_view *view,
                       exec_fault *fault)
{
    (void)w, (void)m, (void)view, (void)fault;
    return true;
}

static void part_none(exec_warp *w, const exec_mem *m, enum exec_space space,
                      const uint32_t words[4], mem_view *view)
{
    (void)w, (void)m, (void)space, (void)words, (void)view;
}

static bool check_none(exec_warp *w, exec_mem *m, const mem_view *view,
                       exec_fault *fault)
{
    (void)w, (void)m, (void)view, (void)fault;
    return true;
}

const exec_ops exec_ops_none = {.perform = perform_none,
                                .begin = begin_none,
                                .part = part_none,
                                .check = check_none};
