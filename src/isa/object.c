/* src/isa/object.c - object files. The reader trusts no number: counts are
 * held against the bytes that are left before anything is allocated. */
#include "isa/object.h"

#include <string.h>

#include "base/hash.h"
#include "isa/encode.h"

enum { HEADER_BYTES = 32, NO_BYTES = UINT32_MAX };

static const char magic[4] = {'H', 'O', 'B', 'J'};

/* ---- writing ---- */

static void put_u64(strbuf *b, uint64_t v)
{
    for (unsigned i = 0; i < 8; i++)
        strbuf_putc(b, (char)(v >> 8 * i & 0xff));
}

static void put_u32(strbuf *b, uint32_t v)
{
    for (unsigned i = 0; i < 4; i++)
        strbuf_putc(b, (char)(v >> 8 * i & 0xff));
}

static void put_bytes(strbuf *b, const void *data, uint32_t size)
{
    put_u32(b, data ? size : NO_BYTES);
    if (data)
        strbuf_write(b, data, size);
}

static void put_object_text(strbuf *b, const char *s)
{
    put_bytes(b, s, s ? (uint32_t)strlen(s) : 0);
}

static void put_var(strbuf *b, const isa_var *v)
{
    put_object_text(b, v->name);
    put_u32(b, v->space);
    put_u64(b, v->size);
    put_u32(b, v->align);
    put_u32(b, v->offset);
    put_u32(b, v->init != NULL);
    if (v->init)
        strbuf_write(b, (const char *)v->init, v->size);
}

static void put_reloc(strbuf *b, const isa_reloc *r)
{
    put_u32(b, (uint32_t)r->var);
    put_u32(b, r->offset);
    put_u32(b, r->target);
    put_u64(b, (uint64_t)r->addend);
    put_u32(b, (uint32_t)r->target_kernel);
}

static void put_object_kernel(strbuf *b, const isa_kernel *k)
{
    put_object_text(b, k->name);
    put_u32(b, k->registers);
    put_u32(b, k->launch_registers);
    put_u32(b, k->shared_bytes);
    put_u32(b, k->shared_reserved);
    put_u32(b, k->local_bytes);
    put_u32(b, k->spill_bytes);
    put_u32(b, k->open_stack);
    put_u32(b, k->barriers);
    put_u32(b, k->max_threads);
    for (unsigned i = 0; i < 3; i++)
        put_u32(b, k->req_threads[i]);
    for (unsigned i = 0; i < 3; i++)
        put_u32(b, k->req_cga[i]);
    put_u32(b, k->max_cga);
    put_u32(b, k->explicit_cga);
    put_u32(b, k->bank0);
    put_u32(b, k->param_base);
    put_u32(b, k->param_bytes);
    put_u32(b, k->param_count);
    for (uint32_t i = 0; i < k->param_count; i++) {
        const isa_param *a = &k->params[i];

        put_object_text(b, a->name);
        put_u32(b, a->kind);
        put_u32(b, a->size);
        put_u32(b, a->align);
        put_u32(b, a->offset);
    }
    put_bytes(b, k->constant_bytes ? k->constants : NULL, k->constant_bytes);
    put_u32(b, k->code_count);
    for (uint32_t i = 0; i < k->code_count; i++) {
        uint8_t code[ISA_CODE_BYTES];

        isa_encode(&k->code[i], code);
        strbuf_write(b, (const char *)code, sizeof code);
    }
}

void object_write(const isa_program *p, strbuf *out)
{
    strbuf b = {0};

    put_u32(&b, p->user_const_bytes);
    put_u32(&b, p->symbol_const_bytes);
    put_u32(&b, p->file_count);
    for (uint32_t i = 0; i < p->file_count; i++)
        put_object_text(&b, p->files[i]);
    put_u32(&b, p->var_count);
    for (uint32_t i = 0; i < p->var_count; i++)
        put_var(&b, &p->vars[i]);
    put_u32(&b, p->reloc_count);
    for (uint32_t i = 0; i < p->reloc_count; i++)
        put_reloc(&b, &p->relocs[i]);
    put_u32(&b, p->kernel_count);
    for (uint32_t i = 0; i < p->kernel_count; i++)
        put_object_kernel(&b, &p->kernels[i]);

    strbuf_write(out, magic, sizeof magic);
    put_u32(out, OBJECT_VERSION);
    put_u32(out, p->arch);
    put_u32(out, 0);
    put_u64(out, hash_bytes(b.text, b.size, p->arch));
    put_u64(out, b.size);
    strbuf_write(out, b.text, b.size);
    strbuf_fini(&b);
}

