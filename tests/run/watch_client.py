#!/usr/bin/env python3
"""watch_client.py CASE HEDDLE FOLDER - what a browser, or somebody who should
not, does with the server of heddle watch. FOLDER has the kernels that
tests/run/watch.sh makes. One case a run: prints what is wrong and exits with 1,
or is silent. `url ADDRESS-FILE ARGUMENT...` starts a run that stands still for
a browser, writes its address, and ends when its input does."""
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

heddle = folder = ""
runs = []


def check(what, good, seen=""):
    if not good:
        print("%s: %s" % (what, seen))
        for run in runs:
            run.process.kill()
        sys.exit(1)


def arguments(kernel, *more):
    return [os.path.join(folder, kernel), "--gpu", "v100",
            "--set", "gpu.sms=4", *more]


class Run:
    """heddle watch, with its server."""

    def __init__(self, *words):
        self.out = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [heddle, "watch", *words], stdin=subprocess.DEVNULL,
            stdout=self.out, stderr=subprocess.PIPE, text=True)
        self.errors, self.output = "", ""
        runs.append(self)
        for line in self.process.stderr:
            self.errors += line
            found = re.match(r"heddle watch: http://127\.0\.0\.1:(\d+)/"
                             r"\?token=([0-9a-f]{32})$", line)
            if found:
                break
        else:
            self.process.wait(60)
            check("it prints an address", False, self.errors)
        self.port, self.token = int(found[1]), found[2]
        self.reader = threading.Thread(target=self.drain, daemon=True)
        self.reader.start()

    def drain(self):
        for line in self.process.stderr:
            self.errors += line

    def ask(self, path, method="GET", token=None, headers=None, body=None):
        """Status, headers and text."""
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        all_headers = {"X-Heddle-Token": self.token if token is None else token}
        all_headers.update(headers or {})
        c.request(method, path, body, {k: v for k, v in all_headers.items()
                                       if v is not None})
        answer = c.getresponse()
        text = answer.read().decode()
        c.close()
        return answer.status, dict(answer.getheaders()), text

    def get(self, path, method="GET"):
        status, _, text = self.ask(path, method)
        check(path, status == 200, (status, text[:300]))
        return json.loads(text)

    def post(self, path):
        """The machine as it is when that has been done."""
        until = time.time() + 60
        status, _, text = self.ask(path, "POST")
        while status == 202 and time.time() < until:
            time.sleep(0.02)
            status, _, text = self.ask("/state")
            if path.startswith("/step") and not \
                    json.loads(text)["machine"]["paused"]:
                status = 202
        check(path, status == 200, (status, text[:300]))
        return json.loads(text)["machine"]

    def machine(self):
        return self.get("/state")["machine"]

    def stand(self):
        """Waits until it stands before its first cycle."""
        until = time.time() + 60
        while time.time() < until:
            m = self.machine()
            if m and m["paused"]:
                return m
            time.sleep(0.02)
        check("it stands still", False, m)

    def end(self, code=None):
        got = self.process.wait(timeout=120)
        self.reader.join(20)
        self.out.seek(0)
        self.output = self.out.read()
        if code is not None:
            check("exit status", got == code, (got, self.errors[-500:]))
        return got


def go_on(run, code=0):
    """Until it ends."""
    run.ask("/go", "POST")
    run.end(code)


def loop(times, *more):
    """Standing before the first cycle of a kernel."""
    run = Run(*arguments("loop.sass", "--grid", "64", "--block", "128", "--arg",
                         "u32:%d" % times, "--paused", *more))
    return run, run.stand()


def short_loop():
    return loop(1000)


def long_loop(*more):
    """It runs for seconds."""
    return loop(20000, *more)


# ---- Who may ask ----

