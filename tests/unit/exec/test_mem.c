/* Loads, stores and atomics in every space, and the faults they find. */
#include "machine.h"

static machine M;
static uint64_t buf, other;

static void begin(bool direct)
{
    machine_init(&M, ARCH_VOLTA);
    machine_memory(&M, direct);
    buf = mem_alloc(M.image, 4096, "input");
    other = mem_alloc(M.image, 256, "other");
}

static void start(unsigned level) { machine_start(&M, level); }

static void address(unsigned lane, uint64_t addr)
{
    machine_set64(&M, REG_A, lane, addr);
}

static isa_inst access(isa_op op, unsigned size, int32_t offset)
{
    isa_inst in = machine_inst(op, SRC_A);
    bool global = isa_table[op].flags & ISA_F_GLOBAL;

    in.val[0] = (uint32_t)offset;
    if (isa_table[op].flags & ISA_F_STORE) {
        in.dst = ISA_RZ;
        in.src_kind[1] = SRC_REG;
        in.src[1] = 20; /* a quad of data */
    }
    ISA_PUT(&in, SIZE, size);
    if (global)
        ISA_PUT(&in, EXT, 1);
    return in;
}

static const unsigned size_bytes[] = {4, 8, 16, 1, 1, 2, 2};

/* What one lane must load from these bytes. */
static uint32_t loaded(const uint8_t *from, unsigned size, unsigned word)
{
    uint32_t v = 0;

    memcpy(&v, from + 4 * word, size_bytes[size] < 4 ? size_bytes[size] : 4);
    return size == SIZE_S8    ? (uint32_t)(int8_t)v
           : size == SIZE_S16 ? (uint32_t)(int16_t)v
                              : v;
}

static void check_load(isa_op op, unsigned size, uint32_t mask,
                       const uint64_t off[ISA_WARP], uint64_t base,
                       const uint8_t *image)
{
    unsigned words = size_bytes[size] < 4 ? 1 : size_bytes[size] / 4;

    EACH_LEVEL(level)
    {
        start(level);
        for (unsigned l = 0; l < ISA_WARP; l++) {
            address(l, mask >> l & 1 ? base + off[l] - 8 : 0xdeadbeef);
            for (unsigned k = 0; k < 4; k++)
                M.reg[REG_D + k][l] = 77;
        }
        CHECK_EQ(machine_one(&M, access(op, size, 8), mask), EXEC_MEM);
        for (unsigned l = 0; l < ISA_WARP; l++)
            for (unsigned k = 0; k < 4; k++)
                CHECK_EQ(M.reg[REG_D + k][l],
                         (mask >> l & 1) && k < words
                             ? loaded(image + off[l], size, k)
                             : 77);
    }
}

/* Consecutive, strided, reversed, equal and random places. */
static void places(unsigned kind, unsigned bytes, uint64_t off[ISA_WARP])
{
    uint64_t seed = kind;

    for (unsigned l = 0; l < ISA_WARP; l++) {
        uint64_t at[] = {
            128 + l * bytes,  96 + l * bytes, l * 48 / bytes * bytes,
            (31 - l) * bytes, 5 * 16,         noise(&seed) % 100 * 16};
        off[l] = at[kind];
    }
}

TEST(global_loads_of_every_size_and_pattern)
{
    for (unsigned log = 0; log < 2; log++) {
        begin(!log);
        uint8_t copy[4096];

        for (unsigned i = 0; i < 4096; i++)
            copy[i] = (uint8_t)(i * 7 + i / 256);
        memcpy(mem_host(M.image, buf), copy, sizeof copy);
        if (log) /* some lines are in the log of the view */
            for (unsigned i = 100; i < 300; i += 9) {
                copy[i] ^= 0xff;
                mem_view_write(M.view, buf + i, &copy[i], 1);
            }
        for (unsigned size = 0; size < 7; size++)
            for (unsigned kind = 0; kind < 6; kind++) {
                uint64_t off[ISA_WARP];

                places(kind, size_bytes[size], off);
                check_load(ISA_LDG, size, UINT32_MAX, off, buf, copy);
                check_load(ISA_LDG, size, 0x0ff7fff0, off, buf, copy);
                check_load(ISA_LDG, size, 0x00010000, off, buf, copy);
                check_load(ISA_LD, size, 0x7fffffff, off, buf, copy);
            }
        machine_fini(&M);
    }
}

