/* src/sass/load_service.c - functions of the run-time, as machine code calls
 * them: arguments from R4 on, 64 bits in pairs that begin at even ones, the
 * result in R4, the address to return to in R20, a stack that ends at R1. */
#include <string.h>

#include "base/must.h"
#include "sass/load_parts.h"

enum {
    R_STACK = 1,
    R_FIRST = 4,    /* arguments */
    R_SCRATCH = 14, /* and the register behind it */
    R_RETURN = 20,
    INST_SHIFT = 4, /* bytes of an instruction, as a shift */
    ASSERT_BYTES = SERVICE_STACK_BYTES,
    C0_LOCAL_WINDOW_HIGH = 0x24, /* of runtime/bank0.def */
    /* What PRINT does: exec/services.h, of a row that this does not see. */
    PRINT_FORMAT = 0,
    PRINT_ASSERTION = 2,
};

static const char *const names[LOAD_SERVICES] = {
    [SERVICE_VPRINTF] = "vprintf",
    [SERVICE_MALLOC] = "malloc",
    [SERVICE_FREE] = "free",
    [SERVICE_ASSERT] = "__assertfail",
};

load_service load_service_of(const char *name)
{
    unsigned s = 0;

    while (s < LOAD_SERVICES && strcmp(names[s], name))
        s++;
    return (load_service)s;
}

/* ---- Instructions ---- */

typedef struct writer {
    isa_inst *at;
} writer;

/* Each waits for all before it: barrier 0 is that of results, 1 of registers
 * that are read later. */
static isa_inst *put(writer *w, isa_op op)
{
    bool variable = isa_table[op].flags & ISA_F_VARIABLE;
    bool result = variable && (op == ISA_PRINT || op == ISA_MALLOC);

    *w->at = isa_new(op);
    w->at->ctl = 15u << CTL_STALL | (result ? 0u : 7u) << CTL_WRITE_BAR |
                 (variable && !result ? 1u : 7u) << CTL_READ_BAR |
                 0x3fu << CTL_WAIT | 1u << CTL_HAS;
    return w->at++;
}

static void set_register(isa_inst *in, unsigned source, unsigned reg)
{
    in->src_kind[source] = SRC_REG;
    in->src[source] = (uint8_t)reg;
}

static void set_value(isa_inst *in, unsigned source, enum isa_src_kind kind,
                      uint32_t value)
{
    in->src_kind[source] = (uint8_t)kind;
    in->val[source] = value;
}

static void put_print(writer *w, unsigned what, unsigned format, unsigned args)
{
    isa_inst *in = put(w, ISA_PRINT);

    in->dst = R_FIRST;
    set_register(in, 0, format);
    set_register(in, 1, args);
    in->lut = (uint8_t)what;
}

/* Two registers below the stack: an operand of a failed assertion. */
static void put_operand(writer *w, unsigned index, unsigned reg, unsigned high)
{
    unsigned regs[] = {reg, high};

    for (unsigned i = 0; i < 2; i++) {
        isa_inst *in = put(w, ISA_STL);

        set_register(in, 0, R_STACK);
        in->val[0] = (uint32_t)(8 * index + 4 * i) - ASSERT_BYTES;
        set_register(in, 1, regs[i]);
    }
}

/* Text, file, line, function, of which the line stands last. */
static void put_assert(writer *w)
{
    isa_inst *in;

    put_operand(w, 0, R_FIRST, R_FIRST + 1);
    put_operand(w, 1, R_FIRST + 2, R_FIRST + 3);
    put_operand(w, 2, R_FIRST + 6, R_FIRST + 7);
    put_operand(w, 3, R_FIRST + 4, ISA_RZ);
    in = put(w, ISA_IADD3);
    in->dst = R_SCRATCH;
    set_register(in, 0, R_STACK);
    set_value(in, 1, SRC_IMM, (uint32_t)-ASSERT_BYTES);
    set_register(in, 2, ISA_RZ);
    in = put(w, ISA_MOV);
    in->dst = R_SCRATCH + 1;
    set_value(in, 1, SRC_CONST, CBANK_PARAM << 16 | C0_LOCAL_WINDOW_HIGH);
    put_print(w, PRINT_ASSERTION, ISA_RZ, R_SCRATCH);
}

static void put_return(writer *w)
{
    isa_inst *in = put(w, ISA_SHR);

    in->dst = R_RETURN;
    set_register(in, 0, R_RETURN);
    set_value(in, 1, SRC_IMM, INST_SHIFT);
    ISA_PUT(in, U32, 1);
    set_register(put(w, ISA_RET), 0, R_RETURN);
}

void load_service_code(load_service s, isa_inst *out)
{
    writer w = {out};
    isa_inst *in;

    switch (s) {
    case SERVICE_VPRINTF:
        put_print(&w, PRINT_FORMAT, R_FIRST, R_FIRST + 2);
        break;
    case SERVICE_MALLOC:
        in = put(&w, ISA_MALLOC);
        in->dst = R_FIRST;
        set_register(in, 0, R_FIRST);
        break;
    case SERVICE_FREE:
        set_register(put(&w, ISA_FREE), 0, R_FIRST);
        break;
    case SERVICE_ASSERT:
        put_assert(&w);
        break;
    case LOAD_SERVICES:
        MUST(!"no service");
    }
    put_return(&w);
    while (w.at < out + SERVICE_INSTS)
        put(&w, ISA_BPT);
    for (unsigned i = 0; i < SERVICE_INSTS; i++)
        isa_finish(&out[i]);
}
