/* What warps are handed of a trace, line by line. */
#include "test.h"

#include "base/strbuf.h"
#include "replay/warps.h"

typedef struct rig {
    kernel_trace *trace;
    replay_warps *warps;
    isa_program *program;
    exec_launch launch;
    exec_cta cta;
    exec_warp warp;
    exec_mem mem;
    exec_bar bar;
    exec_fault fault;
    uint32_t reg[256][ISA_WARP];
    uint64_t there; /* warps */
} rig;

/* A CTA of two warps, the first of which has these lines. */
static rig *begin(unsigned insts, const char *lines)
{
    rig *r = calloc(1, sizeof *r);
    diag *dg = diag_new();
    replay_input *in;
    strbuf b = {0};

    strbuf_printf(&b,
                  "-kernel name = k\n-grid dim = (1,1,1)\n"
                  "-block dim = (64,1,1)\n-nregs = 32\n"
                  "-shmem base_addr = 0x7f0000000000\n"
                  "-local mem base_addr = 0x7e0000000000\n"
                  "-accelsim tracer version = 3\n#traces format = \n"
                  "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = %u\n"
                  "%swarp = 1\ninsts = 0\n#END_TB\n",
                  insts, lines);
    CHECK_EQ(replay_input_bytes("k", b.text, b.size, dg, &in), ST_OK);
    if (kernel_trace_take(in, &(kernel_trace_how){NULL, NULL}, dg, &r->trace) !=
        ST_OK)
        TEST_FAIL("%s", diag_get(dg, 0)->text);
    r->warps = replay_warps_new(r->trace, ARCH_VOLTA);
    r->program = replay_warps_program(r->warps);
    r->launch = (exec_launch){.kernel = &r->program->kernels[0],
                              .arch = ARCH_VOLTA,
                              .grid = {1, 1, 1},
                              .block = {64, 1, 1},
                              .threads = 64,
                              .warps = 2,
                              .front = replay_warps_front(r->warps)};
    r->cta.launch = &r->launch;
    r->there = exec_cta_start(&r->cta);
    r->warp.cta = &r->cta;
    r->warp.reg = r->reg;
    exec_warp_start(&r->warp);
    diag_free(dg);
    strbuf_fini(&b);
    return r;
}

static void end(rig *r)
{
    exec_cta_end(&r->cta);
    isa_program_free(r->program);
    replay_warps_free(r->warps);
    kernel_trace_free(r->trace);
    free(r);
}

static exec_result step(rig *r)
{
    return exec_step(&r->warp, &r->mem, &r->bar, &r->fault);
}

TEST(lines_follow_each_other)
{
    rig *r = begin(4, "0000 ffffffff 1 R1 MOV 0 0\n"
                      "0020 0000ffff 1 R2 MOV 0 0\n"
                      "0010 00000000 1 R3 MOV 0 0\n"
                      "0030 ffffffff 0 EXIT 0 0\n");

    CHECK_EQ(r->there, 1);
    CHECK_EQ(r->cta.live_warps, 1);
    CHECK_EQ(r->warp.simt.pc, 0);
    CHECK_EQ(r->warp.simt.active, UINT32_MAX);
    CHECK_EQ(step(r), EXEC_DONE);
    CHECK_EQ(r->warp.ran, UINT32_MAX);
    CHECK_EQ(r->warp.simt.pc, 2);
    CHECK_EQ(step(r), EXEC_DONE);
    CHECK_EQ(r->warp.ran, 0xffff);
    CHECK_EQ(r->warp.simt.pc, 1);
    CHECK_EQ(r->warp.simt.active, 0);
    CHECK_EQ(step(r), EXEC_DONE);
    CHECK_EQ(r->warp.ran, 0);
    CHECK_EQ(step(r), EXEC_EXIT);
    CHECK_EQ(r->warp.executed, 4);
    end(r);
}

