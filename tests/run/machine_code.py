"""tests/run/machine_code.py HEDDLE PTXAS FOLDER: the programs of tests/exec, compiled
by ptxas to machine code for sm_75, sm_80 and sm_90, not optimised, a little and as
usual, give what their lines expect (their form: tests/unit/codegen/vector.h), by
function alone, and, from text of the cubin that has another instruction in front,
timed by control codes; then by those that Heddle finds, which come early for no
register.
Prints a line a program; its end is 1 if one is wrong."""

import os
import re
import struct
import subprocess
import sys

GPUS = {75: "a100", 80: "a100", 90: "h100"}
# Addresses of functions in memory are numbers, so that pointers.ptx stays as it is.
# Why machine code does otherwise than PTX, or not at all.
OTHERWISE = {
    "float_edges": "results of NaN, which the manual leaves open",
    "half": "the sign of NaN, which the manual leaves open",
    "kernel_shape": "the dimensions of an OpenCL launch, which heddle run has not",
    "param_address": "generic addresses of parameters",
    "spaces": "lies beside its shared memory, which is strict here",
}


def words(text):
    """The words of a list, and what stands behind it."""
    out = []
    at = text.split(" ")[0]
    for item in at.split(","):
        item, _, times = item.partition("*")
        if ".." in item:
            first, last = (int(x, 0) for x in item.split(".."))
            more = list(range(first, last + 1))
        elif item[-1] in "fd" and not item.lower().startswith("0x"):
            form = "<f" if item[-1] == "f" else "<d"
            raw = struct.pack(form, float(item[:-1]))
            more = list(struct.unpack("<%dI" % (len(raw) // 4), raw))
        else:
            more = [int(item, 0)]
        out += more if not times else more[:-1] + more[-1:] * int(times)
    return [w & 0xFFFFFFFF for w in out], text[len(at):]


def runs(text):
    """Each run's line, and what it expects by its place."""
    out = []
    for line in text.splitlines():
        if line.startswith("// run:"):
            out.append((line[7:], {}))
        elif line.startswith("// expect:") and out:
            want, rest = words(line[10:].strip())
            place = re.search(r" at (\S+)", rest)
            begin = int(place.group(1), 0) if place else 0
            for i, word in enumerate(want):
                out[-1][1][begin + i] = word
    return out


def run(heddle, program, gpu, kernel, line, room, options):
    """What it wrote, or why it failed."""
    given = dict(x.split("=", 1) for x in line.split() if "=" in x)
    into, _ = words(given.get("in", "0"))
    with open("in.bin", "wb") as f:
        f.write(struct.pack("<%dI" % len(into), *into))
    command = [heddle, "run", program, "--gpu", gpu, "--kernel", kernel,
               "--grid", given.get("grid", "1"), "--block", given.get("cta", "1"),
               "--arg", "in=buf:u32[%d]=@in.bin" % len(into),
               "--arg", "out=buf:u32[%d]" % room, "--dump", "out=out.raw"]
    command += ["--shared", given["shared"]] if "shared" in given else []
    command += ["--stack", given["stack"]] if "stack" in given else []
    end = subprocess.run(command + options, capture_output=True, text=True)
    if end.returncode:
        return None, end.stderr.strip().splitlines()[0]
    with open("out.raw", "rb") as f:
        return struct.unpack("<%dI" % room, f.read()), ""


def write_source(heddle, more):
    """Text of the cubin, if `more` with another instruction in front of each
    function, and text without control codes."""
    source = subprocess.run([heddle, "disasm", "--source", "k.cubin"], check=True,
                            capture_output=True, text=True).stdout
    nop = r"\t[B------:R-:W-:-:S01] NOP ;\n"
    with open("k.sass", "w") as f:
        f.write(source if not more else re.sub(r"(?m)(^\.(?:kernel|function) (?:.*\n)+?)(?=\t\[)",
                                               r"\1" + nop, source))
    with open("bare.sass", "w") as f:
        f.write(re.sub(r"(?m)^\t\[B[^]]*\] ", "\t", source))


def check(heddle, ptxas, path, sm, level):
    """None: as expected; else what is otherwise. Raises if ptxas refuses it."""
    with open(path) as f:
        text = f.read()
    target = re.sub(r"(?m)^\.target .*", ".target sm_%d" % sm, text)
    target = re.sub(r"(?m)^\.version .*", ".version 8.0", target)
    with open("k.ptx", "w") as f:
        f.write(target)
    subprocess.run([ptxas, level, "-arch=sm_%d" % sm, "k.ptx", "-o", "k.cubin"],
                   check=True, capture_output=True)
    write_source(heddle, not path.endswith("/pointers.ptx"))
    kernel = re.findall(r"\.entry\s+(\w+)", text)[0]
    for line, want in runs(text):
        ways = [("k.cubin", ["--functional"]),
                ("k.sass", ["--set", "sm.issue.hazard=codes"]),
                ("bare.sass", ["--set", "sm.issue.hazard=codes",
                               "--set", "sm.issue.oracle=true"])]
        for program, options in ways if level == "-O3" else ways[:1]:
            out, why = run(heddle, program, GPUS[sm], kernel, line,
                           max(want, default=0) + 64, options)
            if out is None:
                return why
            for at, word in want.items():
                if out[at] != word:
                    return "%s: word %d is 0x%08x, not 0x%08x" % (
                        options[-1], at, out[at], word)
    return None


def main():
    heddle, ptxas, folder = sys.argv[1:]
    wrong = equal = 0
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".ptx"):
            continue
        for sm, level in [(s, o) for s in GPUS for o in ("-O0", "-O1", "-O3")]:
            try:
                otherwise = check(heddle, ptxas, os.path.join(folder, name), sm,
                                  level)
            except subprocess.CalledProcessError:
                continue
            known = name[:-4] in OTHERWISE
            if otherwise and not known:
                print("sm_%d %s %s: %s" % (sm, level, name, otherwise))
                wrong += 1
            equal += not otherwise
    print("%d equal, %d wrong" % (equal, wrong))
    return 1 if wrong else 0


sys.exit(main())