TEST(shared_loads_direct_and_through_the_window)
{
    begin(true);
    for (unsigned i = 0; i < M_SHARED; i++)
        M.shared[i] = (uint8_t)(i * 13 + i / 256);
    for (unsigned size = 0; size < 7; size++)
        for (unsigned kind = 0; kind < 6; kind++) {
            uint64_t off[ISA_WARP];

            places(kind, size_bytes[size], off);
            check_load(ISA_LDS, size, UINT32_MAX, off, 0, M.shared);
            check_load(ISA_LDS, size, 0x80000001, off, 0, M.shared);
            check_load(ISA_LD, size, 0x80ff0001, off, MEM_SHARED_WINDOW,
                       M.shared);
        }
    machine_fini(&M);
}

/* Stores, then the bytes: later lanes win. */
static void check_store(isa_op op, unsigned size, uint32_t mask,
                        const uint64_t off[ISA_WARP], uint64_t base,
                        uint8_t *memory, unsigned bytes)
{
    EACH_LEVEL(level)
    {
        uint8_t want[4096];
        unsigned n = size_bytes[size];

        memset(want, 0xee, bytes);
        start(level);
        for (unsigned l = 0; l < ISA_WARP; l++) {
            address(l, base + off[l] + 4);
            for (unsigned k = 0; k < 4; k++)
                M.reg[20 + k][l] = l * 0x01010101u + k * 0x11223344u;
            for (unsigned b = 0; b < n && mask >> l & 1; b++)
                want[off[l] + b] =
                    (uint8_t)(M.reg[20 + b / 4][l] >> 8 * (b % 4));
        }
        if (op == ISA_STG || base >= MEM_BASE)
            for (unsigned b = 0; b < bytes; b++)
                mem_view_write(M.view, base + b, "\xee", 1);
        else
            memset(memory, 0xee, bytes);
        CHECK_EQ(machine_one(&M, access(op, size, -4), mask), EXEC_MEM);
        mem_view_commit(M.view);
        CHECK(!memcmp(memory, want, bytes));
    }
}

TEST(stores_of_every_size_and_pattern)
{
    for (unsigned log = 0; log < 2; log++) {
        begin(!log);
        for (unsigned size = 0; size < 7; size++)
            for (unsigned kind = 0; kind < 6; kind++) {
                uint64_t off[ISA_WARP];

                places(kind, size_bytes[size], off);
                for (unsigned l = 0; l < ISA_WARP; l++)
                    off[l] += 16;
                check_store(ISA_STG, size, UINT32_MAX, off, buf,
                            mem_host(M.image, buf), 4096);
                check_store(ISA_STG, size, 0x0ff7fff0, off, buf,
                            mem_host(M.image, buf), 4096);
                check_store(ISA_ST, size, 0x0ff7fff0, off, buf,
                            mem_host(M.image, buf), 4096);
                check_store(ISA_STS, size, UINT32_MAX, off, 0, M.shared,
                            M_SHARED);
                check_store(ISA_ST, size, 0x7fffffff, off, MEM_SHARED_WINDOW,
                            M.shared, M_SHARED);
            }
        machine_fini(&M);
    }
}

