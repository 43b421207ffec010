/* src/sass/lower_tex.c - textures and surfaces: where handle, coordinates and
 * the rest of a fetch are. */
#include "sass/lower.h"

#include "isa/operand.h"

static unsigned register_at(const sass_lowering *l, unsigned bit)
{
    return (unsigned)sass_get(l->w, bit, 8);
}

/* Source `i` becomes the handle: a constant, a uniform register or, with none
 * of these, the register at `bit`. */
static void lower_handle(sass_lowering *l, unsigned i, unsigned bit)
{
    unsigned form = (unsigned)sass_get(l->w, 9, 3);
    bool uniform = sass_get(l->w, 91, 1);

    l->in.src_mod[i] = 0;
    l->in.val[i] = 0;
    if (uniform) {
        l->in.src_kind[i] = SRC_UREG;
        l->in.src[i] = (uint8_t)sass_get(l->w, 40, 6);
        if (sass_get(l->w, 46, 13))
            sass_refuse(l, "a handle behind a uniform register");
    } else if (form == 5 || l->e->row->code == 0x59f) {
        l->in.src_kind[i] = SRC_CONST;
        l->in.src[i] = ISA_RZ;
        l->in.val[i] = (uint32_t)(sass_get(l->w, 54, 5) << 16 |
                                  sass_get(l->w, 40, 14) * 4);
    } else {
        l->in.src_kind[i] = SRC_REG;
        l->in.src[i] = (uint8_t)register_at(l, bit);
    }
}

static void lower_geometry(sass_lowering *l)
{
    static const uint8_t geometries[8] = {GEOM_1D,   GEOM_2D,   GEOM_3D,
                                          GEOM_CUBE, GEOM_A1D,  GEOM_A2D,
                                          GEOM_1D,   GEOM_ACUBE};

    ISA_PUT(&l->in, GEOM, geometries[sass_get(l->w, 61, 3)]);
    if (sass_get(l->w, 61, 3) == 6)
        sass_refuse(l, "textures of this kind");
}

void sass_lower_TEX(sass_lowering *l)
{
    enum { LEVELS = 4 };
    unsigned level = sass_value(l, "texlod"), second = register_at(l, 64);
    bool integer = l->e->row->text[1] == 'L' && l->in.op == ISA_TEXV;

    lower_geometry(l);
    l->in.lut = (uint8_t)sass_get(l->w, 72, 4);
    if (!l->in.lut)
        sass_refuse(l, "a fetch of nothing");
    for (unsigned i = 0; i < 2; i++) {
        l->in.src_kind[i] = SRC_REG;
        l->in.src[i] = (uint8_t)register_at(l, i ? 32 : 24);
        l->in.src_mod[i] = 0;
    }
    if (sass_get(l->w, 59, 1) && !sass_get(l->w, 91, 1)) { /* within a row */
        l->in.src_kind[2] = SRC_REG;
        l->in.src[2] = ISA_RZ;
        l->in.src_mod[2] = 0;
    } else {
        lower_handle(l, 2, 0);
    }
    if (isa_channel_regs(l->in.lut) > 1 && second != ISA_RZ)
        l->in.uaddr = (uint8_t)(second + 1);
    if (l->in.op != ISA_TXDV) {
        ISA_PUT(&l->in, TOFF, sass_value(l, "AOFFI"));
        ISA_PUT(&l->in, TSCR, sass_value(l, "SCR"));
    } else if (sass_value(l, "AOFFI")) {
        sass_refuse(l, "gradients and offsets");
    }
    if (l->in.op == ISA_TEXV) {
        ISA_PUT(&l->in, TLOD, level & 3);
        ISA_PUT(&l->in, TCOORD, integer);
    } else if (l->in.op == ISA_TLD4V) {
        ISA_PUT(&l->in, TCOMP, sass_value(l, "comp"));
    }
    if (!isa_texture_rows(&l->in).b) /* then it has any register */
        l->in.src[1] = ISA_RZ;
    if (level >= LEVELS)
        sass_refuse(l, "levels that are limited");
    if (sass_value(l, "DC"))
        sass_refuse(l, "comparison of depths");
}

