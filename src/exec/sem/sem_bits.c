/* src/exec/sem/sem_bits.c - shifts, bit fields, byte permutation, dot products.
 */
#include "exec/sem/sem.h"

/* Shift amount: modulo the width, or clamped to it. */
static uint32_t amount(uint32_t n, uint32_t width, bool wrap)
{
    return wrap ? n & (width - 1) : n < width ? n : width;
}

static void funnel_shift(sem *x, bool left)
{
    uint32_t ta[ISA_WARP], tb[ISA_WARP], tc[ISA_WARP], d[ISA_WARP];
    const uint32_t *a = sem_row(x, 0, ta), *b = sem_row(x, 1, tb),
                   *c = sem_row(x, 2, tc);
    unsigned type = ISA_GET(x->in, STYPE), down = ISA_GET(x->in, HI) ? 32 : 0;
    uint32_t width = type & 2 ? 64 : 32; /* U32, S32, U64, S64 */
    bool wrap = ISA_GET(x->in, WRAP), sign = type & 1;

    LANES(l)
    {
        uint64_t v = a[l] | (uint64_t)c[l] << 32, r;
        uint32_t n = amount(b[l], width, wrap);
        /* n may be 64: in two steps */
        uint32_t half = n / 2, rest = n - half;
        if (left)
            r = v << half << rest;
        else if (sign)
            r = (uint64_t)((int64_t)v >> half >> rest);
        else
            r = v >> half >> rest;
        d[l] = (uint32_t)(r >> down);
    }
    sem_put(x, d);
}

SEM(SHF_L) { funnel_shift(x, true); }
SEM(SHF_R) { funnel_shift(x, false); }

SEM(SHL)
{
    uint32_t ta[ISA_WARP], tb[ISA_WARP], d[ISA_WARP];
    const uint32_t *a = sem_row(x, 0, ta), *b = sem_row(x, 1, tb);

    if (ISA_GET(x->in, WRAP)) {
        LANES(l) d[l] = a[l] << (b[l] & 31);
    } else {
        LANES(l) d[l] = b[l] > 31 ? 0 : a[l] << (b[l] & 31);
    }
    sem_put(x, d);
}

SEM(SHR)
{
    uint32_t ta[ISA_WARP], tb[ISA_WARP], d[ISA_WARP];
    const uint32_t *a = sem_row(x, 0, ta), *b = sem_row(x, 1, tb);
    bool wrap = ISA_GET(x->in, WRAP);
    uint32_t n[ISA_WARP];

    if (ISA_GET(x->in, U32)) {
        uint32_t over = wrap ? UINT32_MAX : 31;
        LANES(l) d[l] = b[l] > over ? 0 : a[l] >> (b[l] & 31);
    } else {
        LANES(l) n[l] = wrap ? b[l] & 31 : b[l] < 31 ? b[l] : 31;
        LANES(l) d[l] = (uint32_t)((int32_t)a[l] >> n[l]);
    }
    sem_put(x, d);
}

/* Selector nibbles of the modes other than IDX, for the lowest two bits of
 * the selector operand [PTX85:prmt]. */
static const uint16_t prmt_mode[7][4] = {
    [PRMT_F4E] = {0x3210, 0x4321, 0x5432, 0x6543},
    [PRMT_B4E] = {0x5670, 0x6701, 0x7012, 0x0123},
    [PRMT_RC8] = {0x0000, 0x1111, 0x2222, 0x3333},
    [PRMT_ECL] = {0x3210, 0x3211, 0x3222, 0x3333},
    [PRMT_ECR] = {0x0000, 0x1110, 0x2210, 0x3210},
    [PRMT_RC16] = {0x1010, 0x3232, 0x1010, 0x3232},
};

/* Bits 2..0 of the nibble pick a byte, bit 3 replicates its sign. */
static inline uint32_t prmt_byte(uint32_t a, uint32_t c, uint32_t nibble)
{
    uint32_t word = nibble & 4 ? c : a;
    uint32_t byte = word >> 8 * (nibble & 3) & 0xff;
    uint32_t sign = byte & 0x80 ? 0xff : 0;

    return nibble & 8 ? sign : byte;
}

