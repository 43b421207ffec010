/* Loads and stores in one step do what those in two do: for every size, space
 * and pattern of addresses, full and partial masks, at the ends of allocations,
 * and where a lane is at fault. */
#include "machine.h"

enum { BYTES = 4096, ROUNDS = 3000, REG_AT = 8, REG_DATA = 20 };

static machine M;
static uint64_t seed, buf, other;

typedef struct state {
    uint32_t reg[M_REGS][ISA_WARP];
    uint8_t shared[M_SHARED], global[BYTES];
} state;

static void take(state *s)
{
    memcpy(s->reg, M.reg, sizeof s->reg);
    memcpy(s->shared, M.shared, sizeof s->shared);
    memcpy(s->global, mem_host(M.image, buf), BYTES);
}

static void give(const state *s)
{
    memcpy(M.reg, s->reg, sizeof s->reg);
    memcpy(M.shared, s->shared, sizeof s->shared);
    memcpy(mem_host(M.image, buf), s->global, BYTES);
}

/* An offset for each lane: rows, equal ones, in halves, at random, some of them
 * misaligned or outside. */
static void choose_offsets(unsigned size, int64_t at[ISA_WARP])
{
    unsigned how = noise(&seed) % 8, bad = (unsigned)noise(&seed) % 6;
    int64_t room = BYTES / size - ISA_WARP;
    int64_t a = (int64_t)(noise(&seed) % (uint64_t)room) * size;
    int64_t b = (int64_t)(noise(&seed) % (uint64_t)room) * size;

    for (unsigned l = 0; l < ISA_WARP; l++)
        at[l] = how < 2    ? a + (int64_t)(l * size)
                : how == 2 ? a
                : how == 3 ? (l < 16 ? a : b) + (int64_t)(l % 16 * size)
                : how == 4 ? (l < 16 ? a : b)
                : how == 5 ? a + (int64_t)((31 - l) * size)
                           : (int64_t)(noise(&seed) % (BYTES / size)) * size;
    if (bad == 0) /* one lane */
        at[noise(&seed) % ISA_WARP] += (int64_t)(noise(&seed) % 64) - 32;
    else if (bad == 1) /* a row that reaches beyond the end */
        for (unsigned l = 0; l < ISA_WARP; l++)
            at[l] = BYTES - (int64_t)((noise(&seed) % 2 ? 31 : 32) - l) * size;
    else if (bad == 2) /* one lane in another allocation */
        at[noise(&seed) % ISA_WARP] = (int64_t)(other - buf);
}

static isa_inst access_inst(isa_op op, unsigned size, int32_t plus)
{
    isa_inst in = isa_new(op);
    bool load = isa_table[op].flags & ISA_F_LOAD;

    in.src_kind[0] = SRC_REG;
    in.src[0] = REG_AT;
    in.val[0] = (uint32_t)plus;
    if (load) {
        in.dst = noise(&seed) % 4 ? REG_DATA : REG_AT;
    } else {
        in.src_kind[1] = SRC_REG;
        in.src[1] = noise(&seed) % 4 ? REG_DATA : REG_AT;
    }
    if (isa_table[op].flags & ISA_F_GLOBAL)
        ISA_PUT(&in, EXT, 1);
    ISA_PUT(&in, SIZE, size);
    return in;
}

/* Registers and memory before; the addresses of global memory are whole ones,
 * of shared memory offsets. */
static void fill(bool global, const int64_t at[ISA_WARP], int32_t plus)
{
    for (unsigned r = 0; r < 32; r++)
        for (unsigned l = 0; l < ISA_WARP; l++)
            M.reg[r][l] = (uint32_t)noise(&seed);
    for (unsigned l = 0; l < ISA_WARP; l++)
        machine_set64(&M, REG_AT, l,
                      (global ? buf : 0) + (uint64_t)(at[l] - plus));
    for (unsigned i = 0; i < BYTES; i += 8) {
        uint64_t v[2] = {noise(&seed), noise(&seed)};

        memcpy(M.shared + i, &v[0], 8);
        memcpy(mem_host(M.image, buf) + i, &v[1], 8);
    }
}

static bool same_fault(const exec_fault *a, const exec_fault *b)
{
    return a->kind == b->kind && a->pc == b->pc && a->lane == b->lane &&
           a->addr == b->addr && a->size == b->size && a->reach == b->reach &&
           a->write == b->write;
}

/* `in` in two steps and in one. */
static void compare(isa_inst in, uint32_t mask)
{
    static state before, after, now;
    exec_warp start;
    exec_fault fault;
    exec_result want;

    take(&before);
    machine_only(&M, in, mask);
    start = M.warp;
    M.fault = (exec_fault){0};
    want = machine_step(&M);
    fault = M.fault;
    take(&after);
    uint32_t pc = M.warp.simt.pc;

    give(&before);
    M.warp = start;
    M.fault = (exec_fault){0};
    exec_result got = machine_run(&M, 1);
    take(&now);
    CHECK_EQ(got == EXEC_FAULT, want == EXEC_FAULT);
    CHECK(same_fault(&M.fault, &fault));
    CHECK_EQ(M.warp.simt.pc, pc);
    if (memcmp(&now, &after, sizeof now))
        TEST_FAIL("%s size %u mask 0x%08x", isa_table[in.op].id, in.bytes,
                  mask);
}

TEST(one_step_does_what_two_do)
{
    static const isa_op ops[] = {ISA_LDS, ISA_STS, ISA_LDG,
                                 ISA_STG, ISA_LD,  ISA_ST};
    static const unsigned bytes[] = {4, 8, 16, 1, 1, 2, 2};

    machine_init(&M, ARCH_VOLTA);
    machine_memory(&M, true);
    buf = mem_alloc(M.image, BYTES, "buf");
    other = mem_alloc(M.image, 256, "other");
    EACH_LEVEL(level)
    for (unsigned n = 0; n < ROUNDS; n++) {
        int64_t at[ISA_WARP];

        seed = n;
        isa_op op = ops[noise(&seed) % 6];
        unsigned size = noise(&seed) % 7;
        int32_t plus =
            noise(&seed) % 2 ? (int32_t)(noise(&seed) % 256) * 16 : 0;
        uint32_t mask = noise(&seed) % 2 ? UINT32_MAX : (uint32_t)noise(&seed);

        choose_offsets(bytes[size], at);
        machine_start(&M, level);
        fill(isa_table[op].flags & ISA_F_GLOBAL, at, plus);
        compare(access_inst(op, size, plus), mask | 1u << n % ISA_WARP);
    }
    machine_fini(&M);
}

/* The rest of an access that one step cannot do is the caller's. */
TEST(a_good_access_needs_no_second_step)
{
    machine_init(&M, ARCH_VOLTA);
    machine_memory(&M, true);
    buf = mem_alloc(M.image, BYTES, "buf");
    machine_start(&M, 0);
    for (unsigned l = 0; l < ISA_WARP; l++)
        machine_set64(&M, REG_AT, l, buf + 4 * l);
    isa_inst in = access_inst(ISA_LDG, SIZE_32, 0);

    machine_only(&M, in, UINT32_MAX);
    CHECK_EQ(machine_run(&M, 1), EXEC_DONE);
    machine_set64(&M, REG_AT, 7, buf + BYTES);
    machine_only(&M, in, UINT32_MAX);
    CHECK_EQ(machine_run(&M, 1), EXEC_FAULT);
    CHECK_EQ(M.fault.lane, 7);
    CHECK_EQ(M.fault.kind, FAULT_BOUNDS);
    machine_fini(&M);
}
