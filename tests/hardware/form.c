/* tests/hardware/form.c - the list of forms and their kernels. */
#include "form.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef struct type_info {
    const char *text;
    unsigned bits;
    bool is_float, is_signed;
} type_info;

static const type_info types[HW_TYPES] = {
    [HW_NONE] = {"", 0, false, false},
    /* Values of 8 bits live in 32-bit registers. */
    [HW_U8] = {"u8", 32, false, false},
    [HW_S8] = {"s8", 32, false, true},
    [HW_U16] = {"u16", 16, false, false},
    [HW_S16] = {"s16", 16, false, true},
    [HW_U32] = {"u32", 32, false, false},
    [HW_S32] = {"s32", 32, false, true},
    [HW_U64] = {"u64", 64, false, false},
    [HW_S64] = {"s64", 64, false, true},
    [HW_F16] = {"f16", 16, true, true},
    [HW_BF16] = {"bf16", 16, true, true},
    [HW_F32] = {"f32", 32, true, true},
    [HW_F64] = {"f64", 64, true, true},
    [HW_F16X2] = {"f16x2", 32, true, true},
    [HW_BF16X2] = {"bf16x2", 32, true, true},
    [HW_AMOUNT] = {"u32", 32, false, false},
};

unsigned hw_bits(hw_type t) { return types[t].bits; }
bool hw_float(hw_type t) { return types[t].is_float; }
bool hw_signed(hw_type t) { return types[t].is_signed; }
const char *hw_type_text(hw_type t) { return types[t].text; }

void hw_list_init(hw_list *l)
{
    *l = (hw_list){0};
    hw_forms_int(l);
    hw_forms_bits(l);
    hw_forms_float(l);
    hw_forms_half(l);
    hw_forms_compare(l);
    hw_forms_convert(l);
    hw_forms_approx(l);
    hw_forms_warp(l);
    hw_forms_atomic(l);
    hw_forms_video(l);
    hw_forms_narrow(l);
    hw_forms_packed(l);
}

void hw_list_free(hw_list *l)
{
    free(l->form);
    *l = (hw_list){0};
}

hw_form *hw_list_add(hw_list *l, const char *family, hw_ref *ref, hw_type d,
                     hw_type a, hw_type b, hw_type c)
{
    static hw_form spare; /* swallows what finds no memory */

    if (l->count == l->room) {
        unsigned room = l->room ? 2 * l->room : 1024;
        hw_form *more = realloc(l->form, room * sizeof *more);
        if (!more) {
            l->failed = true;
            return &spare;
        }
        l->form = more;
        l->room = room;
    }
    hw_form *f = &l->form[l->count++];
    *f = (hw_form){.family = family,
                   .ref = ref,
                   .d = d,
                   .s = {a, b, c},
                   .class = hw_float(d) ? HW_FLOAT : HW_EXACT};
    return f;
}

void hw_name(hw_form *f, const char *format, ...)
{
    static const char *const operands[] = {"$d", "$d, $a", "$d, $a, $b",
                                           "$d, $a, $b, $c"};
    unsigned n = 0;
    va_list ap;

    va_start(ap, format);
    vsnprintf(f->name, sizeof f->name, format, ap);
    va_end(ap);
    while (n < 3 && f->s[n])
        n++;
    snprintf(f->text, sizeof f->text, "%s %s;", f->name, operands[n]);
}

void hw_text(hw_form *f, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    vsnprintf(f->text, sizeof f->text, format, ap);
    va_end(ap);
}

/* ---- kernels ---- */

void hw_module_begin(FILE *to)
{
    fputs(".version 8.5\n.target sm_90\n.address_size 64\n", to);
}

static void write_text(FILE *to, const char *text)
{
    static const char *const name[][2] = {
        {"$d", "d"}, {"$a", "a"}, {"$b", "b"}, {"$c", "c"}, {"$s", "pd"}};

    while (*text) {
        unsigned k = 0;
        while (k < 5 && strncmp(text, name[k][0], 2))
            k++;
        if (k < 5) {
            fputs(name[k][1], to);
            text += 2;
        } else {
            fputc(*text++, to);
        }
    }
}

void hw_kernel_write(FILE *to, const hw_form *f, unsigned number)
{
    fprintf(to,
            "// %s\n.visible .entry form%u(.param .u64 xd, .param .u64 xa, "
            ".param .u64 xb, .param .u64 xc)\n{\n"
            ".reg .b64 pd, pa, pb, pc, i;\n.reg .b32 t, n;\n"
            ".reg .pred p, q, r;\n.reg .b%u d;\n",
            f->name, number, hw_bits(f->d));
    fputs("mov.u32 t, %tid.x;\nmov.u32 n, %ctaid.x;\n", to);
    fprintf(to,
            "mad.lo.u32 t, n, %d, t;\nmul.wide.u32 i, t, %d;\n"
            "ld.param.u64 pd, [xd];\nadd.u64 pd, pd, i;\n",
            HW_CTA, HW_SLOT);
    for (unsigned k = 0; k < 3 && f->s[k]; k++) {
        char x = (char)('a' + k);
        fprintf(to,
                ".reg .b%u %c;\nld.param.u64 p%c, [x%c];\n"
                "add.u64 p%c, p%c, i;\nld.global.b%u %c, [p%c];\n",
                hw_bits(f->s[k]), x, x, x, x, x, hw_bits(f->s[k]), x, x);
    }
    write_text(to, f->text);
    fprintf(to, "\nst.global.b%u [pd], d;\nret;\n}\n", hw_bits(f->d));
}