TEST(local_memory_is_private_to_each_lane)
{
    begin(true);
    EACH_LEVEL(level)
    for (unsigned size = 0; size < 7; size++)
        for (unsigned mixed = 0; mixed < 2; mixed++)
            for (unsigned window = 0; window < 2; window++) {
                uint64_t base = window ? MEM_LOCAL_WINDOW : 0;
                unsigned n = size_bytes[size], words = (n + 3) / 4;
                uint32_t mask = mixed ? 0x7ffffffe : UINT32_MAX;

                start(level);
                memset(M.local, 0, sizeof M.local);
                for (unsigned l = 0; l < ISA_WARP; l++) {
                    address(l, base + (mixed ? l % 3 : 1) * 16);
                    for (unsigned k = 0; k < 4; k++)
                        M.reg[20 + k][l] = l << 8 | k << 4 | 7;
                }
                machine_one(&M, access(window ? ISA_ST : ISA_STL, size, 0),
                            mask);
                for (unsigned l = 0; l < ISA_WARP; l++)
                    for (unsigned k = 0; k < 4; k++)
                        M.reg[REG_D + k][l] = 1;
                machine_one(&M, access(window ? ISA_LD : ISA_LDL, size, 0),
                            mask);
                for (unsigned l = 0; l < ISA_WARP; l++)
                    for (unsigned k = 0; k < words && mask >> l & 1; k++) {
                        uint32_t v = M.reg[20 + k][l];
                        CHECK_EQ(M.reg[REG_D + k][l],
                                 loaded((uint8_t *)&v, size, 0));
                    }
                /* The layout that exec.h promises. */
                unsigned at = (mixed ? 5 % 3 : 1) * 16;
                CHECK_EQ(M.local[(at / 4 * 32 + 5) * 4], M.reg[20][5] & 0xff);
            }
    machine_fini(&M);
}

TEST(one_generic_access_to_all_spaces)
{
    begin(true);
    EACH_LEVEL(level)
    {
        isa_inst st = access(ISA_ST, SIZE_32, 0),
                 ld = access(ISA_LD, SIZE_32, 0);

        start(level);
        for (unsigned l = 0; l < ISA_WARP; l++) {
            address(l, l % 3 == 0   ? buf + 4 * l
                       : l % 3 == 1 ? MEM_SHARED_WINDOW + 4 * l
                                    : MEM_LOCAL_WINDOW + 4 * (l % 16));
            M.reg[20][l] = 1000 + l;
        }
        CHECK_EQ(machine_one(&M, st, UINT32_MAX), EXEC_MEM);
        CHECK_EQ(M.mem.space[EXEC_GLOBAL], 0x49249249);
        CHECK_EQ(M.mem.space[EXEC_SHARED], 0x92492492);
        CHECK_EQ(M.mem.space[EXEC_LOCAL], 0x24924924);
        CHECK_EQ(M.mem.addr[4], 16);
        CHECK_EQ(machine_one(&M, ld, UINT32_MAX), EXEC_MEM);
        for (unsigned l = 0; l < ISA_WARP; l++)
            CHECK_EQ(M.reg[REG_D][l], 1000 + l);
        /* One space at a time. */
        for (unsigned l = 0; l < ISA_WARP; l++)
            M.reg[REG_D][l] = 0;
        CHECK(exec_mem_perform(&M.warp, &M.mem, 1u << EXEC_SHARED, M.view,
                               &M.fault));
        for (unsigned l = 0; l < ISA_WARP; l++)
            CHECK_EQ(M.reg[REG_D][l], l % 3 == 1 ? 1000 + l : 0);
    }
    machine_fini(&M);
}

/* ---- atomics ---- */

static isa_inst atomic(isa_op op, unsigned how, unsigned type)
{
    isa_inst in = access(op, 0, 0);

    in.mod = 0;
    in.dst = op == ISA_RED ? ISA_RZ : REG_D;
    ISA_PUT(&in, ATOMOP, how);
    ISA_PUT(&in, ATYPE, type);
    if (isa_table[op].flags & ISA_F_GLOBAL)
        ISA_PUT(&in, EXT, 1);
    if (isa_atom_compares(how)) {
        in.src_kind[2] = SRC_REG;
        in.src[2] = 24;
    }
    return in;
}

