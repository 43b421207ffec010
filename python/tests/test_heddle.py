"""Tests of the Python package: python3 -m unittest, with heddle importable.

tests/run/python.sh runs them; HEDDLE_SOURCE is the source tree.
"""

import contextlib
import copy
import ctypes
import gc
import io
import json
import math
import os
import pickle
import shutil
import signal
import subprocess
import tempfile
import threading
import unittest
import warnings
import weakref
from pathlib import Path

import numpy as np

import heddle
from heddle import _library as c

SOURCE = Path(os.environ.get("HEDDLE_SOURCE",
                             Path(__file__).resolve().parent.parent.parent))
KERNELS = SOURCE / "examples/lib/kernels.ptx"
SMALL = {"gpu.sms": 2}

HEAD = ".version 7.0\n.target sm_70\n.address_size 64\n"
FOREVER = HEAD + """
.visible .entry forever(.param .u64 y)
{
    .reg .b32 %r<4>; .reg .b64 %d<4>;
    ld.param.u64 %d1, [y];
AGAIN:
    atom.global.add.u32 %r1, [%d1], 1;
    bra AGAIN;
}
"""
SPIN = HEAD + """
.visible .entry spin(.param .u64 y)
{
    .reg .b32 %r<4>; .reg .b64 %d<4>; .reg .pred %p;
    ld.param.u64 %d1, [y];
AGAIN:
    ld.volatile.global.u32 %r1, [%d1];
    setp.eq.u32 %p, %r1, 0;
    @%p bra AGAIN;
    ret;
}
"""
SAY = HEAD + """
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.global .align 1 .b8 words[7] = {108, 97, 110, 101, 115, 10, 0};
.visible .entry say()
{
    .reg .b64 %d<4>;
    .param .b64 pf; .param .b64 pa; .param .b32 pr;
    mov.u64 %d1, words;
    cvta.global.u64 %d2, %d1;
    mov.u64 %d3, 0;
    st.param.b64 [pf], %d2;
    st.param.b64 [pa], %d3;
    call (pr), vprintf, (pf, pa);
    ret;
}
"""
# out[0..3] = the 8 bytes of s, a byte, and a 64-bit number.
MIXED = HEAD + """
.global .align 4 .u32 scale[3] = {5, 6, 7};
.visible .entry mixed(.param .u64 out, .param .align 4 .b8 s[8],
    .param .u8 b, .param .u64 w, .param .f64 d)
{
    .reg .b32 %r<4>; .reg .b64 %d<6>; .reg .b16 %h<2>; .reg .f64 %f<2>;
    ld.param.u64 %d1, [out];
    ld.param.u32 %r1, [s];
    ld.param.u32 %r2, [s+4];
    st.global.u32 [%d1], %r1;
    st.global.u32 [%d1+4], %r2;
    ld.param.u8 %h1, [b];
    cvt.u32.u16 %r3, %h1;
    st.global.u32 [%d1+8], %r3;
    ld.param.u64 %d2, [w];
    st.global.u64 [%d1+16], %d2;
    ld.param.f64 %f1, [d];
    st.global.f64 [%d1+24], %f1;
    ret;
}
"""


def pandas():
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import pandas as module
        return module
    except ImportError:
        raise unittest.SkipTest("no pandas") from None


class Declarations(unittest.TestCase):
    """_library.py says the same as the header."""

    def test_structures_are_those_of_the_header(self):
        cc = shutil.which("cc")
        if cc is None:
            self.skipTest("no cc")
        lines = []
        for name, structure in c.STRUCTURES.items():
            lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
            for field, _ in structure._fields_:
                lines.append(f'printf("{name}.{field} %zu\\n", '
                             f'offsetof({name}, {field}));')
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "sizes.c"
            source.write_text(
                "#include <stdio.h>\n#include <heddle/heddle.h>\n"
                "int main(void) {\n" + "\n".join(lines) + "\nreturn 0; }\n")
            program = Path(folder) / "sizes"
            subprocess.run([cc, f"-I{SOURCE / 'include'}", source, "-o",
                            program], check=True)
            said = dict(line.split() for line in subprocess.run(
                [program], check=True, capture_output=True,
                text=True).stdout.splitlines())
        for name, structure in c.STRUCTURES.items():
            self.assertEqual(int(said[name]), ctypes.sizeof(structure), name)
            for field, _ in structure._fields_:
                self.assertEqual(int(said[f"{name}.{field}"]),
                                 getattr(structure, field).offset,
                                 f"{name}.{field}")

    def test_numbers_are_those_of_the_header(self):
        header = (SOURCE / "include/heddle/heddle.h").read_text()
        for i, kind in enumerate(c.FAULT_KINDS):
            self.assertIn(f"HEDDLE_FAULT_{kind.upper()} = {i}", header)
        for name in ("OK", "BAD_ARGUMENT", "BAD_CONFIG", "BAD_PROGRAM",
                     "BAD_FILE", "NOT_FOUND", "BUSY", "FAULT", "HANG", "LIMIT",
                     "CANCELLED", "NO_MEMORY", "INTERNAL", "LOST",
                     "FUNCTIONAL", "LENIENT", "CHECK_ASYNC", "NO_SKIP",
                     "MISMATCH", "PER_BLOCK", "PROFILE", "SAMPLE", "PARAM_BYTES", "PARAM_INT", "PARAM_FLOAT",
                     "PARAM_POINTER"):
            self.assertRegex(header, rf"HEDDLE_{name} = {getattr(c, name)}\b")
        for function in c._FUNCTIONS:
            self.assertRegex(header, rf"\bheddle_{function}\(")

    def test_the_versions_are_one(self):
        project = (SOURCE / "python/pyproject.toml").read_text()
        self.assertIn(f'version = "{heddle.__version__}"', project)