SEM(PRMT)
{
    uint32_t ta[ISA_WARP], tb[ISA_WARP], tc[ISA_WARP], d[ISA_WARP];
    const uint32_t *a = sem_row(x, 0, ta), *b = sem_row(x, 1, tb),
                   *c = sem_row(x, 2, tc);
    unsigned mode = ISA_GET(x->in, PRMTOP) % 7;
    uint32_t pick[ISA_WARP];

    if (!mode) {
        LANES(l) pick[l] = b[l];
    } else {
        LANES(l) pick[l] = prmt_mode[mode][b[l] & 3];
    }
    LANES(l)
    {
        d[l] = prmt_byte(a[l], c[l], pick[l]) |
               prmt_byte(a[l], c[l], pick[l] >> 4) << 8 |
               prmt_byte(a[l], c[l], pick[l] >> 8) << 16 |
               prmt_byte(a[l], c[l], pick[l] >> 12) << 24;
    }
    sem_put(x, d);
}

/* The field may reach beyond bit 31: what lies there is the sign, or 0
 * [PTX85:bfe]. */
SEM(BFE)
{
    uint32_t ta[ISA_WARP], tb[ISA_WARP], d[ISA_WARP];
    const uint32_t *a = sem_row(x, 0, ta), *b = sem_row(x, 1, tb);
    bool sign = !ISA_GET(x->in, U32);

    LANES(l)
    {
        uint32_t pos = b[l] & 0xff, len = b[l] >> 8 & 0xff, v;
        uint32_t fill = sign ? -(a[l] >> 31) : 0, last = pos + len - 1;
        uint32_t top = last < 31 ? a[l] >> (last & 31) & 1 : a[l] >> 31;

        v = pos < 32 ? (uint32_t)((a[l] | (uint64_t)fill << 32) >> pos) : fill;
        if (len < 32) {
            uint32_t keep = (1u << (len & 31)) - 1;
            v = (v & keep) | (sign && top ? ~keep : 0);
        }
        d[l] = len ? v : 0;
    }
    sem_put(x, d);
}

SEM(BFI)
{
    uint32_t ta[ISA_WARP], tb[ISA_WARP], tc[ISA_WARP], d[ISA_WARP];
    const uint32_t *a = sem_row(x, 0, ta), *b = sem_row(x, 1, tb),
                   *c = sem_row(x, 2, tc);

    LANES(l)
    {
        uint32_t pos = b[l] & 0xff, len = b[l] >> 8 & 0xff;
        uint32_t field = len < 32 ? (1u << (len & 31)) - 1 : UINT32_MAX;
        uint32_t m = pos < 32 ? field << (pos & 31) : 0;
        d[l] = ((a[l] << (pos & 31)) & m) | (c[l] & ~m);
    }
    sem_put(x, d);
}

SEM(FLO)
{
    uint32_t ta[ISA_WARP], d[ISA_WARP];
    const uint32_t *a = sem_row(x, 0, ta);
    bool sign = !ISA_GET(x->in, U32);
    uint32_t flip = ISA_GET(x->in, SH) ? 31 : 0;

    LANES(l)
    {
        uint32_t v = sign && (int32_t)a[l] < 0 ? ~a[l] : a[l];
        d[l] = v ? (31u - (uint32_t)__builtin_clz(v)) ^ flip : UINT32_MAX;
    }
    sem_put(x, d);
}

