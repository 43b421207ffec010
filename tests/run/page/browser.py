#!/usr/bin/env python3
"""browser.py open PAGE... - opens pages in Chromium without a window, which
chromedriver drives over HTTP (W3C WebDriver): on a phone, a tablet and a desk,
light and dark. Nothing may fail in them and nothing may be wider than they are.

browser.py use PAGE... - uses them as people do, too.

browser.py code PAGE... - goes through code side by side in them.

browser.py timeline PAGE... - zooms their timelines and follows their links.

Exits with 77 if there is no browser here."""
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
WIDTHS = (390, 800, 1280)
THEMES = ("light", "dark")
TAB, ENTER, DOWN = "\ue004", "\ue007", "\ue015"
LEFT, RIGHT = "\ue012", "\ue014"


class Browser:
    """A session of chromedriver, and one of Chromium."""

    def __init__(self, driver, chromium, profile):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        self.at = "http://127.0.0.1:%d" % port
        self.process = subprocess.Popen(
            [driver, "--port=%d" % port], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        self.session = None
        for _ in range(100):
            try:
                self.call("GET", "/status")
                break
            except OSError:
                time.sleep(0.1)
        options = {"binary": chromium, "args": [
            "--headless=new", "--no-sandbox", "--disable-gpu",
            "--disable-background-networking", "--disable-dev-shm-usage",
            "--window-size=1280,900", "--user-data-dir=" + profile]}
        try:
            made = self.call("POST", "/session", {"capabilities": {
                "alwaysMatch": {
                    "browserName": "chrome", "goog:chromeOptions": options,
                    "goog:loggingPrefs": {"browser": "ALL"}}}})
        except (OSError, RuntimeError):
            self.close()
            raise
        self.session = "/session/" + made["sessionId"]

    def call(self, method, path, body=None):
        data = json.dumps(body).encode() if method == "POST" else None
        request = urllib.request.Request(
            self.at + path, data, {"Content-Type": "application/json"},
            method=method)
        # No proxy: this is the machine's own loopback.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as e:
            raise RuntimeError("%s: %s" % (
                path, json.load(e)["value"]["message"][:300])) from None

    def go(self, url):
        self.call("POST", self.session + "/url", {"url": url})

    def run(self, script, *args):
        return self.call("POST", self.session + "/execute/sync",
                         {"script": script, "args": list(args)})

    def wait(self, script):
        return self.call("POST", self.session + "/execute/async",
                         {"script": script, "args": []})

    def find(self, css):
        return self.call("POST", self.session + "/element",
                         {"using": "css selector", "value": css})[ELEMENT]

    def click(self, css):
        element = self.find(css)
        self.call("POST", "%s/element/%s/click" % (self.session, element), {})

    def press(self, *keys):
        actions = [{"type": k, "value": key}
                   for key in keys for k in ("keyDown", "keyUp")]
        self.call("POST", self.session + "/actions", {"actions": [
            {"type": "key", "id": "keys", "actions": actions}]})

    def devtools(self, command, **params):
        self.call("POST", self.session + "/goog/cdp/execute",
                  {"cmd": command, "params": params})

    def log(self):
        return self.call("POST", self.session + "/se/log", {"type": "browser"})

    def close(self):
        try:
            if self.session:
                self.call("DELETE", self.session)
        except OSError:
            pass
        self.process.terminate()
        self.process.wait()


results = {"passed": 0, "failed": 0}


def check(name, good, what=""):
    results["passed" if good else "failed"] += 1
    if not good:
        print("FAIL %s: %s" % (name, what))


COLUMN = """
var t = document.querySelector(arguments[0]).closest('table');
return Array.from(t.tBodies[0].rows).filter(r => !r.classList.contains('sum'))
  .map(r => { var c = r.cells[arguments[1]];
    return c.dataset.v === undefined ? null : Number(c.dataset.v); });"""

# Marks the first table with numbers, and says which column has the most.
MARK = """
var best = null;
for (var t of document.querySelectorAll('.table table')) {
  if (t.closest('details')) continue;
  for (var c = 0; c < t.tHead.rows[0].cells.length; c++) {
    var v = Array.from(t.tBodies[0].rows).map(r => r.cells[c].dataset.v);
    var n = new Set(v.filter(x => x !== undefined)).size;
    if (!best || n > best.n) best = {n: n, c: c, t: t};
  }
}
best.t.id = 'marked';
best.t.tHead.rows[0].cells[best.c].id = 'column';
return best.c;"""


def sorted_as(values, down):
    known = [v for v in values if v is not None]
    return (known == sorted(known, reverse=down)
            and values[:len(known)] == known)


def test_sorting(b):
    column = b.run(MARK)
    before = b.run(COLUMN, "#marked", column)
    check("the table has something to sort", len(set(before)) > 2, before)
    b.click("#column button")
    check("a click sorts, the largest first",
          sorted_as(b.run(COLUMN, "#marked", column), True))
    check("the header says so", b.run(
        "return document.querySelector('#column').ariaSort") == "descending")
    b.click("#column button")
    check("a second click turns it round",
          sorted_as(b.run(COLUMN, "#marked", column), False))
    b.run("document.querySelector('#column button').focus()")
    b.press(ENTER)
    check("Enter does what a click does",
          sorted_as(b.run(COLUMN, "#marked", column), True))
    b.click("#marked thead th button")
    names = b.run("return Array.from(document.querySelectorAll("
                  "'#marked tbody tr:not(.sum)')).map("
                  "r => r.cells[0].textContent)")
    check("names sort from A to Z", names == sorted(names, key=lambda s: [
        int(x) if x.isdigit() else x for x in re.split(r"(\d+)", s)]), names)


def saved(b, click):
    """What a button saves, whose name is in window.savedName."""
    b.run("window.saved = []; URL.createObjectURL = function (blob) {"
          " window.saved.push(blob); return 'blob:x'; };"
          "HTMLAnchorElement.prototype.click = function () {"
          " window.savedName = this.download; };")
    b.run(click)
    return b.wait("var done = arguments[arguments.length - 1];"
                  "window.saved[0].text().then(done);")


def test_csv(b):
    text = saved(b, "document.querySelector('#marked').closest('.table')"
                    ".querySelector('.csv').click()")
    lines = text.rstrip("\n").split("\n")
    shape = b.run("var t = document.querySelector('#marked');"
                  "return [t.rows.length, t.rows[0].cells.length,"
                  " t.tBodies[0].rows[0].cells[0].textContent];")
    check("CSV has a line for each row", len(lines) == shape[0], text[:200])
    check("CSV begins with names and units",
          lines[0].count(",") == shape[1] - 1 and "\u2195" not in lines[0],
          lines[0])
    check("CSV has the cells", lines[1].startswith(shape[2]), lines[1])
    check("CSV has a name",
          b.run("return window.savedName").endswith(".csv"))
    if b.run("return !!document.querySelector('.series')"):
        text = saved(b, "document.querySelector('.series .csv').click()")
        points = b.run("return JSON.parse(document.querySelector("
                       "'.series script').textContent).x.length")
        check("CSV of a series has its points",
              text.startswith(
                  ("cycles,", "\u00b5s,")) and text.count("\n") == points + 1,
              text[:100])


# The launches, sorted by their cycles and saved.
def test_launches(b):
    found = b.run("""
var t = Array.from(document.querySelectorAll('.table')).find(
  d => d.textContent.includes('Single launches'));
if (!t) return null;
t.querySelector('table').id = 'launches';
var heads = Array.from(t.querySelectorAll('th'));
var c = heads.findIndex(h => h.textContent.includes('cycles'));
heads[c].id = 'cycles';
return c;""")
    if found is None:
        return
    b.click("#cycles button")
    values = b.run(COLUMN, "#launches", found)
    check("launches sort by cycles",
          len(values) > 1 and sorted_as(values, True), values)
    text = saved(b, "document.querySelector('#launches').closest('.table')"
                    ".querySelector('.csv').click()")
    lines = text.rstrip("\n").split("\n")
    check("their CSV has a line for each", len(lines) == len(values) + 1, text)
    check("and the names of its columns", lines[0].startswith(
        "kernel,workload,side,launch,status,grid,block,"), lines[0])
    check("and the order of the table",
          [float(l.split(",")[found]) for l in lines[1:]] == values, lines[1:])
    check("and its name",
          b.run("return window.savedName") == "launches.csv")


def test_theme(b):
    paper = "return getComputedStyle(document.body).backgroundColor"
    light = b.run(paper)
    check("it is light at first", light == "rgb(255, 255, 255)", light)
    b.devtools("Emulation.setEmulatedMedia", features=[
        {"name": "prefers-color-scheme", "value": "dark"}])
    dark = b.run(paper)
    check("it follows a dark system", dark != light, dark)
    b.click("#theme")
    check("the button makes it light", b.run(paper) == light)
    b.click("#theme")
    check("and dark", b.run(paper) == dark)
    b.devtools("Emulation.setEmulatedMedia", features=[])
    check("which stays when the system is light", b.run(paper) == dark)
    b.devtools("Emulation.setEmulatedMedia", media="print")
    check("paper is white", b.run(paper) == light)
    b.devtools("Emulation.setEmulatedMedia", media="")
    b.click("#theme")
    check("and back to the system's", b.run(paper) == light)


def test_keyboard(b, url):
    b.go(url)
    seen = []
    for _ in range(6):
        b.press(TAB)
        seen.append(b.run("var e = document.activeElement;"
                          "return e.className || e.id || e.tagName;"))
    check("Tab begins with the link past the head", seen[0] == "skip", seen)
    check("then the theme", seen[1] == "theme", seen)
    missing = b.run("""
return Array.from(document.querySelectorAll('.wide, .waterfall'))
  .filter(e => e.scrollWidth > e.clientWidth && e.tabIndex < 0).length;""")
    check("what scrolls can be reached", missing == 0, missing)
    unnamed = b.run("""
return Array.from(document.querySelectorAll('button, summary, a'))
  .filter(e => !e.textContent.trim() && !e.getAttribute('aria-label')).length;
""")
    check("what can be pressed has a name", unnamed == 0, unnamed)


# What the console has to say: exceptions, what the policy refused, what was
# not found.
def errors_of(b):
    return [e["message"] for e in b.log() if e["level"] == "SEVERE"]


def test_width(b, place, width):
    b.run("document.querySelectorAll('details').forEach(d => d.open = true)")
    over = b.run("return document.documentElement.scrollWidth")
    wide = b.run("""
return Array.from(document.querySelectorAll('main *')).filter(
  e => e.getBoundingClientRect().right > innerWidth + 1 &&
  !e.closest('.wide, .waterfall')).slice(0, 3).map(e => e.outerHTML.slice(0, 90));
""")
    check(place + ": no sideways scrolling", over <= width,
          "%d: %s" % (over, wide))


# Labels that stand on a point or on another label of their chart.
HIDDEN = """
function meet(a, b) {
  return a.left + 1 < b.right && a.right - 1 > b.left &&
    a.top + 1 < b.bottom && a.bottom - 1 > b.top;
}
var bad = [];
document.querySelectorAll('.scatter .plot').forEach(function (plot) {
  var labels = Array.from(plot.querySelectorAll('.label')).filter(
    l => getComputedStyle(l).display !== 'none');
  var others = Array.from(plot.querySelectorAll('circle:not(.base)'));
  labels.forEach(function (l, i) {
    others.concat(labels.slice(0, i)).forEach(function (o) {
      if (meet(l.getBoundingClientRect(), o.getBoundingClientRect()))
        bad.push(l.textContent + ' on ' + o.textContent);
    });
  });
});
return bad;"""


def test_open(b, url):
    for theme in THEMES:
        b.devtools("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": theme}])
        for width in WIDTHS:
            place = "%s, %s, %d pixels" % (os.path.basename(url), theme, width)
            b.devtools("Emulation.setDeviceMetricsOverride", width=width,
                       height=844, deviceScaleFactor=1, mobile=False)
            b.log()  # of what was before
            b.go(url)
            test_width(b, place, width)
            hidden = b.run(HIDDEN)
            check(place + ": labels hide nothing", not hidden, hidden[:3])
            b.run("scrollTo(0, document.body.scrollHeight)")
            check(place + ": its script ran to the end",
                  b.run("return typeof window.heddle") == "object")
            errors = errors_of(b)
            check(place + ": the console is silent", not errors, errors)
    b.devtools("Emulation.clearDeviceMetricsOverride")
    b.devtools("Emulation.setEmulatedMedia", features=[])


