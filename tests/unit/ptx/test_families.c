/* At least one form of every family of instructions that other tests leave
 * out. ptxas 13.0 accepts each of them for sm_90a in PTX 9.0. */
#include "test.h"

#include "text.h"

static const char *const lines[] = {
    "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 "
    "{%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}, {%r0,%r1}, {%r2,%r3}, "
    "{%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7};",
    "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
    "{%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r2,%r3}, "
    "{%f0,%f1,%f2,%f3};",
    "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
    "{%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r2,%r3}, "
    "{%f0,%f1,%f2,%f3};",
    "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32 "
    "{%r0,%r1,%r2,%r3}, {%r0,%r1,%r2,%r3}, {%r2,%r3}, "
    "{%r0,%r1,%r2,%r3};",
    "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc "
    "{%r0,%r1,%r2,%r3}, {%r0,%r1,%r2,%r3}, {%r2,%r3}, "
    "{%r0,%r1,%r2,%r3};",
    "mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 "
    "{%r0,%r1}, {%r0,%r1}, {%r2,%r3}, {%r0,%r1}, %r3, 0x0;",
    "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 "
    "{%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, [%rd0], %r1;",
    "wmma.load.c.sync.aligned.row.m16n16k16.f32 "
    "{%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}, [%rd0+16];",
    "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 "
    "{%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}, "
    "{%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, "
    "{%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, "
    "{%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7};",
    "wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [%rd0], "
    "{%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}, 16;",
    "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%r1];",
    "ldmatrix.sync.aligned.m8n8.x2.trans.shared::cta.b16 "
    "{%r0,%r1}, [%r1];",
    "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r0], "
    "{%r0,%r1,%r2,%r3};",
    "movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r1;",
    "cp.async.ca.shared.global [%r0], [%rd0], 4;",
    "cp.async.ca.shared.global.L2::128B [%r0], [%rd0], 16, %r1;",
    "cp.async.cg.shared.global [%r0], [%rd0], 16, 8;",
    "cp.async.cg.shared::cta.global.L2::cache_hint [%r0], [%rd0], "
    "16, %rd1;",
    "cp.async.ca.shared.global [%r0], [%rd0], 4, %p0;",
    "cp.async.commit_group;",
    "cp.async.wait_group 2;",
    "cp.async.wait_all;",
    "cp.async.mbarrier.arrive.noinc.shared.b64 [%r0];",
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
    "[%r0], [%rd0], 16, [%r1];",
    "cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r0], "
    "16;",
    "cp.async.bulk.commit_group;",
    "cp.async.bulk.wait_group.read 0;",
    "cp.async.bulk.prefetch.L2.global [%rd0], 16;",
    "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::"
    "bytes "
    "[%r0], [%rd0, {%r1, %r2}], [%r3];",
    "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::"
    "complete_tx::bytes "
    "[%r0], [%rd0, {%r0,%r1,%r2,%r3}], [%r3], {%h0,%h1};",
    "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%rd0, "
    "{%r1}], [%r0];",
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 "
    "[%rd0], [%r0], 16;",
    "mbarrier.init.shared.b64 [%r0], 32;",
    "mbarrier.init.b64 [%rd0], %r1;",
    "mbarrier.inval.shared::cta.b64 [%r0];",
    "mbarrier.arrive.shared.b64 %rd0, [%r0];",
    "mbarrier.arrive.shared.b64 _, [%r0], 2;",
    "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %rd0, "
    "[%r0], 16;",
    "mbarrier.arrive.noComplete.shared.b64 %rd0, [%r0], 1;",
    "mbarrier.arrive_drop.shared.b64 %rd0, [%r0];",
    "mbarrier.test_wait.shared.b64 %p0, [%r0], %rd0;",
    "mbarrier.test_wait.parity.shared.b64 %p0, [%r0], %r1;",
    "mbarrier.try_wait.shared::cta.b64 %p0, [%r0], %rd0, 100;",
    "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p0, "
    "[%r0], %r1;",
    "mbarrier.pending_count.b64 %r0, %rd0;",
    "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r0], 16;",
    "redux.sync.add.u32 %r0, %r1, -1;",
    "redux.sync.and.b32 %r0, %r1, %r2;",
    "redux.sync.max.s32 %r0, %r1, 0xffffffff;",
    "elect.sync %r0|%p0, -1;",
    "elect.sync _|%p0, -1;",
    "griddepcontrol.wait;",
    "griddepcontrol.launch_dependents;",
    "barrier.cluster.arrive;",
    "barrier.cluster.arrive.relaxed.aligned;",
    "barrier.cluster.wait.acquire.aligned;",
    "barrier.cta.sync 1, 64;",
    "barrier.red.popc.aligned.u32 %r0, 1, %p0;",
    "barrier.arrive 1, 64;",
    "fence.proxy.async;",
    "fence.proxy.async.shared::cta;",
    "fence.mbarrier_init.release.cluster;",
    "fence.proxy.tensormap::generic.acquire.gpu [%rd0], 128;",
    "fence.sc.cluster;",
    "fence.acquire.sync_restrict::shared::cluster.cluster;",
    "membar.proxy.alias;",
    "mapa.shared::cluster.u32 %r0, %r1, %r2;",
    "mapa.u64 %rd0, %rd1, 1;",
    "getctarank.shared::cluster.u32 %r0, %r1;",
    "getctarank.u64 %r0, %rd1;",
    "isspacep.shared::cluster %p0, %rd0;",
    "istypep.samplerref %p0, %rd0;",
    "cvta.shared::cta.u64 %rd0, %rd1;",
    "cvta.param.u64 %rd0, a;",
    "createpolicy.fractional.L2::evict_last.b64 %rd0, 1.0;",
    "createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 "
    "%rd0, 0.5;",
    "createpolicy.range.global.L2::evict_last.b64 %rd0, [%rd1], "
    "16, 32;",
    "ld.global.L2::cache_hint.u32 %r0, [%rd0], %rd1;",
    "ld.global.L1::evict_last.L2::128B.u32 %r0, [%rd0];",
    "ld.global.ca.L2::64B.v4.u32 {%r0,%r1,%r2,%r3}, [%rd0];",
    "ld.global.nc.L1::no_allocate.L2::256B.v4.f32 "
    "{%f0,%f1,%f2,%f3}, [%rd0];",
    "st.global.L1::no_allocate.u32 [%rd0], %r0;",
    "st.global.L2::cache_hint.u32 [%rd0], %r0, %rd1;",
    "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 "
    "[%r0], %r1, [%r2];",
    "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 "
    "[%r0], {%r1,%r2}, [%r2];",
    "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::"
    "bytes.add.u32 "
    "[%r0], %r1, [%r2];",
    "atom.global.v4.f32.add {%f0,%f1,%f2,%f3}, [%rd0], "
    "{%f0,%f1,%f2,%f3};",
    "atom.global.add.v2.f32 {%f0,%f1}, [%rd0], {%f0,%f1};",
    "atom.global.add.noftz.v2.f16x2 {%r0,%r1}, [%rd0], {%r0,%r1};",
    "atom.shared::cluster.add.u32 %r0, [%r1], 1;",
    "atom.global.exch.b128 %rq0, [%rd0], %rq1;",
    "red.global.add.noftz.bf16x2 [%rd0], %r1;",
    "red.relaxed.gpu.global.add.f64 [%rd0], %fd0;",
    "red.global.v2.f32.add [%rd0], {%f0,%f1};",
    "atom.global.inc.u32 %r0, [%rd0], %r1;",
    "atom.global.cas.b16 %h0, [%rd0], %h1, %h2;",
    "multimem.ld_reduce.relaxed.sys.global.add.f32 %f0, [%rd0];",
    "multimem.red.relaxed.gpu.global.add.u32 [%rd0], %r0;",
    "multimem.st.weak.global.u32 [%rd0], %r0;",
    "prefetch.global.L2 [%rd0];",
    "prefetch.global.L2::evict_last [%rd0];",
    "prefetch.tensormap [%rd0];",
    "prefetch.param.tensormap [a];",
    "prefetchu.L1 [%rd0];",
    "applypriority.global.L2::evict_normal [%rd0], 128;",
    "discard.global.L2 [%rd0], 128;",
    "setmaxnreg.inc.sync.aligned.u32 64;",
    "wgmma.fence.sync.aligned;",
    "wgmma.commit_group.sync.aligned;",
    "wgmma.wait_group.sync.aligned 0;",
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
    "{%f0,%f1,%f2,%f3}, %rd0, %rd1, %p0, 1, -1, 0, 1;",
    "tensormap.replace.tile.global_address.shared::cta.b1024.b64 "
    "[%rd0], %rd1;",
    "szext.clamp.s32 %r0, %r1, %r2;",
    "szext.wrap.u32 %r0, %r1, 5;",
    "bmsk.clamp.b32 %r0, %r1, %r2;",
    "fns.b32 %r0, 0xaaaaaaaa, 3, 1;",
    "dp2a.lo.u32.s32 %r0, %r1, %r2, %r3;",
    "dp4a.s32.u32 %r0, %r1, %r2, -5;",
    "cvt.pack.sat.u8.s32.b32 %r0, %r1, %r2, %r3;",
    "cvt.pack.sat.s16.s32 %r0, %r1, %r2;",
    "cvt.rn.satfinite.e4m3x2.f32 %h0, %f0, %f1;",
    "cvt.rn.f16x2.e5m2x2 %r0, %h0;",
    "cvt.rn.relu.bf16x2.f32 %r0, %f0, %f1;",
    "cvt.rn.satfinite.e5m2x2.f16x2 %h0, %r0;",
    "cvt.rna.satfinite.tf32.f32 %r0, %f0;",
    "cvt.rz.relu.f16x2.f32 %r0, %f0, %f1;",
    "cvt.rn.bf16.s32 %h0, %r0;",
    "cvt.rni.s32.f16 %r0, %h0;",
    "fma.rn.relu.f16x2 %r0, %r1, %r2, %r3;",
    "fma.rn.bf16x2 %r0, %r1, %r2, %r3;",
    "fma.rn.oob.f16 %h0,%h1,%h2,%h3;",
    "fma.rn.sat.f16 %h0,%h1,%h2,%h3;",
    "mul.rn.bf16 %h0,%h1,%h2;",
    "add.rn.bf16x2 %r0,%r1,%r2;",
    "add.u16x2 %r0,%r1,%r2;",
    "min.s16x2 %r0,%r1,%r2;",
    "min.relu.s32 %r0,%r1,%r2;",
    "max.xorsign.abs.f32 %f0,%f1,%f2;",
    "max.NaN.xorsign.abs.bf16x2 %r0,%r1,%r2;",
    "min.ftz.NaN.f16 %h0,%h1,%h2;",
    "abs.ftz.f16x2 %r0,%r1;",
    "neg.bf16 %h0,%h1;",
    "ex2.approx.f16x2 %r0,%r1;",
    "ex2.approx.ftz.bf16 %h0,%h1;",
    "tanh.approx.bf16x2 %r0,%r1;",
    "setp.gt.ftz.f16 %p0, %h0, %h1;",
    "setp.gt.f16x2 %p0|%p1, %r0, %r1;",
    "setp.eq.bf16x2 %p0|%p1, %r0, %r1;",
    "set.gt.f16x2.f16x2 %r0, %r1, %r2;",
    "set.eq.u32.f16x2 %r0,%r1,%r2;",
    "set.eq.s16.f16 %h0,%h1,%h2;",
    "set.lt.and.u32.s32 %r0, %r1, %r2, !%p0;",
    "lop3.or.b32 %r0|%p0, %r1, %r2, %r3, 0x3c, %p1;",
    "lop3.or.b32 _|%p0, %r1, %r2, %r3, 0x3c, %p1;",
    "shf.r.clamp.b32 %r0,%r1,%r2,%r3;",
    "vadd2.u32.u32.u32.sat %r0, %r1, %r2, %r3;",
    "vadd2.u32.u32.u32.add %r0.h1, %r1.h10, %r2.h32, %r3;",
    "vabsdiff4.u32.u32.u32.add %r0, %r1, %r2, %r3;",
    "vset4.u32.u32.ne %r0, %r1, %r2, %r3;",
    "vset.s32.u32.lt %r0, %r1, %r2.h1;",
    "vshl.s32.u32.u32.clamp %r0, %r1, %r2;",
    "vshr.u32.u32.u32.wrap.add %r0, %r1, %r2, %r3;",
    "vmad.s32.s32.u32.sat %r0, %r1, %r2, -%r3;",
    "vmad.u32.u32.u32.po %r0, %r1, %r2, %r3;",
    "vmax.s32.s32.s32.min %r0, %r1.b3, %r2.h0, %r3;",
    "vabsdiff.s32.s32.s32 %r0.b1, %r1, %r2, %r3;",
    "nanosleep.u32 %r0;",
    "pmevent.mask 3;",
    "brkpt;",
    "stacksave.u64 %rd0;",
    "stackrestore.u64 %rd0;",
    "alloca.u64 %rd0, %rd1, 16;",
    "mov.b128 %rq0, {%rd0,%rd1};",
    "mov.b128 {%rd0,%rd1}, %rq0;",
    "ld.global.b128 %rq0, [%rd0];",
    "ldu.global.u32 %r0, [%rd0];",
    "ldu.global.v2.f32 {%f0,%f1}, [%rd0];",
    "mov.u32 %r0, %cluster_ctaid.x;",
    "mov.pred %p0, %is_explicit_cluster;",
    "mov.u32 %r0, %dynamic_smem_size;",
    "mov.u32 %r0, %aggr_smem_size;",
    "mov.u32 %r0, %pm0;",
    "mov.u64 %rd0, %pm0_64;",
    "mov.u64 %rd0, %current_graph_exec;",
    "mov.u32 %r0, %reserved_smem_offset_1;",
    "mov.u32 %r0, %reserved_smem_offset_cap;",
    "mov.u32 %r0, %clusterid.y;",
    "tex.1d.v4.f32.s32 {%f0,%f1,%f2,%f3}, [tx, {%r0}];",
    "tex.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [%rd0, {%f0,%f1}];",
    "tex.a2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [%rd0, "
    "{%r0,%f0,%f1,%f1}];",
    "tex.3d.v4.s32.f32 {%r0,%r1,%r2,%r3}, [%rd0, "
    "{%f0,%f1,%f2,%f2}];",
    "tex.level.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [%rd0, {%f0,%f1}], "
    "%f3;",
    "tex.grad.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [%rd0, {%f0,%f1}], "
    "{%f0,%f1}, {%f2,%f3};",
    "tex.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}|%p0, [%rd0, {%f0,%f1}];",
    "tex.1d.v2.f16x2.f32 {%r0,%r1}, [%rd0, {%f0}];",
    "tld4.r.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [%rd0, {%f0,%f1}];",
    "txq.width.b32 %r0, [tx];",
    "txq.level.width.b32 %r0, [tx], 1;",
    "txq.normalized_coords.b32 %r0, [%rd0];",
    "suq.width.b32 %r0, [%rd0];",
    "suld.b.1d.b32.trap %r0, [%rd0, {%r1}];",
    "suld.b.2d.v2.b32.clamp {%r0,%r1}, [%rd0, {%r1,%r2}];",
    "suld.b.3d.v4.b16.zero {%h0,%h1,%h2,%h3}, [%rd0, "
    "{%r1,%r2,%r3,%r3}];",
    "sust.b.1d.b64.trap [%rd0, {%r1}], %rd1;",
    "sust.p.1d.v4.b32.trap [%rd0, {%r1}], {%r0,%r1,%r2,%r3};",
    "sured.b.add.2d.u32.trap [%rd0,{%r1,%r2}], %r3;",
    "activemask.b32 %r0;",
    "match.any.sync.b64 %r0, %rd1, %r2;",
    "bar.cta.sync 0;",
    "bar.cta.red.or.pred %p0, 1, %p1;",
    "shfl.sync.idx.b32 %f0, %f1, %r0, 0x1f, 0xffffffff;",
    "shfl.sync.bfly.b32 %r0|%p0, %r1, 16, 31, %r2;",
    "ld.param::entry.u64 %rd0, [a];",
    "mov.b64 %rd0, a;",
    "mov.u64 %rd0, a;",
    "copysign.f64 %fd0, %fd1, %fd2;",
    "rcp.rn.ftz.f32 %f0,%f1;",
    "sqrt.approx.ftz.f32 %f0,%f1;",
    "rsqrt.approx.ftz.f64 %fd0,%fd1;",
    "rsqrt.approx.f64 %fd0,%fd1;",
    "lg2.approx.ftz.f32 %f0,%f1;",
    "div.rn.ftz.f32 %f0,%f1,%f2;",
    "testp.infinite.f64 %p0, %fd0;",
    "mul.wide.u32 %rd0, %r0, 0x80000000;",
    "mad.wide.u16 %r0, %h0, %h1, %r1;",
    "sub.cc.u32 %r0,%r1,%r2;",
    "subc.cc.u64 %rd0,%rd1,%rd2;",
    "addc.s32 %r0,%r1,%r2;",
    "madc.hi.cc.u32 %r0,%r1,%r2,%r3;",
    "madc.lo.u64 %rd0,%rd1,%rd2,%rd3;",
    "mul.ftz.sat.f32 %f0,%f1,%f2;",
    "sad.s16 %h0,%h1,%h2,%h3;",
    "cnot.b16 %h0,%h1;",
    "bfind.s64 %r0,%rd1;",
    "bfe.s64 %rd0,%rd1,%r0,%r1;",
    "bfi.b64 %rd0,%rd1,%rd2,4,8;",
    "prmt.b32.f4e %r0,%r1,%r2,%r3;",
    "prmt.b32.rc16 %r0,%r1,%r2,%r3;",
    "clz.b64 %r0,%rd0;",
    "slct.ftz.f32.f32 %f0,%f1,%f2,%f3;",
    "slct.b64.s32 %rd0,%rd1,%rd2,%r0;",
    "selp.u16 %h0,%h1,5,%p0;",
    "mov.u16 %h0, %ntid.x;",
    "ld.volatile.shared.u32 %r0, [%r1];",
    "st.volatile.u32 [%rd0], %r0;",
    "ld.weak.global.cs.u32 %r0, [%rd0];",
    "ld.mmio.relaxed.sys.global.u32 %r0, [%rd0];",
    "st.mmio.relaxed.sys.u32 [%rd0], %r0;",
    "st.release.cluster.global.b64 [%rd0], %rd1;",
    "ld.acquire.sys.global.v2.u32 {%r0,%r1}, [%rd0];",
    "ld.const.f64 %fd0, [cc+8];",
    "ld.shared::cluster.u32 %r0, [%r1];",
    "ld.local.u8 %h0, [%rd0];",
};