TEST(accesses_are_sorted_by_space)
{
    rig *r = begin(5, "0000 0000000f 1 R4 LDG.E 1 R2 4 1 0x502000000 4\n"
                      "0010 0000000f 1 R4 LDS.64 1 R2 8 1 0x7f0000000100 8\n"
                      "0020 0000000f 1 R4 LD.E 1 R2 4 0 0x7f0000000010 "
                      "0x7e0000000010 0x9000 0x7f0000000020\n"
                      "0030 00000003 0 STL 2 R1 R2 4 1 0x7e0000000010 0\n"
                      "0040 ffffffff 0 EXIT 0 0\n");

    CHECK_EQ(step(r), EXEC_MEM); /* where local memory would be */
    CHECK_EQ(r->mem.space[EXEC_GLOBAL], 15);
    CHECK_EQ(r->mem.size, 4);
    CHECK_EQ(r->mem.addr[1], replay_address(0x502000004));
    CHECK(r->mem.addr[1] != 0x502000004);
    CHECK_EQ(step(r), EXEC_MEM);
    CHECK_EQ(r->mem.space[EXEC_SHARED], 15);
    CHECK_EQ(r->mem.size, 8);
    CHECK_EQ(r->mem.addr[1], 0x108);
    CHECK_EQ(step(r), EXEC_MEM);
    CHECK_EQ(r->mem.space[EXEC_SHARED], 9);
    CHECK_EQ(r->mem.space[EXEC_LOCAL], 2);
    CHECK_EQ(r->mem.space[EXEC_GLOBAL], 4);
    CHECK_EQ(r->mem.addr[0], 0x10);
    CHECK_EQ(r->mem.addr[2], 0x9000);
    CHECK_EQ(step(r), EXEC_MEM);
    CHECK_EQ(r->mem.space[EXEC_LOCAL], 3);
    CHECK(r->mem.addr[0] < r->launch.kernel->local_bytes);
    CHECK_EQ(step(r), EXEC_EXIT);
    end(r);
}

/* The warp arrives when the last of its lanes does. */
TEST(lanes_meet_at_a_barrier)
{
    rig *r = begin(5, "0000 ffff0000 0 EXIT 0 0\n"
                      "0010 000000ff 0 BAR.SYNC 0 0\n"
                      "0020 0000ff00 1 R1 MOV 0 0\n"
                      "0010 0000ff00 0 BAR.SYNC 0 0\n"
                      "0030 0000ffff 0 EXIT 0 0\n");

    CHECK_EQ(step(r), EXEC_DONE);
    CHECK_EQ(r->warp.simt.live, 0xffff);
    CHECK_EQ(step(r), EXEC_DONE);
    CHECK_EQ(step(r), EXEC_DONE);
    CHECK_EQ(step(r), EXEC_BARRIER);
    CHECK_EQ(r->bar.number, 0);
    CHECK_EQ(r->bar.count, 0);
    CHECK_EQ(r->bar.lanes, 0xffff);
    CHECK_EQ(step(r), EXEC_EXIT);
    end(r);
}

/* The first of two lines says where it copies to. */
TEST(background_copies_have_two_lines)
{
    rig *r =
        begin(3, "0000 ffffffff 0 LDGSTS.E.128 2 R4 R2 16 1 "
                 "0x7f0000000200 32\n"
                 "0000 ffffffff 0 LDGSTS.E.128 2 R4 R2 16 1 0x90000000 16\n"
                 "0010 ffffffff 0 EXIT 0 0\n");

    CHECK_EQ(step(r), EXEC_DONE);
    CHECK_EQ(step(r), EXEC_MEM);
    CHECK_EQ(r->mem.space[EXEC_GLOBAL], UINT32_MAX);
    CHECK_EQ(r->mem.addr[1], 0x90000010);
    CHECK_EQ(r->mem.data[0][1], 0x220);
    CHECK_EQ(r->mem.data[1][1], 16);
    end(r);
}

TEST(others_that_wait)
{
    rig *r = begin(4, "0000 ffffffff 0 MEMBAR.SC.GPU 0 0\n"
                      "0010 ffffffff 0 LDGDEPBAR 0 0\n"
                      "0020 ffffffff 0 DEPBAR.LE 0 0\n"
                      "0030 ffffffff 0 EXIT 0 0\n");

    CHECK_EQ(step(r), EXEC_FENCE);
    CHECK_EQ(step(r), EXEC_COPIES);
    CHECK_EQ(step(r), EXEC_COPIES);
    CHECK_EQ(step(r), EXEC_EXIT);
    end(r);
}

TEST(an_end_that_no_line_has)
{
    rig *r = begin(1, "0000 ffffffff 1 R1 MOV 0 0\n");

    CHECK_EQ(step(r), EXEC_DONE);
    CHECK_EQ(r->launch.kernel->code[r->warp.simt.pc].op, ISA_EXIT);
    CHECK_EQ(step(r), EXEC_EXIT);
    end(r);
}

/* Addresses that are far apart. */
TEST(local_memory_has_a_limit)
{
    rig *r = begin(3, "0000 00000001 0 STL 2 R1 R2 4 1 0x7e0000000010 0\n"
                      "0010 00000001 0 STL 2 R1 R2 4 1 0x7e0000f00020 0\n"
                      "0020 ffffffff 0 EXIT 0 0\n");

    CHECK_EQ(r->launch.kernel->local_bytes, 1 << 14);
    for (unsigned i = 0; i < 2; i++) {
        CHECK_EQ(step(r), EXEC_MEM);
        CHECK(r->mem.addr[0] < 1 << 14);
    }
    end(r);
}