/* ---- reading ---- */

/* After the first error every get returns 0, NULL or false. */
typedef struct reader {
    const uint8_t *at, *end;
    arena *mem;
    const char *error;
} reader;

static const uint8_t *take_bytes(reader *r, uint64_t size)
{
    const uint8_t *at = r->at;

    if (r->error)
        return NULL;
    if (size > (uint64_t)(r->end - r->at)) {
        r->error = "the file ends too early";
        return NULL;
    }
    r->at += size;
    return at;
}

static uint64_t get_number(reader *r, unsigned bytes)
{
    const uint8_t *at = take_bytes(r, bytes);
    uint64_t v = 0;

    for (unsigned i = 0; at && i < bytes; i++)
        v |= (uint64_t)at[i] << 8 * i;
    return v;
}

static uint32_t get_u32(reader *r) { return (uint32_t)get_number(r, 4); }
static uint64_t get_u64(reader *r) { return get_number(r, 8); }

/* A number of items of at least `least` bytes each; 0 after an error. */
static uint32_t get_count(reader *r, unsigned least)
{
    uint32_t n = get_u32(r);

    if (!r->error && n > (uint64_t)(r->end - r->at) / least)
        r->error = "the file ends too early";
    return r->error ? 0 : n;
}

static void *copy_to_arena(reader *r, const uint8_t *from, size_t size)
{
    void *to = arena_alloc(r->mem, size ? size : 1);

    memcpy(to, from, size);
    return to;
}

/* NULL for none: that an empty string is none, too, would be a second way to
 * write the same. */
static uint8_t *get_bytes(reader *r, uint32_t *size)
{
    uint32_t n = get_u32(r);
    const uint8_t *at;

    *size = 0;
    if (n == 0 && !r->error)
        r->error = "constants without bytes";
    if (n == NO_BYTES || !(at = take_bytes(r, n)))
        return NULL;
    *size = n;
    return copy_to_arena(r, at, n);
}

static const char *get_text(reader *r)
{
    uint32_t n = get_u32(r);
    const uint8_t *at;

    if (n == NO_BYTES || !(at = take_bytes(r, n)))
        return NULL;
    if (memchr(at, 0, n)) {
        r->error = "a name has a NUL in it";
        return NULL;
    }
    return arena_strndup(r->mem, (const char *)at, n);
}

static const char *get_name(reader *r)
{
    const char *name = get_text(r);

    if (!r->error && !name)
        r->error = "a name is missing";
    return r->error ? "" : name;
}

static isa_var get_var(reader *r)
{
    isa_var v = {.name = get_name(r)};
    const uint8_t *at;
    uint32_t given;

    v.space = (isa_space)get_u32(r);
    v.size = get_u64(r);
    v.align = get_u32(r);
    v.offset = get_u32(r);
    given = get_u32(r);
    if (given > 1)
        r->error = "neither with nor without an initial value";
    if (given && (at = take_bytes(r, v.size)))
        v.init = copy_to_arena(r, at, v.size);
    return v;
}

static isa_reloc get_reloc(reader *r)
{
    isa_reloc x = {.var = (int32_t)get_u32(r)};

    x.offset = get_u32(r);
    x.target = get_u32(r);
    x.addend = (int64_t)get_u64(r);
    x.target_kernel = (int32_t)get_u32(r);
    return x;
}

static isa_param get_param(reader *r)
{
    isa_param a = {.name = get_name(r)};

    a.kind = (isa_param_kind)get_u32(r);
    a.size = get_u32(r);
    a.align = get_u32(r);
    a.offset = get_u32(r);
    return a;
}

static void get_code(reader *r, isa_arch arch, isa_kernel *k)
{
    k->code_count = get_count(r, ISA_CODE_BYTES);
    k->code = ARENA_ARRAY(r->mem, isa_inst, k->code_count);
    for (uint32_t i = 0; i < k->code_count; i++) {
        const uint8_t *at = take_bytes(r, ISA_CODE_BYTES);

        if (!at || (r->error = isa_decode(at, arch, &k->code[i])))
            return;
    }
}

