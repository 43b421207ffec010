#!/usr/bin/env python3
"""live.py HEDDLE FOLDER|PROGRAM [PICTURES] - opens the page of heddle watch in
Chromium, as browser.py opens reports, while a simulation of kernels in FOLDER
or of PROGRAM (tests/run/programs/behave.c) runs: it follows, its buttons and
keys work, a warp can be looked at, nothing fails. With PICTURES it leaves
screenshots in that folder. Exits with 77 if there is no browser."""
import base64
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import THEMES, WIDTHS, Browser, check, errors_of, results, \
    test_width

heddle, folder = sys.argv[1:3]
pictures = sys.argv[3] if len(sys.argv) > 3 else None

TEXT = "return document.getElementById(arguments[0]).textContent"


def text(b, name):
    return b.run(TEXT, name)


def until(b, what, script, seconds=20):
    end = time.time() + seconds
    while time.time() < end:
        if b.run(script):
            check(what, True)
            return
        time.sleep(0.1)
    check(what, False, b.run("return document.body.innerText.slice(0, 600)"))


def start(*words):
    p = subprocess.Popen([heddle, "watch", *words], stdin=subprocess.DEVNULL,
                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                         text=True)
    for line in p.stderr:
        if line.startswith("heddle watch: "):
            return p, line.split()[-1]
    raise RuntimeError("no address")


def picture(b, name):
    if pictures:
        shot = b.call("GET", b.session + "/screenshot")
        with open(os.path.join(pictures, name + ".png"), "wb") as f:
            f.write(base64.b64decode(shot))


def stands(b):
    until(b, "it stands still", "return document.getElementById('state')"
                                ".dataset.is === 'paused'")


def cycle(b):
    return int(b.run("return document.querySelector('#figures dd')"
                     ".textContent").replace(",", ""))


def test_running(b, url):
    b.go(url)
    stands(b)
    check("it says what runs", "loop" in text(b, "what") and
          "grid 160" in text(b, "what"), text(b, "what"))
    until(b, "and the cycle", "return document.querySelector('#figures dd')"
                              ".textContent === '0'")
    b.click("#step")
    until(b, "a step", "return document.querySelector('#figures dd')"
                       ".textContent !== '0'")
    stands(b)
    at = cycle(b)
    check("of as many cycles as it says", 1000 <= at < 1200, at)
    b.run("document.activeElement.blur()")
    b.press("s")
    until(b, "s steps, too", "return Number(document.querySelector("
          "'#figures dd').textContent.replace(/,/g, '')) >= 2000")
    stands(b)
    b.run("document.activeElement.blur()")
    b.press(" ")
    until(b, "the space bar lets it go", "return document.getElementById("
          "'state').dataset.is === 'running'")
    until(b, "CTAs end", "return document.getElementById('bar')"
          ".getAttribute('aria-valuenow') !== '0'", 60)
    check("slots are drawn", b.run("""
return Array.from(document.querySelectorAll('.share span')).some(
  s => s.getBoundingClientRect().width > 20)"""))
    check("and add up", b.run("""
return Array.from(document.querySelectorAll('.share')).every(bar => {
  var w = 0;
  Array.from(bar.children).forEach(s => w += parseFloat(s.style.width));
  return Math.abs(w - 100) < 0.5;
})"""))
    check("charts have their steps", b.run("""
return Array.from(document.querySelectorAll('.trend .line')).filter(
  l => l.getAttribute('d').length > 20).length >= 5"""))
    check("a row for each SM", b.run(
        "return document.querySelectorAll('.sm canvas').length") == 4)
    b.press(" ")
    stands(b)


def test_warp(b):
    b.run("""
var c = document.querySelector('.sm canvas'), r = c.getBoundingClientRect();
c.dispatchEvent(new MouseEvent('click', {bubbles: true,
  clientX: r.left + 1, clientY: r.top + 2}));""")
    until(b, "a click on a warp shows it",
          "return document.querySelectorAll('#registers tbody tr').length > 3")
    check("where it is", b.run(
        "return document.querySelectorAll('#code tr.at').length") == 1)
    check("its lanes", b.run(
        "return document.querySelectorAll('#lanes .runs').length") == 32)
    value = b.run("return document.querySelector('#registers tbody td')"
                  ".textContent")
    check("in hexadecimal", len(value) == 8 and int(value, 16) > 0, value)
    b.run("var f = document.getElementById('format'); f.selectedIndex = 1;"
          "f.dispatchEvent(new Event('change'));")
    other = b.run("return document.querySelector('#registers tbody td')"
                  ".textContent")
    check("or as numbers", int(other) == int(value, 16), other)
    all_of_them = "document.querySelector('#registers tbody').textContent"
    b.run("window.before = %s; document.activeElement.blur()" % all_of_them)
    b.press("s")
    until(b, "a step shows it anew", "return %s !== window.before" %
          all_of_them)
    stands(b)


