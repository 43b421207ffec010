// src/page/timeline.js - what happened when, zoomed: draws the lanes of
// src/page/chart/chart_timeline.c again for the time that is shown, tells of
// bars that are pointed at, and leads to their launches.
(function () {
"use strict";

var SVG = "http://www.w3.org/2000/svg";
var BAR = 18, THIN = 8, APART = 3, USE = 44, TICKS = 8, LEAST = 20;
var page = window.heddle;

function grouped(n) {
  return String(n).replace(/\B(?=(\d{3})+$)/g, ",");
}

// "12.3 µs", with as many digits as `fine` nanoseconds need.
function time(ns, fine) {
  var units = ["ns", "\u00b5s", "ms", "s"], unit = 0, scale = 1, digits = 4;
  while (unit < 3 && ns / scale >= 1000) { scale *= 1000; unit++; }
  if (fine)
    digits = Math.max(4, 1 + Math.ceil(Math.log(Math.max(1, ns) / fine) /
      Math.LN10));
  return +(ns / scale).toPrecision(Math.min(15, digits)) + " " + units[unit];
}

function percent(share) {
  return +(100 * share).toPrecision(3) + " %";
}

function element(name, attributes, text) {
  var e = document.createElementNS(SVG, name), key;
  for (key in attributes) e.setAttribute(key, attributes[key]);
  if (text !== undefined) e.textContent = text;
  return e;
}

// 1, 2 or 5 times a power of ten, at least `least`.
function round(least) {
  var power = Math.pow(10, Math.floor(Math.log(least) / Math.LN10 + 1e-9));
  var by = [1, 2, 5, 10].filter(function (k) {
    return k * power >= least * (1 - 1e-9);
  })[0];
  return Math.max(1, by * power);
}

function Timeline(figure) {
  var self = this;
  this.d = JSON.parse(figure.querySelector(".data").textContent);
  this.figure = figure;
  this.box = figure.querySelector(".lanes");
  this.told = figure.querySelector(".told");
  this.shown = figure.querySelector(".shown");
  this.lanes = Array.prototype.slice.call(
    figure.querySelectorAll("svg.lane"));
  this.axis = figure.querySelector("svg.axis");
  this.from = 0;
  this.to = Math.max(1, this.d.end);
  this.at = -1; // the bar that the keys have come to
  this.bars = this.lanes.map(function () { return []; });
  this.d.bars.forEach(function (b, i) {
    self.bars[b[0]].push({ row: b[1], begin: b[2], end: b[2] + b[3],
      what: b[4], value: b[5], number: b[6], flags: b[7] || 0,
      part: b[8] || 0, count: b[9] || 1, busy: b[9] ? b[10] : b[3],
      most: b[9] ? b[11] : b[3], mixed: b[12] || 0 });
  });
  this.order = this.bars.reduce(function (all, b) { return all.concat(b); }, [])
    .filter(function (b) { return b.number; })
    .sort(function (a, b) { return a.begin - b.begin; });
}

Timeline.prototype.x = function (ns) {
  return 100 * (ns - this.from) / (this.to - this.from);
};

Timeline.prototype.width = function () {
  return Math.max(100, this.axis.getBoundingClientRect().width);
};

// ---- What is told ----

Timeline.prototype.about = function (b) {
  var w = this.d.what[b.what], text;
  if (b.count > 1) {
    text = grouped(b.count) + (b.mixed ? " in a row, the longest: "
      : " \u00d7 ") + w[0] + ", " + time(b.busy) + " in all";
  } else {
    text = w[0] + (b.number ? ", launch " + b.number : "") +
      (b.number && b.part ? ", part " + b.part : "") +
      (w[1] ? ", " + w[1] : "") + ": " + time(b.end - b.begin) +
      (w[2] ? ", " + grouped(b.value) + " " + w[2] : "");
  }
  text += ", from " + time(b.begin, Math.max(1, (b.end - b.begin) / 10));
  if (this.d.end && b.busy)
    text += ", " + percent(b.busy / this.d.end) + " of the time shown";
  this.d.flags.forEach(function (f, i) {
    if (f && b.flags >> i & 1) text += "; " + f;
  });
  return text;
};

Timeline.prototype.place = function (b) {
  if (!b.number) return "";
  if (b.number <= this.d.placed) return this.d.place + b.number;
  return this.d.what[b.what][4] || "";
};

// ---- Drawing ----

// Short neighbours become one, as lanes_merge in src/page/chart/lanes.c does.
Timeline.prototype.seen = function (bars) {
  var pixel = (this.to - this.from) / this.width(), self = this;
  var seen = [], last = {};
  function short(b) { return b.count > 1 || b.end - b.begin < pixel; }
  bars.forEach(function (b) {
    var a = last[b.row];
    if (b.end < self.from || b.begin > self.to) return;
    if (a && short(a) && short(b) && b.begin - a.end < pixel) {
      a.mixed |= b.mixed | (a.what !== b.what);
      if (b.most > a.most) { a.what = b.what; a.most = b.most; }
      a.end = Math.max(a.end, b.end);
      a.flags |= b.flags;
      a.busy += b.busy;
      a.count += b.count;
      return;
    }
    a = Object.assign({}, b);
    a.is = b;
    last[b.row] = a;
    seen.push(a);
  });
  return seen;
};

Timeline.prototype.grid = function (svg, height) {
  var step = round((this.to - this.from) / TICKS), x;
  for (var t = Math.ceil(this.from / step) * step; t < this.to; t += step) {
    x = this.x(t).toFixed(3) + "%";
    if (t > 0)
      svg.appendChild(element("line", { "class": "grid", x1: x, x2: x, y1: 0,
        y2: height }));
  }
};

Timeline.prototype.drawBar = function (svg, b, thin) {
  var w = this.d.what[b.what], height = thin ? THIN : BAR, place = this.place(b);
  var all = this.width(), least = 100 / all;
  var x = Math.max(-1, this.x(b.begin));
  var wide = Math.max(Math.min(101, this.x(b.end)) - x, least);
  if (wide > 5 * least) wide -= least; // so that the next one stands apart
  var y = APART + b.row * (height + APART), parent = svg, rect, inner;
  var at = { x: Math.min(x, 100 - least).toFixed(4) + "%", y: y,
    width: wide.toFixed(4) + "%", height: height };
  if (place && b.count === 1) {
    parent = element("a", { href: "#" + place, tabindex: -1 });
    svg.appendChild(parent);
  }
  rect = element("rect", Object.assign({ "class":
    w[3] === 99 ? "cx" : w[3] === 98 ? "faint" : "c" + w[3] % 8 }, at));
  rect.appendChild(element("title", {}, this.about(b)));
  rect.bar = b;
  parent.appendChild(rect);
  if (w[3] >= 8 && w[3] < 98)
    parent.appendChild(element("rect", Object.assign({ "class":
      w[3] < 16 ? "hatched" : "hatched back" }, at)));
  if (b.flags & 1)
    parent.appendChild(element("rect", Object.assign({ "class": "failed" },
      at)));
  if (b.is === this.order[this.at])
    parent.appendChild(element("rect", Object.assign({ "class": "chosen" },
      at)));
  if (thin || wide * all / 100 < 40) return;
  // A name stays in view where its bar begins before.
  inner = element("svg", { "class": "in", x: Math.max(0, x) + "%", y: y,
    width: Math.max(0, Math.min(100, x + wide) - Math.max(0, x)) + "%",
    height: BAR });
  inner.appendChild(element("text", { x: 4, y: 13 }, (b.count > 1
    ? grouped(b.count) + (b.mixed ? " in a row" : " \u00d7 ") : "") +
    (b.mixed ? "" : w[0])));
  parent.appendChild(inner);
};

Timeline.prototype.drawUse = function (svg, lane) {
  var columns = 450, sms = [], warps = [], self = this, span = this.to -
    this.from, i;
  for (i = 0; i < columns; i++) sms[i] = warps[i] = 0;
  this.d.use.forEach(function (s) {
    var a = (s[1] - self.from) * columns / span;
    var b = (s[1] + s[2] - self.from) * columns / span;
    if (s[0] !== lane || b <= 0 || a >= columns) return;
    for (var c = Math.max(0, Math.floor(a)); c < columns && c < b; c++) {
      var part = Math.min(b, c + 1) - Math.max(a, c);
      sms[c] += s[3] * part;
      warps[c] += s[4] * part;
    }
  });
  var inner = element("svg", { width: "100%", height: USE,
    viewBox: "0 0 " + columns + " " + USE, preserveAspectRatio: "none" });
  [["sms", sms], ["warps", warps]].forEach(function (area) {
    var path = "M0 " + USE;
    area[1].forEach(function (share, c) {
      path += "V" + ((1 - Math.min(1, share)) * USE).toFixed(1) + "H" +
        (c + 1);
    });
    inner.appendChild(element("path", { "class": area[0],
      d: path + "V" + USE + "Z" }));
  });
  svg.appendChild(inner);
  svg.use = { sms: sms, warps: warps };
};

Timeline.prototype.drawAxis = function () {
  var step = round((this.to - this.from) / TICKS), x, all = this.width();
  this.axis.textContent = "";
  if (all < 480) step = round((this.to - this.from) / (TICKS * 0.6));
  for (var t = Math.ceil(this.from / step) * step; t <= this.to; t += step) {
    x = this.x(t);
    if (x > 100 - 3000 / all) break;
    this.axis.appendChild(element("text", { x: x.toFixed(3) + "%", y: 14,
      "text-anchor": x < 3000 / all ? "start" : "middle" }, time(t, step)));
  }
};

Timeline.prototype.draw = function () {
  var self = this, whole = this.from <= 0 && this.to >= this.d.end;
  this.lanes.forEach(function (svg, i) {
    var lane = self.d.lanes[i];
    svg.textContent = "";
    self.grid(svg, svg.getAttribute("height"));
    if (lane[2]) self.drawUse(svg, i);
    else
      self.seen(self.bars[i]).forEach(function (b) {
        self.drawBar(svg, b, lane[3]);
      });
  });
  this.drawAxis();
  this.box.classList.toggle("zoomed", !whole);
  this.shown.textContent = whole ? "" : time(this.from, this.to - this.from) +
    " to " + time(this.to, this.to - this.from);
};

// ---- Zooming ----

// Shows a span of time, as far as there is one.
Timeline.prototype.show = function (from, span) {
  var end = Math.max(1, this.d.end);
  span = Math.min(end, Math.max(Math.min(LEAST, end), span));
  this.from = Math.max(0, Math.min(end - span, from));
  this.to = this.from + span;
  this.draw();
};

// `middle` is a share of the width, which stays where it is.
Timeline.prototype.zoom = function (by, middle) {
  var span = this.to - this.from;
  this.show(this.from + span * middle * (1 - 1 / by), span / by);
};

Timeline.prototype.move = function (share) {
  this.show(this.from + (this.to - this.from) * share, this.to - this.from);
};

Timeline.prototype.all = function () { this.show(0, this.d.end); };

Timeline.prototype.share = function (client) {
  var at = this.axis.getBoundingClientRect();
  return Math.max(0, Math.min(1, (client - at.left) / at.width));
};

// ---- Keys ----

// To the next launch, or the one before.
Timeline.prototype.step = function (by) {
  var b, at = Math.max(0, Math.min(this.order.length - 1, this.at + by));
  if (!this.order.length) return;
  this.at = at;
  b = this.order[at];
  if (b.begin < this.from || b.end > this.to)
    this.show(b.begin - (this.to - this.from) / 3, this.to - this.from);
  else this.draw();
  this.told.textContent = this.about(b) + ". Enter goes there.";
};

Timeline.prototype.key = function (e) {
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  if (e.key === "+" || e.key === "=") this.zoom(2, 0.5);
  else if (e.key === "-") this.zoom(0.5, 0.5);
  else if (e.key === "0") this.all();
  else if (e.key === "ArrowLeft") this.move(-0.25);
  else if (e.key === "ArrowRight") this.move(0.25);
  else if (e.key === "n") this.step(1);
  else if (e.key === "p") this.step(-1);
  else if (e.key === "Enter" && this.at >= 0 &&
           this.place(this.order[this.at]))
    location.hash = this.place(this.order[this.at]);
  else return;
  e.preventDefault();
};

// ---- Pointers: one pulls, two pinch ----

Timeline.prototype.pointers = function () {
  var self = this, down = {}, moved = 0, gap = 0;
  function list() {
    return Object.keys(down).map(function (k) { return down[k]; });
  }
  this.box.addEventListener("pointerdown", function (e) {
    if (e.button) return;
    down[e.pointerId] = e.clientX;
    if (list().length === 1) moved = 0;
    gap = 0;
  });
  addEventListener("pointermove", function (e) {
    var was = down[e.pointerId], all, wide;
    if (was === undefined) return;
    down[e.pointerId] = e.clientX;
    all = list();
    moved += Math.abs(e.clientX - was);
    if (all.length === 2) {
      wide = Math.max(10, Math.abs(all[0] - all[1]));
      if (gap) self.zoom(wide / gap, self.share((all[0] + all[1]) / 2));
      gap = wide;
    } else if (moved > 4)
      self.move((was - e.clientX) / self.width());
  });
  ["pointerup", "pointercancel"].forEach(function (kind) {
    addEventListener(kind, function (e) {
      delete down[e.pointerId];
      gap = 0;
    });
  });
  // What was pulled is no click; a mark of several is looked into.
  this.box.addEventListener("click", function (e) {
    var b = e.target.bar;
    if (moved > 4) e.preventDefault();
    else if (b && b.count > 1)
      self.show(b.begin - (b.end - b.begin) / 20 - 5,
                (b.end - b.begin) * 1.1 + 10);
  }, true);
  this.box.addEventListener("dragstart", function (e) { e.preventDefault(); });
};

Timeline.prototype.wheel = function (e) {
  var sideways = Math.abs(e.deltaX) > Math.abs(e.deltaY);
  if (e.ctrlKey || e.metaKey ||
      (!sideways && this.box.contains(document.activeElement)))
    this.zoom(Math.pow(2, -Math.max(-100, Math.min(100, e.deltaY)) / 200),
              this.share(e.clientX));
  else if (sideways && this.to - this.from < this.d.end)
    this.move(e.deltaX / this.width());
  else return;
  e.preventDefault();
};

// ---- Telling ----

Timeline.prototype.point = function (e) {
  var svg = e.target.closest && e.target.closest("svg.lane"), c;
  if (e.target.bar) this.told.textContent = this.about(e.target.bar);
  else if (svg && svg.use) {
    c = Math.min(449, Math.floor(450 * this.share(e.clientX)));
    this.told.textContent = "At " + time(this.from + (this.to - this.from) *
      this.share(e.clientX), (this.to - this.from) / 450) + ": " +
      percent(svg.use.sms[c]) + " of the SMs hold warps, " +
      percent(svg.use.warps[c]) + " of all warps are resident";
  }
};

function start(figure) {
  var t = new Timeline(figure);
  var name = figure.querySelector("figcaption").id;
  t.box.tabIndex = 0;
  t.box.setAttribute("role", "group");
  t.box.setAttribute("aria-labelledby", name);
  figure.querySelector(".tools").hidden = false;
  t.told.textContent = "Point at a bar, or press n and p; a click goes to its " +
    "launch. + \u2212 \u2190 \u2192 0, Ctrl and the wheel, or two fingers zoom.";
  t.draw();
  addEventListener("resize", function () { t.draw(); });
  t.box.addEventListener("keydown", function (e) { t.key(e); });
  t.box.addEventListener("wheel", function (e) { t.wheel(e); },
                         { passive: false });
  t.box.addEventListener("mousemove", function (e) { t.point(e); });
  t.box.addEventListener("dblclick", function (e) {
    t.zoom(2, t.share(e.clientX));
  });
  t.pointers();
  [["in", function () { t.zoom(2, 0.5); }],
   ["out", function () { t.zoom(0.5, 0.5); }],
   ["left", function () { t.move(-0.5); }],
   ["right", function () { t.move(0.5); }],
   ["all", function () { t.all(); }]].forEach(function (b) {
    figure.querySelector(".tools ." + b[0]).addEventListener("click", b[1]);
  });
}

Array.prototype.forEach.call(document.querySelectorAll(".timeline"), start);
}());
