/* Texture fetches against the formulas of texture_rig.h: kinds of images,
 * formats, addressing modes, filters. */
#include "texture_rig.h"

static const struct {
    tex_kind kind;
    const char *kernel;
    int size[3], layers;
} kinds[] = {
    {TEX_1D, "f1d", {37, 1, 1}, 1},
    {TEX_2D, "f2d", {19, 23, 1}, 1},
    {TEX_3D, "f3d", {7, 9, 5}, 1},
    {TEX_1D_ARRAY, "fa1d", {21, 1, 1}, 3},
    {TEX_2D_ARRAY, "fa2d", {9, 17, 1}, 4},
};

TEST(every_kind_mode_and_filter)
{
    rig r;

    start(&r);
    for (unsigned k = 0; k < COUNTOF(kinds); k++)
        for (unsigned how = 0; how < 4; how++)
            for (unsigned mode = TEX_ADDRESS_EDGE; mode <= TEX_ADDRESS_MIRROR;
                 mode++) {
                picture p = {.kind = kinds[k].kind,
                             .order = TEX_RGBA,
                             .type = TEX_UNORM8,
                             .layers = kinds[k].layers};
                tex_sampler s = sampler(how & 1, how & 2, (tex_address)mode);

                memcpy(p.size, kinds[k].size, sizeof p.size);
                check_fetches(&r, &p, kinds[k].kernel, &s);
            }
    stop(&r);
}

TEST(every_format)
{
    rig r;
    unsigned formats = 0;

    start(&r);
    for (unsigned o = 0; o < TEX_ORDERS; o++)
        for (unsigned t = 0; t < TEX_TYPES; t++) {
            picture p = {.kind = TEX_2D,
                         .order = (tex_order)o,
                         .type = (tex_type)t,
                         .size = {11, 13, 1},
                         .layers = 1};
            tex_sampler near = sampler(false, false, TEX_ADDRESS_BORDER);
            tex_sampler far = sampler(true, true, TEX_ADDRESS_BORDER);

            if (!tex_format_bytes(p.order, p.type))
                continue;
            formats++;
            check_fetches(&r, &p, "f2d", &near);
            if (!is_integer(p.type))
                check_fetches(&r, &p, "f2d", &far);
        }
    /* nine orders with twelve types; two with the four types of 8 bits; two
     * that are packed in three ways */
    CHECK_EQ(formats, 9 * 12 + 2 * 4 + 2 * 3);
    stop(&r);
}

TEST(integer_coordinates_are_texels)
{
    rig r;
    picture p = {.kind = TEX_3D,
                 .order = TEX_R,
                 .type = TEX_U32,
                 .size = {5, 6, 7},
                 .layers = 1};
    uint32_t in[THREADS][4] = {{0}}, out[THREADS][4], want[4], image;

    start(&r);
    image = make(&r, &p, 1);
    for (unsigned t = 0; t < THREADS; t++)
        for (unsigned d = 0; d < 3; d++)
            in[t][d] = rng_below(&r.r, 12) - 3;
    fetch(&r, "i3d", tex_handle(image, 4), in, out); /* 4: border */
    for (unsigned t = 0; t < THREADS; t++) {
        int at[3] = {(int)in[t][0], (int)in[t][1], (int)in[t][2]};

        texel(&p, at, want);
        for (unsigned k = 0; k < 4; k++)
            CHECK_EQ(out[t][k], want[k]);
    }
    free(p.bytes);
    stop(&r);
}

TEST(a_buffer_is_zero_outside)
{
    rig r;
    picture p = {.kind = TEX_BUFFER,
                 .order = TEX_RGBA,
                 .type = TEX_F32,
                 .size = {10, 1, 1},
                 .layers = 1};
    uint32_t in[THREADS][4] = {{0}}, out[THREADS][4], image;

    start(&r);
    image = make(&r, &p, 1);
    for (unsigned t = 0; t < THREADS; t++)
        in[t][0] = t - 5;
    fetch(&r, "i1d", image, in, out);
    for (unsigned t = 0; t < THREADS; t++)
        for (unsigned k = 0; k < 4; k++) {
            uint32_t want = 0;

            if (t >= 5 && t < 15)
                memcpy(&want, p.bytes + 16 * (t - 5) + 4 * k, 4);
            CHECK_EQ(out[t][k], want);
        }
    free(p.bytes);
    stop(&r);
}

/* Green of the texels around a point, from the lower left on
 * counter-clockwise: y counts downwards. */
/* Level l is filled with l + 1. */
/* Halves are what the image holds, here exactly. */
TEST(results_in_half_precision)
{
    rig r;
    picture p = {.kind = TEX_2D,
                 .order = TEX_RGBA,
                 .type = TEX_F16,
                 .size = {8, 8, 1},
                 .layers = 1};
    uint32_t in[THREADS][4] = {{0}}, out[THREADS][4], image;

    start(&r);
    image = make(&r, &p, 1);
    for (unsigned t = 0; t < THREADS; t++) {
        in[t][0] = as_bits((float)(t % 8));
        in[t][1] = as_bits((float)(t / 8));
    }
    fetch(&r, "halves", image, in, out);
    for (unsigned t = 0; t < THREADS; t++)
        for (unsigned k = 0; k < 2; k++) {
            uint32_t want;

            memcpy(&want, p.bytes + 8 * t + 4 * k, 4);
            CHECK_EQ(out[t][k], want);
            CHECK_EQ(out[t][2 + k], want);
        }
    free(p.bytes);
    stop(&r);
}

/* Level l holds l + 1. A gradient of 2^k texels is level k. */
TEST(coordinates_that_are_no_numbers_do_no_harm)
{
    static const float odd[] = {NAN, INFINITY, -INFINITY, 3e38f, -3e38f, -0.0f};
    rig r;
    picture p = {.kind = TEX_2D,
                 .order = TEX_R,
                 .type = TEX_F32,
                 .size = {8, 8, 1},
                 .layers = 1};
    uint32_t in[THREADS][4] = {{0}}, out[THREADS][4], image;

    start(&r);
    image = make(&r, &p, 1);
    for (unsigned t = 0; t < THREADS; t++) {
        in[t][0] = as_bits(odd[t % COUNTOF(odd)]);
        in[t][1] = as_bits(odd[t / COUNTOF(odd) % COUNTOF(odd)]);
    }
    for (uint32_t s = 0; s < TEX_LITERALS; s++)
        fetch(&r, "f2d", tex_handle(image, s), in, out);
    free(p.bytes);
    stop(&r);
}