def refuses():
    run, _ = short_loop()
    here = "127.0.0.1:%d" % run.port
    for what, words, status in (
            ("no token", {"token": ""}, 403),
            ("a wrong token", {"token": "0" * 32}, 403),
            ("the beginning of it", {"token": run.token[:31]}, 403),
            ("more than it", {"token": run.token + "0"}, 403),
            ("it twice", {"token": run.token * 2}, 403),
            ("another host", {"headers": {"Host": "evil.example"}}, 403),
            ("another host of that port",
             {"headers": {"Host": "evil.example:%d" % run.port}}, 403),
            ("another port",
             {"headers": {"Host": "127.0.0.1:%d" % (run.port ^ 1)}}, 403),
            ("another origin",
             {"headers": {"Origin": "http://evil.example"}}, 403),
            ("its own origin", {"headers": {"Origin": "http://" + here}}, 200),
            ("localhost",
             {"headers": {"Host": "localhost:%d" % run.port}}, 200)):
        for path in ("/state", "/about"):
            got, headers, text = run.ask(path, **words)
            check(what, got == status, (path, got, text[:200]))
            check("%s: a sentence" % what, got == 200 or len(text) > 20, text)
            check("%s: for no other origin" % what,
                  "Access-Control-Allow-Origin" not in headers, headers)
    got, _, _ = run.ask("/pause", "POST", token="")
    check("a command without token", got == 403, got)
    check("a token in the address",
          run.ask("/state?token=" + run.token, token="")[0] == 403
          and run.ask("/state?token=" + run.token,
                      headers={"X-Heddle-Token": None})[0] == 200)
    go_on(run)


def wrong():
    run, _ = short_loop()
    for path, method, status in (
            ("/nothing", "GET", 404), ("/../state", "GET", 404),
            ("/state/", "GET", 404), ("/state", "POST", 405),
            ("/", "POST", 405), ("/pause", "GET", 405), ("/go", "GET", 405),
            ("/step?cycles=1", "GET", 405), ("/state", "PUT", 405),
            ("/state", "DELETE", 405), ("/state", "OPTIONS", 405),
            ("/step", "POST", 400), ("/step?cycles=0", "POST", 400),
            ("/step?cycles=-1", "POST", 400), ("/step?cycles=x", "POST", 400),
            ("/step?cycles=1x", "POST", 400),
            ("/step?cycles=99999999999999999999999", "POST", 400),
            ("/warp", "GET", 400), ("/warp?sm=1", "GET", 400),
            ("/warp?sm=x&slot=0", "GET", 400)):
        got, headers, text = run.ask(path, method)
        check(method + " " + path, got == status and len(text) > 10,
              (got, text[:200]))
        check("what is allowed instead", got != 405 or headers["Allow"] == (
            "POST" if path.split("?")[0] in ("/pause", "/go", "/step")
            else "GET"), headers)
    for sm, slot in ((4, 0), (0, 64), (4294967295, 4294967295)):
        check("a warp that is not there", "error" in run.get(
            "/warp?sm=%d&slot=%d" % (sm, slot)))
    got, _, _ = run.ask("/step?cycles=1", "POST", body="x" * 100000)
    check("a body is not read", got == 200, got)
    check("it still stands", run.machine()["paused"])
    go_on(run)


def headers_of():
    run, _ = short_loop()
    for path in ("/", "/state", "/nothing"):
        _, h, text = run.ask(path)
        check("what browsers may do", h["X-Content-Type-Options"] == "nosniff"
              and "default-src 'none'" in h["Content-Security-Policy"]
              and "frame-ancestors 'none'" in h["Content-Security-Policy"]
              and h["Referrer-Policy"] == "no-referrer"
              and h["Cache-Control"] == "no-store", h)
    _, h, text = run.ask("/")
    check("the page", h["Content-Type"].startswith("text/html")
          and "<title>heddle watch" in text and run.token not in text, h)
    check("it names nothing outside", not re.search(
        r"(src|href)=\"?https?:|@import|url\((?!#)", text))
    with open(os.path.join(folder, "live.html"), "w") as f:
        f.write(text)
    go_on(run)


def loopback():
    run, _ = short_loop()
    found = []
    for name in ("tcp", "tcp6"):
        with open("/proc/net/" + name) as f:
            for line in list(f)[1:]:
                where, state = line.split()[1], line.split()[3]
                if state == "0A" and int(where.split(":")[1], 16) == run.port:
                    found.append(where.split(":")[0])
    check("it listens on 127.0.0.1 alone", found == ["0100007F"], found)
    go_on(run)