TEST(atomics_on_single_values)
{
    static const struct {
        unsigned how, type;
        uint64_t old, a, b, now;
    } t[] = {
        {ATOM_ADD, ATYPE_U32, 0xffffffff, 2, 0, 1},
        {ATOM_ADD, ATYPE_U64, 0xffffffff, 2, 0, 0x100000001},
        {ATOM_MIN, ATYPE_U32, 5, 0xffffffff, 0, 5},
        {ATOM_MIN, ATYPE_S32, 5, 0xffffffff, 0, 0xffffffff},
        {ATOM_MAX, ATYPE_S64, 5, ~0ull, 0, 5},
        {ATOM_MAX, ATYPE_U64, 5, ~0ull, 0, ~0ull},
        {ATOM_INC, ATYPE_U32, 5, 6, 0, 6},
        {ATOM_INC, ATYPE_U32, 6, 6, 0, 0},
        {ATOM_INC, ATYPE_U32, 7, 6, 0, 0},
        {ATOM_DEC, ATYPE_U32, 5, 6, 0, 4},
        {ATOM_DEC, ATYPE_U32, 0, 6, 0, 6},
        {ATOM_DEC, ATYPE_U32, 7, 6, 0, 6},
        {ATOM_AND, ATYPE_U32, 0xff00, 0x0ff0, 0, 0x0f00},
        {ATOM_OR, ATYPE_U64, 1, 1ull << 40, 0, 1ull << 40 | 1},
        {ATOM_XOR, ATYPE_U32, 0xff00, 0x0ff0, 0, 0xf0f0},
        {ATOM_EXCH, ATYPE_U64, 1, 1ull << 63, 0, 1ull << 63},
        {ATOM_CAS, ATYPE_U32, 7, 7, 9, 9},
        {ATOM_CAS, ATYPE_U32, 7, 8, 9, 7},
        {ATOM_CAS, ATYPE_U64, 7ull << 32, 7ull << 32, 9, 9},
        {ATOM_ADD, ATYPE_F32, 0x3f800000, 0x40000000, 0, 0x40400000},
        {ATOM_ADD, ATYPE_F64, 0x3ff0000000000000, 0x4000000000000000, 0,
         0x4008000000000000},
        {ATOM_ADD, ATYPE_F16X2, 0x3c004000, 0x3c003c00, 0, 0x40004200},
        {ATOM_ADD, ATYPE_BF16X2, 0x3f803f80, 0x40003f80, 0, 0x40404000},
        {ATOM_ADD, ATYPE_F16, 0x3c00, 0x3c00, 0, 0x4000},
        {ATOM_ADD, ATYPE_F32, 0x7f800000, 0xff800000, 0, 0x7fffffff},
    };

    begin(true);
    for (unsigned i = 0; i < sizeof t / sizeof *t; i++)
        for (unsigned shared = 0; shared < 2; shared++) {
            uint8_t *at = shared ? M.shared : mem_host(M.image, buf);

            start(0);
            memcpy(at, &t[i].old, 8);
            address(3, shared ? 0 : buf);
            machine_set64(&M, 20, 3, t[i].a);
            machine_set64(&M, 24, 3, t[i].b);
            machine_one(
                &M, atomic(shared ? ISA_ATOMS : ISA_ATOMG, t[i].how, t[i].type),
                8);
            uint64_t now = 0;
            memcpy(&now, at, 8);
            CHECK_EQ(now, t[i].now);
            CHECK_EQ(machine_get64(&M, REG_D, 3), t[i].old);
        }
    machine_fini(&M);
}

TEST(float_atomics_flush_in_global_memory_only)
{
    begin(true);
    for (unsigned shared = 0; shared < 2; shared++) {
        uint8_t *at = shared ? M.shared : mem_host(M.image, buf);
        uint32_t tiny = 3, now;

        start(0);
        memcpy(at, &tiny, 4);
        address(0, shared ? 0 : buf);
        M.reg[20][0] = 4;
        machine_one(
            &M, atomic(shared ? ISA_ATOMS : ISA_ATOMG, ATOM_ADD, ATYPE_F32), 1);
        memcpy(&now, at, 4);
        CHECK_EQ(now, shared ? 7 : 0);
    }
    machine_fini(&M);
}

