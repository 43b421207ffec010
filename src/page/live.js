// src/page/live.js - the page of a running simulation: asks the server for its
// state twice a second and draws it; sends what the buttons say.
(function () {
"use strict";

var POLL_MS = 500, HIDDEN_MS = 4000, TRIES = 4;
var token = new URLSearchParams(location.search).get("token") || "";
var about = null, machine = null, ended = null, failures = 0;
var device = 0; // which about and machine are of
var program = null; // what it does; null: kernels run without one
var halts = false;  // a launch that begins stands still
var left = {};      // seconds
var chosen = null; // the warp that is looked at: {sm, slot}
var looked = null; // when: its cycle, and whether it stood still
var timer = 0, busy = false;

function at(id) { return document.getElementById(id); }

function make(name, cls, text) {
  var e = document.createElement(name);
  if (cls) e.className = cls;
  if (text !== undefined) e.textContent = text;
  return e;
}

// Only what has changed: what is selected stays so.
function say(e, text) { if (e.textContent !== text) e.textContent = text; }

function ask(path, method) {
  return fetch(path, { method: method || "GET", cache: "no-store",
                       headers: { "X-Heddle-Token": token } });
}

// ---- Words ----

function known(x) { return typeof x === "number" && isFinite(x); }

function grouped(x) { return known(x) ? Math.round(x).toLocaleString("en") : "-"; }

function short(x) {
  var units = ["", "k", "M", "G", "T"], i = 0;
  if (!known(x)) return "-";
  if (Number.isInteger(x) && Math.abs(x) < 1000) return String(x);
  while (Math.abs(x) >= 999.5 && i < units.length - 1) { x /= 1000; i++; }
  return (i && x < 99.95 ? x.toFixed(1) : x.toFixed(x && x < 10 ? 2 : 0)) +
    (units[i] ? " " + units[i] : "");
}

function bytes(x) {
  var s = short(x);
  return s + (/ /.test(s) ? "" : " ") + "B/s";
}

function percent(x) { return known(x) ? (100 * x).toFixed(1) + " %" : "-"; }

function time(s) {
  if (s >= 5400) return (s / 3600).toFixed(1) + " h";
  return s >= 90 ? (s / 60).toFixed(0) + " min" : s.toFixed(0) + " s";
}

function hex(x, digits) {
  return (x >>> 0).toString(16).padStart(digits, "0");
}

function last(path) { return path ? path.slice(path.lastIndexOf("/") + 1) : ""; }

function place(x) { return x.file ? last(x.file) + ":" + x.line : "-"; }

// ---- Reasons, in kinds that have a colour each ----

var KINDS = [
  { name: "issued", key: "k2", colour: "--c2", of: ["ready"] },
  { name: "memory", key: "k0", colour: "--c0",
    of: ["raw_mem", "lsu_full", "constant", "ack", "credit"] },
  { name: "execution", key: "k1", colour: "--c1",
    of: ["raw_alu", "raw_pred", "waw", "unit_busy", "shared_unit", "collector",
         "table_full", "table_turn", "table_write", "stall_count"] },
  { name: "barriers", key: "k4", colour: "--c4",
    of: ["barrier", "fence", "converge", "sleep", "registers", "dependent"] },
  { name: "code", key: "k5", colour: "--c5",
    of: ["branch", "fetch", "icache", "waking", "switching", "following"] },
  { name: "other", key: "kx", colour: "--cx", of: [] }
];

function kindOf(reason) {
  for (var i = 0; i < KINDS.length; i++)
    if (KINDS[i].of.indexOf(reason) >= 0) return i;
  return KINDS.length - 1;
}

// ---- Progress ----

// Is there a launch of which something can be asked?
function simulates() { return !program || program.timed; }

function stands() {
  return !ended && (simulates() ? Boolean(machine && machine.paused) : halts);
}

function stateWord() {
  if (failures >= TRIES && !ended) return ["gone", "cannot be reached"];
  if (ended) return [ended === "ok" ? "ended" : "failed",
                     ended === "ok" ? "ended" : "ended: " + ended];
  if (program && program.kernel && !program.timed)
    return ["running", "computing without timing"];
  if (!simulates())
    return halts ? ["paused", "stands still at the next launch"]
                 : ["waiting", "on the host"];
  if (!machine) return ["waiting", "before the first cycle"];
  if (machine.failed) return ["failed", "held: " + machine.failed];
  if (machine.paused) return ["paused", "paused"];
  return ["running", machine.until ? "stepping" : "running"];
}

function triple(t) { return t.join(" \u00d7 "); }

function launchesWords() {
  var n = program.launches;
  return (n ? grouped(n) : "no") + (n === 1 ? " launch" : " launches") +
    (ended ? "" : " so far") +
    (program.processes > 1 ? ", " + program.processes + " processes" : "");
}

function whatWords() {
  if (program && (ended || !program.timed))
    return launchesWords() + (program.kernel ? ", now " + program.kernel : "");
  if (!machine) return "";
  var l = machine.launches[0], n = machine.launches.length;
  var which = machine.launches_all > 1
    ? "launch " + machine.launch + " of " + machine.launches_all
    : "launch " + machine.launch;
  if (!l) return which;
  return which + ": " + l.kernel + ", grid " + triple(l.grid) + ", block " +
    triple(l.block) + ", " + l.registers +
    (l.registers === 1 ? " register" : " registers") +
    (n > 1 ? ", and " + (n - 1) + " more in flight" : "");
}

function leftWords() {
  if (program && !ended && !program.timed && !program.kernel)
    return "The program runs on the host until it launches a kernel.";
  if (!machine || !simulates()) return "";
  var words = [grouped(machine.ctas_ended) + " of " + grouped(machine.ctas) +
    " CTAs"];
  if (!ended && known(left.launch_s))
    words.push("about " + time(left.launch_s) + " left");
  if (!ended && machine.launches_all > 1 && known(left.all_s))
    words.push("about " + time(left.all_s) + " for all launches");
  if (!program) words.push(time(machine.host.all_s) + " simulated");
  else words.push(launchesWords());
  if (machine.spin) words.push("lanes spin: " + machine.spin);
  return words.join(", ");
}

function drawProgress() {
  var word = stateWord(), share = machine && machine.ctas && simulates()
    ? machine.ctas_ended / machine.ctas : 0;
  if (ended === "ok") share = 1;
  at("state").dataset.is = word[0];
  say(at("state"), word[1]);
  say(at("what"), whatWords());
  say(at("left"), leftWords());
  at("done").style.width = 100 * share + "%";
  at("bar").setAttribute("aria-valuenow", (100 * share).toFixed(0));
  var over = Boolean(ended) || failures >= TRIES;
  say(at("pause"), stands() ? "Go" : "Pause");
  at("pause").disabled = over || !(machine || program);
  at("step").disabled = over || !machine || !simulates() ||
    Boolean(machine.failed);
  document.title = word[1] + (machine && simulates() ? ", " +
    (100 * share).toFixed(0) + " %" : "") + " - heddle watch";
}

var FIGURES = [
  ["cycle", function (m) { return grouped(m.cycle); }, "of this launch"],
  ["host speed", function (m) {
    return short(m.host.cycles_per_s); }, "cycles a second"],
  ["instructions", function (m) { return short(m.warp_insts); },
   "of warps, so far"],
  ["IPC", function (m) {
    return known(m.slots_now.ipc) ? m.slots_now.ipc.toFixed(2) : "-"; },
   "of the chip, now"],
  ["issue slots used", function (m) { return percent(m.slots_now.issued); },
   "now"],
  ["DRAM", function (m) {
    var d = m.levels.filter(function (l) { return l.id === "dram"; })[0];
    return d ? percent(d.now / d.peak) : "-"; }, "of the peak, now"]
];

function drawFigures() {
  var list = at("figures");
  if (!list.children.length)
    FIGURES.forEach(function (f) {
      var box = list.appendChild(make("div"));
      box.appendChild(make("dt", "", f[0]));
      box.appendChild(make("dd", "", "-"));
      box.appendChild(make("dd", "note", f[2]));
    });
  FIGURES.forEach(function (f, i) {
    say(list.children[i].children[1], simulates() ? f[1](machine) : "-");
  });
}

// ---- Issue slots ----

function sumKinds(slots) {
  var sums = KINDS.map(function () { return { all: 0, most: "", share: 0 }; });
  sums[0].all = slots.issued || 0;
  Object.keys(slots.stalls).forEach(function (name) {
    var s = sums[kindOf(name)], v = slots.stalls[name];
    s.all += v;
    if (v > s.share) { s.most = name; s.share = v; }
  });
  return sums;
}

function drawBar(row, name, slots) {
  var box = at("slots"), sums = sumKinds(slots);
  if (box.children.length < 3 * (row + 1)) {
    box.appendChild(make("span", "", name));
    var bar = box.appendChild(make("div", "share"));
    KINDS.forEach(function (k) { bar.appendChild(make("span", k.key)); });
    box.appendChild(make("span", "value"));
  }
  var parts = box.children[3 * row + 1].children;
  sums.forEach(function (s, i) {
    parts[i].style.width = 100 * s.all + "%";
    parts[i].style.borderRightWidth = s.all ? "1px" : "0";
    parts[i].title = KINDS[i].name + " " + percent(s.all);
  });
  say(box.children[3 * row + 2], percent(slots.issued));
  return sums;
}

function legend(list, texts) {
  if (list.children.length !== KINDS.length) {
    list.textContent = "";
    KINDS.forEach(function (k) {
      var item = list.appendChild(make("li"));
      item.appendChild(make("i", k.key));
      item.appendChild(make("span"));
    });
  }
  texts.forEach(function (t, i) { say(list.children[i].children[1], t); });
}

function drawSlots() {
  var sums = drawBar(0, "now", machine.slots_now);
  drawBar(1, "in all", machine.slots_all);
  legend(at("slots-legend"), sums.map(function (s, i) {
    return KINDS[i].name + " " + percent(s.all) +
      (s.most ? ", most " + s.most : "");
  }));
}

// ---- Over time ----

var SVG = "http://www.w3.org/2000/svg";

function shape(name, cls) {
  var e = document.createElementNS(SVG, name);
  e.setAttribute("class", cls);
  return e;
}

function addTrend(name) {
  var box = at("trends").appendChild(make("div", "trend"));
  var head = box.appendChild(make("div"));
  head.appendChild(make("b", "", name));
  head.appendChild(make("span"));
  var svg = box.appendChild(shape("svg", "")), half = shape("path", "half");
  svg.setAttribute("viewBox", "0 0 100 100");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("role", "img");
  half.setAttribute("d", "M0 50H100");
  svg.appendChild(half);
  svg.appendChild(shape("path", "area"));
  svg.appendChild(shape("path", "line"));
  return box;
}

// A step for each point: it holds for the cycles up to it.
function drawTrend(i, name, cycles, shares, words) {
  var box = at("trends").children[i] || addTrend(name);
  var svg = box.lastChild, n = cycles.length, d = "";
  var from = n > 1 ? 2 * cycles[0] - cycles[1] : 0;
  from = Math.max(from, 0);
  var span = n ? cycles[n - 1] - from : 1;
  function x(c) { return span > 0 ? 100 * (c - from) / span : 100; }
  for (var k = 0; k < n; k++) {
    var y = 100 - 100 * Math.min(Math.max(shares[k] || 0, 0), 1);
    d += (k ? "" : "M0 " + y.toFixed(2)) + "V" + y.toFixed(2) + "H" +
      x(cycles[k]).toFixed(2);
  }
  svg.children[2].setAttribute("d", d || "M0 100");
  svg.children[1].setAttribute("d", d ? d + "V100H0Z" : "M0 100");
  svg.setAttribute("aria-label", name + ": " + words);
  say(box.firstChild.lastChild, words);
}

function drawTrends() {
  var h = machine.history;
  drawTrend(0, "issue slots", h.cycle, h.issued,
            percent(machine.slots_now.issued));
  machine.levels.forEach(function (l, i) {
    drawTrend(i + 1, l.name, h.cycle, h[l.id], bytes(l.now) + ", " +
              percent(l.now / l.peak));
  });
}

// ---- Warps that wait ----

function fill(row, cells) {
  cells.forEach(function (text, i) {
    var c = row.children[i], b = c.querySelector("button");
    say(b || c, String(text));
    if (!b) c.title = c.classList.contains("words") ||
      c.classList.contains("place") ? String(text) : "";
  });
}

function addWaiting(body) {
  var row = body.appendChild(make("tr"));
  ["r", "r", "r", "r", "r", "words", "place", "place"].forEach(
    function (cls, i) {
      var c = row.appendChild(make("td", cls));
      if (!i) c.appendChild(make("button")).type = "button";
    });
  row.addEventListener("click", function () { choose(row.is.sm, row.is.slot); });
  return row;
}

function drawWaiting() {
  var body = at("waiting").tBodies[0], list = machine.waiting;
  while (body.rows.length > list.length) body.removeChild(body.lastChild);
  list.forEach(function (w, i) {
    var row = body.rows[i] || addWaiting(body);
    row.is = w;
    fill(row, [w.sm, w.slot, w.cta, w.warp, grouped(w.cycles), w.words,
               w.instruction || "-", place(w)]);
    row.querySelector("button").setAttribute("aria-label", "SM " + w.sm +
      ", slot " + w.slot + ": look at this warp");
  });
  at("waiting-box").hidden = !list.length;
  say(at("waiting-note"), list.length
    ? "Cycles in which it executed nothing, at least: from one look at the " +
      "machine to the next."
    : "Every warp has executed something since the last look.");
  at("waits").hidden = !machine.waits;
  say(at("waits"), machine.waits || "");
}

// ---- SMs ----

var colours = [], free = "";

function readColours() {
  var probe = document.body.appendChild(make("span"));
  function of(name) {
    probe.style.color = "var(" + name + ")";
    return getComputedStyle(probe).color;
  }
  colours = KINDS.map(function (k) { return of(k.colour); });
  free = of("--faint");
  document.body.removeChild(probe);
}

function reasonAt(letter) {
  var c = letter.charCodeAt(0);
  if (letter === ".") return null;
  return about.reasons[c < 97 ? c - 65 : c - 97 + 26].name;
}

function addSm(i) {
  var row = at("sms").appendChild(make("div", "sm"));
  row.appendChild(make("span", "", "SM " + i));
  var c = row.appendChild(make("canvas"));
  c.setAttribute("role", "img");
  row.appendChild(make("span", "r"));
  c.addEventListener("click", function (e) {
    var box = c.getBoundingClientRect();
    choose(i, Math.min(about.slots - 1, Math.max(0, Math.floor(
      (e.clientX - box.left) / box.width * about.slots))));
  });
  c.addEventListener("mousemove", function (e) {
    var box = c.getBoundingClientRect(), slot = Math.floor(
      (e.clientX - box.left) / box.width * about.slots);
    var why = machine && machine.sms[i].states[slot] &&
      reasonAt(machine.sms[i].states[slot]);
    c.title = "slot " + slot + ": " + (why || "no warp");
  });
  return row;
}

function drawSm(s, i, counts) {
  var row = at("sms").children[i] || addSm(i), c = row.children[1];
  var scale = window.devicePixelRatio || 1;
  var w = Math.round(c.clientWidth * scale), h = Math.round(14 * scale);
  if (c.width !== w || c.height !== h) { c.width = w; c.height = h; }
  var to = c.getContext("2d"), cell = w / about.slots;
  to.clearRect(0, 0, w, h);
  for (var k = 0; k < s.states.length; k++) {
    var why = reasonAt(s.states[k]), kind = why ? kindOf(why) : -1;
    if (why) counts[kind]++;
    to.fillStyle = why ? colours[kind] : free;
    to.fillRect(Math.round(k * cell), 0,
                Math.max(1, Math.round((k + 1) * cell) - Math.round(k * cell) -
                         Math.ceil(scale / 2)), h);
  }
  c.setAttribute("aria-label", "SM " + i + ": " + s.warps + " warps");
  say(row.children[2], s.warps + " w, " +
      (known(s.ipc) ? s.ipc.toFixed(2) : "-") + " IPC");
}

function drawSms() {
  var counts = KINDS.map(function () { return 0; });
  readColours();
  machine.sms.forEach(function (s, i) { drawSm(s, i, counts); });
  legend(at("sms-legend"), KINDS.map(function (k, i) {
    return (i ? k.name : "ready") + " " + counts[i];
  }));
}

// ---- A warp ----

var warp = null;

function valueWords(v) {
  var view = new DataView(new ArrayBuffer(4));
  switch (at("format").selectedIndex) {
  case 1: return String(v);
  case 2: return String(v | 0);
  case 3:
    view.setUint32(0, v);
    return String(Number(view.getFloat32(0).toPrecision(7)));
  default: return hex(v, 8);
  }
}

function facts(list, pairs) {
  list.textContent = "";
  pairs.forEach(function (p) {
    var box = list.appendChild(make("div"));
    box.appendChild(make("dt", "", p[0]));
    box.appendChild(make("dd", "", p[1]));
  });
}

function drawLanes() {
  var box = at("lanes");
  box.textContent = "";
  warp.lanes.forEach(function (l, i) {
    box.appendChild(make("span", l.place)).title = "lane " + i + ": " +
      l.place + (l.place === "ended" ? "" : ", pc " + l.pc);
  });
  box.setAttribute("aria-label", "lanes that run: " + hex(warp.active, 8));
}

function drawCode() {
  var body = at("code").tBodies[0];
  body.textContent = "";
  warp.code.forEach(function (c) {
    var row = body.appendChild(make("tr", c.pc === warp.pc ? "at" : ""));
    row.appendChild(make("td", "r", c.pc));
    row.appendChild(make("td")).appendChild(make("code", "", c.instruction));
    row.appendChild(make("td", "", place(c)));
  });
}

function drawRow(body, name, values, words, lanes) {
  var row = body.appendChild(make("tr"));
  row.appendChild(make("th", "", name)).scope = "row";
  values.forEach(function (v, i) {
    row.appendChild(make("td", lanes >>> i & 1 ? "" : "off", words(v)));
  });
}

function drawRegisters() {
  var t = at("registers"), head = t.tHead, body = t.tBodies[0];
  head.textContent = body.textContent = "";
  at("registers-box").hidden = !warp.values;
  at("no-values").hidden = warp.values;
  if (!warp.values) return;
  var row = head.appendChild(make("tr"));
  row.appendChild(make("th", "", "lane"));
  for (var i = 0; i < 32; i++)
    row.appendChild(make("th", "", i)).scope = "col";
  warp.registers.forEach(function (values, r) {
    drawRow(body, "R" + r, values, valueWords, warp.active);
  });
  warp.predicates.forEach(function (mask, p) {
    var lanes = [];
    for (var k = 0; k < 32; k++) lanes.push(mask >>> k & 1);
    drawRow(body, "P" + p, lanes, String, warp.active);
  });
  (warp.uniform || []).forEach(function (v, r) {
    drawRow(body, "UR" + r, [v], valueWords, 1);
    var cell = body.lastChild.lastChild;
    cell.colSpan = 32;
    cell.style.textAlign = "left";
  });
}

function drawWarp() {
  at("inspect").hidden = !chosen;
  if (!chosen || !warp) return;
  say(at("inspect-title"), "Warp in slot " + warp.slot + " of SM " + warp.sm);
  var none = Boolean(warp.error);
  at("inspect-body").hidden = none;
  if (none) {
    facts(at("inspect-facts"), [["", warp.error]]);
    return;
  }
  facts(at("inspect-facts"), [
    ["kernel", warp.kernel], ["CTA", warp.cta + " (" + warp.cta_id.join(", ") +
      ")"], ["warp", warp.warp], ["cycle", grouped(warp.cycle)],
    ["waits for", warp.words + " (" + warp.help + ")"],
    ["for cycles", grouped(warp.waits)], ["executed", grouped(warp.executed)],
    ["lanes", hex(warp.active, 8) + " of " + hex(warp.live, 8)]
  ].concat(warp.source ? [["source", warp.source]] : []));
  drawLanes();
  drawCode();
  drawRegisters();
}

function look() {
  if (!chosen) return Promise.resolve();
  var mine = chosen;
  return ask("/warp?sm=" + chosen.sm + "&slot=" + chosen.slot).then(
    function (r) {
      if (!r.ok) return r.text().then(trouble);
      return r.json().then(function (w) {
        if (chosen !== mine) return;
        warp = w;
        looked = { cycle: w.cycle, launch: machine && machine.launch,
                   at: Date.now() };
        drawWarp();
      });
    }).catch(function () { });
}

function choose(sm, slot) {
  chosen = { sm: sm, slot: slot };
  looked = null;
  look().then(function () {
    at("inspect").hidden = false;
    at("inspect-title").focus({ preventScroll: true });
    at("inspect").scrollIntoView({ block: "nearest" });
  });
}

// It may have gone on since.
function lookAgain() {
  if (!chosen || !machine || ended || !simulates()) return;
  if (looked && looked.launch === machine.launch &&
      (looked.cycle === machine.cycle ||
       (!machine.paused && Date.now() - looked.at < 1000)))
    return;
  look();
}

// ---- Talking ----

function trouble(text) {
  at("trouble").hidden = !text;
  say(at("trouble"), text || "");
}

function draw() {
  drawProgress();
  if (!machine || !about) return;
  drawFigures();
  drawSlots();
  drawTrends();
  drawWaiting();
  drawSms();
}

function take(answer) {
  failures = 0;
  if (answer.device !== device) return askAbout(answer.device);
  machine = answer.machine || machine;
  ended = answer.ended;
  program = answer.program;
  halts = answer.halts;
  left = answer.left;
  trouble(!ended && machine && simulates() && !stands() && answer.age > 5
    ? "The simulation has not answered for " + time(answer.age) +
      ": it may be between two launches." : "");
  draw();
  lookAgain();
}

// Of another GPU all is drawn anew.
function askAbout(number) {
  return ask("/about?device=" + number).then(function (r) {
    if (!r.ok) return r.text().then(trouble);
    return r.json().then(function (a) {
      about = a;
      device = number;
      machine = null; // until the next answer
      at("sms").textContent = at("trends").textContent = "";
    });
  }).catch(lost);
}

function schedule() {
  clearTimeout(timer);
  if (!ended && failures < TRIES)
    timer = setTimeout(poll, document.hidden ? HIDDEN_MS : POLL_MS);
}

function lost() {
  failures++;
  if (failures >= TRIES) {
    trouble("The simulation cannot be reached any more: the run has ended, " +
            "and its report is where it was started.");
    drawProgress();
  }
}

function poll() {
  if (busy) return;
  busy = true;
  ask("/state").then(function (r) {
    if (r.ok) return r.json().then(take);
    return r.text().then(function (t) { failures = TRIES; trouble(t); });
  }).catch(lost).then(function () { busy = false; schedule(); });
}

function command(path) {
  ask(path, "POST").then(function (r) {
    if (r.ok) return r.json().then(take);
    return r.text().then(trouble);
  }).catch(lost).then(schedule);
}

function toggle() {
  if (at("pause").disabled) return;
  command(stands() ? "/go" : "/pause");
}

function step() {
  var input = at("cycles"), text = input.value.replace(/[ ,_]/g, "");
  var good = /^[0-9]+$/.test(text) && Number(text) >= 1 &&
    Number(text) <= 1e9;
  input.setAttribute("aria-invalid", String(!good));
  if (good && !at("step").disabled) command("/step?cycles=" + Number(text));
}

function close() {
  chosen = warp = null;
  drawWarp();
}

function number(id) { return Math.max(0, parseInt(at(id).value, 10) || 0); }

document.addEventListener("keydown", function (e) {
  var name = e.target.tagName;
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  if (e.key === "Escape") close();
  if (name === "INPUT" || name === "SELECT") return;
  if (e.key === " " && name !== "BUTTON") {
    e.preventDefault();
    toggle();
  } else if (e.key === "s") {
    step();
  }
});
at("pause").addEventListener("click", toggle);
at("step").addEventListener("click", step);
at("cycles").addEventListener("keydown", function (e) {
  if (e.key === "Enter") step();
});
at("inspect-close").addEventListener("click", close);
at("inspect-again").addEventListener("click", look);
at("format").addEventListener("change", function () {
  if (warp && !warp.error) drawRegisters();
});
at("pick").addEventListener("click", function () {
  choose(number("pick-sm"), number("pick-slot"));
});
document.addEventListener("visibilitychange", function () {
  if (!document.hidden && !ended && failures < TRIES) poll();
});
window.addEventListener("resize", function () {
  if (machine && about) drawSms();
});
at("theme").addEventListener("click", function () {
  if (machine && about) drawSms();
});

askAbout(0).then(poll);
}());
