/* tests/hardware/form.h - every instruction form whose results are compared:
 * its PTX, the types of its operands and what the manual says it gives.
 * The list is the same in every build, so results of one machine can be
 * compared with those of another by number. */
#ifndef HARDWARE_FORM_H
#define HARDWARE_FORM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define HW_VECTORS 4096 /* operand sets of a form, a multiple of HW_CTA */
#define HW_CTA     128
#define HW_SLOT    8 /* bytes of an operand or result in memory */

typedef enum hw_type {
    HW_NONE,
    HW_U8,
    HW_S8,
    HW_U16,
    HW_S16,
    HW_U32,
    HW_S32,
    HW_U64,
    HW_S64,
    HW_F16,
    HW_BF16,
    HW_F32,
    HW_F64,
    HW_F16X2,
    HW_BF16X2,
    HW_AMOUNT, /* u32 whose interesting values are small */
    HW_TYPES
} hw_type;

/* How results are compared. */
typedef enum hw_class {
    HW_EXACT,  /* every bit */
    HW_FLOAT,  /* every bit, but any NaN equals any other */
    HW_APPROX, /* within the manual's bound */
} hw_class;

typedef enum hw_round { HW_RN, HW_RZ, HW_RM, HW_RP } hw_round;

/* Comparisons; the unordered ones follow in the same order. */
typedef enum hw_cmp {
    HW_EQ,
    HW_NE,
    HW_LT,
    HW_LE,
    HW_GT,
    HW_GE,
    HW_EQU,
    HW_NEU,
    HW_LTU,
    HW_LEU,
    HW_GTU,
    HW_GEU,
    HW_NUM,
    HW_NAN
} hw_cmp;

typedef struct hw_form hw_form;

/* Operands, HW_VECTORS of each; a missing one is all zero. */
typedef struct hw_input {
    uint64_t v[3][HW_VECTORS];
} hw_input;

/* What vector `i` gives. */
typedef uint64_t hw_ref(const hw_form *f, const hw_input *in, unsigned i);

/* Largest error the manual allows of an approximation: `ulp` units in the
 * last place, or `rel` of the exact value, or `abs`, whichever is given and
 * largest; where |first operand| is outside low..high nothing is promised. */
typedef struct hw_bound {
    double ulp, rel, abs, low, high;
} hw_bound;

struct hw_form {
    const char *family; /* groups forms in reports */
    char name[80];      /* the instruction */
    /* PTX with $d $a $b $c for the operands, $s for the address of the
     * result's slot; p, q and r are predicates. */
    char text[320];
    hw_type d, s[3];
    hw_class class;
    hw_ref *ref;
    hw_round round;
    hw_cmp cmp;
    hw_type type; /* of the operation, where the operands do not tell */
    bool ftz, sat, nan, xorsign, relu;
    bool newer; /* PTX of sm_100 and later: not for the runner */
    int op, n;  /* what `ref` needs besides */
    hw_bound bound;
};

typedef struct hw_list {
    hw_form *form;
    unsigned count, room;
    bool failed; /* out of memory */
} hw_list;

void hw_list_init(hw_list *l);
void hw_list_free(hw_list *l);
/* A form with family, class, reference, types and both texts filled in. */
hw_form *hw_list_add(hw_list *l, const char *family, hw_ref *ref, hw_type d,
                     hw_type a, hw_type b, hw_type c);
/* Name and text `OP $d, $a...`, of as many operands as there are. */
void hw_name(hw_form *f, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Text other than what hw_name gives. */
void hw_text(hw_form *f, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

unsigned hw_bits(hw_type t); /* as stored */
bool hw_float(hw_type t);    /* one value or two */
bool hw_signed(hw_type t);
const char *hw_type_text(hw_type t);

/* Operands of a form: crossed edge values, then seeded random ones. */
void hw_input_fill(const hw_form *f, hw_input *in);

/* One kernel `form<number>(out, a, b, c)` in PTX. */
void hw_kernel_write(FILE *to, const hw_form *f, unsigned number);
void hw_module_begin(FILE *to);

/* Families, each adds its forms. */
void hw_forms_int(hw_list *l);
void hw_forms_bits(hw_list *l);
void hw_forms_float(hw_list *l);
void hw_forms_half(hw_list *l);
void hw_forms_compare(hw_list *l);
void hw_forms_convert(hw_list *l);
void hw_forms_approx(hw_list *l);
void hw_forms_warp(hw_list *l);
void hw_forms_atomic(hw_list *l);
void hw_forms_video(hw_list *l);
void hw_forms_narrow(hw_list *l);
void hw_forms_packed(hw_list *l);

#endif