def test_series(b):
    if not b.run("return !!document.querySelector('.series')"):
        return
    drawn = b.run("""
return Array.from(document.querySelectorAll('.series canvas')).map(c => {
  var d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
  var n = 0;
  for (var i = 3; i < d.length; i += 4) n += d[i] > 0;
  return n;
});""")
    check("series are drawn", drawn and min(drawn) > 500, drawn)


def test_waterfall(b):
    if not b.run("return !!document.querySelector('.waterfall')"):
        return
    told = "return document.querySelector('.falls .told').textContent"
    b.run("document.querySelector('.waterfall').focus()")
    b.press(RIGHT)
    first = b.run(told)
    check("an arrow key tells what a warp does",
          "warp" in first and "Cycle" in first, first)
    b.press(DOWN)
    check("another goes to the next warp", b.run(told) != first, first)
    drawn = b.run("""
var c = document.querySelector('.waterfall canvas');
var d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
return new Set(Array.from({length: d.length / 4}, (_, i) =>
  d[4 * i] * 65536 + d[4 * i + 1] * 256 + d[4 * i + 2])).size;""")
    check("warps are drawn in colours", drawn > 3, drawn)
    before = b.run("return document.querySelector('.waterfall').scrollWidth")
    b.press("+", "+", "+", "+", "+")
    after = b.run("return document.querySelector('.waterfall').scrollWidth")
    check("+ makes it wider", after > before, (before, after))