static isa_kernel get_object_kernel(reader *r, isa_arch arch)
{
    enum { PARAM_LEAST = 20 };
    isa_kernel k = {.name = get_name(r)};

    k.registers = get_u32(r);
    k.launch_registers = get_u32(r);
    k.shared_bytes = get_u32(r);
    k.shared_reserved = get_u32(r);
    k.local_bytes = get_u32(r);
    k.spill_bytes = get_u32(r);
    k.open_stack = get_u32(r);
    k.barriers = get_u32(r);
    k.max_threads = get_u32(r);
    for (unsigned i = 0; i < 3; i++)
        k.req_threads[i] = get_u32(r);
    for (unsigned i = 0; i < 3; i++)
        k.req_cga[i] = get_u32(r);
    k.max_cga = get_u32(r);
    k.explicit_cga = get_u32(r);
    k.bank0 = get_u32(r);
    k.param_base = get_u32(r);
    k.param_bytes = get_u32(r);
    k.param_count = get_count(r, PARAM_LEAST);
    k.params = ARENA_ARRAY(r->mem, isa_param, k.param_count);
    for (uint32_t i = 0; i < k.param_count; i++)
        k.params[i] = get_param(r);
    k.constants = get_bytes(r, &k.constant_bytes);
    get_code(r, arch, &k);
    return k;
}

static void get_program(reader *r, isa_program *p)
{
    enum {
        FILE_LEAST = 4,
        VAR_LEAST = 28,
        RELOC_LEAST = 24,
        KERNEL_LEAST = 68
    };

    p->user_const_bytes = get_u32(r);
    p->symbol_const_bytes = get_u32(r);
    p->file_count = get_count(r, FILE_LEAST);
    p->files = ARENA_ARRAY(r->mem, const char *, p->file_count);
    for (uint32_t i = 0; i < p->file_count; i++)
        p->files[i] = get_name(r);
    p->var_count = get_count(r, VAR_LEAST);
    p->vars = ARENA_ARRAY(r->mem, isa_var, p->var_count);
    for (uint32_t i = 0; i < p->var_count; i++)
        p->vars[i] = get_var(r);
    p->reloc_count = get_count(r, RELOC_LEAST);
    p->relocs = ARENA_ARRAY(r->mem, isa_reloc, p->reloc_count);
    for (uint32_t i = 0; i < p->reloc_count; i++)
        p->relocs[i] = get_reloc(r);
    p->kernel_count = get_count(r, KERNEL_LEAST);
    p->kernels = ARENA_ARRAY(r->mem, isa_kernel, p->kernel_count);
    for (uint32_t i = 0; i < p->kernel_count; i++)
        p->kernels[i] = get_object_kernel(r, p->arch);
    isa_program_files(p);
    if (!r->error && r->at != r->end)
        r->error = "bytes behind the program";
}

bool object_file_is(const void *data, size_t size)
{
    return size >= sizeof magic && !memcmp(data, magic, sizeof magic);
}

/* The header; *arch is valid if there is no error. */
static void get_header(reader *r, isa_arch *arch)
{
    const uint8_t *name = take_bytes(r, sizeof magic);
    uint32_t version = get_u32(r), family = get_u32(r), zero = get_u32(r);
    uint64_t sum = get_u64(r), size = get_u64(r);

    if (r->error)
        return;
    if (!object_file_is(name, sizeof magic))
        r->error = "this is no object file";
    else if (version != OBJECT_VERSION)
        r->error = "the object file has another version; assemble it again";
    else if (family >= ISA_ARCHS || zero)
        r->error = "the object file is for an unknown architecture";
    else if (size > (uint64_t)(r->end - r->at))
        r->error = "the file ends too early";
    else if (size < (uint64_t)(r->end - r->at))
        r->error = "bytes behind the program";
    else if (sum != hash_bytes(r->at, size, family))
        r->error = "the object file is damaged (checksum)";
    else
        *arch = (isa_arch)family;
}

status object_read(const char *file, const void *data, size_t size, diag *dg,
                   isa_program **out)
{
    reader r = {.at = data, .end = (const uint8_t *)data + size};
    isa_arch arch = ARCH_VOLTA;
    isa_program *p = NULL;
    strbuf why = {0};
    status st = ST_PROGRAM;

    get_header(&r, &arch);
    if (!r.error) {
        if (!(p = isa_program_new(arch)))
            return ST_NOMEM;
        r.mem = p->mem;
        get_program(&r, p);
    }
    if (r.error) {
        diag_add(dg, DIAG_ERROR, file, 0, 0, 1, "%s", r.error);
    } else if (!isa_program_check(p, &why)) {
        diag_add(dg, DIAG_ERROR, file, 0, 0, 1, "%s", why.text);
    } else {
        *out = p;
        p = NULL;
        st = ST_OK;
    }
    strbuf_fini(&why);
    isa_program_free(p);
    return st;
}
