#!/usr/bin/env python3
"""Writes the matrix product for a GK110 that obeys control codes.

    generate.py           the kernel, sgemm.sass
    generate.py --stream  its multiply-adds alone, probes/product.sass

C = alpha A B + beta C, all matrices by rows. A CTA of 256 threads makes a
tile of 192 x 192, a thread 12 x 12 of it in registers; k goes in slices of 8
through shared memory, two of which are there at a time. README.md here says
what for. Everything follows from the rules of docs/mechanisms/dual-issue.md:

- A group is a single multiply-add, two pairs, and one more beside which what
  is no multiply-add issues: loads, stores, counting. So six take four cycles.
- After two groups, a line, the other warp has its turn and the operand cache
  is empty. So a line is a block of 4 x 3 results, which needs the fewest
  operands, in an order in which five of them are at hand at any time.
- A bank gives one register a cycle. The operands of A lie in banks 0 and 1,
  those of B in banks 2 and 3, as loads of four registers put them. The banks
  of the results are what is free in the cycle in which they are read.

It is planned for dispatch ports that gather for one and for two instructions
and a cache that has a register at once. The machine's ports have more room and
its cache is later (R1, R3): there it comes to the same.
"""
import collections
import sys

ROWS = COLUMNS = 12             # results of a thread
BLOCK_ROWS, BLOCK_COLUMNS = 4, 3  # of a line
GROUP = 7                       # instructions behind a control word
LINE = 2 * GROUP
BANKS = 4
CACHE = 6                       # registers in the operand cache
TILE = 192
SLICE = 8                       # values of k

# Multiply-adds of a line by the cycle in which they issue; the last of a group
# has the filler beside it.
CYCLES = ((0,), (1, 2), (3, 4), (5,), (6,), (7, 8), (9, 10), (11,))

SINGLE, HEAD, TAIL = 0x20, 0x04, 0x05


def bank(register):
    return (register & 1) | (register >> 1 & 2)


# ---- Registers ----

class Registers:
    """Hands out registers, of a bank or aligned."""

    def __init__(self):
        self.free = set(range(255))

    def take(self, first, count=1):
        for r in range(first, first + count):
            self.free.remove(r)
        return first

    def aligned(self, count, banks):
        """`count` registers; the first is a multiple of it, in `banks`."""
        for r in sorted(self.free):
            if (r % count == 0 and bank(r) in banks and
                    all(r + i in self.free for i in range(count))):
                return self.take(r, count)
        sys.exit("generate.py: out of registers")

    def of_bank(self, wanted):
        return self.aligned(1, (wanted,))


# ---- A line ----

class Operands:
    """What a scheduler's operand cache holds; by name, the latest first."""

    def __init__(self, held=()):
        self.held = list(held)

    def read(self, names):
        """Those that have to be read from their banks."""
        misses = []
        for name in names:
            if name in self.held:
                self.held.remove(name)
            else:
                misses.append(name)
            self.held = [name] + self.held[:CACHE - 1]
        return misses

    def written(self, name):
        self.held.remove(name)


def read_cycle(held, products, filler):
    """Operands, results apart, that multiply-adds of a cycle read."""
    cache, misses = Operands(held), []

    for row, column in products:
        misses += cache.read([("a", row), ("b", column)])
        cache.read(["c"])
        cache.written("c")
    if filler:                  # may read an address
        cache.read(["filler"])
    return cache.held, misses


