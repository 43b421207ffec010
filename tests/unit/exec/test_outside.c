/* Accesses outside of what was allocated, where a device would let them pass:
 * what they read and write, what else they leave alone, how they are told. */
#include "exec/stray.h"
#include "exec/texture/texture.h"
#include "machine.h"

enum { SIZE = 100, PAGE = 4096, SHARED = 1000, LOCAL = 56 };

static machine M;
static uint64_t buf, other;

static void begin(bool direct)
{
    machine_init(&M, ARCH_VOLTA);
    machine_memory(&M, direct);
    buf = mem_alloc(M.image, SIZE, "input");
    other = mem_alloc(M.image, SIZE, "other");
    memset(mem_host(M.image, buf), 0x11, SIZE);
    memset(mem_host(M.image, other), 0x22, SIZE);
    M.launch.outside = exec_outside_new(2);
    M.launch.page_bytes = PAGE;
    M.launch.shared_bytes = SHARED;
    M.launch.shared_beyond = 24;
    M.kernel.local_bytes = LOCAL;
    M.launch.local_beyond = M_LOCAL - LOCAL;
}

static void end(void)
{
    exec_outside_free(M.launch.outside);
    machine_fini(&M);
}

static isa_inst access(isa_op op, unsigned size)
{
    isa_inst in = machine_inst(op, SRC_A);

    if (isa_table[op].flags & ISA_F_STORE) {
        in.dst = ISA_RZ;
        in.src_kind[1] = SRC_REG;
        in.src[1] = 20;
    }
    ISA_PUT(&in, SIZE, size);
    if (isa_table[op].flags & ISA_F_GLOBAL)
        ISA_PUT(&in, EXT, 1);
    return in;
}

static exec_result go(isa_inst in, uint32_t mask, uint64_t addr, uint64_t step)
{
    for (unsigned l = 0; l < ISA_WARP; l++)
        machine_set64(&M, REG_A, l, addr + l * step);
    return machine_one(&M, in, mask);
}

/* Nothing of an allocation has changed but `but`, the byte behind which buf
 * may have. */
static void unchanged(unsigned but)
{
    mem_view_commit(M.view);
    for (unsigned i = 0; i < SIZE; i++) {
        CHECK(mem_host(M.image, buf)[i] == 0x11 || i >= but);
        CHECK_EQ(mem_host(M.image, other)[i], 0x22);
    }
}

static exec_strays take(size_t count)
{
    exec_strays s = exec_strays_take(&M.launch, M.image);

    CHECK_EQ(s.count, count);
    return s;
}

TEST(loads_behind_a_buffer_see_zeros_and_what_was_stored_there)
{
    for (unsigned direct = 0; direct < 2; direct++)
        EACH_LEVEL(level)
        {
            begin(direct);
            machine_start(&M, level);
            /* Lanes 0..24 are inside. */
            CHECK_EQ(go(access(ISA_LDG, SIZE_32), UINT32_MAX, buf, 4),
                     EXEC_MEM);
            for (unsigned l = 0; l < ISA_WARP; l++) {
                CHECK_EQ(M.reg[REG_D][l], l < 25 ? 0x11111111 : 0);
                M.reg[20][l] = 100 + l;
            }
            CHECK_EQ(go(access(ISA_STG, SIZE_32), UINT32_MAX, buf + SIZE, 4),
                     EXEC_MEM);
            CHECK_EQ(go(access(ISA_LDG, SIZE_32), UINT32_MAX, buf + SIZE, 4),
                     EXEC_MEM);
            for (unsigned l = 0; l < ISA_WARP; l++)
                CHECK_EQ(M.reg[REG_D][l], 100 + l);
            unchanged(SIZE);
            end();
        }
}

/* Between `buf` and the end of the page there is `other`: what lies behind its
 * guard belongs to nobody, and is the same as long as the launch lasts. */
TEST(far_behind_it_is_memory_of_nobody)
{
    for (unsigned direct = 0; direct < 2; direct++) {
        begin(direct);
        machine_start(&M, 0);
        M.reg[20][3] = 7;
        uint64_t at = other + 1024;
        CHECK_EQ(go(access(ISA_STG, SIZE_32), 8, at, 0), EXEC_MEM);
        CHECK_EQ(go(access(ISA_LDG, SIZE_32), 8, at, 0), EXEC_MEM);
        CHECK_EQ(M.reg[REG_D][3], 7);
        mem_view_commit(M.view);
        CHECK_EQ(mem_alloc(M.image, 2048, "new"), other + 512);
        for (unsigned i = 0; i < 2048; i++)
            CHECK_EQ(mem_host(M.image, other + 512)[i], 0);
        unchanged(SIZE);
        end();
    }
}

