/* Texture fetches beyond one plane: levels of detail, layers, cubes, offsets,
 * gathering. */
#include "texture_rig.h"

TEST(offsets_are_added_in_texels_and_channels_can_be_left_out)
{
    rig r;
    picture p = {.kind = TEX_2D,
                 .order = TEX_RGBA,
                 .type = TEX_U8,
                 .size = {16, 16, 1},
                 .layers = 1};
    uint32_t in[THREADS][4] = {{0}}, out[THREADS][4], want[4], image;

    start(&r);
    image = make(&r, &p, 1);
    for (unsigned t = 0; t < THREADS; t++) {
        in[t][0] = as_bits((float)(t % 8) + 4.5f);
        in[t][1] = as_bits((float)(t / 8) + 4.25f);
    }
    fetch(&r, "shift", image, in, out);
    for (unsigned t = 0; t < THREADS; t++) {
        int at[3] = {(int)(t % 8) + 6, (int)(t / 8) + 1, 0};

        texel(&p, at, want);
        for (unsigned k = 0; k < 4; k++)
            CHECK_EQ(out[t][k], want[k]);
    }
    fetch(&r, "some", image, in, out);
    for (unsigned t = 0; t < THREADS; t++) {
        int at[3] = {(int)(t % 8) + 4, (int)(t / 8) + 4, 0};

        texel(&p, at, want);
        CHECK_EQ(out[t][0], 7);
        CHECK_EQ(out[t][1], want[1]);
        CHECK_EQ(out[t][2], 9);
        CHECK_EQ(out[t][3], want[3]);
    }
    free(p.bytes);
    stop(&r);
}