class Launches(unittest.TestCase):
    def setUp(self):
        self.sim = heddle.Simulation("v100", SMALL)
        self.addCleanup(self.sim.close)
        self.module = self.sim.load(KERNELS)
        self.saxpy = self.module["saxpy"]

    def test_arrays_of_the_gpu_are_not_copied(self):
        x = self.sim.array(np.arange(1000, dtype=np.float32))
        y = self.sim.empty(1000)
        before = y.array
        result = self.saxpy.launch(4, 256, x, y, 2.0, 1000)
        self.assertTrue(np.array_equal(before, 2 * np.arange(1000)))
        self.assertEqual(result.status, "ok")
        self.assertEqual(result.kernel, "saxpy")
        self.assertGreater(result.cycles, 400)
        self.assertAlmostEqual(result.ipc, result.warp_insts / result.cycles)
        self.assertEqual(result.ctas, 4)
        # 32 warps, of which all have a load of x and of y.
        self.assertEqual(result.counters["sm[*].l1.global_reads"], 64)

    def test_a_part_of_an_array_is_an_address(self):
        x = self.sim.array(np.arange(1000, dtype=np.float32))
        y = self.sim.empty((10, 100))
        self.saxpy.launch(1, 256, x.array[500:], y.array[3], 1.0, 100)
        self.assertTrue(np.array_equal(y.array[3], np.arange(500, 600)))
        self.assertEqual(np.count_nonzero(y.array), 100)

    def test_other_arrays_are_copied_there_and_back(self):
        x = np.arange(1000, dtype=np.float32)
        y = np.ones(1000, dtype=np.float32)
        self.saxpy.launch(4, 256, x, y, 2.0, 1000)
        self.assertTrue(np.array_equal(y, 2 * x + 1))
        self.assertTrue(np.array_equal(x, np.arange(1000)))

    def test_an_array_given_twice_is_the_same_memory(self):
        x = np.arange(100, dtype=np.float32)
        self.saxpy.launch(1, 128, x, x, 2.0, 100)
        self.assertTrue(np.array_equal(x, 3 * np.arange(100)))
        self.saxpy.launch(1, 128, heddle.In(x), x, -1.0, 100)
        self.assertTrue(np.array_equal(x, np.zeros(100)))
        both = np.arange(150, dtype=np.float32)
        with self.assertRaisesRegex(ValueError, "'y'.*overlaps.*'x'"):
            self.saxpy.launch(1, 128, both[:100], both[50:], 2.0, 100)
        self.saxpy.launch(1, 128, heddle.In(both[:100]), heddle.In(both[50:]),
                          2.0, 100)
        self.assertTrue(np.array_equal(both, np.arange(150)))

    def test_in_and_out_save_a_copy(self):
        x = np.arange(100, dtype=np.float32)
        y = np.full(100, 7, dtype=np.float32)
        self.saxpy.launch(1, 128, heddle.In(x), heddle.In(y), 2.0, 100)
        self.assertTrue(np.all(y == 7))
        self.saxpy.launch(1, 128, heddle.In(x), heddle.Out(y), 2.0, 100)
        self.assertTrue(np.array_equal(y, 2 * x))  # on zeros, not on 7
        x.flags.writeable = False
        self.saxpy.launch(1, 128, x, y, 2.0, 100)  # read-only: not back
        with self.assertRaisesRegex(ValueError, "read-only"):
            self.saxpy.launch(1, 128, y, heddle.Out(x), 2.0, 100)

    def test_numbers_bytes_and_records(self):
        kernel = self.sim.load(MIXED)["mixed"]
        out = self.sim.empty(4, np.uint64)
        pair = np.array([(3, 4)], dtype=[("a", "<i4"), ("b", "<i4")])[0]
        for s in (pair, pair.tobytes()):
            kernel.launch(1, 1, out, s, 200, -1, 0.5)
            words = out.array.view(np.uint32)
            self.assertEqual(list(words[:3]), [3, 4, 200])
            self.assertEqual(out[2], 2**64 - 1)
            self.assertEqual(out.array.view(np.float64)[3], 0.5)
        kernel.launch(1, 1, out, pair, np.int8(-1), np.uint64(9), 1)
        self.assertEqual(out.array.view(np.uint32)[2], 255)
        self.assertEqual(out.array.view(np.float64)[3], 1.0)
        with self.assertRaisesRegex(OverflowError, "'b'.*256.*8 bits"):
            kernel.launch(1, 1, out, pair, 256, 0, 0.0)
        with self.assertRaisesRegex(TypeError, "'s'.*8 bytes, but 4"):
            kernel.launch(1, 1, out, b"1234", 0, 0, 0.0)

    def test_variables_are_memory(self):
        module = self.sim.load(MIXED)
        scale = module.variable("scale", np.uint32)
        self.assertEqual(list(scale.array), [5, 6, 7])
        with self.assertRaises(KeyError) as caught:
            module.variable("none")
        self.assertIsInstance(caught.exception, heddle.NotFoundError)
        self.assertTrue(str(caught.exception).startswith("no variable 'none'"))

    def test_without_timing(self):
        x, y = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
        r = self.saxpy.launch(1, 128, x, y, 2.0, 100, functional=True)
        self.assertTrue(np.array_equal(y, 2 * x))
        self.assertEqual(r.cycles, 0)
        self.assertTrue(math.isnan(r.ipc))
        self.assertEqual(len(r.counters), 0)
        self.assertEqual(r.slots, {})

    def test_steps(self):
        x, y = self.sim.empty(5000, np.uint32), self.sim.empty(1, np.uint32)
        x.array[...] = np.arange(5000)
        flight = self.module["sum"].start(40, 128, x, y, 5000)
        with self.assertRaises(heddle.BusyError):
            self.module["sum"].start(40, 128, x, y, 5000)
        seen = []
        while True:
            p = flight.advance(1000)
            seen.append(p.cycles)
            if not p.running:
                break
            self.assertEqual(flight.look().cycles, p.cycles)
        self.assertGreater(len(seen), 4)
        self.assertEqual(seen, sorted(seen))
        self.assertEqual(flight.result.cycles, seen[-1])
        self.assertEqual(y[0], 5000 * 4999 // 2)
        again = heddle.Simulation("v100", SMALL)
        x2, y2 = again.array(x.array), again.empty(1, np.uint32)
        whole = again.load(KERNELS)["sum"].launch(40, 128, x2, y2, 5000)
        self.assertEqual(whole.cycles, seen[-1])
        with self.assertRaises(ValueError):
            flight.advance(1)

    def test_json_slots_and_totals(self):
        x, y = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
        a = self.saxpy.launch(1, 128, x, y, 2.0, 100)
        b = self.saxpy.launch(1, 128, x, y, 2.0, 100, per_block=True)
        self.assertEqual(a.json["launches"][0]["cycles"], a.cycles)
        self.assertAlmostEqual(sum(a.slots.values()), 1)
        name = "sm[*].warp_insts"
        self.assertEqual(self.sim.total(name),
                         a.counters[name] + b.counters[name])
        self.assertEqual(sum(b.counters[f"sm[{i}].warp_insts"]
                             for i in range(2)), b.counters[name])
        with self.assertRaisesRegex(heddle.NotFoundError,
                                    r"did you mean 'sm\[\*\].warp_insts'"):
            a.counters["sm[*].warp_inst"]
        with self.assertRaisesRegex(AttributeError, "did you mean 'ipc'"):
            a.ipcc
        self.assertIn("ipc", heddle.figures())
        self.assertIn("ipc", dir(a))
        self.assertNotIn("gpu.ctaz", a.counters)
        self.assertIn("gpu.ctas", a.counters)

    def test_frames(self):
        pandas()
        x, y = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
        results = [self.saxpy.launch(1, 128, x, y, 2.0, 100)
                   for _ in range(2)]
        table = heddle.frame(results)
        self.assertEqual(list(table["kernel"]), ["saxpy"] * 2)
        self.assertEqual(list(table["cycles"]), [r.cycles for r in results])
        counters = results[0].counters.to_frame()
        self.assertEqual(counters.loc["gpu.ctas", "value"], 1)
        self.assertEqual(counters.loc["gpu.ctas", "unit"], "cta")
        self.assertEqual(results[0].counters.to_series()["gpu.ctas"], 1)
        self.assertEqual(results[0].to_frame().shape[0], 1)

    def test_run_is_one_launch(self):
        x, y = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
        r = heddle.run(KERNELS, "saxpy", 1, 128, x, y, 2.0, 100,
                       settings=SMALL)
        self.assertEqual(r.cycles, self.saxpy.launch(1, 128, x, y, 2.0,
                                                     100).cycles)
        self.assertTrue(np.array_equal(y, 4 * x))


class Profiles(unittest.TestCase):
    def setUp(self):
        self.sim = heddle.Simulation("v100", SMALL)
        kernel = self.sim.load(KERNELS)["saxpy"]
        x, y = self.sim.array(np.ones(1000, np.float32)), self.sim.empty(1000)
        self.plain = kernel.launch(4, 256, x, y, 2.0, 1000)
        self.result = kernel.launch(4, 256, x, y, 2.0, 1000, profile=True)

    def test_rows_add_up(self):
        counters = self.result.counters
        for by in ("line", "instruction"):
            rows = self.result.rows(by)
            for name in ("warp_cycles", "stall_raw_mem"):
                self.assertEqual(sum(r.values[name] for r in rows),
                                 counters[f"sm[*].{name}"])
        self.assertEqual(self.plain.rows(), [])
        with self.assertRaisesRegex(ValueError, "by 'line' or 'instruction'"):
            self.result.rows("kernel")

    def test_lines_have_their_source(self):
        source = KERNELS.read_text().splitlines()
        rows = [r for r in self.result.rows() if r.values["reads"]]
        self.assertEqual(sum(r.values["reads"] for r in rows), 64)
        for row in rows:
            self.assertEqual(row.text, source[row.line - 1].strip())
            self.assertIn("ld.global", row.text)

    def test_frames(self):
        pandas()
        frame = self.result.profile("instruction")
        self.assertEqual(frame["insts"].sum(),
                         self.result.counters["sm[*].warp_insts"])
        self.assertTrue(frame["text"].str.startswith("STG").any())
        self.assertTrue(np.isnan(frame["index"].iloc[-1]))

    def test_columns_are_described(self):
        self.assertIn("slot", heddle.columns()["stall_raw_mem"])

    def test_parts_of_a_launch(self):
        kernel = self.sim.load(KERNELS)["saxpy"]
        n = 2000 * 64
        x, y = self.sim.array(np.ones(n, np.float32)), self.sim.empty(n)
        result = kernel.launch(2000, 64, x, y, 2.0, n, sample=True)
        self.assertTrue((y.array == 2).all())
        self.assertGreater(result.estimated, 0)
        self.assertEqual(self.plain.estimated, 0)


class LaunchFiles(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "l.yaml"
        self.sim = heddle.Simulation("v100", SMALL)

    def tearDown(self):
        self.folder.cleanup()

    def open(self, more=""):
        self.path.write_text(f"""
program: {KERNELS}
buffers:
  x: {{type: f32, count: 1000, init: iota}}
  y: {{type: f32, count: 1000, init: zero}}
  z: {{type: f32, count: 1000, init: zero}}
launches:
  - {{kernel: saxpy, grid: 4, block: 256, args: [x, y, 2, 1000], stream: a}}
  - {{kernel: saxpy, grid: 4, block: 256, args: [x, z, 3, 1000], stream: b}}
  - {{kernel: saxpy, grid: 4, block: 256, args: [x, y, 2, 1000], stream: a}}
{more}""")
        return self.sim.open_file(self.path)

    def test_launches_buffers_and_streams(self):
        file = self.open()
        self.assertEqual(list(file.buffers), ["x", "y", "z"])
        self.assertEqual(file.buffers["x"].array.dtype, np.float32)
        results = file.run()
        i = np.arange(1000, dtype=np.float32)
        np.testing.assert_array_equal(file.buffers["y"].array, 4 * i)
        np.testing.assert_array_equal(file.buffers["z"].array, 3 * i)
        self.assertEqual([r.kernel for r in results], ["saxpy x3"])
        parts = results[0].json["launches"][0]["parts"]
        self.assertEqual([p["stream"] for p in parts].count("a"), 2)
        y = file.buffers["y"].array
        file.run(functional=True)
        np.testing.assert_array_equal(y, 8 * i)
        self.assertEqual(len(results[0].json["launches"]), 1)

    def test_what_it_has_outlives_it(self):
        file = self.open()
        kernel, y = file.module["saxpy"], file.buffers["y"].array
        result, = file.run()
        del file
        gc.collect()
        x = self.sim.array(np.ones(1000, np.float32))
        kernel.launch(4, 256, x, y, 1.0, 1000)
        self.assertEqual(y[1], 5)
        del kernel, y
        gc.collect()
        self.sim.empty(4)  # what nobody has is freed now
        self.assertIn("saxpy", result.json_text)

    def test_expectations(self):
        np.save(self.path.with_name("want.npy"),
                3 * np.arange(1000, dtype=np.float32))
        file = self.open("expect: {z: want.npy}")
        file.run()
        self.assertEqual([(c.buffer, c.count, c.differ) for c in file.checks],
                         [("z", 1000, 0)])
        with self.assertRaisesRegex(heddle.MismatchError, "999 of 1000"):
            file.run()
        self.assertEqual(len(file.run(check=False)), 1)
        self.assertEqual(file.checks[0].differ, 999)

    def test_failures(self):
        file = self.open()
        with self.assertRaises(heddle.LimitError) as caught:
            file.run(max_cycles=100)
        self.assertEqual(caught.exception.result.status, "limit")
        self.assertEqual(file.run(max_cycles=100, check=False)[-1].status,
                         "limit")
        with self.assertRaisesRegex(heddle.FileError, "nonexistent"):
            self.sim.open_file("/nonexistent.yaml")
        self.path.write_text("launches: 3\n")
        with self.assertRaisesRegex(heddle.FileError, "l.yaml:1"):
            self.sim.open_file(self.path)


class WrongInput(unittest.TestCase):
    def setUp(self):
        self.sim = heddle.Simulation("v100", SMALL)
        self.addCleanup(self.sim.close)
        self.x = np.zeros(100, np.float32)

    def launch(self, *args):
        return self.sim.load(KERNELS)["saxpy"].launch(1, 128, *args)

    def test_a_file_that_is_missing(self):
        with self.assertRaisesRegex(FileNotFoundError, "none.ptx"):
            self.sim.load("none.ptx")
        with self.assertRaises(FileNotFoundError):
            self.sim.load(Path("none.ptx"))

    def test_a_program_with_an_error(self):
        with self.assertRaisesRegex(heddle.ProgramError, r"my\.ptx:6:.*bogus"):
            self.sim.load(HEAD + ".visible .entry k()\n{\nbogus;\n}\n",
                          name="my.ptx")

    def test_a_kernel_that_is_not_there(self):
        module = self.sim.load(KERNELS)
        with self.assertRaisesRegex(heddle.NotFoundError,
                                    "did you mean 'saxpy'"):
            module.kernel("saxpi")
        with self.assertRaisesRegex(LookupError, "saxpy, sum, beyond"):
            module.kernel()

    def test_a_gpu_or_a_parameter_that_is_not_there(self):
        with self.assertRaisesRegex(heddle.ConfigError, "v100"):
            heddle.Simulation("v10")
        with self.assertRaisesRegex(heddle.ConfigError, "l1.ways"):
            heddle.Simulation("v100", {"l1.wayz": 8})
        with self.assertRaises(ValueError):
            heddle.Simulation("v100", ["gpu.sms=0"])
        with self.assertRaises(TypeError):
            heddle.Simulation("v100", "gpu.sms=4")
        with self.assertRaises(heddle.FileError):
            heddle.Simulation("/nonexistent/gpu.yaml")
        with self.assertRaisesRegex(ValueError, "threads"):
            heddle.Simulation("v100", threads=-1)

    def test_too_few_arguments(self):
        with self.assertRaisesRegex(
                TypeError, r"4 parameters \(x, y, a, n\), but 3 arguments"):
            self.launch(self.x, self.x, 2.0)

    def test_a_wrong_dtype(self):
        with self.assertRaisesRegex(TypeError, "argument 2 .'a'.*4 bytes.*64"):
            self.launch(self.x, self.x, np.float64(2), 100)
        with self.assertRaisesRegex(TypeError, "'a'.*int32"):
            self.launch(self.x, self.x, np.int32(2), 100)
        with self.assertRaisesRegex(TypeError, "argument 3 .'n'"):
            self.launch(self.x, self.x, 2.0, 100.0)
        with self.assertRaisesRegex(TypeError, "object"):
            self.launch(np.array([None]), self.x, 2.0, 100)
        with self.assertRaisesRegex(TypeError, "'n'.*no pointer"):
            self.launch(self.x, self.x, 2.0, self.x)
        with self.assertRaisesRegex(TypeError, "list is no argument"):
            self.launch([1, 2], self.x, 2.0, 100)

    def test_an_array_that_is_not_contiguous(self):
        wide = np.zeros((10, 20), np.float32)
        for part in (wide[:, 3], wide.T, self.sim.empty((10, 20)).array.T):
            with self.assertRaisesRegex(ValueError, "not contiguous"):
                self.launch(part, self.x, 2.0, 10)
        with self.assertRaisesRegex(ValueError, "empty"):
            self.launch(np.zeros(0), self.x, 2.0, 0)

    def test_sizes_that_are_none(self):
        k = self.sim.load(KERNELS)["saxpy"]
        args = self.x, self.x, 2.0, 100
        for grid, block in ((0, 1), (1, 0), (-1, 1), ((1, 1, 1, 1), 1),
                            (1, 1025), (2**40, 1), ((), 1)):
            with self.assertRaises(ValueError, msg=f"{grid} {block}"):
                k.launch(grid, block, *args)
        with self.assertRaises(TypeError):
            k.launch("x", 1, *args)
        with self.assertRaises(ValueError):
            k.launch(1, 1, *args, shared=2**31)
        with self.assertRaises(heddle.OutOfMemoryError):
            self.sim.empty(2**50, np.uint8)

    def test_a_buffer_of_another_simulation(self):
        other = heddle.Simulation("v100", SMALL)
        with self.assertRaisesRegex(ValueError, "another simulation"):
            self.launch(other.empty(100), self.x, 2.0, 100)

    def test_what_is_closed_says_so(self):
        self.sim.close()
        with self.assertRaisesRegex(ValueError, "closed"):
            self.sim.load(KERNELS)


class Failures(unittest.TestCase):
    def setUp(self):
        self.sim = heddle.Simulation("v100", SMALL)
        self.addCleanup(self.sim.close)

    def test_a_fault_has_fields(self):
        y = self.sim.empty(64, np.uint32, "y")
        kernel = self.sim.load(KERNELS)["beyond"]
        with self.assertRaises(heddle.FaultError) as caught:
            kernel.launch(1, 64, y, 64)
        e = caught.exception
        self.assertEqual(e.kind, "bounds")
        self.assertEqual(e.address, y.address + 256)
        self.assertEqual(e.thread, (63, 0, 0))
        self.assertEqual(e.cta, (0, 0, 0))
        self.assertEqual(e.lane, 31)
        self.assertEqual(Path(e.file), KERNELS)
        self.assertIn("st.global.u32 [%d3+4]",
                      KERNELS.read_text().splitlines()[e.line - 1])
        self.assertTrue(e.fault.write)
        self.assertEqual(e.result.status, "fault")
        self.assertIn("'y'", str(e))
        # It goes on, and an exception is not necessary.
        r = kernel.launch(1, 64, y, 64, check=False)
        self.assertEqual(r.fault.kind, "bounds")
        self.assertIsNone(kernel.launch(1, 63, y, 64).fault)

    def test_a_hang_a_limit(self):
        y = self.sim.empty(1, np.uint32)
        with self.assertRaisesRegex(heddle.HangError, "spin"):
            self.sim.load(SPIN)["spin"].launch(1, 1, y)
        with self.assertRaises(heddle.LimitError) as caught:
            self.sim.load(FOREVER)["forever"].launch(1, 32, y,
                                                     max_cycles=20000)
        self.assertGreaterEqual(caught.exception.result.cycles, 20000)

    def test_another_thread_cancels(self):
        y = self.sim.empty(1, np.uint32)
        flight = self.sim.load(FOREVER)["forever"].start(1, 32, y)
        timer = threading.Timer(0.2, flight.cancel)
        timer.start()
        with self.assertRaises(heddle.CancelledError):
            flight.finish()
        timer.join()

    def test_ctrl_c_ends_a_launch(self):
        seen = []

        def interrupt(progress):
            seen.append(progress)
            if len(seen) == 2:
                os.kill(os.getpid(), signal.SIGINT)

        for functional in (False, True):
            seen.clear()
            sim = heddle.Simulation("v100", SMALL, on_progress=interrupt)
            y = sim.empty(1, np.uint32)
            kernel = sim.load(FOREVER)["forever"]
            before = signal.getsignal(signal.SIGINT)
            with self.assertRaises(KeyboardInterrupt):
                kernel.launch(1, 32, y, functional=functional)
            self.assertIs(signal.getsignal(signal.SIGINT), before)
            self.assertGreaterEqual(len(seen), 2)
            # And the simulation goes on.
            x = np.ones(10, np.float32)
            out = x.copy()
            sim.load(KERNELS)["saxpy"].launch(1, 32, x, out, 1.0, 10)
            self.assertEqual(list(out), [2] * 10)

    def test_a_launch_that_nobody_advances_is_dropped(self):
        kernel = self.sim.load(FOREVER)["forever"]
        y = self.sim.empty(1, np.uint32)
        flight = kernel.start(1, 32, y)
        flight.advance(1000)
        with self.assertRaises(heddle.BusyError):
            kernel.start(1, 32, y)
        del flight
        gc.collect()
        with self.assertRaises(heddle.LimitError):
            kernel.launch(1, 32, y, max_cycles=5000)


class Callbacks(unittest.TestCase):
    def test_lines_begin_end_and_messages(self):
        said, told = [], []
        sim = heddle.Simulation(
            "v100", SMALL, on_line=said.append,
            on_begin=lambda *a: told.append(a),
            on_end=lambda *a: told.append(a),
            on_message=lambda m: told.append((m.level, m.line)))
        r = sim.load(SAY).kernel().launch(1, 4)
        self.assertEqual(r.output, "lanes\n" * 4)
        self.assertEqual([x.text for x in said], ["lanes\n"] * 4)
        self.assertEqual(sorted(x.thread[0] for x in said), [0, 1, 2, 3])
        self.assertEqual(told, [("say", (1, 1, 1), (4, 1, 1)), ("say", "ok")])
        told.clear()
        with self.assertRaises(heddle.ProgramError):
            sim.load(HEAD + "nonsense\n")
        self.assertEqual(told[0], ("error", 4))

    def test_progress_cancels(self):
        seen = []

        def third(progress):
            seen.append(progress.cycles)
            return len(seen) == 3

        sim = heddle.Simulation("v100", SMALL, on_progress=third)
        with self.assertRaises(heddle.CancelledError):
            sim.load(FOREVER)["forever"].launch(1, 32, sim.empty(1, np.uint32))
        self.assertEqual(len(seen), 3)
        self.assertEqual(seen, sorted(seen))

    def test_what_they_raise_is_raised(self):
        def broken(*_):
            raise RuntimeError("mine")

        sim = heddle.Simulation("v100", SMALL, on_progress=broken)
        kernel = sim.load(FOREVER)["forever"]
        y = sim.empty(1, np.uint32)
        for _ in range(2):
            with self.assertRaisesRegex(RuntimeError, "mine"):
                kernel.launch(1, 32, y)
        flight = kernel.start(1, 32, y)
        with self.assertRaisesRegex(RuntimeError, "mine"):
            flight.finish()
        self.assertEqual(flight.result.status, "cancelled")
        self.assertGreater(flight.result.cycles, 0)
        sim = heddle.Simulation("v100", SMALL, on_begin=broken)
        kernel = sim.load(SAY).kernel()
        for _ in range(2):
            with self.assertRaisesRegex(RuntimeError, "mine"):
                kernel.launch(1, 32)


class Lives(unittest.TestCase):
    """What is used stays; what is not is given back."""

    def test_arrays_and_results_outlive_the_simulation(self):
        sim = heddle.Simulation("v100", SMALL)
        x = sim.array(np.arange(100, dtype=np.float32))
        y = sim.empty(100)
        r = sim.load(KERNELS)["saxpy"].launch(1, 128, x, y, 2.0, 100)
        view = y.array[10:20]
        counters = r.counters
        y.free()
        sim.close()
        del sim, x, y, r
        gc.collect()
        self.assertEqual(list(view), list(range(20, 40, 2)))
        self.assertEqual(counters["gpu.ctas"], 1)

    def test_what_is_memory_is_not_copied(self):
        sim = heddle.Simulation("v100", SMALL)
        x = sim.array(np.arange(100, dtype=np.float32))
        r = sim.load(KERNELS)["saxpy"].launch(1, 128, x, sim.empty(100), 1.0, 9)
        for one in (sim, x, r, r.counters):
            for twice in (copy.deepcopy, pickle.dumps):
                with self.assertRaisesRegex(TypeError, "copied or pickled"):
                    twice(one)
        with self.assertRaisesRegex(ValueError, "is a copy"):
            x.__array__(np.float64, copy=False)
        self.assertTrue(np.shares_memory(x.__array__(copy=False), x.array))
        self.assertFalse(np.shares_memory(x.__array__(copy=True), x.array))

    def test_a_simulation_ends_when_nobody_has_it(self):
        gc.disable()
        self.addCleanup(gc.enable)
        sim = heddle.Simulation("v100", SMALL, on_progress=lambda p: False)
        handle = weakref.ref(sim._handle)
        sim.load(KERNELS)
        del sim
        self.assertIsNone(handle())

    def test_memory_is_given_back(self):
        # A V100 has 16 GB (or 32): a hundred times 1 GB fit one by one only.
        sim = heddle.Simulation("v100", SMALL)
        for _ in range(100):
            sim.empty(2**30, np.uint8)
        y = sim.empty(2**30, np.uint8)
        y.free()
        with self.assertRaisesRegex(ValueError, "freed"):
            y.array

    def test_simulations_in_threads_do_as_alone(self):
        def cycles():
            sim = heddle.Simulation("v100", SMALL)
            x = sim.array(np.arange(1000, dtype=np.float32))
            r = sim.load(KERNELS)["saxpy"].launch(4, 256, x, sim.empty(1000),
                                                  2.0, 1000)
            return r.cycles, sim.hash

        alone, got = cycles(), []
        threads = [threading.Thread(target=lambda: got.append(cycles()))
                   for _ in range(3)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(got, [alone] * 3)


class Command(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        shutil.copy(KERNELS, "kernels.ptx")
        Path("saxpy.yaml").write_text(json.dumps({
            "program": "kernels.ptx",
            "buffers": {"x": {"type": "f32", "count": 1000, "init": "iota"},
                        "y": {"type": "f32", "count": 1000}},
            "launches": [{"kernel": "saxpy", "grid": [4], "block": [256],
                          "args": ["x", "y", 2, 1000]}]}))

    def test_the_command_gives_the_same_cycles(self):
        report = heddle.command.call(
            "run", "--launch", "saxpy.yaml", "--gpu", "v100", "--set",
            "gpu.sms=2", "--quiet")
        sim = heddle.Simulation("v100", SMALL)
        x = sim.array(np.arange(1000, dtype=np.float32), name="x")
        r = sim.load("kernels.ptx")["saxpy"].launch(
            4, 256, x, sim.empty(1000, name="y"), 2.0, 1000)
        theirs, ours = report["launches"][0], r.json["launches"][0]
        self.assertEqual(theirs["cycles"], r.cycles)
        self.assertEqual(theirs["counters"], ours["counters"])

    def test_execute(self):
        program = Path(heddle.find_command()).parent / "workloads" / "vecadd"
        if not program.exists():
            self.skipTest("no OpenCL program was built")
        e = heddle.execute([str(program), "--size", "small"], settings=SMALL)
        self.assertEqual(e.status, 0)
        self.assertEqual([k["kernel"] for k in e.kernels], ["vecadd"])
        self.assertEqual(e.total["launches"], len(e.launches))
        self.assertEqual(e.total["cycles"], sum(x["cycles"] for x in e.launches))
        kinds = {x["kind"] for x in e.timeline}
        self.assertIn("kernel", kinds)
        with self.assertRaises(heddle.CommandError) as caught:
            heddle.execute(["sh", "-c", "echo it failed >&2; exit 7"])
        self.assertEqual(caught.exception.status, 7)
        self.assertIn("it failed", str(caught.exception))
        e = heddle.execute(["sh", "-c", "echo out; exit 7"], check=False)
        self.assertEqual((e.status, e.output, e.launches), (7, "out\n", []))
        with self.assertRaisesRegex(TypeError, "list of words"):
            heddle.execute("true")
        with self.assertRaisesRegex(heddle.CommandError, "v101"):
            heddle.execute(["true"], gpu="v101", check=False)

    def test_a_program_as_a_table(self):
        program = Path(heddle.find_command()).parent / "workloads" / "vecadd"
        if not program.exists():
            self.skipTest("no OpenCL program was built")
        pandas()
        e = heddle.execute([str(program), "--size", "small"], settings=SMALL,
                           gpu=["v100", "k20"])
        self.assertEqual(list(e.to_frame()["kernel"]), ["vecadd"])
        x = heddle.explain(program=[str(program), "--size", "small"],
                           settings=SMALL, changes=["launch"])
        self.assertEqual([k["kernel"] for k in x.kernels], ["vecadd"])
        self.assertGreater(x.gains["launch"], 1)
        self.assertEqual(len(e.json["gpus"]), 2)

    def test_explain(self):
        x = heddle.explain("saxpy.yaml", settings=SMALL,
                           changes=["launch", "banks"])
        self.assertEqual(set(x.gains), {"launch", "banks"})
        self.assertGreater(x.gains["launch"], 1.5)
        self.assertAlmostEqual(x.gains["banks"], 1)
        self.assertEqual([k["kernel"] for k in x.kernels], ["saxpy"])
        self.assertEqual(x.gains, heddle.explain(
            "saxpy.yaml", settings=SMALL, changes="launch,banks").gains)
        one = heddle.explain("saxpy.yaml", settings=SMALL, tries=1)
        self.assertEqual(len(one.gains), 1)
        with self.assertRaisesRegex(heddle.CommandError, "'bank' is no change"):
            heddle.explain("saxpy.yaml", changes=["bank"])
        pandas()
        table = x.to_frame()
        self.assertEqual(len(table), len(x.changes))
        self.assertEqual(set(table.dropna(subset=["gain"])["rule"]),
                         {"launch", "banks"})

    def test_what_if(self):
        x = heddle.explain("saxpy.yaml", settings={"gpu.sms": 1}, what_if=True,
                           jobs=2, options=["--no-cache"])
        gains = {w["set"]: w["gain"] for w in x.json["what_if"]}
        self.assertGreater(len(gains), 300)
        self.assertLess(gains["gpu.launch_latency=7400"], 1)
        pandas()
        self.assertEqual(len(x.to_frame()), len(gains))

    def test_compare(self):
        c_ = heddle.compare("saxpy.yaml", settings=SMALL, variants={
            "rr": {"sm.issue.scheduler": "lrr"}, "slow": {"noc.latency": 200}})
        self.assertEqual(set(c_.speedups), {"rr", "slow"})
        self.assertLess(c_.speedups["slow"], 1)
        one = heddle.compare("saxpy.yaml", settings=SMALL,
                             variants={"noc.latency": 200})
        self.assertEqual(list(one.speedups.values()), [c_.speedups["slow"]])
        pandas()
        table = c_.to_frame()
        self.assertEqual(list(table["variant"]), ["rr", "slow"])
        self.assertTrue((abs(table["base_cycles"] / table["cycles"]
                             - table["speedup"]) < 1e-6).all())

    def test_sweep(self):
        Path("small.yaml").write_text("extends: gtx480\ngpu: {sms: 1}\n")
        plan = {"gpus": ["./small.yaml"], "axes": {"l1.ways": [2, 4]},
                "workloads": ["saxpy.yaml"]}
        with self.assertRaises(TypeError):
            heddle.sweep(plan)
        s = heddle.sweep(plan, "ways.sweep", base={"l1.ways": 4})
        self.assertEqual(len(s.json["configurations"]), 2)
        self.assertEqual(os.listdir("."),
                         [f for f in os.listdir(".")
                          if not f.startswith(".heddle-")])
        again = heddle.sweep(plan, "ways.sweep")
        self.assertEqual(again.folder, s.folder)
        pandas()
        table = s.to_frame()
        self.assertEqual(list(table["l1.ways"]), [2, 4])
        self.assertEqual(table["speedup"][1], 1)
        self.assertEqual(list(table["status"]), ["pass"] * 2)

    def test_validate(self):
        Path("t.yaml").write_text(json.dumps({
            "name": "sums", "gpu": "gtx480",
            "every_row": {"source": "me", "class": "launch", "input": "same"},
            "rows": [{"name": "one", "launch": "saxpy.yaml",
                      "value": 10**9}]}))
        v = heddle.validate("t.yaml")
        self.assertEqual([r["name"] for r in v.rows], ["one"])
        self.assertAlmostEqual(v.rows[0]["error"],
                               v.rows[0]["ours"] / 10**9 - 1)
        self.assertAlmostEqual(v.scores["all rows"]["mape"],
                               abs(v.rows[0]["error"]))

    def test_errors_are_exceptions(self):
        with self.assertRaisesRegex(heddle.CommandError, "none.yaml"):
            heddle.compare("none.yaml", variants={"l1.ways": 2})
        with self.assertRaisesRegex(heddle.CommandError, "l1.ways"):
            heddle.compare("saxpy.yaml", variants={"l1.wayz": 2})
        with self.assertRaises(heddle.CommandError) as caught:
            heddle.sweep("none.yaml")
        self.assertEqual(caught.exception.status, 3)
        before = os.environ.get("HEDDLE_COMMAND")
        os.environ["HEDDLE_COMMAND"] = "/nonexistent/heddle"
        try:
            with self.assertRaisesRegex(heddle.CommandError, "No such file"):
                heddle.validate("t.yaml")
        finally:
            if before is None:
                del os.environ["HEDDLE_COMMAND"]
            else:
                os.environ["HEDDLE_COMMAND"] = before


class Plots(unittest.TestCase):
    def setUp(self):
        sim = heddle.Simulation("v100", SMALL)
        x = sim.array(np.arange(1000, dtype=np.float32))
        kernel = sim.load(KERNELS)["saxpy"]
        self.results = [kernel.launch(4, 256, x, sim.empty(1000), 2.0, 1000)
                        for _ in range(2)]
        self.untimed = kernel.launch(4, 256, x, sim.empty(1000), 2.0, 1000,
                                     functional=True)
        try:
            import matplotlib
        except ImportError:
            self.skipTest("no matplotlib")
        matplotlib.use("Agg")

    def test_slots_are_stacked_to_100(self):
        axes = heddle.plot.slots(self.results)
        top = [0.0, 0.0]
        for container in axes.containers:
            for i, bar in enumerate(container):
                self.assertAlmostEqual(bar.get_y(), top[i], places=6)
                top[i] = bar.get_y() + bar.get_height()
        self.assertAlmostEqual(top[0], 100)
        self.assertAlmostEqual(top[1], 100)
        names = [t.get_text() for t in axes.get_xticklabels()]
        self.assertEqual(names, ["saxpy", "saxpy 2"])
        with self.assertRaisesRegex(ValueError, "nothing was timed"):
            heddle.plot.slots(self.untimed)

    def test_roofline_has_points_below_the_roofs(self):
        axes = heddle.plot.roofline({"mine": self.results[0]})
        roof, point = axes.lines
        x, y = point.get_xdata()[0], point.get_ydata()[0]
        self.assertAlmostEqual(
            x, self.results[0].warp_insts / self.results[0].json["launches"][0]
            ["memory"]["dram"]["bytes"])
        peak = max(roof.get_ydata())
        slope = roof.get_ydata()[0] / roof.get_xdata()[0]
        self.assertLess(y, min(peak, x * slope))
        with self.assertRaisesRegex(ValueError, "no level"):
            heddle.plot.roofline(self.results[0], level="l9")


class Notebooks(unittest.TestCase):
    """The cells of examples/python/*.ipynb, in their order, without Jupyter."""

    def test_cells_run(self):
        paths = sorted((SOURCE / "examples/python").glob("*.ipynb"))
        self.assertTrue(paths)
        self.addCleanup(os.chdir, os.getcwd())
        for path in paths:
            os.chdir(path.parent)
            names = {"__name__": "__main__"}
            cells = [cell for cell in json.loads(path.read_text())["cells"]
                     if cell["cell_type"] == "code"]
            self.assertGreater(len(cells), 3)
            for i, cell in enumerate(cells):
                text = "".join(cell["source"])
                with self.subTest(notebook=path.name, cell=i):
                    exec(compile(text, f"{path.name}[{i}]", "exec"), names)
            self.assertTrue(names["checked"])


class Guide(unittest.TestCase):
    def test_what_the_guide_shows_runs(self):
        text = (SOURCE / "docs/python.md").read_text().split("## Studies")[0]
        blocks = [b.split("```")[0] for b in text.split("```python\n")[1:]]
        self.assertEqual(len(blocks), 2)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(SOURCE)
        names, said = {}, io.StringIO()
        with contextlib.redirect_stdout(said):
            for block in blocks:
                exec(compile(block, "python.md", "exec"), names)
        lines = said.getvalue().splitlines()
        self.assertTrue(lines[0].startswith("[0. 2. 4. 6.] "))
        self.assertEqual(lines[1], "626")  # 313 warps, two loads each
        self.assertRegex(lines[3], r"^bounds 0x\w+ \(63, 0, 0\) .*ptx 67$")


if __name__ == "__main__":
    unittest.main()