TEST(an_access_over_the_end_has_the_bytes_that_are_there)
{
    begin(true);
    machine_start(&M, 0);
    uint64_t at = buf + SIZE - 4; /* 96: a multiple of 16 */
    CHECK_EQ(go(access(ISA_LDG, SIZE_128), 1, at, 0), EXEC_MEM);
    CHECK_EQ(M.reg[REG_D][0], 0x11111111);
    CHECK_EQ(M.reg[REG_D + 1][0], 0);
    for (unsigned k = 0; k < 4; k++)
        M.reg[20 + k][0] = k + 1;
    CHECK_EQ(go(access(ISA_STG, SIZE_128), 1, at, 0), EXEC_MEM);
    CHECK_EQ(mem_host(M.image, at)[0], 1);
    CHECK_EQ(go(access(ISA_LDG, SIZE_128), 1, at, 0), EXEC_MEM);
    CHECK_EQ(M.reg[REG_D + 3][0], 4);
    unchanged(SIZE - 4);
    end();
}

TEST(atomics_outside_work_where_they_are)
{
    isa_inst in;

    for (unsigned direct = 0; direct < 2; direct++) {
        uint64_t places[2];

        begin(direct);
        machine_start(&M, 0);
        in = access(ISA_ATOM, 0);
        in.mod = 0;
        in.dst = REG_D;
        ISA_PUT(&in, ATOMOP, ATOM_ADD);
        ISA_PUT(&in, ATYPE, ATYPE_U32);
        ISA_PUT(&in, EXT, 1);
        places[0] = buf + SIZE;
        places[1] = other + 2048;
        for (unsigned i = 0; i < 2; i++) {
            for (unsigned l = 0; l < ISA_WARP; l++)
                M.reg[20][l] = 1;
            CHECK_EQ(go(in, UINT32_MAX, places[i], 0), EXEC_MEM);
            CHECK_EQ(M.reg[REG_D][31], 31);
            CHECK_EQ(go(access(ISA_LDG, SIZE_32), 1, places[i], 0), EXEC_MEM);
            CHECK_EQ(M.reg[REG_D][0], 32);
        }
        unchanged(SIZE);
        end();
    }
}

TEST(what_no_device_has_is_still_a_fault)
{
    uint64_t gone;

    begin(true);
    machine_start(&M, 0);
    CHECK_EQ(go(access(ISA_LDG, SIZE_32), 1, buf + PAGE, 0), EXEC_FAULT);
    CHECK_EQ(M.fault.kind, FAULT_BOUNDS);
    CHECK_EQ(go(access(ISA_LDG, SIZE_32), 1, 0, 0), EXEC_FAULT);
    CHECK_EQ(go(access(ISA_LDG, SIZE_32), 1, buf + SIZE + 2, 0), EXEC_FAULT);
    CHECK_EQ(M.fault.kind, FAULT_MISALIGNED);
    gone = mem_alloc_aligned(M.image, SIZE, PAGE, "gone");
    mem_release(M.image, gone);
    CHECK_EQ(go(access(ISA_LDG, SIZE_32), 1, gone, 0), EXEC_FAULT);
    CHECK_EQ(M.fault.kind, FAULT_FREED);
    CHECK_EQ(go(access(ISA_LDS, SIZE_32), 1, SHARED + 24, 0), EXEC_FAULT);
    CHECK_EQ(M.fault.kind, FAULT_SHARED_BOUNDS);
    CHECK_EQ(go(access(ISA_STL, SIZE_32), 1, M_LOCAL, 0), EXEC_FAULT);
    CHECK_EQ(M.fault.kind, FAULT_LOCAL_BOUNDS);
    CHECK_EQ(go(access(ISA_LDG, SIZE_32), 1, buf, 0), EXEC_MEM);
    exec_strays s = take(0);
    exec_strays_fini(&s);
    end();
}

TEST(shared_and_local_memory_go_on_to_the_end_of_their_units)
{
    begin(true);
    machine_start(&M, 0);
    M.reg[20][0] = 5;
    CHECK_EQ(go(access(ISA_STS, SIZE_32), 1, SHARED + 20, 0), EXEC_MEM);
    CHECK_EQ(go(access(ISA_LDS, SIZE_32), 1, SHARED + 20, 0), EXEC_MEM);
    CHECK_EQ(M.reg[REG_D][0], 5);
    CHECK_EQ(go(access(ISA_STL, SIZE_32), 3, LOCAL + 4, 0), EXEC_MEM);
    CHECK_EQ(go(access(ISA_LDL, SIZE_32), 1, LOCAL + 4, 0), EXEC_MEM);
    CHECK_EQ(M.reg[REG_D][0], 5);
    end();
}

TEST(a_strict_launch_has_none_of_this)
{
    begin(true);
    exec_outside_free(M.launch.outside);
    M.launch.outside = NULL;
    machine_start(&M, 0);
    CHECK_EQ(go(access(ISA_LDG, SIZE_32), 1, buf + SIZE, 0), EXEC_FAULT);
    CHECK_EQ(go(access(ISA_LDS, SIZE_32), 1, SHARED, 0), EXEC_FAULT);
    CHECK_EQ(go(access(ISA_LDL, SIZE_32), 1, LOCAL, 0), EXEC_FAULT);
    machine_fini(&M);
}

