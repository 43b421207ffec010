/* src/isa/tensor.h - shapes of matrix operations and what follows from them:
 * registers of the operands, work, which combinations exist. `mod` is
 * isa_inst.mod. Owns and borrows nothing. */
#ifndef ISA_TENSOR_H
#define ISA_TENSOR_H

#include "isa/isa.h"

typedef struct isa_tensor {
    uint16_t m, n, k; /* D, C: m x n; A: m x k; B: k x n; 0: no such thing */
    uint8_t bits;     /* of an element of A and B */
} isa_tensor;

typedef struct isa_tensor_groups { /* registers of each lane */
    uint8_t d, a, b, c;
} isa_tensor_groups;

/* The product that HMMA.884, HMMA, IMMA, BMMA or DMMA makes. */
isa_tensor isa_tensor_shape(isa_op op, uint32_t mod);

/* Uniform registers of source `source` of a bulk copy by those: the address in
 * global memory, or of the tensor map (S.S: in shared memory, of the data and
 * the mbarrier); in shared memory, of the mbarrier and coordinates, as far as
 * the operation has them; the rest in one: bytes / 16 or im2col offsets, and in
 * its upper half CTAs to multicast to. */
unsigned isa_bulk_uniform_regs(const isa_inst *in, unsigned source);

/* Also of LDSM (d) and STSM (b); 1 where a combination does not exist. */
isa_tensor_groups isa_tensor_regs(isa_op op, uint32_t mod);

/* Work in units of 256 multiply-adds of halves, at least 1: what one step of
 * HMMA.884 with F32 results takes; integers take less, doubles more. */
unsigned isa_tensor_steps(isa_op op, uint32_t mod);

/* NULL, or why there is no such operation. */
const char *isa_tensor_check(const isa_inst *in);

#endif