SEM(POPC)
{
    uint32_t ta[ISA_WARP], d[ISA_WARP];
    const uint32_t *a = sem_row(x, 0, ta);

    LANES(l)
    {
        uint32_t v = a[l] - (a[l] >> 1 & 0x55555555);
        v = (v & 0x33333333) + (v >> 2 & 0x33333333);
        d[l] = ((v + (v >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
    }
    sem_put(x, d);
}

SEM(BREV)
{
    uint32_t ta[ISA_WARP], d[ISA_WARP];
    const uint32_t *a = sem_row(x, 0, ta);

    LANES(l)
    {
        uint32_t v = (a[l] >> 1 & 0x55555555) | (a[l] & 0x55555555) << 1;
        v = (v >> 2 & 0x33333333) | (v & 0x33333333) << 2;
        v = (v >> 4 & 0x0f0f0f0f) | (v & 0x0f0f0f0f) << 4;
        v = (v >> 8 & 0x00ff00ff) | (v & 0x00ff00ff) << 8;
        d[l] = v >> 16 | v << 16;
    }
    sem_put(x, d);
}

/* Position A, width B, both clamped to 32 or taken modulo it [PTX85:bmsk]. */
SEM(BMSK)
{
    uint32_t ta[ISA_WARP], tb[ISA_WARP], d[ISA_WARP];
    const uint32_t *a = sem_row(x, 0, ta), *b = sem_row(x, 1, tb);
    bool wrap = ISA_GET(x->in, WRAP);

    LANES(l)
    {
        uint32_t pos = amount(a[l], 32, wrap), len = amount(b[l], 32, wrap);
        d[l] = (uint32_t)((((uint64_t)1 << len) - 1) << pos);
    }
    sem_put(x, d);
}

/* The lowest B bits of A, extended; B as in BMSK [PTX85:szext]. */
SEM(SGXT)
{
    uint32_t ta[ISA_WARP], tb[ISA_WARP], d[ISA_WARP];
    const uint32_t *a = sem_row(x, 0, ta), *b = sem_row(x, 1, tb);
    bool wrap = ISA_GET(x->in, WRAP), sign = !ISA_GET(x->in, U32);

    LANES(l)
    {
        uint32_t len = amount(b[l], 32, wrap);
        uint32_t keep = (uint32_t)(((uint64_t)1 << len) - 1);
        uint32_t top = len ? a[l] >> ((len - 1) & 31) & 1 : 0;
        d[l] = (a[l] & keep) | (sign && top ? ~keep : 0);
    }
    sem_put(x, d);
}

static int32_t part8(uint32_t v, unsigned i, bool is_unsigned)
{
    uint32_t byte = v >> 8 * i & 0xff;

    return is_unsigned ? (int32_t)byte : (int8_t)byte;
}

SEM(IDP4A)
{
    uint32_t ta[ISA_WARP], tb[ISA_WARP], tc[ISA_WARP], d[ISA_WARP];
    const uint32_t *a = sem_row(x, 0, ta), *b = sem_row(x, 1, tb),
                   *c = sem_row(x, 2, tc);
    bool au = ISA_GET(x->in, AU8), bu = ISA_GET(x->in, BU8);

    LANES(l)
    {
        uint32_t sum = c[l];
        for (unsigned k = 0; k < 4; k++)
            sum += (uint32_t)(part8(a[l], k, au) * part8(b[l], k, bu));
        d[l] = sum;
    }
    sem_put(x, d);
}

SEM(IDP2A)
{
    uint32_t ta[ISA_WARP], tb[ISA_WARP], tc[ISA_WARP], d[ISA_WARP];
    const uint32_t *a = sem_row(x, 0, ta), *b = sem_row(x, 1, tb),
                   *c = sem_row(x, 2, tc);
    bool au = ISA_GET(x->in, AU8), bu = ISA_GET(x->in, BU8);
    unsigned first = ISA_GET(x->in, DOTHI) ? 2 : 0;

    LANES(l)
    {
        uint32_t sum = c[l];
        for (unsigned k = 0; k < 2; k++) {
            uint32_t half = a[l] >> 16 * k & 0xffff;
            int32_t h = au ? (int32_t)half : (int16_t)half;
            sum += (uint32_t)(h * part8(b[l], first + k, bu));
        }
        d[l] = sum;
    }
    sem_put(x, d);
}

SEM(VABSDIFF4)
{
    uint32_t ta[ISA_WARP], tb[ISA_WARP], tc[ISA_WARP], d[ISA_WARP];
    const uint32_t *a = sem_row(x, 0, ta), *b = sem_row(x, 1, tb),
                   *c = sem_row(x, 2, tc);
    bool is_unsigned = ISA_GET(x->in, U32), sum = ISA_GET(x->in, SAD);

    LANES(l)
    {
        uint32_t all = c[l], packed = 0;
        for (unsigned k = 0; k < 4; k++) {
            int32_t u = part8(a[l], k, is_unsigned);
            int32_t v = part8(b[l], k, is_unsigned);
            uint32_t diff = (uint32_t)(u > v ? u - v : v - u);
            all += diff;
            packed |= diff << 8 * k;
        }
        d[l] = sum ? all : packed;
    }
    sem_put(x, d);
}