def port():
    run, _ = short_loop()
    other = subprocess.run(
        [heddle, "watch", *arguments("loop.sass", "--arg", "u32:1", "--grid",
                                     "1", "--block", "32"),
         "--port", str(run.port)],
        capture_output=True, text=True, timeout=60)
    check("a port in use", other.returncode == 1 and not other.stdout
          and "port %d is in use" % run.port in other.stderr
          and "--port" in other.stderr, other)
    go_on(run)
    again = Run(*arguments("loop.sass", "--arg", "u32:1", "--grid", "1",
                           "--block", "32"), "--port", str(run.port))
    check("the port that was asked for", again.port == run.port)
    again.end(0)


def many():
    run, _ = short_loop()
    idle = [socket.create_connection(("127.0.0.1", run.port), 5)
            for _ in range(50)]
    half = socket.create_connection(("127.0.0.1", run.port), 5)
    half.sendall(b"GET /state HTTP/1.1\r\nHost: 127")
    for s in idle[:25]:
        s.close()
    half.close()
    for s in idle[25:]:
        s.close()
    check("it answers when they are gone", run.machine()["paused"])
    gone = socket.create_connection(("127.0.0.1", run.port), 5)
    gone.sendall(b"GET /warp?sm=0&slot=0 HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n"
                 b"X-Heddle-Token: %s\r\n\r\n" % (run.port,
                                                  run.token.encode()))
    gone.close() # without waiting for the answer
    check("and when one has left", run.machine()["paused"])
    stay = [socket.create_connection(("127.0.0.1", run.port), 5)
            for _ in range(20)]
    go_on(run) # it ends although they stay
    for s in stay:
        s.close()


# ---- Pause and step ----

def pause():
    run, m = long_loop()
    check("it stands before the first cycle", m["cycle"] == 0
          and m["warp_insts"] == 0, m)
    time.sleep(0.6)
    check("and stays there", run.machine()["cycle"] == 0)
    run.post("/go")
    time.sleep(0.5)
    m = run.post("/pause")
    check("it ran", m["cycle"] > 0 and m["paused"], m["cycle"])
    time.sleep(0.7)
    n = run.machine()
    check("a pause stops cycles", n["cycle"] == m["cycle"]
          and n["warp_insts"] == m["warp_insts"] and n["paused"],
          (m["cycle"], n["cycle"]))
    run.post("/go")
    until = time.time() + 10
    while run.machine()["cycle"] == m["cycle"] and time.time() < until:
        time.sleep(0.1)
    n = run.machine()
    check("go goes on", n["cycle"] > m["cycle"] and not n["paused"])
    h = n["host"]
    check("seconds that it stood still do not count",
          h["all_s"] < 60 and h["cycles_per_s"] > 0, h)
    run.post("/pause")
    go_on(run)