TEST(atomics_of_many_lanes_on_one_word_happen_in_lane_order)
{
    for (unsigned log = 0; log < 2; log++) {
        uint32_t now;

        begin(!log);
        start(0);
        for (unsigned l = 0; l < ISA_WARP; l++) {
            address(l, buf + 64);
            M.reg[20][l] = l;
        }
        machine_one(&M, atomic(ISA_ATOMG, ATOM_ADD, ATYPE_U32), 0xfffffff0);
        for (unsigned l = 4, sum = 0; l < ISA_WARP; sum += l++)
            CHECK_EQ(M.reg[REG_D][l], sum);
        machine_one(&M, atomic(ISA_RED, ATOM_ADD, ATYPE_U32), 0x3);
        mem_view_read(M.view, buf + 64, &now, 4);
        CHECK_EQ(now, 31 * 32 / 2 - 6 + 1);
        machine_fini(&M);
    }
}

TEST(atomics_performed_elsewhere_give_the_same)
{
    mem_atom a;

    begin(true);
    start(0);
    for (unsigned l = 0; l < ISA_WARP; l++) {
        address(l, buf + l % 4 * 8);
        machine_set64(&M, 20, l, (uint64_t)l << 33 | 1);
    }
    isa_inst in = atomic(ISA_ATOMG, ATOM_ADD, ATYPE_U64);
    isa_finish(&in);
    M.code[0] = in;
    M.warp.code_count = 1;
    M.warp.simt.pc = 0;
    CHECK_EQ(exec_step(&M.warp, &M.mem, &M.bar, &M.fault), EXEC_MEM);
    exec_atom_pack(&M.mem, 0x0000ffff, &a);
    exec_atom_perform(&a, M.view);
    exec_atom_unpack(&M.warp, &in, &a);
    CHECK_EQ(machine_get64(&M, REG_D, 6), 2ull << 33 | 1);
    CHECK_EQ(machine_get64(&M, REG_D, 14), (2ull + 6 + 10) << 33 | 3);
    CHECK_EQ(machine_get64(&M, REG_D, 16), 0);
    machine_fini(&M);
}

/* POPC_INC counts up by one a lane, whatever its operand. */
TEST(each_lane_counts_one)
{
    static const uint32_t masks[] = {1, 0x80000000, 0x0ff0, UINT32_MAX};

    begin(true);
    for (unsigned n = 0; n < COUNTOF(masks); n++) {
        isa_inst in = atomic(ISA_ATOMS, ATOM_POPC_INC, ATYPE_U32);
        uint32_t at = 0xfffffffe, want = at, now;

        start(0);
        memcpy(M.shared + 64, &at, 4);
        for (unsigned l = 0; l < ISA_WARP; l++) {
            address(l, 64);
            M.reg[20][l] = l * 77;
            M.reg[REG_D][l] = 5;
        }
        CHECK(!isa_check(&in, ARCH_VOLTA));
        machine_one(&M, in, masks[n]);
        for (unsigned l = 0; l < ISA_WARP; l++)
            CHECK_EQ(M.reg[REG_D][l], masks[n] >> l & 1 ? want++ : 5);
        memcpy(&now, M.shared + 64, 4);
        CHECK_EQ(now, want);
        CHECK(!exec_arrivals_at(&M.cta, 64)); /* it is no mbarrier */
    }
    machine_fini(&M);
}

/* CAST tells whether it has stored: of lanes on one word the first has. */
TEST(casts_tell_who_has_stored)
{
    begin(true);
    for (unsigned wide = 0; wide < 2; wide++)
        for (unsigned match = 0; match < 2; match++) {
            isa_inst in =
                atomic(ISA_ATOMS, ATOM_CAST, wide ? ATYPE_U64 : ATYPE_U32);
            uint64_t old = wide ? 7ull << 32 | 1 : 1, now = 0;

            start(0);
            memcpy(M.shared, &old, 8);
            for (unsigned l = 0; l < ISA_WARP; l++) {
                address(l, 0);
                machine_set64(&M, 20, l, match ? old : old ^ 1ull << 31);
                machine_set64(&M, 24, l, (uint64_t)l << 40 | l);
                machine_set64(&M, REG_D, l, 99);
            }
            CHECK(!isa_check(&in, ARCH_VOLTA));
            machine_one(&M, in, 0xfffffff0);
            memcpy(&now, M.shared, wide ? 8 : 4);
            CHECK_EQ(now, !match ? old : wide ? 4ull << 40 | 4 : 4);
            CHECK(!exec_arrivals_at(&M.cta, 0));
            for (unsigned l = 0; l < ISA_WARP; l++)
                CHECK_EQ(M.reg[REG_D][l], l < 4 ? 99 : match && l == 4);
        }
    machine_fini(&M);
}

