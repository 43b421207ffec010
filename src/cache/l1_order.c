#include "cache/l1_order.h"

bool l1_order_answer(l1_order *o, mem_port *to_lsu, uint64_t now)
{
    uint64_t due = o->ignored ? o->fences : o->fences & ~o->busy;

    if (!due)
        return false;
    unsigned w = bits_ctz64(due);
    mem_msg m = {.kind = MEM_FENCE,
                 .client = CLIENT_LSU,
                 .tag = o->tag[w],
                 .warp = (uint8_t)w};
    if (!mem_port_push(to_lsu, now, &m))
        return true;
    o->fences &= ~((uint64_t)1 << w);
    return (due & (due - 1)) != 0;
}
