/* tests/hardware/fold.c - what the vendor's compiler computes by itself.
 *   fold count                   the number of forms
 *   fold ptx FIRST COUNT         kernels with constant operands
 *   fold read FIRST COUNT CUBIN  compares what ptxas made of them
 * ptxas evaluates many operations on constants; the results stand in the
 * machine code as moves of immediate values before the stores. This reads the
 * few instructions involved (of sm_90) and takes any other as unknown: a
 * result that cannot be read off is no verdict. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "judge.h"

enum { VECTORS = 96, UNKNOWN_SPAN = 4, REGISTERS = 256, NO_REGISTER = 255 };

/* Opcodes of sm_90, the lowest 12 bits, and the few fields read here. */
enum {
    OP_MOV = 0x802,
    OP_IMAD_MOV = 0x424, /* RZ * RZ + immediate */
    OP_HFMA2_MOV = 0x435,
    OP_CS2R = 0x805, /* two registers of zero, as compilers use it */
    OP_STG = 0x986,
    OP_EXIT = 0x94d,
    OP_BRA = 0x947,
    OP_CALL = 0x944,
    OP_CALL_REL = 0x943,
    OP_RET = 0x950
};

typedef struct result {
    bool known;
    uint64_t v;
} result;

static unsigned vector_of(unsigned k) { return k * 1023 % HW_VECTORS; }

static void write_form(FILE *to, const hw_form *f, unsigned number,
                       const hw_input *in)
{
    static const char *const part[] = {"$d", "$a", "$b", "$c"};

    fprintf(to,
            "// %s\n.visible .entry form%u(.param .u64 xd)\n{\n"
            ".reg .b64 pd;\n.reg .pred p, q, r;\nld.param.u64 pd, [xd];\n",
            f->name, number);
    for (unsigned k = 0; k < VECTORS; k++) {
        fprintf(to, "{.reg .b%u d;\n", hw_bits(f->d));
        for (unsigned s = 0; s < 3 && f->s[s]; s++)
            fprintf(to, ".reg .b%u %c; mov.b%u %c, 0x%llx;\n", hw_bits(f->s[s]),
                    'a' + (int)s, hw_bits(f->s[s]), 'a' + (int)s,
                    (unsigned long long)in->v[s][vector_of(k)]);
        for (const char *t = f->text; *t; t++) {
            unsigned s = 0;
            while (s < 4 && strncmp(t, part[s], 2))
                s++;
            if (s < 4)
                t++;
            fputc(*t, to);
        }
        fprintf(to, "\nst.global.b%u [pd+%u], d;}\n", hw_bits(f->d),
                k * HW_SLOT);
    }
    fputs("ret;\n}\n", to);
}

/* ---- reading machine code ---- */

typedef struct machine {
    bool known[REGISTERS];
    uint32_t v[REGISTERS];
    result out[VECTORS * HW_SLOT / 4]; /* words */
} machine;

static void set(machine *m, unsigned r, uint32_t v)
{
    if (r == NO_REGISTER)
        return;
    m->known[r] = true;
    m->v[r] = v;
}

static void store(machine *m, uint64_t low, uint64_t high)
{
    unsigned at = low >> 40 & 0xffffff, r = low >> 32 & 0xff;
    unsigned words = (high >> 9 & 7) == 5 ? 2 : 1; /* size: 64 bits */

    for (unsigned k = 0; k < words && at / 4 + k < VECTORS * 2; k++) {
        unsigned from = r == NO_REGISTER ? r : r + k;
        m->out[at / 4 + k] = (result){m->known[from], m->v[from]};
    }
}

/* False: the code is not a straight line. */
static bool step(machine *m, uint64_t low, uint64_t high, bool *end)
{
    unsigned op = low & 0xfff, guard = low >> 12 & 15, d = low >> 16 & 0xff;
    unsigned a = low >> 24 & 0xff;
    bool move = op == OP_MOV ||
                ((op == OP_IMAD_MOV || op == OP_HFMA2_MOV) && a == NO_REGISTER);

    if (op == OP_EXIT && guard == 7)
        *end = true;
    if (op == OP_BRA || op == OP_CALL || op == OP_CALL_REL || op == OP_RET ||
        op == OP_EXIT)
        return *end;
    if (op == OP_STG) {
        store(m, low, high);
        return guard == 7;
    }
    for (unsigned k = 0; k < UNKNOWN_SPAN; k++)
        if (d + k < NO_REGISTER)
            m->known[d + k] = m->known[d + k] && (move || op == OP_CS2R) && k;
    if (move && guard == 7)
        set(m, d, (uint32_t)(low >> 32));
    if (op == OP_CS2R && guard == 7 && (high & 0xff) == 0xff) {
        set(m, d, 0);
        set(m, d + 1, 0);
    }
    return true;
}