def use(b, url):
    b.log()  # of the page before
    b.go(url)
    test_series(b)
    test_sorting(b)
    test_csv(b)
    test_launches(b)
    b.go(url)
    test_theme(b)
    test_waterfall(b)
    test_keyboard(b, url)
    errors = errors_of(b)
    check("the console is silent while it is used", not errors, errors)
    # The policy holds: a script that comes later does not run.
    b.run("var s = document.createElement('script');"
          "s.textContent = 'window.ran = 1'; document.body.appendChild(s);")
    check("no other script runs", b.run("return window.ran === undefined"))


# ---- Code side by side ----

# Tests count panes from 0: source, PTX, machine code.
CODE = """
var at = document.querySelector('.code');
var panes = Array.from(at.querySelectorAll('.pane'));
function keys(pane, which) {
  return Array.from(panes[pane].querySelectorAll('tbody tr' + which)).map(
    r => r.dataset.k);
}
function row(pane, key) {
  return panes[pane].querySelector('tbody tr[data-k="' + key + '"]');
}
"""


def every_key(b, which):
    """Keys of the rows of each pane that a class is on."""
    return b.run(CODE + "return panes.map((p, i) => keys(i, arguments[0]))",
                 which)


def test_lines_light_up(b):
    counts = b.run(CODE + """
var all = panes.map((p, i) => keys(i, '[data-k]'));
var key = all[0].find(k => all.every(l => l.includes(k)));
row(0, key).dispatchEvent(new MouseEvent('mouseover', {bubbles: true}));
return [key].concat(all.map(l => l.filter(k => k === key).length));""")
    key, *counts = counts
    lit = every_key(b, ".lit")
    check("pointing at a line of source lights what it became",
          [len(l) for l in lit] == counts and min(counts) > 0
          and all(k == key for l in lit for k in l), (key, counts, lit))
    b.run(CODE + "var last = keys(2, '[data-k]').pop();"
          "row(2, last).dispatchEvent(new MouseEvent('mouseover', "
          "{bubbles: true}));")
    lit = every_key(b, ".lit")
    check("and machine code its line of source",
          lit[0] and lit[2] and lit[0] == [lit[2][0]], lit)