TEST(gather_takes_the_four_texels_of_a_linear_filter)
{
    static const int around[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    rig r;
    picture p = {.kind = TEX_2D,
                 .order = TEX_RGBA,
                 .type = TEX_U16,
                 .size = {12, 12, 1},
                 .layers = 1};
    uint32_t in[THREADS][4] = {{0}}, out[THREADS][4], want[4], image;

    start(&r);
    image = make(&r, &p, 1);
    for (unsigned t = 0; t < THREADS; t++) {
        in[t][0] = as_bits((float)(t % 8) + 1.75f);
        in[t][1] = as_bits((float)(t / 8) + 1.25f);
    }
    fetch(&r, "gather", image, in, out);
    for (unsigned t = 0; t < THREADS; t++)
        for (unsigned k = 0; k < 4; k++) {
            int at[3] = {(int)(t % 8) + 1 + around[k][0],
                         (int)(t / 8) + 0 + around[k][1], 0};

            texel(&p, at, want);
            CHECK_EQ(out[t][k], want[1]);
        }
    free(p.bytes);
    stop(&r);
}

TEST(levels_of_detail_are_chosen_and_mixed)
{
    static const struct {
        float lod;
        bool mix;
        float want;
    } rows[] = {{0, false, 1},        {0.4f, false, 1},   {0.6f, false, 2},
                {2.2f, false, 3},     {9, false, 4},      {-3, false, 1},
                {0.25f, true, 1.25f}, {1.5f, true, 2.5f}, {2.75f, true, 3.75f},
                {7, true, 4}};
    rig r;
    picture p = {.kind = TEX_2D,
                 .order = TEX_R,
                 .type = TEX_F32,
                 .size = {16, 8, 1},
                 .layers = 1};
    uint32_t image, in[THREADS][4], out[THREADS][4], origin[3] = {0, 0, 0};

    start(&r);
    image = make(&r, &p, 4);
    for (unsigned l = 0; l < 4; l++) {
        uint32_t region[3] = {16u >> l, 8u >> l, 1};
        uint32_t rgba[4] = {as_bits((float)l + 1)};

        CHECK(rt_image_fill(rt_device_memory(r.d), image, l, origin, region,
                            rgba));
        region[1]++;
        CHECK(!rt_image_fill(rt_device_memory(r.d), image, l, origin, region,
                             rgba));
    }
    for (unsigned i = 0; i < COUNTOF(rows); i++) {
        tex_sampler s = sampler(true, false, TEX_ADDRESS_EDGE);
        s.mip_linear = rows[i].mix;
        uint32_t n = rt_sampling_new(rt_device_memory(r.d), &s);

        for (unsigned t = 0; t < THREADS; t++) {
            in[t][0] = as_bits((float)t / THREADS);
            in[t][1] = as_bits(0.3f);
            in[t][3] = as_bits(rows[i].lod);
        }
        fetch(&r, "level", tex_handle(image, n), in, out);
        for (unsigned t = 0; t < THREADS; t++)
            CHECK_EQ(out[t][0], as_bits(rows[i].want));
    }
    free(p.bytes);
    stop(&r);
}

TEST(directions_choose_faces_of_a_cube)
{
    static const struct {
        float x, y, z;
        int face, s, t; /* on faces of 4 x 4 */
    } rows[] = {
        {1, 0.1f, -0.6f, 0, 3, 1}, {-1, 0.1f, -0.6f, 1, 0, 1},
        {0.6f, 1, 0.1f, 2, 3, 2},  {0.6f, -1, 0.1f, 3, 3, 1},
        {0.6f, 0.1f, 1, 4, 3, 1},  {0.6f, 0.1f, -1, 5, 0, 1},
        {2, 0.2f, -1.2f, 0, 3, 1},
    };
    rig r;
    picture p = {.kind = TEX_CUBE,
                 .order = TEX_R,
                 .type = TEX_U32,
                 .size = {4, 4, 1},
                 .layers = 6};
    uint32_t in[THREADS][4] = {{0}}, out[THREADS][4], want[4], image;

    start(&r);
    image = make(&r, &p, 1);
    for (unsigned i = 0; i < COUNTOF(rows); i++) {
        in[i][0] = as_bits(rows[i].x);
        in[i][1] = as_bits(rows[i].y);
        in[i][2] = as_bits(rows[i].z);
    }
    fetch(&r, "cube", image, in, out);
    for (unsigned i = 0; i < COUNTOF(rows); i++) {
        int at[3] = {rows[i].s, rows[i].t, rows[i].face};

        texel(&p, at, want);
        CHECK_EQ(out[i][0], want[0]);
    }
    free(p.bytes);
    stop(&r);
}

TEST(arrays_of_cubes)
{
    rig r;
    picture p = {.kind = TEX_CUBE_ARRAY,
                 .order = TEX_R,
                 .type = TEX_U32,
                 .size = {4, 4, 1},
                 .layers = 18};
    uint32_t in[THREADS][4] = {{0}}, out[THREADS][4], want[4], image;

    start(&r);
    image = make(&r, &p, 1);
    for (unsigned t = 0; t < THREADS; t++) { /* along -y: face 3 */
        in[t][0] = as_bits(0.25f);
        in[t][1] = as_bits(-1.0f);
        in[t][2] = as_bits(0.75f);
        in[t][3] = t;
    }
    fetch(&r, "acube", image, in, out);
    for (unsigned t = 0; t < THREADS; t++) {
        /* s = (x / m + 1) / 2, t = (-z / m + 1) / 2 of four texels */
        int at[3] = {2, 0, 6 * inside((int)t, 0, 2) + 3};

        texel(&p, at, want);
        CHECK_EQ(out[t][0], want[0]);
    }
    free(p.bytes);
    stop(&r);
}

TEST(arrays_of_rows)
{
    rig r;
    picture p = {.kind = TEX_1D_ARRAY,
                 .order = TEX_RG,
                 .type = TEX_S16,
                 .size = {7, 1, 1},
                 .layers = 5};
    uint32_t in[THREADS][4] = {{0}}, out[THREADS][4], want[4], image;

    start(&r);
    image = make(&r, &p, 1);
    for (unsigned t = 0; t < THREADS; t++) {
        in[t][0] = t % 9;
        in[t][3] = t / 9;
    }
    fetch(&r, "ia1d", tex_handle(image, 4), in, out);
    for (unsigned t = 0; t < THREADS; t++) {
        int at[3] = {(int)(t % 9), 0, inside((int)t / 9, 0, 4)};

        texel(&p, at, want);
        CHECK_EQ(out[t][1], want[1]);
        CHECK_EQ(out[t][3], want[3]);
    }
    free(p.bytes);
    stop(&r);
}

TEST(arrays_of_planes)
{
    rig r;
    picture p = {.kind = TEX_2D_ARRAY,
                 .order = TEX_R,
                 .type = TEX_U8,
                 .size = {7, 3, 1},
                 .layers = 5};
    uint32_t in[THREADS][4] = {{0}}, out[THREADS][4], want[4], image;

    start(&r);
    image = make(&r, &p, 1);
    for (unsigned t = 0; t < THREADS; t++) {
        in[t][0] = t % 7;
        in[t][1] = t % 3;
        in[t][3] = t % 5;
    }
    fetch(&r, "ia2d", image, in, out);
    for (unsigned t = 0; t < THREADS; t++) {
        int at[3] = {(int)(t % 7), (int)(t % 3), (int)(t % 5)};

        texel(&p, at, want);
        CHECK_EQ(out[t][0], want[0]);
    }
    free(p.bytes);
    stop(&r);
}

TEST(gradients_and_whole_levels)
{
    static const struct {
        float x, y, want; /* in parts of a width of 16, a height of 8 */
    } rows[] = {{1 / 16.0f, 0, 1},
                {2 / 16.0f, 0, 2},
                {0, 4 / 8.0f, 3},
                {2 / 16.0f, 4 / 8.0f, 3},
                {-4 / 16.0f, 1 / 8.0f, 3},
                {0, 0, 1},
                {1, 0, 4}};
    rig r;
    picture p = {.kind = TEX_2D,
                 .order = TEX_R,
                 .type = TEX_F32,
                 .size = {16, 8, 1},
                 .layers = 1};
    uint32_t in[THREADS][4] = {{0}}, out[THREADS][4], origin[3] = {0, 0, 0};
    tex_sampler s = sampler(true, false, TEX_ADDRESS_EDGE);

    start(&r);
    uint32_t image = make(&r, &p, 4);
    for (unsigned l = 0; l < 4; l++) {
        uint32_t region[3] = {16u >> l, 8u >> l, 1};
        uint32_t rgba[4] = {as_bits((float)l + 1)};

        CHECK(rt_image_fill(rt_device_memory(r.d), image, l, origin, region,
                            rgba));
    }
    for (unsigned i = 0; i < COUNTOF(rows); i++) {
        in[i][2] = as_bits(rows[i].x);
        in[i][3] = as_bits(rows[i].y);
    }
    fetch(&r, "grad",
          tex_handle(image, rt_sampling_new(rt_device_memory(r.d), &s)), in,
          out);
    for (unsigned i = 0; i < COUNTOF(rows); i++)
        CHECK_EQ(out[i][0], as_bits(rows[i].want));
    for (unsigned i = 0; i < 8; i++)
        in[i][3] = i - 1;
    fetch(&r, "ilevel", image, in, out);
    for (unsigned i = 0; i < 8; i++)
        CHECK_EQ(out[i][0], as_bits((float)inside((int)i - 1, 0, 3) + 1));
    free(p.bytes);
    stop(&r);
}
