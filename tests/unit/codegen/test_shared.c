/* Where variables of shared memory lie: what has to lie on larger boundaries
 * first on Hopper, in the order of use before; dynamic memory behind them, on
 * the boundary that its variables ask for. */
#include "rig.h"
#include "test.h"

static const char text[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".extern .shared .align 4 .b8 plain[];\n"
    ".extern .shared .align 1024 .b8 tiles[];\n"
    ".entry k(.param .u64 out)\n{\n.reg .b32 %r<8>;\n.reg .b64 %rd<2>;\n"
    ".shared .align 8 .b8 barrier[8];\n.shared .align 128 .b8 tile[256];\n"
    "ld.param.u64 %rd1, [out];\nmov.u32 %r1, barrier;\nmov.u32 %r2, tile;\n"
    "mov.u32 %r3, plain;\nmov.u32 %r4, tiles;\n"
    "st.global.v4.u32 [%rd1], {%r1, %r2, %r3, %r4};\nret;\n}\n";

TEST(shared_variables_lie_on_their_boundaries)
{
    static const struct {
        isa_arch arch;
        uint32_t barrier, tile;
    } rows[] = {{ARCH_VOLTA, 0, 128}, {ARCH_HOPPER, 256, 0}};
    static const uint32_t one[3] = {1, 1, 1};

    for (size_t i = 0; i < COUNTOF(rows); i++) {
        cg_options o = cg_default_options(rows[i].arch);
        uint64_t out;
        uint32_t at[4];
        rig r;

        CHECK_EQ(rig_compile(&r, "shared.ptx", text, &o), ST_OK);
        /* Its 264 or 384 bytes end at the boundary of `tiles`. */
        CHECK_EQ(r.p->kernels[0].shared_bytes, 1024);
        rig_prepare(&r, NULL, rows[i].arch, one, one, 64);
        out = rig_alloc(&r, "out", sizeof at, NULL);
        rig_param(&r, &out, 8);
        CHECK_EQ(rig_run(&r), ST_OK);
        memcpy(at, mem_host(r.image, out), sizeof at);
        CHECK_EQ(at[0], rows[i].barrier);
        CHECK_EQ(at[1], rows[i].tile);
        CHECK_EQ(at[2], 1024);
        CHECK_EQ(at[3], 1024);
        rig_free(&r);
    }
}