def test_lines_by_keys(b):
    b.run(CODE + "panes[0].querySelector('.wide').focus()")
    b.press("n")
    first = every_key(b, ".sel")
    check("n goes to the hottest line", first[0] == ["1"], first)
    b.press("n")
    check("then to the next", every_key(b, ".sel")[0] == ["2"])
    b.press("p")
    check("and p back", every_key(b, ".sel") == first)
    said = b.run(CODE + "return at.querySelector('.told').textContent")
    share = b.run(CODE + "return row(0, 1).cells[1].textContent")
    check("its figures are told", "slots %s %%" % share in said, said)
    b.run(CODE + "panes[2].querySelector('.wide').focus();"
          "panes[2].querySelector('tbody tr').click();")
    before = b.run(CODE + "return panes[2].querySelector('.at').rowIndex")
    b.press(DOWN)
    after = b.run(CODE + "return panes[2].querySelector('.at').rowIndex")
    check("an arrow goes to the next instruction", after == before + 1,
          (before, after))


def test_links_to_lines(b, url):
    for link in sorted(set(b.run(
            "return Array.from(document.querySelectorAll("
            "'a[href^=\"#c\"]')).map(a => a.hash)"))):
        b.go("about:blank")
        b.go(url + link)
        found = b.run("""
var r = document.getElementById(location.hash.slice(1));
var b = r.getBoundingClientRect();
return [r.classList.contains('at'), r.hidden, b.top,
  innerHeight - b.height];""")
        check("a link leads to its line, which is seen: " + link,
              found[:2] == [True, False] and 0 <= found[2] < found[3], found)


