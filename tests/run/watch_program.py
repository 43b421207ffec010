#!/usr/bin/env python3
"""watch_program.py CASE HEDDLE FOLDER PROGRAM [CUDA-PROGRAM] - what a browser
sees of a program that heddle watch runs, programs/behave.c or, where one is
named, programs/cuda_behave.c. One case a run, as in watch_client.py."""
import json
import os
import signal
import subprocess
import sys
import time

import watch_client
from watch_client import Run, check, go_on

heddle = folder = program = cuda = ""


def gpu(*more):
    return ["--gpu", "k20", "--set", "gpu.sms=2", "--quiet", *more]


def start(*words, options=()):
    return Run(*gpu(*options), "--", *words)


def paused(*words, options=()):
    """Standing before the first cycle of the first launch."""
    run = start(*words, options=("--paused", *options))
    return run, run.stand()


def until(run, what, good, seconds=60):
    """The state, once it is good."""
    end = time.time() + seconds
    while time.time() < end:
        state = run.get("/state")
        if good(state):
            return state
        check(what + ": it has not ended", not state["ended"], state)
        time.sleep(0.02)
    check(what, False, state)


def on_host(launches):
    return lambda s: not s["program"]["kernel"] and \
        s["program"]["launches"] == launches


def stands_in(kernel, pid=None):
    return lambda s: s["machine"] and s["machine"]["paused"] and \
        s["program"]["timed"] and s["program"]["kernel"] == kernel and \
        s["machine"]["launches"][0]["kernel"] == kernel and \
        (not pid or s["program"]["pid"] != pid)


def last_word(run, code, path=None):
    """What a page hears of the end, after a command perhaps."""
    end = time.time() + 60
    last = json.loads(run.ask(path, "POST")[2])["ended"] if path else None
    while time.time() < end and not last:
        try:
            last = run.get("/state")["ended"]
        except OSError:
            break
        time.sleep(0.1)
    run.end(code)
    return last


# ---- One program ----

def state():
    run, m = paused(program, "set", "twice:3", "read")
    s = run.get("/state")
    p = s["program"]
    check("which launch stands", p["kernel"] == "set" and p["timed"]
          and p["launches"] == 0 and p["processes"] == 1 and p["pid"] > 1
          and s["halts"] and s["device"] == 0, s)
    l = m["launches"][0]
    check("before its first cycle", m["launch"] == 1 and m["cycle"] == 0
          and l["kernel"] == "set" and l["grid"] == [64, 1, 1]
          and l["block"] == [64, 1, 1], m)
    about = run.get("/about")
    check("the machine", about["gpu"].startswith("Tesla K20") and
          about["sms"] == 2 and program in about["command"], about)
    with open("/proc/%d/status" % p["pid"]) as f:
        threads = [x for x in f if x.startswith("Threads:")]
    check("no thread is added to it", threads[0].split()[1] == "1", threads)
    go_on(run)
    check("its output is its own", run.output == "first is 8\n", run.output)
    check("and there is a report", "total: 4 launches of 2 kernels" in
          run.errors, run.errors)