/* As --slack gives it: it is there, and no more than that. */
TEST(slack_belongs_to_what_it_is_behind)
{
    exec_strays s;

    begin(true);
    M.launch.shared_slack = 16;
    M.launch.local_slack = 8;
    machine_start(&M, 0);
    M.reg[20][0] = 5;
    CHECK_EQ(go(access(ISA_STS, SIZE_32), 1, SHARED + 12, 0), EXEC_MEM);
    CHECK_EQ(go(access(ISA_STL, SIZE_32), 1, LOCAL + 4, 0), EXEC_MEM);
    s = take(0);
    exec_strays_fini(&s);
    CHECK_EQ(go(access(ISA_LDS, SIZE_32), 1, SHARED + 16, 0), EXEC_MEM);
    s = take(1);
    CHECK_EQ(s.is[0].reach, 20); /* of what was asked for */
    exec_strays_fini(&s);
    exec_outside_free(M.launch.outside);
    M.launch.outside = NULL;
    CHECK_EQ(go(access(ISA_LDS, SIZE_32), 1, SHARED + 12, 0), EXEC_MEM);
    CHECK_EQ(M.reg[REG_D][0], 5);
    CHECK_EQ(go(access(ISA_LDL, SIZE_32), 1, LOCAL + 8, 0), EXEC_FAULT);
    CHECK_EQ(M.fault.reach, 12);
    CHECK_EQ(go(access(ISA_LDG, SIZE_32), 1, buf + SIZE + 4, 0), EXEC_FAULT);
    CHECK_EQ(M.fault.reach, 8);
    machine_fini(&M);
}

static uint64_t image_reach(int32_t x, int32_t y, int32_t z, bool formatted)
{
    const tex_image im = {.kind = TEX_3D,
                          .texel_bytes = 16,
                          .layers = 1,
                          .levels = 1,
                          .addr = MEM_BASE,
                          .level = {{.size = {8, 4, 2}}}};
    const uint32_t at[4] = {(uint32_t)x, (uint32_t)y, (uint32_t)z};
    texture_place p = texture_place_of(&im, GEOM_3D, at, formatted ? 16 : 4,
                                       formatted, false);

    CHECK_EQ(p.inside, p.reach == 0);
    return p.reach;
}

TEST(how_far_it_is_to_an_image)
{
    CHECK_EQ(image_reach(7, 3, 1, true), 0);
    CHECK_EQ(image_reach(8, 0, 0, true), 16);
    CHECK_EQ(image_reach(-2, 0, 0, true), 32);
    CHECK_EQ(image_reach(0, 5, 0, true), 2 * 8 * 16);
    CHECK_EQ(image_reach(0, 0, 2, true), 4 * 8 * 16);
    CHECK_EQ(image_reach(8, -1, 2, true), 16 + 8 * 16 + 4 * 8 * 16);
    CHECK_EQ(image_reach(124, 0, 0, false), 0);
    CHECK_EQ(image_reach(128, 0, 0, false), 4);
}

/* The first is that of the lowest CTA and thread, whenever it came. */
TEST(they_are_told_once_by_line_with_the_first_and_the_farthest)
{
    isa_inst in = access(ISA_LDG, SIZE_32);

    begin(true);
    machine_start(&M, 0);
    M.kernel.name = "stencil";
    M.kernel.files = (const char *const[]){"stencil.cl"};
    in.line = 12;
    in.file = 1;
    M.cta.sm = 1;
    M.cta.number = M.cta.id[0] = 9;
    go(in, 0x6, buf + SIZE + 16, 0);
    M.cta.sm = 0;
    M.cta.number = M.cta.id[0] = 4;
    go(in, 0x80, buf + SIZE, 0);
    go(in, 0x10, buf + SIZE + 40, 0);
    exec_strays s = take(1), twice = {.count = 0};
    CHECK_EQ(s.is[0].count, 4);
    CHECK_EQ(s.is[0].reach, 44);
    CHECK_STR(s.is[0].kernel, "stencil");
    CHECK_STR(s.is[0].file, "stencil.cl");
    CHECK_EQ(s.is[0].line, 12);
    CHECK(!s.is[0].write);
    CHECK(strstr(s.is[0].text, "CTA (4,0,0) thread (4,0,0)"));
    CHECK(strstr(s.is[0].text, "41 bytes past the last byte of allocation 0 "
                               "'input'"));
    exec_strays_add(&twice, &s);
    exec_strays_add(&twice, &s);
    CHECK_EQ(twice.count, 1);
    CHECK_EQ(exec_strays_total(&twice), 8);
    exec_strays_fini(&twice);
    exec_strays_fini(&s);
    s = take(0); /* they are told */
    exec_strays_fini(&s);
    end();
}