/* [R.X4 + offset]: the register counts 4, 8, 16 times, the offset once; of 32
 * bits. */
TEST(registers_of_shared_addresses_are_scaled)
{
    static const int32_t offsets[] = {0, 64, -64};

    begin(true);
    EACH_LEVEL(level)
    for (unsigned scale = 0; scale < 4; scale++)
        for (unsigned k = 0; k < COUNTOF(offsets); k++) {
            isa_inst st = access(ISA_STS, SIZE_32, offsets[k]);
            isa_inst ld = access(ISA_LDS, SIZE_32, offsets[k]);
            isa_inst add = atomic(ISA_ATOMS, ATOM_ADD, ATYPE_U32);
            unsigned times = scale ? 2u << scale : 1;

            add.val[0] = (uint32_t)offsets[k];
            ISA_PUT(&st, SCALE, scale);
            ISA_PUT(&ld, SCALE, scale);
            ISA_PUT(&add, SCALE, scale);
            start(level);
            memset(M.shared, 0, sizeof M.shared);
            for (unsigned l = 0; l < ISA_WARP; l++) {
                /* The last lane is above 2^32 but for its modulus. */
                address(l, 64 + 4 * l + (l == 31 && scale ? 1u << 30 : 0));
                M.reg[20][l] = 1000 + l;
            }
            CHECK_EQ(machine_one(&M, st, 0xfffffffe), EXEC_MEM);
            CHECK_EQ(machine_one(&M, add, 0xfffffff0), EXEC_MEM);
            CHECK_EQ(machine_one(&M, ld, 0xffff0000), EXEC_MEM);
            for (unsigned l = 0; l < ISA_WARP; l++) {
                uint32_t at = (64 + 4 * l) * times + (uint32_t)offsets[k], v;

                memcpy(&v, M.shared + at, 4);
                CHECK_EQ(v, l ? (1000 + l) * (l < 4 ? 1 : 2) : 0);
                CHECK_EQ(M.reg[REG_D][l], l < 4    ? 0
                                          : l < 16 ? 1000 + l
                                                   : 2 * (1000 + l));
            }
        }
    machine_fini(&M);
}

/* ---- faults ---- */

static void fault(isa_inst in, uint32_t mask, enum exec_fault_kind kind,
                  unsigned lane)
{
    CHECK_EQ(machine_one(&M, in, mask), EXEC_FAULT);
    CHECK_EQ(M.fault.kind, kind);
    CHECK_EQ(M.fault.lane, lane);
    CHECK_EQ(M.fault.pc, 0);
}