void sass_lower_TXQ(sass_lowering *l)
{
    static const uint8_t queries[9] = {
        [1] = TXQ_WIDTH, [2] = TXQ_HEIGHT, [4] = TXQ_DEPTH, [8] = TXQ_LEVELS};
    unsigned set = (unsigned)sass_get(l->w, 72, 4), a = register_at(l, 24);

    if (!set || set & (set - 1))
        sass_refuse(l, "several dimensions at once");
    else
        ISA_PUT(&l->in, TXQUERY, queries[set]);
    l->in.src_kind[2] = SRC_NONE;
    l->in.src[2] = ISA_RZ;
    l->in.src_kind[1] = SRC_REG;
    l->in.src[1] = (uint8_t)a; /* the level */
    if (sass_get(l->w, 59, 1)) {
        l->in.src_kind[0] = SRC_REG;
        l->in.src[0] = (uint8_t)a;
        l->in.src[1] = (uint8_t)(a == ISA_RZ ? a : a + 1);
    } else {
        lower_handle(l, 0, 0);
    }
}

/* ---- surfaces ---- */

static void lower_surface(sass_lowering *l)
{
    enum { TRAP = 2, CLAMP = 1 };
    static const uint8_t geometries[8] = {GEOM_1D,  GEOM_1D, GEOM_A1D, GEOM_2D,
                                          GEOM_A2D, GEOM_3D, GEOM_1D,  GEOM_1D};
    unsigned bound = sass_value(l, "subound");

    l->in.src_kind[2] = SRC_NONE;
    l->in.src[2] = ISA_RZ;
    ISA_PUT(&l->in, GEOM, geometries[sass_value(l, "sudim")]);
    ISA_PUT(&l->in, SLAST, 1);
    ISA_PUT(&l->in, SBOUND,
            bound == TRAP    ? SBOUND_TRAP
            : bound == CLAMP ? SBOUND_CLAMP
                             : SBOUND_ZERO);
    l->in.src_kind[1] = SRC_REG;
    l->in.src[1] = (uint8_t)register_at(l, 24);
    l->in.src_mod[1] = 0;
    if (l->in.op != ISA_SULD) {
        l->in.src_kind[2] = SRC_REG;
        l->in.src[2] = (uint8_t)register_at(l, 32);
    }
    lower_handle(l, 0, 64);
}

void sass_lower_SURFACE(sass_lowering *l)
{
    static const uint8_t sizes[8] = {SIZE_U8, SIZE_S8, SIZE_U16, SIZE_S16,
                                     SIZE_32, SIZE_64, SIZE_128, SIZE_128};
    static const uint8_t channels[16] = {
        [1] = SIZE_32, [3] = SIZE_64, [15] = SIZE_128};

    lower_surface(l);
    if (l->in.op == ISA_SUSTP)
        ISA_PUT(&l->in, SIZE, channels[sass_value(l, "suchan")]);
    else
        ISA_PUT(&l->in, SIZE, sizes[sass_value(l, "size")]);
    if (!sass_value(l, "evict"))
        ISA_PUT(&l->in, CACHE, CACHE_CS);
}

void sass_lower_SURED(sass_lowering *l)
{
    enum { LONGS = 7 };
    static const uint8_t types[8] = {ATYPE_U32, ATYPE_S32,   ATYPE_U64,
                                     ATYPE_F32, ATYPE_F16X2, ATYPE_S64,
                                     ATYPE_F64, ATYPE_BF16X2};
    bool formatted = l->in.op == ISA_SUREDP;

    lower_surface(l);
    ISA_PUT(&l->in, ATOMOP, sass_value(l, "red"));
    ISA_PUT(&l->in, ATYPE,
            !formatted                         ? types[sass_value(l, "atype")]
            : sass_value(l, "satype") == LONGS ? ATYPE_U64
                                               : ATYPE_U32);
}