def test_order_of_lines(b):
    shares = CODE + """
return Array.from(panes[arguments[0]].querySelectorAll(
  'tbody tr:not(.fold)')).map(r => Number(r.cells[arguments[1]].dataset.v));"""
    b.click(".code .hottest")
    slots = [v for v in b.run(shares, 2, 1) if v is not None]
    check("the hottest come first if asked",
          len(slots) > 3 and slots == sorted(slots, reverse=True), slots)
    b.click(".code .hottest")
    numbers = b.run(shares, 2, 0)
    check("and lines are in order again",
          numbers == sorted(numbers) and len(numbers) == len(slots), numbers)


def test_folds(b):
    hidden = CODE + "return at.querySelectorAll('tbody tr[hidden]').length"
    b.run(CODE + "row(0, 1).click()")
    before = b.run(hidden)
    check("cold stretches are folded", before > 0, before)
    b.run("document.querySelector('.fold.cold button').click()")
    check("a click opens one", b.run(hidden) < before)
    b.click(".code .folds")
    check("all open if asked", b.run(hidden) == 0)
    b.click(".code .folds")
    check("and close again", b.run(hidden) == before, b.run(hidden))
    name = b.run("var f = document.querySelector('.fold.function button');"
                 "if (!f) return null; f.click(); return f.textContent;")
    check("functions fold, too", name and "function " in name and
          b.run(hidden) > before, name)
    text = saved(b, CODE + "panes[2].querySelector('.csv').click()")
    rows = b.run(CODE + "return keys(2, ':not(.fold)').length")
    check("CSV has every line, folded or not",
          text.count("\n") == rows + 1, (rows, text[:300]))


def use_code(b, url):
    b.log()
    b.go(url)
    test_lines_light_up(b)
    test_lines_by_keys(b)
    test_order_of_lines(b)
    test_folds(b)
    test_links_to_lines(b, url)
    marks = b.run("""
return Array.from(document.querySelectorAll('.roofline .mark')).filter(m => {
  m.focus();
  return m.closest('figure').querySelector('.told').textContent
    .includes('of its roof');
}).length;""")
    check("dots below roofs are told when they are reached", marks > 0, marks)
    errors = errors_of(b)
    check("the console is silent while code is read", not errors, errors)


# ---- Timelines ----

# The time that is shown, "" if it is all of it, and the bars.
LANES = """
var box = document.querySelector('.lanes');
var figure = box.closest('.timeline');
function bars() { return Array.from(box.querySelectorAll('rect')).filter(
  r => r.bar); }
function shown() { return figure.querySelector('.shown').textContent; }
"""


def shown(b):
    return b.run(LANES + "return shown()")


def test_zoom_by_keys(b):
    b.run(LANES + "box.focus()")
    check("all is shown at first", shown(b) == "", shown(b))
    axis = "return document.querySelector('.axis').textContent"
    before = b.run(axis)
    b.press("+", "+")
    first = shown(b)
    check("+ zooms in", " to " in first, first)
    after = b.run(axis)
    check("and the axis is another", after != before, after)
    b.press(RIGHT)
    second = shown(b)
    check("an arrow goes to what is later", second != first, second)
    b.press(LEFT)
    check("and back", shown(b) == first, (shown(b), first))
    b.press("-")
    check("- zooms out", shown(b) not in ("", first), shown(b))
    b.press("+", "0")
    check("0 shows all", shown(b) == "", shown(b))
    check("as it was", b.run(axis) == before, before)