def line_loss(products, fillers):
    """Cycles that a line loses: to ports that wait for banks, and to banks
    that it leaves busy for the next one. `products`: the three registers of
    each multiply-add; `fillers`: those that the two fillers read."""
    cache, now = Operands(), 0
    free = [0] * BANKS
    ports = [[0], [0, 0]]

    def gather(port, registers, result=None):
        late = now
        for r in cache.read(list(dict.fromkeys(registers))):
            at = max(now, free[bank(r)])
            free[bank(r)] = at + 1
            late = max(late, at)
        if result is not None:
            cache.written(result)
        port.sort()
        port[0] = late + 1

    for cycle in CYCLES:
        second = cycle[1:] or (cycle[0] in (5, 11) and fillers[cycle[0] // 6])
        while ports[0][0] > now or (second and min(ports[1]) > now):
            now += 1
        gather(ports[0], products[cycle[0]], products[cycle[0]][2])
        if cycle[1:]:
            gather(ports[1], products[cycle[1]], products[cycle[1]][2])
        elif second:
            gather(ports[1], second)
        now += 1
    return max([now] + free) - len(CYCLES)


def order_line(banks_a, banks_b):
    """An order of the products of a block and the bank of each result, so
    that no bank is asked for two registers in a cycle and every bank has as
    many results. Depth first; the first order found."""
    everything = [(r, c) for r in range(BLOCK_ROWS)
                  for c in range(BLOCK_COLUMNS)]
    share = len(everything) // BANKS

    def banks_of(misses):
        return [(banks_a if kind == "a" else banks_b)[i] for kind, i in misses]

    def place(taken, count, used):
        """Ways to put `count` results into banks that are not `taken`."""
        if not count:
            yield []
            return
        for b in sorted(range(BANKS), key=lambda b: used[b]):
            if b not in taken and used[b] < share:
                used[b] += 1
                for rest in place(taken | {b}, count - 1, used):
                    yield [b] + rest
                used[b] -= 1

    def steps(left, last, count):
        """Next products: each shares an operand with the one before."""
        if not count:
            yield []
            return
        for p in left:
            if last is None or p[0] == last[0] or p[1] == last[1]:
                for rest in steps([q for q in left if q != p], p, count - 1):
                    yield [p] + rest

    def search(at, left, held, last, used):
        if at == len(CYCLES):
            return []
        filler = CYCLES[at][-1] in (5, 11)
        for products in steps(left, last, len(CYCLES[at])):
            now, misses = read_cycle(held, products, filler)
            taken = banks_of(misses)
            if len(set(taken)) < len(taken):
                continue
            for banks in place(set(taken), len(products), used):
                rest = search(at + 1, [p for p in left if p not in products],
                              now, products[-1], used)
                if rest is not None:
                    return list(zip(products, banks)) + rest
        return None

    return search(0, everything, [], None, [0] * BANKS)


# ---- A step of k ----

class Layout:
    """The registers of the kernel and the order of its multiply-adds."""

    def __init__(self):
        regs = Registers()
        regs.take(0, 8)         # of the probe that times the stream
        self.a = [[regs.aligned(4, (0,)) for _ in range(3)] for _ in range(2)]
        self.b = [[regs.aligned(4, (2,)) for _ in range(3)] for _ in range(2)]
        self.c, self.order = {}, []
        for first_row in range(0, ROWS, BLOCK_ROWS):
            for first_column in range(0, COLUMNS, BLOCK_COLUMNS):
                self.add_line(regs, first_row, first_column)
        self.regs = regs

    def row(self, k, i):
        return self.a[k % 2][i // 4] + i % 4

    def column(self, k, j):
        return self.b[k % 2][j // 4] + j % 4

    def add_line(self, regs, first_row, first_column):
        line = order_line(
            [bank(self.row(0, first_row + i)) for i in range(BLOCK_ROWS)],
            [bank(self.column(0, first_column + j))
             for j in range(BLOCK_COLUMNS)])
        for (i, j), where in line:
            product = first_row + i, first_column + j
            self.c[product] = regs.of_bank(where)
            self.order.append(product)

    def line(self, k, n):
        """The registers of the multiply-adds of line `n` of step k."""
        per_line = BLOCK_ROWS * BLOCK_COLUMNS
        return [(self.row(k, i), self.column(k, j), self.c[i, j])
                for i, j in self.order[n * per_line:(n + 1) * per_line]]

    def loss(self, k, fillers):
        """Cycles that step k loses with these beside its multiply-adds."""
        return [line_loss(self.line(k, n),
                          [op.reads for op in fillers[2 * n:2 * n + 2]])
                for n in range(len(fillers) // 2)]

    def step(self, k, fillers):
        """The instructions of step k of a slice as (code, text)."""
        out = []
        for n, filler in enumerate(fillers):
            six = self.line(k, n // 2)[n % 2 * 6:][:6]
            last = SINGLE if is_control(filler) else HEAD
            codes = SINGLE, HEAD, TAIL, HEAD, TAIL, last
            for code, (a, b, c) in zip(codes, six):
                out.append((code, "FFMA R%d, R%d, R%d, R%d" % (c, a, b, c)))
            out.append((SINGLE, filler.text))
        return out


# What stands beside multiply-adds: its text, the registers that it reads.
Op = collections.namedtuple("Op", "text reads")

NOTHING = Op("NOP", ())


def is_control(op):
    return op.text.startswith(("BAR.", "BRA ", "@P0 BRA"))


# ---- The kernel ----

STRIDE_A = TILE + 4             # words; stores of A meet no conflict of banks
BYTES_A = SLICE * STRIDE_A * 4
BUFFER = BYTES_A + SLICE * TILE * 4
PART = 64                       # rows or columns with four of each thread
PARTS = TILE // PART
PLACES = ROWS * COLUMNS // 6    # fillers of a step

PREAMBLE = """\
// C = alpha A B + beta C for a GK110 that obeys control codes, written by
// generate.py, which says how. README.md has what it asks for: 256 threads for
// each 192 x 192 results, k a multiple of {slice}.
.arch kepler
.kernel sgemm
.param pointer a
.param pointer b
.param pointer c
.param int lda
.param int ldb
.param int ldc
.param int k
.param float alpha
.param float beta
.reqthreads 256, 1, 1
.shared {shared}
"""

BEGIN = """
    S2R R{tid}, SR_TID.X
    S2R R{x}, SR_CTAID.X
    S2R R{y}, SR_CTAID.Y
    MOV R{t}, c[0x0][k]
    LOP3.LUT R{u}, R{t}, {slice}-1, RZ, 0xc0
    ISETP.NE.AND P0, PT, R{u}, RZ, PT
    @P0 BPT.TRAP
    SHR.U32 R{u}, R{t}, {slice_log}
    I2F.F64.S32 R{left}, R{u}
    MOV R{one}, 1
    DSETP.GT.AND P1, PT, R{left}, 1.0, PT
    // its first row and column, and where it reads them in shared memory
    BFE.U32 R{t}, R{tid}, 0x203
    SHR.U32 R{u}, R{tid}, 6
    IMAD R{row}, R{u}, 4, R{t}
    IMAD R{lds_a}, R{row}, 16, RZ
    BFE.U32 R{t}, R{tid}, 0x300
    BFE.U32 R{u}, R{tid}, 0x105
    IMAD R{column}, R{u}, 8, R{t}
    IMAD R{lds_b}, R{column}, 16, RZ
    IADD3 R{lds_b}, R{lds_b}, {bytes_a}, RZ
    // A: four threads a row, two values each
    SHR.U32 R{v}, R{tid}, 2
    LOP3.LUT R{t}, R{tid}, 3, RZ, 0xc0
    IMAD R{u}, R{v}, 4, RZ
    IMAD R{sts_a}, R{t}, 2*{stride_a}, R{u}
    MOV R{from_a}, c[0x0][a]
    MOV R{from_a_high}, c[0x0][a+4]
    MOV R{u}, c[0x0][lda]
    IMAD R{u}, R{u}, 4, RZ
    IMAD R{v}, R{y}, {tile}, R{v}
    IMAD.WIDE R{from_a}, R{v}, R{u}, R{from_a}
    IMAD.WIDE R{from_a}, R{t}, 8, R{from_a}
    IMAD.WIDE R{from_a1}, R{u}, {part}, R{from_a}
    IMAD.WIDE R{from_a2}, R{u}, {part}, R{from_a1}
    // B: a warp a row, two values each and 64 further
    SHR.U32 R{v}, R{tid}, 5
    LOP3.LUT R{t}, R{tid}, 31, RZ, 0xc0
    IMAD R{u}, R{t}, 8, RZ
    IMAD R{sts_b}, R{v}, {tile}*4, R{u}
    IADD3 R{sts_b}, R{sts_b}, {bytes_a}, RZ
    MOV R{from_b}, c[0x0][b]
    MOV R{from_b_high}, c[0x0][b+4]
    MOV R{ldb}, c[0x0][ldb]
    IMAD R{t}, R{ldb}, 4, RZ
    IMAD.WIDE R{from_b}, R{v}, R{t}, R{from_b}
    IMAD R{t}, R{x}, {tile}*4, R{u}
    IMAD.WIDE R{from_b}, R{t}, 1, R{from_b}
    // nothing to add up
    ISETP.EQ.AND P0, PT, RZ, c[0x0][k], PT
    MOV R{t}, c[0x0][alpha]
    FSETP.EQ.OR P0, PT, R{t}, RZ, P0
"""

END = """
    MOV R{alpha}, c[0x0][alpha]
    MOV R{beta}, c[0x0][beta]
    FSETP.EQ.AND P1, PT, R{beta}, RZ, PT
    S2R R{x}, SR_CTAID.X
    S2R R{y}, SR_CTAID.Y
    IMAD R{row}, R{row}, 4, RZ
    IMAD R{row}, R{y}, {tile}, R{row}
    IMAD R{column}, R{column}, 16, RZ
    IMAD R{column}, R{x}, {tile}*4, R{column}
    MOV R{ldc}, c[0x0][ldc]
    IMAD R{ldc}, R{ldc}, 4, RZ
    MOV R{to_0}, c[0x0][c]
    MOV R{to_0_high}, c[0x0][c+4]
    IMAD.WIDE R{to_0}, R{row}, R{ldc}, R{to_0}
    IMAD.WIDE R{to_0}, R{column}, 1, R{to_0}
    IMAD.WIDE R{to_1}, R{ldc}, 1, R{to_0}
    IMAD.WIDE R{to_2}, R{ldc}, 1, R{to_1}
    IMAD.WIDE R{to_3}, R{ldc}, 1, R{to_2}
    @P1 BRA plain
"""


class Kernel:
    def __init__(self):
        self.layout = Layout()
        self.count = 0          # instructions
        regs = self.layout.regs
        # Where reading them loses the least: see place().
        self.from_a = [regs.aligned(2, (2,)) for _ in range(PARTS)]
        self.next_a = [regs.aligned(2, (2,)) for _ in range(PARTS)]
        self.from_b = regs.aligned(2, (0,))
        self.next_b = [regs.aligned(2, (0,)) for _ in range(PARTS)]
        self.lds_a, self.lds_b = regs.of_bank(0), regs.of_bank(0)
        self.sts_a, self.one = regs.of_bank(0), regs.of_bank(0)
        self.sts_b, self.ldb = regs.of_bank(2), regs.of_bank(2)
        # An address of both buffers is this minus that of the other.
        self.both = {r: regs.of_bank(2 - bank(r)) for r in (
            self.lds_a, self.lds_b, self.sts_a, self.sts_b)}
        self.left = regs.aligned(2, range(BANKS))
        tid, x, y, t, u, v, row, column = (
            regs.aligned(1, range(BANKS)) for _ in range(8))
        self.names = dict(
            lds_a=self.lds_a, lds_b=self.lds_b, sts_a=self.sts_a,
            sts_b=self.sts_b, left=self.left, one=self.one, ldb=self.ldb,
            from_a=self.from_a[0], from_a_high=self.from_a[0] + 1,
            from_a1=self.from_a[1], from_a2=self.from_a[2],
            from_b=self.from_b, from_b_high=self.from_b + 1,
            tid=tid, x=x, y=y, t=t, u=u, v=v, row=row,
            column=column,
            alpha=t, beta=u, ldc=self.ldb,
            to_0=self.from_b, to_0_high=self.from_b + 1, to_1=self.from_a[0],
            to_2=self.from_a[1], to_3=self.from_a[2],
            tile=TILE, part=PART, stride_a=STRIDE_A * 4,
            slice=SLICE, slice_log=SLICE.bit_length() - 1,
            bytes_a=BYTES_A, shared=2 * BUFFER)

    def put(self, text, code=SINGLE):
        print("    {0x%02x} %s" % (code, text.format(**self.names)))
        self.count += 1

    def label(self, name):
        print("%s:" % name)

    def puts(self, text):
        for line in text.strip().splitlines():
            if line.strip().startswith("//"):
                print("    " + line.strip())
            else:
                self.put(line.strip())

    # ---- What stands beside multiply-adds ----

    def load_operands(self, k):
        """Rows and columns in turn."""
        return [Op("LDS.128 R%d, [R%d+%d]" % (
            quads[k % 2][part], r, (k * row + part * PART) * 4), (r,))
                for part in range(PARTS)
                for quads, r, row in ((self.layout.a, self.lds_a, STRIDE_A),
                                      (self.layout.b, self.lds_b, TILE))]

    def load_a(self, guard=""):
        """That part of the next slice."""
        return [Op("%sLDG.E.64 R%d, [R%d.64]" % (guard, to, r), (r, r + 1))
                for to, r in zip(self.next_a, self.from_a)]

    def load_b(self, guard=""):
        r = self.from_b
        return [Op("%sLDG.E.64 R%d, [R%d.64+%d]" % (
            guard, to, r, part * PART * 4), (r, r + 1))
                for part, to in enumerate(self.next_b)]

    def advance(self):
        """To the slice behind it."""
        by = [(self.one, r) for r in self.from_a] + [(self.ldb, self.from_b)]
        return [Op("IMAD.WIDE R%d, R%d, %d, R%d" % (r, n, SLICE * 4, r),
                   (n, r, r + 1)) for n, r in by]

    def store_a(self):
        r = self.sts_a
        return [Op("STS [R%d+%d], R%d" % (
            r, (i * STRIDE_A + part * PART) * 4, of + i), (r, of + i))
                for part, of in enumerate(self.next_a) for i in range(2)]

    def store_b(self):
        r = self.sts_b
        return [Op("STS.64 [R%d+%d], R%d" % (r, part * PART * 4, of),
                   (r, of, of + 1)) for part, of in enumerate(self.next_b)]

    def exchange(self, *addresses):
        """On to the other buffer."""
        return [Op("IMAD R%d, R%d, -1, R%d" % (r, r, self.both[r]),
                   (r, self.both[r])) for r in addresses]

    def place(self, fillers, k, first, ops, apart=1):
        """Puts operations into step k of a slice, from group `first` on:
        where the fewest cycles are lost, the first such. With `apart` they
        stay in their order, so many groups apart at least."""
        step = fillers[k]
        for n, op in enumerate(ops):
            last = PLACES - apart * (len(ops) - 1 - n)
            ways = []
            for at in range(first, last):
                if step[at] == NOTHING:
                    tried = step[:at] + [op] + step[at + 1:]
                    ways.append((sum(self.layout.loss(k, tried)), at))
            at = min(ways)[1]
            step[at] = op
            if apart > 1:
                first = at + apart

    def fillers(self):
        """The seventh instructions of a slice's groups, by step. The loads
        from shared memory come in the first half of a step: those from memory
        keep the unit busy for long."""
        out = [[NOTHING] * PLACES for _ in range(SLICE)]
        rest, left = PLACES // 2, (self.left, self.left + 1)

        def then(k, ops):
            self.place(out, k, rest, ops)

        out[6][-1] = Op("BAR.SYNC 0x0", ())
        out[7][-1] = Op("@P0 BRA loop", ())
        for k in range(SLICE):
            self.place(out, k, 1, self.load_operands((k + 1) % SLICE), 2)
        for k, load in enumerate(self.load_a("@P1 ")):
            then(k, [load])
        then(1, [Op("DADD R%d, R%d, -1.0" % (left[0], left[0]), left)])
        then(3, self.load_b("@P1 "))
        then(3, self.advance()[:PARTS])
        then(4, self.advance()[PARTS:])
        then(4, [Op("DSETP.GT.AND P%d, PT, R%d, %d.0, PT" % (n, left[0], n),
                    left) for n in range(2)])
        then(4, self.store_a()[:2])
        then(5, self.store_a()[2:])
        then(5, self.store_b()[:1])
        then(6, self.store_b()[1:])
        then(6, self.exchange(self.lds_a, self.lds_b))
        then(7, self.exchange(self.sts_a, self.sts_b))
        return out

    # ---- Its parts ----

    def begin(self):
        self.puts(BEGIN)
        for c in sorted(self.layout.c.values()):
            self.put("MOV R%d, RZ" % c)
        self.put("@P0 BRA done")
        for r, both in self.both.items():
            self.put("IMAD R%d, R%d, 2, RZ" % (both, r))
            self.put("IADD3 R%d, R%d, %d, RZ" % (both, both, BUFFER))
        for ops in (self.load_a(), self.load_b(), self.advance(),
                    self.store_a(), self.store_b(),
                    self.exchange(self.sts_a, self.sts_b),
                    [Op("BAR.SYNC 0x0", ())], self.load_operands(0)):
            for op in ops:
                self.put(op.text)

    def loop(self):
        while self.count % LINE:
            self.put(NOTHING.text)
        self.label("loop")
        for k, fillers in enumerate(self.fillers()):
            for code, text in self.layout.step(k, fillers):
                self.put(text, code)

    def results(self, reads):
        """Four rows at a time, each of three times four values, through the
        registers of the operands."""
        layout = self.layout
        quads = [q for of in (layout.a, layout.b) for h in of for q in h]
        for part in range(PARTS):
            at = [(quads[3 * r + j], "[R{to_%d}.64+%d]" % (r, j * PART * 4),
                   [layout.c[4 * part + r, 4 * j + i] for i in range(4)])
                  for r in range(4) for j in range(PARTS)]
            if reads:
                for quad, address, _ in at:
                    self.put("LDG.E.128 R%d, %s" % (quad, address))
            for quad, address, values in at:
                for i, value in enumerate(values):
                    self.result(quad + i, value, reads)
                self.put("STG.E.128 %s, R%d" % (address, quad))
            for r in range(4):
                self.put("IMAD.WIDE R{to_%d}, R{ldc}, %d, R{to_%d}"
                         % (r, PART, r))
        self.put("EXIT")

    def result(self, to, value, reads):
        if not reads:
            self.put("FMUL R%d, R%d, R{alpha}" % (to, value))
            return
        self.put("FMUL R%d, R%d, R{beta}" % (to, to))
        self.put("FFMA R%d, R%d, R{alpha}, R%d" % (to, value, to))

    def write(self):
        print(PREAMBLE.format(**self.names), end="")
        self.begin()
        self.loop()
        self.label("done")
        self.puts(END)
        self.results(True)
        self.label("plain")
        self.results(False)
        print(".end")


# ---- The stream alone ----

STREAM_HEAD = """\
// The multiply-adds of a step of the product in workloads/sgemm_gk110, written
// by its generate.py: $n groups, the seventh of each is $filler. To be
// put into a loop that begins with a line of 128 bytes; registers from R8 on.
"""


def stream():
    layout = Layout()
    print(STREAM_HEAD.replace("$n", str(ROWS * COLUMNS // 6)), end="")
    for k in range(2):
        for code, text in layout.step(k, [Op("$filler", ())] * PLACES):
            print("{0x%02x} %s" % (code, text) if text != "$filler" else text)


def main():
    if sys.argv[1:] == ["--stream"]:
        stream()
    elif len(sys.argv) == 1:
        Kernel().write()
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