def test_looks(b, name):
    for theme in THEMES:
        b.devtools("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": theme}])
        for width in WIDTHS:
            b.devtools("Emulation.setDeviceMetricsOverride", width=width,
                       height=900, deviceScaleFactor=1, mobile=False)
            time.sleep(0.7)
            test_width(b, "%s, %s, %d pixels" % (name, theme, width), width)
            if pictures:
                high = b.run("return document.documentElement.scrollHeight")
                b.devtools("Emulation.setDeviceMetricsOverride", width=width,
                           height=high, deviceScaleFactor=1, mobile=False)
                time.sleep(0.7)
                picture(b, "%s-%s-%d" % (name, theme, width))
    b.devtools("Emulation.clearDeviceMetricsOverride")
    b.devtools("Emulation.setEmulatedMedia", features=[])


def test_end(b, p):
    b.press(chr(0xe00c)) # Escape
    check("Escape closes the warp", b.run(
        "return document.getElementById('inspect').hidden"))
    b.click("#pause") # go
    until(b, "it tells of the end", "return document.getElementById('state')"
          ".textContent === 'ended'", 120)
    check("all of it", b.run("return document.getElementById('bar')"
                             ".getAttribute('aria-valuenow')") == "100")
    check("and nothing can be pressed any more", b.run(
        "return document.getElementById('pause').disabled &&"
        " document.getElementById('step').disabled"))
    check("the run has ended, too", p.wait(30) == 0)
    time.sleep(1.2) # and nobody asks a server that is gone


def test_gone(b, p):
    p.kill()
    until(b, "a run that is killed is told", "return document.getElementById("
          "'state').dataset.is === 'gone'")


def use(b):
    p, url = start(os.path.join(folder, "loop.sass"), "--gpu", "v100", "--set",
                   "gpu.sms=4", "--grid", "160", "--block", "128", "--arg",
                   "u32:5000", "--shared", "40000", "--paused")
    b.log()
    test_running(b, url)
    test_warp(b)
    test_looks(b, "warp")
    test_end(b, p)
    errors = errors_of(b)
    check("the console is silent", not errors, errors)
    p, url = start(os.path.join(folder, "hang.ptx"), "--gpu", "v100", "--grid",
                   "1", "--block", "64", "--hold")
    b.go(url)
    until(b, "a hang is held", "return document.getElementById('state')"
          ".textContent === 'held: hang'")
    until(b, "and who waits is told", "return document.getElementById('waits')"
          ".textContent.includes('barrier 1')")
    b.run("document.getElementById('inspect-close').click()")
    test_looks(b, "hang")
    errors = errors_of(b)
    check("the console is silent there, too", not errors, errors)
    test_gone(b, p)


def state_is(b, what, words):
    until(b, what, "return document.getElementById('state').textContent === "
          "'%s'" % words)


def use_program(b):
    """Its launches, and the host between them."""
    gate = os.path.join(tempfile.mkdtemp(), "gate")
    os.mkfifo(gate)
    p, url = start("--gpu", "k20", "--set", "gpu.sms=4", "--quiet", "--", "sh",
                   "-c", '"$0" set twice finish; cat "$1"; exec "$0" lengthy '
                         'finish', folder, gate)
    b.log()
    b.go(url)
    state_is(b, "on the host", "on the host")
    until(b, "how many launches there were", "return document.getElementById("
          "'what').textContent === '2 launches so far'")
    check("nothing can be stepped there", b.run(
        "return document.getElementById('step').disabled"))
    test_looks(b, "host")
    b.click("#pause")
    state_is(b, "a pause is for the next launch",
             "stands still at the next launch")
    with open(gate, "w"): # the program goes on
        pass
    stands(b)
    until(b, "that is the launch", "return document.getElementById('what')"
          ".textContent.startsWith('launch 1: lengthy, grid 64')")
    check("it is stepped", not b.run(
        "return document.getElementById('step').disabled"))
    b.run("document.getElementById('cycles').value = '20000'")
    b.click("#step")
    until(b, "so far", "return Number(document.querySelector('#figures dd')"
                       ".textContent.replace(/,/g, '')) >= 20000")
    stands(b)
    test_warp(b)
    test_looks(b, "program")
    b.click("#pause")
    state_is(b, "it goes on", "running")
    p.send_signal(signal.SIGINT)
    state_is(b, "how it ended", "ended: signal 2 (Interrupt)")
    check("all launches", text(b, "what") == "2 launches", text(b, "what"))
    errors = errors_of(b)
    check("the console is silent", not errors, errors)
    check("the run has ended, too", p.wait(30) == 130)
    shutil.rmtree(os.path.dirname(gate))


def main():
    driver, chromium = shutil.which("chromedriver"), shutil.which("chromium")
    if not driver or not chromium:
        print("no chromium or no chromedriver")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as profile:
        try:
            b = Browser(driver, chromium, profile)
        except (OSError, RuntimeError) as e:
            print("the browser does not start: %s" % e)
            sys.exit(77)
        try:
            (use if os.path.isdir(folder) else use_program)(b)
        finally:
            b.close()
    print("%(passed)d passed, %(failed)d failed, 0 skipped" % results)
    sys.exit(results["failed"] > 0)


main()