def test_zoom_by_pointer(b):
    for button, good in ((".in", lambda s: " to " in s),
                         (".right", lambda s: " to " in s),
                         (".left", lambda s: " to " in s),
                         (".all", lambda s: s == "")):
        b.click(".timeline .tools " + button)
        check("the button %s does that" % button, good(shown(b)), shown(b))
    wheel = LANES + """
document.activeElement.blur();
var at = box.getBoundingClientRect();
var e = new WheelEvent('wheel', {deltaY: -100, ctrlKey: arguments[0],
  clientX: at.left + at.width * 0.7, clientY: at.top + 10, bubbles: true,
  cancelable: true});
box.dispatchEvent(e);
return e.defaultPrevented;"""
    check("the wheel alone is the page's", b.run(wheel, False) is False
          and shown(b) == "")
    check("with Ctrl it zooms", b.run(wheel, True) and " to " in shown(b))
    b.click(".timeline .tools .all")
    b.run(LANES + """
var at = box.getBoundingClientRect(), y = at.top + 10;
function point(kind, id, x) {
  box.dispatchEvent(new PointerEvent(kind, {pointerId: id, clientX:
    at.left + at.width * x, clientY: y, bubbles: true, pointerType: 'touch'}));
}
point('pointerdown', 1, 0.5);
point('pointerdown', 2, 0.6);
point('pointermove', 2, 0.62);
point('pointermove', 2, 0.9);
point('pointerup', 1, 0.5);
point('pointerup', 2, 0.9);""")
    check("two fingers do, too", " to " in shown(b), shown(b))
    b.click(".timeline .tools .all")


def test_bars_tell(b):
    told = "return document.querySelector('.timeline .told').textContent"
    b.run(LANES + "box.focus()")
    b.press("n")
    first = b.run(told)
    check("n tells of the first launch", "launch 1" in first and "grid" in first
          and "cycles" in first, first)
    b.press("n", "p")
    check("p goes back to it", b.run(told) == first)
    titles = b.run(LANES + "return bars().map(r => r.textContent)")
    check("every bar has a title", titles and all(titles), titles[:3])
    b.run(LANES + """
var r = bars().pop();
r.dispatchEvent(new MouseEvent('mousemove', {bubbles: true}));""")
    check("a bar tells when it is pointed at", b.run(told) == titles[-1],
          (b.run(told), titles[-1]))


def test_links_to_launches(b, url):
    links = b.run(LANES + """
return Array.from(box.querySelectorAll('a')).map(a => a.getAttribute('href'));
""")
    check("bars are links", links)
    lost = b.run("return arguments[0].filter(h => !document.querySelector(h))",
                 links)
    check("they lead to rows of the page", not lost, lost[:3])
    if not links:
        return
    b.run(LANES + "box.querySelector('a rect').dispatchEvent("
          "new MouseEvent('click', {bubbles: true, cancelable: true}))")
    b.run("location.hash = arguments[0]", links[0])
    found = b.run("""
var r = document.querySelector(':target'), at = r.getBoundingClientRect();
return [r.tagName, r.cells[0].textContent, at.top >= 0 &&
  at.bottom <= innerHeight];""")
    check("to a launch, which is in view", found[0] == "TR" and found[2],
          found)
    name = b.run(LANES + "return box.querySelector('a title').textContent")
    check("that of the bar, or of those in flight with it",
          found[1].split(" ")[0] in name, (name, found))
    b.go("about:blank")
    b.go(url)
    b.run(LANES + "box.focus()")
    b.press("n", ENTER)
    check("Enter goes there, too",
          b.run("return location.hash").startswith("#"))


# It can be read without a script, too: what is drawn then is in the file.
def test_drawn_before(b, url):
    with open(urllib.parse.unquote(url[len("file://"):]),
              encoding="utf-8") as f:
        text = f.read()
    lanes = text[text.index('<div class="lanes">'):]
    lanes = lanes[:lanes.index("</div>")]
    check("lanes are in the file", lanes.count("<rect") > 0
          and lanes.count("<title>") > 0, lanes[:200])
    least = b.run(LANES + "return bars().length")
    check("about as many bars as the script draws",
          lanes.count("<title>") <= 4 * least + 4,
          (lanes.count("<title>"), least))


def use_timeline(b, url):
    b.log()  # of the page before
    b.go(url)
    test_drawn_before(b, url)
    test_zoom_by_keys(b)
    test_zoom_by_pointer(b)
    test_bars_tell(b)
    test_links_to_launches(b, url)
    errors = errors_of(b)
    check("the console is silent while timelines are used", not errors, errors)


def main():
    how, *pages = sys.argv[1:]
    driver = shutil.which("chromedriver")
    chromium = shutil.which("chromium")
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
            for page in pages:
                url = "file://" + urllib.parse.quote(os.path.abspath(page))
                test_open(b, url)
                if how == "use":
                    use(b, url)
                if how == "code":
                    use_code(b, url)
                if how == "timeline":
                    use_timeline(b, url)
        finally:
            b.close()
    print("%(passed)d passed, %(failed)d failed, 0 skipped" % results)
    sys.exit(results["failed"] > 0)


if __name__ == "__main__":
    main()