def step():
    run, m = long_loop()
    window = run.get("/about")["window"]
    at = 0
    for n in (window, 1, 10 * window, 7, 1000, 12345):
        m = run.post("/step?cycles=%d" % n)
        want = -(-(at + n) // window) * window
        check("a step of %d from %d, windows of %d" % (n, at, window),
              m["cycle"] == want and m["paused"], m["cycle"])
        at = want
    check("its warps have issued", m["warp_insts"] > 0)
    check("slots add up to one", abs(
        m["slots_all"]["issued"] + sum(m["slots_all"]["stalls"].values()) - 1)
        < 1e-9, m["slots_all"])
    # The kernel waits for memory that nothing answers for a while: time goes
    # on by as much as was asked for, also where nothing happens.
    go_on(run)
    run = Run(*arguments("chase.ptx", "--grid", "1", "--block", "32", "--arg",
                         "buf:u64[4096]=zero", "--arg", "u32:200",
                         "--paused", "--set", "dram.latency=900"))
    run.stand()
    at = 0
    for _ in range(30):
        m = run.post("/step?cycles=%d" % window)
        at += window
        check("a step where nothing happens", m["cycle"] == at, (at, m["cycle"]))
    go_on(run)


# ---- What is told ----

def progress():
    run, m = long_loop()
    about = run.get("/about")
    check("the machine", about["sms"] == 4 and about["gpu"] and
          about["slots"] == 64 and "loop.sass" in about["command"], about)
    l = m["launches"][0]
    check("the launch", l["kernel"] == "loop" and l["grid"] == [64, 1, 1] and
          l["block"] == [128, 1, 1] and l["ctas"] == 64 and
          m["launches_all"] == 1, l)
    run.post("/go")
    seen, until = [], time.time() + 60
    while time.time() < until:
        state = run.get("/state")
        m, left = state["machine"], state["left"]["launch_s"]
        seen.append(m["ctas_ended"])
        if m["ctas_ended"] and left is not None:
            break
        time.sleep(0.1)
    check("it gets on", seen == sorted(seen) and m["ctas_ended"], seen)
    check("how long it will take", left > 0, state["left"])
    m = run.post("/pause")
    check("SMs have warps", len(m["sms"]) == 4 and all(
        s["warps"] == len(s["states"].replace(".", "")) for s in m["sms"])
        and sum(s["warps"] for s in m["sms"]) > 0, m["sms"])
    check("IPC of SMs", 0 < sum(s["ipc"] for s in m["sms"]) <= 16)
    h = m["history"]
    check("a chart", len(h["cycle"]) == len(h["issued"]) == len(h["dram"]) > 0
          and h["cycle"] == sorted(h["cycle"]) and max(h["issued"]) > 0
          and all(0 <= x <= 1 for x in h["issued"]), h)
    levels = [x["id"] for x in m["levels"]]
    check("bandwidth of each level", {"l1", "l2", "dram"} <= set(levels)
          and all(x["peak"] > 0 for x in m["levels"]), m["levels"])
    go_on(run)


def registers():
    run = Run(*arguments("known.sass", "--grid", "2", "--block", "64", "--arg",
                         "u32:1000000", "--paused"))
    run.stand()
    m = run.post("/step?cycles=20000")
    check("two CTAs of two warps", sum(s["warps"] for s in m["sms"]) == 4, m)
    reasons = run.get("/about")["reasons"]
    found = 0
    for sm, s in enumerate(m["sms"]):
        for slot, letter in enumerate(s["states"]):
            if letter == ".":
                continue
            w = run.get("/warp?sm=%d&slot=%d" % (sm, slot))
            number = ord(letter) - (65 if letter < "a" else 97 - 26)
            check("its state", reasons[number]["name"] == w["why"], w["why"])
            first = 32 * w["warp"]
            check("R0 is the thread", w["registers"][0] ==
                  list(range(first, first + 32)), w["registers"][0])
            check("R4 is a constant",
                  w["registers"][4] == [0x1234abcd] * 32, w["registers"][4])
            check("R5 is the thread plus 100", w["registers"][5] ==
                  list(range(first + 100, first + 132)), w["registers"][5])
            check("R6 counts down from the argument",
                  len(set(w["registers"][6])) == 1
                  and 0 < w["registers"][6][0] < 1000000, w["registers"][6])
            check("P0 is true, and P1 in the lanes below 16",
                  w["predicates"][0] == 0xffffffff and
                  w["predicates"][1] == (0xffff if not w["warp"] else 0),
                  w["predicates"])
            check("all lanes run", w["active"] == 0xffffffff
                  and all(x["place"] == "runs" for x in w["lanes"]))
            check("it is in the loop", 5 <= w["pc"] <= 7 and
                  [c["pc"] for c in w["code"] if c["pc"] == w["pc"]] and
                  w["instruction"] in
                  [c["instruction"] for c in w["code"]], w["pc"])
            check("and at its line", w["file"] == "known.cu" and
                  w["line"] == 3 and w["source"] == "; // counts down",
                  (w["file"], w["line"], w["source"]))
            found += 1
            before = w["registers"][6][0]
            where = (sm, slot)
    check("four warps", found == 4, found)
    run.post("/step?cycles=2000")
    w = run.get("/warp?sm=%d&slot=%d" % where)
    check("it has counted on", w["registers"][6][0] < before)
    run.process.send_signal(signal.SIGINT)
    run.end(130)


def barrier():
    run = Run(*arguments("barrier.ptx", "--grid", "1", "--block", "128",
                         "--arg", "u32:100000", "--paused"))
    run.stand()
    run.post("/step?cycles=5000")
    m = run.post("/step?cycles=20000")
    stuck = m["waiting"]
    check("three warps wait at the barrier", len(stuck) >= 3 and sorted(
        w["warp"] for w in stuck[:3]) == [1, 2, 3], stuck)
    for w in stuck[:3]:
        check("for what, since when, and where", w["why"] == "barrier"
              and w["words"] == "barrier 0: 96 of 128 threads"
              and 20000 <= w["cycles"] <= m["cycle"]
              and w["instruction"].startswith("BAR.SYNC")
              and w["file"].endswith("barrier.ptx") and w["line"] > 0, w)
    check("who has not come is told", m["waits"] and "warp 0" in m["waits"],
          m["waits"])
    go_on(run)


def memory():
    run = Run(*arguments("chase.ptx", "--grid", "1", "--block", "32", "--arg",
                         "buf:u64[4096]=zero", "--arg", "u32:50", "--paused",
                         "--set", "dram.latency=900"))
    run.stand()
    run.post("/step?cycles=4000") # until CTAs begin
    for _ in range(300):
        m = run.post("/step?cycles=1") # a window
        deep = [w for w in m["waiting"] if w["why"] == "raw_mem"]
        if deep and deep[0]["cycles"] >= 80:
            break
    check("a warp waits for memory", deep and deep[0]["cycles"] >= 80,
          m["waiting"])
    check("with its load under way", "(1 loads" in deep[0]["words"], deep)
    go_on(run)


# ---- The run itself ----

def plain(text):
    """A report without the times of the host."""
    def strip(x):
        if isinstance(x, dict):
            return {k: strip(v) for k, v in x.items()
                    if k not in ("host", "seconds", "command")
                    and not k.startswith("host")}
        return [strip(v) for v in x] if isinstance(x, list) else x
    return strip(json.loads(text))


def same():
    cases = [arguments("loop.sass", "--grid", "16", "--block", "128", "--arg",
                       "u32:3000"),
             arguments("chase.ptx", "--grid", "8", "--block", "64", "--arg",
                       "buf:u64[4096]=zero", "--arg", "u32:300"),
             ["--launch", os.path.join(folder, "streams.yaml")],
             [*arguments("loop.sass", "--grid", "16", "--block", "128", "--arg",
                         "u32:3000"), "--threads", "2"],
             [*arguments("loop.sass", "--grid", "16", "--block", "128", "--arg",
                         "u32:3000"), "--set", "gpu.cluster.size=2"]]
    for case in cases:
        case = [*case, "--hash", "--format", "json", "--quiet", "--per-block"]
        alone = subprocess.run([heddle, "run", *case], capture_output=True,
                               text=True, timeout=120)
        check("it runs", alone.returncode == 0, alone.stderr)
        run = Run(*case, "--paused")
        run.stand()
        for n in (1, 100, 33, 1000, 500):
            m = run.post("/step?cycles=%d" % n)
            for sm in range(2):
                run.get("/warp?sm=%d&slot=0" % sm)
        go_on(run)
        check("watched or not, the results are the same",
              plain(run.output) == plain(alone.stdout), case)
        check("and their hash", json.loads(run.output).get("hash") ==
              json.loads(alone.stdout).get("hash"), case)


def launches():
    run = Run("--launch", os.path.join(folder, "two.yaml"), "--paused")
    m = run.stand()
    check("the first of three", m["launch"] == 1 and m["launches_all"] == 3)
    run.ask("/step?cycles=1000000000", "POST") # more than all of them take
    run.end(0)
    check("with its report", run.output.count(" on Tesla V100") == 3,
          run.output)


def last_word():
    run, _ = long_loop()
    run.post("/go")
    until, last = time.time() + 60, None
    while time.time() < until and not last:
        try:
            last = run.get("/state")["ended"]
        except OSError:
            break
        time.sleep(0.2)
    check("who polls hears of the end", last == "ok", last)
    run.end(0)
    try:
        socket.create_connection(("127.0.0.1", run.port), 2).close()
        check("the server is gone", False)
    except OSError:
        pass


def alone():
    began = time.time()
    run = Run(*arguments("loop.sass", "--grid", "1", "--block", "32", "--arg",
                         "u32:10"))
    run.end(0)
    check("without a browser it does not wait", time.time() - began < 10)
    check("and reports as ever", "loop on Tesla V100" in run.output, run.output)


def interrupt():
    for how in ([], ["/step?cycles=1000"]):
        run, _ = long_loop()
        for path in how:
            run.post(path)
        began = time.time()
        run.process.send_signal(signal.SIGINT)
        run.end(130)
        check("Ctrl-C while it stands ends it soon", time.time() - began < 8)
        check("with a report", "loop on Tesla V100" in run.output, run.output)
    run, _ = long_loop()
    run.post("/go")
    run.process.send_signal(signal.SIGTERM)
    run.end(143)


def hang():
    hangs = arguments("hang.ptx", "--grid", "1", "--block", "64")
    run = Run(*hangs)
    run.end(6)
    run = Run(*hangs, "--hold")
    m = run.stand()
    check("it is held where it hangs", m["failed"] == "hang", m["failed"])
    check("who waits for whom", m["waits"] and "barrier 0" in m["waits"] and
          "barrier 1" in m["waits"], m["waits"])
    for sm, s in enumerate(m["sms"]):
        for slot, letter in enumerate(s["states"]):
            if letter != ".":
                w = run.get("/warp?sm=%d&slot=%d" % (sm, slot))
                check("its warps are there", w["why"] == "barrier" and
                      w["instruction"].startswith("BAR.SYNC"), w)
    check("they are those that wait longest", len(m["waiting"]) == 2 and
          {w["why"] for w in m["waiting"]} == {"barrier"}, m["waiting"])
    check("a step goes nowhere",
          run.post("/step?cycles=100")["cycle"] == m["cycle"])
    go_on(run, 6)
    run = Run(*hangs, "--hold")
    run.stand()
    run.process.send_signal(signal.SIGINT)
    check("Ctrl-C ends a run that is held", run.end() in (6, 130))


def fault():
    run = Run(*arguments("fault.sass", "--grid", "1", "--block", "32"),
              "--hold")
    m = run.stand()
    check("it is held where it fails", m["failed"] == "fault" and
          m["sms"][0]["warps"] == 1, m["failed"])
    go_on(run, 5)


def trace():
    run = Run(os.path.join(folder, "trace", "kernelslist.g"), "--gpu", "v100",
              "--set", "gpu.sms=4", "--paused")
    run.stand()
    m = run.post("/step?cycles=9000")
    check("its warps issue", m["warp_insts"] > 100, m["warp_insts"])
    w = run.get("/warp?sm=0&slot=0")
    check("and have a place, but no values", w["instruction"] and
          w["executed"] > 10 and not w["values"] and "registers" not in w, w)
    go_on(run)


def url():
    """For a browser: reads commands, a line each, from its input."""
    run = Run(*sys.argv[4:])
    print("http://127.0.0.1:%d/?token=%s" % (run.port, run.token), flush=True)
    sys.stdin.read()
    run.process.send_signal(signal.SIGINT)
    run.end()


CASES = {f.__name__: f for f in (
    refuses, wrong, headers_of, loopback, port, many, pause, step, progress,
    registers, barrier, memory, same, launches, last_word, alone, interrupt,
    hang, fault, trace, url)}

if __name__ == "__main__":
    heddle, folder = sys.argv[2:4]
    try:
        CASES[sys.argv[1]]()
    finally:
        for left in runs:
            left.process.kill()