TEST(every_family_is_known)
{
    strbuf b = {0};

    strbuf_puts(&b, ".version 9.0\n.target sm_90a\n.address_size 64\n"
                    ".global .texref tx; .const .f64 cc[4];\n"
                    ".entry k(.param .u64 a) { .reg .pred %p<4>;\n"
                    ".reg .b16 %h<4>; .reg .b32 %r<9>; .reg .b64 %rd<4>;\n"
                    ".reg .f32 %f<9>; .reg .f64 %fd<4>; .reg .b128 %rq<4>;\n");
    for (size_t i = 0; i < COUNTOF(lines); i++)
        strbuf_printf(&b, "%s\n", lines[i]);
    strbuf_puts(&b, "}\n");
    text t = text_parse(b.text);
    if (diag_errors(t.dg))
        TEST_FAIL("%s: %s", lines[diag_get(t.dg, 0)->line - 8],
                  diag_get(t.dg, 0)->text);
    CHECK_EQ(text_kernel(&t)->ninsts, COUNTOF(lines));
    for (size_t i = 0; i < COUNTOF(lines); i++)
        CHECK_EQ(text_inst(&t, (unsigned)i)->place.line, i + 8);
    strbuf_fini(&b);
    text_free(&t);
}

TEST(every_opcode_has_a_name_of_its_own)
{
    for (unsigned i = 0; i < PTX_OP_COUNT; i++) {
        CHECK(strlen(ptx_op_text((ptx_op)i)) >= 2);
        for (unsigned j = 0; j < i; j++)
            CHECK(strcmp(ptx_op_text((ptx_op)i), ptx_op_text((ptx_op)j)));
    }
}