def step():
    run, m = paused(program, "set", "twice", "read")
    window = run.get("/about")["window"]
    at = 0
    for n in (1, 7, 10 * window, 123):
        m = run.post("/step?cycles=%d" % n)
        at = -(-(at + n) // window) * window
        check("a step of %d" % n, m["cycle"] == at and m["paused"], m["cycle"])
    for _ in range(300):
        m = run.post("/step?cycles=1")
        wide = [(sm, slot) for sm, s in enumerate(m["sms"])
                for slot, x in enumerate(s["states"]) if x != "."]
        if wide:
            w = run.get("/warp?sm=%d&slot=%d" % wide[0])
            first = 64 * w["cta"] + 32 * w["warp"]
            if list(range(first, first + 32)) in w["registers"]:
                break
    check("a register has the global id", wide, m["sms"])
    check("the source is the program's", w["file"] == "<source>" and
          w["source"] == "a[get_global_id(0)] = 1;", (w["file"], w["source"]))
    # A step goes on in the next launch of the process.
    check("it ends well",
          last_word(run, 0, "/step?cycles=1000000000") == "ok")
    check("with the same result", run.output == "first is 2\n", run.output)


def pause():
    run = start(program, "lengthy", "finish")
    s = until(run, "it runs", lambda s: s["machine"] and
              s["machine"]["cycle"] > 1000)
    check("as it says", not s["machine"]["paused"] and not s["halts"] and
          s["age"] < 1, s)
    check("with issue slots and bandwidth", until(
        run, "slots", lambda s: s["machine"]["slots_now"]["issued"] and
        len(s["machine"]["history"]["cycle"]) > 1))
    m = run.post("/pause")
    time.sleep(0.6)
    check("a pause stops it", run.machine()["cycle"] == m["cycle"])
    run.post("/go")
    until(run, "it goes on", lambda s: s["machine"]["cycle"] > m["cycle"])
    run.process.send_signal(signal.SIGINT)
    check("Ctrl-C ends it", last_word(run, 130) == "signal 2 (Interrupt)")
    check("with a report", "DID NOT END" in run.errors, run.errors)


def host():
    run = start(program, "set", "finish", "nap", "nap", "nap", "nap", "twice",
                "read")
    until(run, "it runs on the host", on_host(1))
    began = time.time()
    status, _, text = run.ask("/pause", "POST")
    check("a pause there is for later", status == 202 and
          time.time() - began < 0.5 and json.loads(text)["halts"], text)
    status, _, text = run.ask("/warp?sm=0&slot=0")
    check("there is no warp", status == 503 and "Nothing is simulated" in text,
          text)
    s = until(run, "the next launch stands", stands_in("twice"))
    check("before its first cycle", s["machine"]["cycle"] == 0 and
          s["machine"]["launch"] == 2, s["machine"])
    go_on(run)


def timed():
    run = start(program, "set:3", "twice:2", "read",
                options=("--paused", "--timed", "twice:2"))
    s = until(run, "what is timed stands", stands_in("twice"))
    check("what is not does not", s["program"]["launches"] == 4, s["program"])
    go_on(run)


def devices():
    run = Run("--gpu", "k20", "--gpu", "v100", "--quiet", "--paused", "--",
              program, "set", "read")
    run.stand()
    check("which GPU it is", run.get("/state")["device"] == 1)
    check("the first", run.get("/about?device=0")["gpu"].startswith("Tesla K20"))
    about = run.get("/about?device=1")
    check("the second", about["gpu"].startswith("Tesla V100") and
          len(run.machine()["sms"]) == about["sms"], about)
    run.post("/step?cycles=4000")
    check("its warps", "registers" in run.get("/warp?sm=0&slot=0"))
    for word in ("2", "x", "-1"):
        check("there is no other", run.ask("/about?device=" + word)[0] == 400)
    go_on(run)


def hold():
    run = start(program, "fault", "finish", options=("--hold",))
    s = until(run, "it is held where it fails", lambda s: s["machine"] and
              s["machine"]["failed"])
    check("by a fault", s["machine"]["failed"] == "fault" and
          s["machine"]["paused"], s["machine"]["failed"])
    sm = [s["warps"] > 0 for s in s["machine"]["sms"]].index(True)
    slot = next(i for i, x in enumerate(s["machine"]["sms"][sm]["states"])
                if x != ".")
    check("its warps are there", run.get("/warp?sm=%d&slot=%d" % (sm, slot))[
        "kernel"] == "fault")
    alone = subprocess.run([heddle, "exec", *gpu(), "--", program, "fault",
                            "finish"], capture_output=True, timeout=60)
    check("it ends as ever", alone.returncode != 0 and
          last_word(run, alone.returncode, "/go") ==
          "exit status %d" % alone.returncode, alone)


def cuda_one():
    run, m = paused(cuda, "set", "twice:2", "read")
    check("a CUDA program", m["launches"][0]["kernel"] == "set", m["launches"])
    m = run.post("/step?cycles=1000")
    check("is stepped", m["cycle"] >= 1000 and m["warp_insts"] > 0, m["cycle"])
    go_on(run)
    check("and ends", run.output == "first is 4\n", run.output)


# ---- The same results ----

def plain(path):
    """A report without what is never twice the same."""
    def strip(x):
        if isinstance(x, dict):
            return {k: strip(v) for k, v in x.items() if k not in (
                "pid", "parent", "cpu_s", "warp_insts_per_s") and
                not k.startswith("host")}
        return [strip(v) for v in x] if isinstance(x, list) else x
    with open(path) as f:
        return strip(json.load(f))


def same():
    cases = [(program, "set", "twice:3", "read"),
             (program, "set", "beyond", "finish", "exit:7"),
             (program, "set", "finish", "fork", "twice:2", "read")]
    reports = [os.path.join(folder, x) for x in ("alone.json", "watched.json")]
    for i, words in enumerate(cases):
        how = ("--format", "json", "--hash", "--per-block", "--by-instruction",
               "--launches", "all", "--threads", str(1 + i % 2))
        alone = subprocess.run(
            [heddle, "exec", *gpu(*how), "-o", reports[0], "--", *words],
            capture_output=True, text=True, timeout=120)
        run, _ = paused(*words, options=(*how, "-o", reports[1]))
        for n in (1, 100, 33, 200):
            run.post("/step?cycles=%d" % n)
            run.get("/warp?sm=0&slot=0")
        go_on(run, alone.returncode)
        check("the same output", run.output == alone.stdout, run.output)
        check("the same report", plain(reports[0]) == plain(reports[1]), words)
    check("what was compared is something",
          len(plain(reports[0])["processes"]) == 2)


# ---- Several processes ----

def one_by_one():
    run, _ = paused("sh", "-c", "'%s' set finish; '%s' twice finish; exit 3" %
                    (program, program))
    first = run.get("/state")["program"]["pid"]
    run.ask("/step?cycles=1000000000", "POST")
    s = until(run, "the next process stands, too", stands_in("twice", first))
    check("with its own launches", s["machine"]["launch"] == 1 and
          s["program"]["launches"] == 1, s["program"])
    check("the end is the shell's",
          last_word(run, 3, "/go") == "exit status 3")


def forks():
    run, _ = paused(program, "set", "finish", "fork", "twice", "finish")
    first = run.get("/state")["program"]["pid"]
    run.ask("/step?cycles=1000000000", "POST")
    until(run, "a fork stands", stands_in("twice", first))
    check("its registers are there",
          run.post("/step?cycles=1000")["warp_insts"] > 0)
    go_on(run)


def together():
    run, _ = paused("sh", "-c", 3 * ("'%s' lengthy finish & " % program) +
                    "wait")
    s = until(run, "three stand", lambda s: s["program"]["processes"] == 3)
    time.sleep(1) # for the launches of the others
    first = s["program"]["pid"]
    run.post("/step?cycles=2000")
    check("one of them is stepped", run.get("/state")["program"]["pid"] == first)
    os.kill(first, signal.SIGKILL)
    s = until(run, "it is gone: another is seen", stands_in("lengthy", first))
    check("which still stands", s["machine"]["cycle"] == 0 and
          s["program"]["processes"] == 2, s)
    run.post("/go")
    second = s["program"]["pid"]
    os.kill(second, signal.SIGKILL)
    s = until(run, "the last one went on, too", lambda s: s["machine"] and
              s["program"]["pid"] not in (first, second) and
              s["machine"]["cycle"] > 100)
    check("and does not stand", not s["machine"]["paused"])
    os.kill(s["program"]["pid"], signal.SIGKILL)
    check("then all is over", last_word(run, 0) == "ok")


def many():
    run = start("sh", "-c", "for i in 1 2 3 4 5 6; do '%s' set twice finish & "
                "done; wait" % program)
    seen = set()
    while True:
        try:
            s = run.get("/state")
        except OSError:
            break
        seen.add(s["program"]["pid"])
        if s["ended"]:
            break
        time.sleep(0.02)
    run.end(0)
    check("all of them run", "12 launches of 2 kernels in 6 processes" in
          run.errors and len(seen) > 1, (seen, run.errors[-400:]))


# ---- Its end ----

def ends():
    for words, code, how in (
            (("set", "finish", "crash"), 139, "signal 11 (Segmentation fault)"),
            (("set", "finish", "_exit:4"), 4, "exit status 4"),
            (("set", "finish", "nap"), 0, "ok")):
        run = start(program, *words, options=("--paused",))
        run.stand()
        check("the page hears how it ended",
              last_word(run, code, "/go") == how, words)
    run, _ = paused(program, "set", "read")
    os.kill(run.get("/state")["program"]["pid"], signal.SIGKILL)
    check("also of what is killed while it stands",
          last_word(run, 137) == "signal 9 (Killed)")
    run = start("true")
    run.end(0)
    check("of what launches nothing there is the report",
          "used neither OpenCL nor CUDA" in run.errors, run.errors)


def interrupt():
    run, _ = paused(program, "set", "read")
    began = time.time()
    run.process.send_signal(signal.SIGINT)
    run.end(130)
    check("Ctrl-C while it stands ends it soon", time.time() - began < 5)
    run, _ = paused("sh", "-c", "trap '' INT; exec '%s' set read" % program)
    run.process.send_signal(signal.SIGINT)
    run.end(0)
    check("a program that ignores it goes on", run.output == "first is 1\n",
          run.output)


def orphan():
    left = os.path.join(folder, "orphan")
    run, _ = paused("sh", "-c", "'%s' set read >'%s'" % (program, left))
    pid = run.get("/state")["program"]["pid"]
    run.process.kill()
    run.end(-9)
    end = time.time() + 20
    while os.path.exists("/proc/%d" % pid) and time.time() < end:
        time.sleep(0.05)
    with open(left) as f:
        check("where heddle is killed the program runs on",
              f.read() == "first is 1\n")


def descriptors():
    words = ["sh", "-c", "ls /proc/self/fd | wc -l; ulimit -n; "
             "grep Sig /proc/self/status"]
    alone = subprocess.run([heddle, "exec", *gpu(), "--", *words],
                           capture_output=True, text=True, timeout=60,
                           stdin=subprocess.DEVNULL)
    run = start(*words)
    run.end(0)
    check("the program gets nothing of the server", alone.stdout == run.output
          and alone.stdout, (alone.stdout, run.output))


CASES = {f.__name__: f for f in (
    state, step, pause, host, timed, devices, hold, cuda_one, same, one_by_one,
    forks, together, many, ends, interrupt, orphan, descriptors)}

if __name__ == "__main__":
    heddle, folder, program = sys.argv[2:5]
    cuda = sys.argv[5] if len(sys.argv) > 5 else ""
    watch_client.heddle, watch_client.folder = heddle, folder
    try:
        CASES[sys.argv[1]]()
    finally:
        for left_over in watch_client.runs:
            left_over.process.kill()