TEST(bad_accesses_are_faults_and_write_nothing)
{
    begin(true);
    uint64_t gone = mem_alloc(M.image, 256, "gone");

    mem_release(M.image, gone);
    EACH_LEVEL(level)
    {
        start(level);
        for (unsigned l = 0; l < ISA_WARP; l++) {
            address(l, buf + 4096 - 31 * 4 + 4 * l);
            M.reg[20][l] = 1;
        }
        fault(access(ISA_STG, SIZE_32, 0), UINT32_MAX, FAULT_BOUNDS, 31);
        CHECK_EQ(M.fault.addr, buf + 4096);
        CHECK(M.fault.write);
        for (unsigned i = 0; i < 4096; i++)
            CHECK_EQ(mem_host(M.image, buf)[i], 0);
        /* The lane outside does not execute. */
        CHECK_EQ(machine_one(&M, access(ISA_LDG, SIZE_32, 0), 0x7fffffff),
                 EXEC_MEM);
        fault(access(ISA_LDG, SIZE_32, -2), 0x7fffffff, FAULT_MISALIGNED, 0);
        address(5, buf + 2);
        fault(access(ISA_LDG, SIZE_32, 0), 0x7fffffff, FAULT_MISALIGNED, 5);
        CHECK(!M.fault.write);
        address(5, gone + 8);
        fault(access(ISA_LDG, SIZE_32, 0), 0x7fffffff, FAULT_FREED, 5);
        address(5, 0);
        fault(access(ISA_LDG, SIZE_32, 0), 0x7fffffff, FAULT_BOUNDS, 5);
        address(5, ~0ull - 3);
        fault(access(ISA_LDG, SIZE_32, 0), 0x7fffffff, FAULT_BOUNDS, 5);
        /* Two allocations in one access are fine. */
        address(5, other);
        CHECK_EQ(machine_one(&M, access(ISA_LDG, SIZE_32, 0), 0x7fffffff),
                 EXEC_MEM);
        address(0, M_SHARED - 2);
        fault(access(ISA_LDS, SIZE_64, 2), 1, FAULT_SHARED_BOUNDS, 0);
        fault(access(ISA_LDS, SIZE_32, 0), 1, FAULT_MISALIGNED, 0);
        address(0, M_LOCAL);
        fault(access(ISA_STL, SIZE_32, 0), 1, FAULT_LOCAL_BOUNDS, 0);
        address(0, MEM_LOCAL_WINDOW);
        fault(atomic(ISA_ATOM, ATOM_ADD, ATYPE_U32), 1, FAULT_SPACE, 0);
        address(0, 8); /* a prefetch of anything is no fault */
        CHECK_EQ(machine_one(&M, access(ISA_CCTL, 0, 0), 1), EXEC_MEM);
    }
    machine_fini(&M);
}

TEST(faults_are_named)
{
    char text[512], place[64];

    begin(true);
    start(0);
    M.launch.block[0] = 8;
    M.launch.block[1] = 4;
    M.cta.id[0] = 12;
    M.kernel.name = "saxpy";
    M.kernel.files = (const char *const[]){"saxpy.ptx"};
    for (unsigned l = 0; l < ISA_WARP; l++)
        address(l, buf + 4096 + 4 * l);
    isa_inst in = access(ISA_LDG, SIZE_32, 0);
    in.line = 17;
    in.file = 1;
    fault(in, 0x200, FAULT_BOUNDS, 9);
    exec_fault_text(&M.fault, &M.launch, M.image, text, sizeof text);
    CHECK(strstr(text, "outside every allocation"));
    snprintf(place, sizeof place, "4-byte read at 0x%llx", MEM_BASE + 0x1024);
    CHECK(strstr(text, place));
    CHECK(strstr(text, "'saxpy' (saxpy.ptx:17)"));
    CHECK(strstr(text, "instruction 0: LDG.E R16, [R8.64]"));
    CHECK(strstr(text, "CTA (12,0,0) thread (1,1,0) warp 0 lane 9"));
    CHECK(strstr(text, "'input'"));
    CHECK(strstr(text, "37 bytes past"));
    char small[16];
    exec_fault_text(&M.fault, &M.launch, M.image, small, sizeof small);
    CHECK_EQ(strlen(small), 15);
    machine_fini(&M);
}

TEST(constant_loads)
{
    begin(true);
    for (unsigned i = 0; i < 512; i++)
        M.cbank[i] = (uint8_t)(i * 11);
    for (unsigned size = 0; size < 7; size++)
        EACH_LEVEL(level)
        {
            isa_inst in = machine_inst(ISA_LDC, SRC_A);

            ISA_PUT(&in, SIZE, size);
            in.val[0] = 16;
            start(level);
            for (unsigned l = 0; l < ISA_WARP; l++)
                M.reg[REG_A][l] = l % 5 * size_bytes[size];
            CHECK_EQ(machine_one(&M, in, UINT32_MAX), EXEC_DONE);
            for (unsigned l = 0; l < ISA_WARP; l++)
                CHECK_EQ(
                    M.reg[REG_D][l],
                    loaded(M.cbank + 16 + l % 5 * size_bytes[size], size, 0));
            M.reg[REG_A][7] = CBANK_BYTES - 16;
            fault(in, UINT32_MAX, FAULT_CONST_BOUNDS, 7);
        }
    machine_fini(&M);
}