static bool read_code(machine *m, const uint64_t *code, size_t count)
{
    bool end = false;

    memset(m, 0, sizeof *m);
    m->known[NO_REGISTER] = true;
    for (size_t k = 0; k < count && !end; k++)
        if (!step(m, code[2 * k], code[2 * k + 1], &end))
            return false;
    return true;
}

/* ---- verdicts ---- */

/* Vectors without a verdict count as equal and are subtracted. */
static void judge(const hw_form *f, const machine *m)
{
    static hw_input in;
    static uint64_t got[HW_VECTORS], want[HW_VECTORS];
    unsigned unknown = 0;

    hw_input_fill(f, &in);
    hw_reference(f, &in, want);
    memcpy(got, want, sizeof got);
    for (unsigned k = 0; k < VECTORS; k++) {
        const result *r = &m->out[2 * k];
        if (!r[0].known || (hw_bits(f->d) == 64 && !r[1].known)) {
            unknown++;
            continue;
        }
        got[vector_of(k)] = hw_bits(f->d) == 64   ? r[0].v | r[1].v << 32
                            : hw_bits(f->d) == 16 ? r[0].v & 0xffff
                                                  : r[0].v;
    }
    hw_verdict v = hw_judge(f, &in, got, want);
    printf("%s | %s | %u | %u | %u | %u | %g\n", f->family, f->name,
           VECTORS - unknown, v.payload, v.close, v.wrong, v.ulp);
    if (v.wrong) {
        fprintf(stderr, "%s:", f->name);
        for (unsigned k = 0; k < 3 && f->s[k]; k++)
            fprintf(stderr, " 0x%llx", (unsigned long long)in.v[k][v.first]);
        fprintf(stderr, " gives 0x%llx, the reference 0x%llx\n",
                (unsigned long long)got[v.first],
                (unsigned long long)want[v.first]);
    }
}

static int read_cubin(const hw_list *l, const char *path)
{
    static machine m;
    static uint8_t data[32 << 20];
    FILE *from = fopen(path, "rb");
    size_t size = from ? fread(data, 1, sizeof data, from) : 0;
    const Elf64_Ehdr *e = (const Elf64_Ehdr *)data;

    if (from)
        fclose(from);
    if (size < sizeof *e || e->e_shoff + e->e_shnum * sizeof(Elf64_Shdr) > size)
        return 1;
    const Elf64_Shdr *s = (const Elf64_Shdr *)(data + e->e_shoff);
    for (unsigned k = 0; k < e->e_shnum; k++) {
        const char *name =
            (const char *)data + s[e->e_shstrndx].sh_offset + s[k].sh_name;
        unsigned number;
        if (sscanf(name, ".text.form%u", &number) != 1 || number >= l->count)
            continue;
        const uint64_t *code = (const uint64_t *)(data + s[k].sh_offset);
        if (read_code(&m, code, s[k].sh_size / 16))
            judge(&l->form[number], &m);
    }
    return 0;
}

int main(int argc, char **argv)
{
    static hw_input in;
    hw_list l;
    int code = 0;

    hw_list_init(&l);
    if (l.failed || argc < 2)
        return 2;
    unsigned first = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
    unsigned count = argc > 3 ? (unsigned)atoi(argv[3]) : 0;
    if (!strcmp(argv[1], "count"))
        printf("%u\n", l.count);
    if (!strcmp(argv[1], "ptx")) {
        hw_module_begin(stdout);
        for (unsigned k = first; k < first + count && k < l.count; k++) {
            const hw_form *f = &l.form[k];
            if (f->newer || !strcmp(f->family, "warps") ||
                !strcmp(f->family, "atomics"))
                continue;
            hw_input_fill(f, &in);
            write_form(stdout, f, k, &in);
        }
    }
    if (!strcmp(argv[1], "read") && argc > 4)
        code = read_cubin(&l, argv[4]);
    hw_list_free(&l);
    return code;
}
