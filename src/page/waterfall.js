// src/page/waterfall.js - what each warp of an SM does in each cycle: a row for
// a slot, its colour what it waits for, a mark where it issues, a line below
// where it has memory requests. Drawn as far as it can be seen; data is that of
// the artifact "waterfall" of a results file.
(function () {
"use strict";

var ROW = 18, LEFT = 36, TOP = 22, HEIGHT = 420;
var page = window.heddle;

// The last of `list`, sorted by its first member, that begins at or before `at`.
function last(list, at, start) {
  var low = 0, high = list.length;
  while (low < high) {
    var middle = (low + high) >> 1;
    if (list[middle][start] <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function Waterfall(figure) {
  this.d = JSON.parse(figure.querySelector(".data").textContent);
  this.words = JSON.parse(figure.querySelector(".words").textContent);
  this.box = figure.querySelector(".waterfall");
  this.canvas = this.box.querySelector("canvas");
  this.space = this.box.querySelector("div");
  this.told = figure.querySelector(".told");
  this.scale = Math.max(0.05, Math.min(8,
    (this.box.clientWidth - LEFT) / (this.d.to - this.d.from)));
  this.at = null; // row and cycle that is told of
  this.sort();
  this.join();
}

// By number of the warp, then time; reasons by what is waited for most.
Waterfall.prototype.sort = function () {
  var sums = this.d.why.map(function () { return 0; }), self = this;
  this.d.warps.forEach(function (w) {
    w.insts.sort(function (a, b) { return a[1] - b[1]; });
    w.requests.sort(function (a, b) { return a[0] - b[0]; });
    w.waits.forEach(function (x) { sums[x[2]] += x[1]; });
  });
  this.d.warps.sort(function (a, b) {
    return a.warp - b.warp ||
      (a.waits.length ? a.waits[0][0] : 0) - (b.waits.length ? b.waits[0][0] : 0);
  });
  this.order = sums.map(function (s, i) { return i; })
    .filter(function (i) { return sums[i] > 0; })
    .sort(function (a, b) { return sums[b] - sums[a]; });
  this.colours = this.d.why.map(function (name) {
    var n = self.words[name] ? self.words[name][1] : 99;
    return n === 99 ? "--cx" : n === 98 ? "--line" : "--c" + n % 8;
  });
  // Colours that come a second time are weaker.
  this.strength = this.d.why.map(function (name) {
    var n = self.words[name] ? self.words[name][1] : 99;
    return n >= 8 && n < 98 ? 0.5 : 1;
  });
};

// A row for each slot: CTAs that it held follow each other.
Waterfall.prototype.join = function () {
  var rows = [];
  this.d.warps.forEach(function (w) {
    var row = rows[rows.length - 1];
    if (!row || row.warp !== w.warp)
      rows.push(row = { warp: w.warp, ctas: [], waits: [], insts: [],
                        requests: [] });
    if (w.waits.length) row.ctas.push([w.waits[0][0], w.cta]);
    ["waits", "insts", "requests"].forEach(function (what) {
      w[what].forEach(function (x) { row[what].push(x); });
    });
  });
  rows.forEach(function (r) {
    r.insts.sort(function (a, b) { return a[1] - b[1]; });
    r.requests.sort(function (a, b) { return a[0] - b[0]; });
  });
  this.rows = rows;
};

// What is shown, in words.
Waterfall.prototype.about = function () {
  var d = this.d;
  return d.kernel + ", launch " + d.launch + ", SM " + d.sm +
    (d.cut ? "; there was more after cycle " + d.to : "") + ": ";
};

Waterfall.prototype.meaning = function (name) {
  return this.words[name] ? this.words[name][0] : name;
};

Waterfall.prototype.legend = function (list) {
  var self = this;
  this.order.slice(0, 11).forEach(function (i) {
    var item = document.createElement("li");
    var key = document.createElement("span");
    key.className = "key";
    key.style.background = "var(" + self.colours[i] + ")";
    key.style.opacity = self.strength[i];
    item.appendChild(key);
    item.appendChild(document.createTextNode(self.d.why[i]));
    item.title = self.meaning(self.d.why[i]);
    list.appendChild(item);
  });
};

// Only what is in view.
Waterfall.prototype.draw = function () {
  var d = this.d, box = this.box, ratio = window.devicePixelRatio || 1;
  var width = box.clientWidth;
  var colours = {}, self = this, height;
  this.space.style.width = LEFT + (d.to - d.from) * this.scale + "px";
  this.space.style.height = TOP + ROW * this.rows.length + "px";
  box.style.height =
    Math.min(HEIGHT, TOP + ROW * this.rows.length + 24) + "px";
  height = box.clientHeight; /* without the scroll bar */
  this.canvas.width = width * ratio;
  this.canvas.height = height * ratio;
  this.canvas.style.width = width + "px";
  this.canvas.style.height = height + "px";
  var c = this.canvas.getContext("2d");
  function colour(name) {
    return colours[name] || (colours[name] = page.colour(box, name));
  }
  c.scale(ratio, ratio);
  c.font = "11px system-ui, sans-serif";
  c.textBaseline = "middle";
  var from = d.from + box.scrollLeft / this.scale;
  var to = Math.min(d.to, from + (width - LEFT) / this.scale);
  function x(cycle) { return LEFT + (cycle - from) * self.scale; }
  var first = Math.floor(box.scrollTop / ROW);
  var end = Math.min(this.rows.length, first + Math.ceil(height / ROW) + 1);
  c.save();
  c.beginPath();
  c.rect(LEFT, TOP, width - LEFT, height - TOP);
  c.clip();
  for (var i = first; i < end; i++)
    this.drawRow(c, this.rows[i], TOP + i * ROW - box.scrollTop, from, to, x,
                 colour);
  if (this.at) {
    c.strokeStyle = colour("--ink");
    c.lineWidth = 1;
    c.strokeRect(x(this.at.cycle) + 0.5,
                 TOP + this.at.row * ROW - box.scrollTop + 0.5,
                 Math.max(2, this.scale), ROW - 1);
  }
  c.restore();
  this.drawAxes(c, first, end, from, to, x, width, colour);
};

Waterfall.prototype.drawRow = function (c, w, y, from, to, x, colour) {
  var i, s, a, list = w.waits;
  for (i = Math.max(0, last(list, from, 0)); i < list.length; i++) {
    s = list[i];
    if (s[0] > to) break;
    c.fillStyle = colour(this.colours[s[2]]);
    c.globalAlpha = this.strength[s[2]];
    a = x(s[0]);
    c.fillRect(a, y + 2, Math.max(0.5, x(s[0] + s[1]) - a), ROW - 7);
  }
  c.globalAlpha = 1;
  c.fillStyle = colour("--ink");
  for (i = Math.max(0, last(w.insts, from, 1)); i < w.insts.length; i++) {
    if (w.insts[i][1] > to) break;
    c.fillRect(x(w.insts[i][1]), y + 2, Math.max(1, this.scale * 0.9), ROW - 7);
  }
  c.fillStyle = colour("--zero");
  w.ctas.forEach(function (s) { c.fillRect(x(s[0]) - 1, y, 1, ROW - 3); });
  c.fillStyle = colour("--soft");
  for (i = 0; i < w.requests.length; i++) {
    s = w.requests[i];
    if (s[0] > to) break;
    if (s[0] + s[1] >= from)
      c.fillRect(x(s[0]), y + ROW - 4, Math.max(1, s[1] * this.scale), 2);
  }
};

Waterfall.prototype.drawAxes = function (c, first, end, from, to, x, width,
                                         colour) {
  var step = 1;
  c.fillStyle = colour("--soft");
  for (var i = first; i < end; i++) {
    var y = TOP + i * ROW - this.box.scrollTop + ROW / 2 - 1;
    if (y > TOP)
      c.fillText("w" + this.rows[i].warp, 4, y, LEFT - 8);
  }
  while (step * this.scale < 70)
    step *= String(step)[0] === "2" ? 2.5 : 2;
  for (var t = Math.ceil(from / step) * step; t <= to; t += step)
    if (x(t) < width - 30) {
      c.fillText(String(t), x(t) + 2, TOP / 2);
      c.fillRect(x(t), TOP - 6, 1, 6);
    }
};

Waterfall.prototype.code = function (i) {
  var k = i < 0 ? null : this.d.code[i];
  return k ? k[1] + (k[2] ? " (" + k[2] + ")" : "") : "";
};

// All that warp does in that cycle.
Waterfall.prototype.say = function (row, cycle) {
  var w = this.rows[row], parts = [], self = this;
  if (!w) return;
  this.at = { row: row, cycle: cycle };
  var wait = w.waits[last(w.waits, cycle, 0)];
  if (wait && cycle < wait[0] + wait[1])
    parts.push(this.meaning(this.d.why[wait[2]]) +
      ", cycles " + wait[0] + " to " + (wait[0] + wait[1] - 1) +
      (wait[3] >= 0 ? ", at " + this.code(wait[3]) : ""));
  w.insts.filter(function (s) {
    return s[1] <= cycle && cycle < s[1] + Math.max(1, s[2]);
  }).slice(-3).forEach(function (s) {
    parts.push("under way since " + s[1] + ": " + self.code(s[0]) + ", " +
      s[4] + " lanes");
  });
  w.requests.filter(function (s) {
    return s[0] <= cycle && cycle < s[0] + s[1];
  }).slice(-2).forEach(function (s) { parts.push("memory: " + s[3]); });
  var cta = w.ctas[last(w.ctas, cycle, 0)];
  this.told.textContent = "Cycle " + cycle + ", warp " + w.warp +
    (cta ? " of CTA " + cta[1] : "") + ": " + (parts.join("; ") || "nothing");
  this.draw();
};

Waterfall.prototype.point = function (e) {
  var at = this.box.getBoundingClientRect();
  var x = e.clientX - at.left - this.box.clientLeft - LEFT;
  var y = e.clientY - at.top - this.box.clientTop - TOP;
  if (x < 0 || y < 0) return;
  this.say(Math.floor((y + this.box.scrollTop) / ROW), Math.floor(this.d.from +
    (x + this.box.scrollLeft) / this.scale));
};

// Left and right go to what the warp did before and does next.
Waterfall.prototype.key = function (e) {
  var at = this.at || { row: 0, cycle: this.d.from }, w, i;
  if (e.key === "+" || e.key === "-") this.zoom(e.key === "+" ? 2 : 0.5);
  else if (e.key === "ArrowDown" || e.key === "ArrowUp")
    at = { row: at.row + (e.key === "ArrowDown" ? 1 : -1), cycle: at.cycle };
  else if (e.key === "ArrowRight" || e.key === "ArrowLeft") {
    w = this.rows[at.row].waits;
    i = last(w, at.cycle, 0) + (e.key === "ArrowRight" ? 1 : -1);
    if (w[i]) at = { row: at.row, cycle: w[i][0] };
  } else return;
  e.preventDefault();
  at.row = Math.max(0, Math.min(this.rows.length - 1, at.row));
  var x = (at.cycle - this.d.from) * this.scale, wide = this.box.clientWidth;
  if (x < this.box.scrollLeft || x > this.box.scrollLeft + wide - LEFT - 40)
    this.box.scrollLeft = x - (wide - LEFT) / 3;
  if ((at.row + 2) * ROW > this.box.scrollTop + this.box.clientHeight - TOP ||
      at.row * ROW < this.box.scrollTop)
    this.box.scrollTop = (at.row - 4) * ROW;
  this.say(at.row, at.cycle);
};

Waterfall.prototype.zoom = function (by) {
  var middle = this.box.scrollLeft + (this.box.clientWidth - LEFT) / 2;
  var old = this.scale;
  this.scale = Math.max(0.01, Math.min(24, old * by));
  this.draw();
  this.box.scrollLeft += middle * (this.scale / old - 1);
  this.draw();
};

Waterfall.prototype.csv = function () {
  var d = this.d, self = this, lines = [["warp", "cta", "what", "from (cycle)",
    "cycles", "reason", "instruction"]];
  d.warps.forEach(function (w) {
    w.waits.forEach(function (s) {
      lines.push([w.warp, w.cta, "wait", s[0], s[1], d.why[s[2]],
        self.code(s[3])]);
    });
    w.insts.forEach(function (s) {
      lines.push([w.warp, w.cta, "instruction", s[1], s[2], d.unit[s[3]] || "",
        self.code(s[0])]);
    });
    w.requests.forEach(function (s) {
      lines.push([w.warp, w.cta, "request", s[0], s[1], s[3],
        self.code(s[2])]);
    });
  });
  return page.csv(lines);
};

function start(figure) {
  var w;
  try {
    w = new Waterfall(figure);
  } catch (e) {
    figure.querySelector(".told").textContent = "This window cannot be read.";
    return;
  }
  var about = figure.querySelector("figcaption span");
  about.textContent = w.about() + about.textContent;
  w.legend(figure.querySelector(".legend"));
  w.draw();
  page.redraw.push(function () { w.draw(); });
  addEventListener("resize", function () { w.draw(); });
  w.box.addEventListener("scroll", function () { w.draw(); });
  w.box.addEventListener("mousemove", function (e) { w.point(e); });
  w.box.addEventListener("click", function (e) { w.point(e); });
  w.box.addEventListener("keydown", function (e) { w.key(e); });
  figure.querySelector(".in").addEventListener("click", function () {
    w.zoom(2);
  });
  figure.querySelector(".out").addEventListener("click", function () {
    w.zoom(0.5);
  });
  figure.querySelector(".save").addEventListener("click", function () {
    page.save("waterfall.csv", w.csv());
  });
}

Array.prototype.forEach.call(document.querySelectorAll(".falls"), start);
}());
