// src/page/code.js - code side by side: lines that belong together light up,
// cold stretches and functions fold, keys go from line to line. Without it all
// lines are there, in order.
(function () {
"use strict";

// A fold has at least HIDDEN lines; AROUND lines at both ends of a cold stretch
// stay.
var AROUND = 2, HIDDEN = 6;

function each(list, f) { Array.prototype.forEach.call(list, f); }

function body(pane) { return pane.querySelector("tbody"); }

function heads(row) {
  return Array.prototype.map.call(
    row.closest("table").tHead.rows[0].cells, function (h) {
      return h.querySelector("span").textContent;
    });
}

// "slots 12.3 %, warps 8.0 %, ..." of what a row has.
function words(row) {
  var names = heads(row), said = [];
  each(row.cells, function (c, i) {
    var text = c.textContent.trim();
    if (!i || names[i] === "text" || !text || text === "-") return;
    said.push(names[i] + " " + text +
      (names[i] === "slots" || names[i] === "warps" ? " %" : ""));
  });
  return said.join(", ");
}

function Code(at) {
  this.at = at;
  this.told = at.querySelector(".told");
  this.panes = Array.prototype.slice.call(at.querySelectorAll(".pane"));
  this.rows = {}; // by key
  this.keys = []; // hottest first
  this.folding = true;
  this.selected = null;
  this.lit = [];
  var self = this;
  each(at.querySelectorAll("tr[data-k]"), function (r) {
    var k = r.getAttribute("data-k");
    if (!self.rows[k]) {
      self.rows[k] = [];
      self.keys.push(+k);
    }
    self.rows[k].push(r);
  });
  this.keys.sort(function (a, b) { return a - b; });
}

// ---- Lines that belong together ----

Code.prototype.light = function (key) {
  this.lit.forEach(function (r) { r.classList.remove("lit"); });
  this.lit = key ? this.rows[key] || [] : [];
  this.lit.forEach(function (r) { r.classList.add("lit"); });
};

function show(row, always) {
  var wide = row.closest(".wide"), head = row.closest("table").tHead;
  var top = row.offsetTop - head.offsetHeight;
  if (always || top < wide.scrollTop ||
      row.offsetTop + row.offsetHeight > wide.scrollTop + wide.clientHeight)
    wide.scrollTop = Math.max(0, top - (wide.clientHeight -
      head.offsetHeight - row.offsetHeight) / 2);
}

Code.prototype.tell = function (row) {
  var key = row.getAttribute("data-k");
  var name = row.closest(".table").querySelector(".bar span").textContent;
  var number = row.cells[0].textContent, self = this;
  var text = name + (number ? ":" + number : "");
  var said = words(row);
  if (said) text += ": " + said;
  this.panes.forEach(function (pane) {
    var n = (self.rows[key] || []).filter(function (r) {
      return pane.contains(r) && r !== row;
    }).length;
    if (key && n && !pane.contains(row))
      text += "; " + n + (n > 1 ? " lines of " : " line of ") +
        pane.querySelector(".bar span").textContent;
  });
  this.told.textContent = text;
};

// The panes without it go to its first line there.
Code.prototype.select = function (row) {
  var key = row.getAttribute("data-k"), self = this;
  if (this.selected) this.selected.classList.remove("at");
  each(this.at.querySelectorAll("tr.sel"), function (r) {
    r.classList.remove("sel");
  });
  this.selected = row;
  row.classList.add("at");
  this.open(row);
  (key ? this.rows[key] : []).forEach(function (r) {
    r.classList.add("sel");
  });
  this.panes.forEach(function (pane) {
    if (pane.contains(row)) return show(row, false);
    var first = (key ? self.rows[key] : []).find(function (r) {
      return pane.contains(r);
    });
    if (first) {
      self.open(first);
      show(first, true);
    }
  });
  this.tell(row);
};

// The next line by heat, in the pane that is used, else the first one.
Code.prototype.hot = function (step) {
  var keys = this.keys, key = this.selected &&
    +this.selected.getAttribute("data-k");
  var i = keys.indexOf(key), pane = this.selected &&
    this.selected.closest(".pane");
  i = i < 0 ? (step > 0 ? 0 : keys.length - 1)
            : (i + step + keys.length) % keys.length;
  var rows = this.rows[keys[i]];
  if (!rows) return;
  this.select(rows.find(function (r) { return pane && pane.contains(r); }) ||
    rows[0]);
};

// ---- Folding ----

Code.prototype.unfold = function () {
  each(this.at.querySelectorAll("tr.fold"), function (f) { f.remove(); });
  each(this.at.querySelectorAll("tr[hidden]"), function (r) {
    r.hidden = false;
  });
};

function setFold(fold, open) {
  fold.rowsOf.forEach(function (r) { r.hidden = !open; });
  var button = fold.querySelector("button");
  button.setAttribute("aria-expanded", open ? "true" : "false");
  button.textContent = (open ? "\u25be " : "\u25b8 ") + fold.name;
}

function addFold(rows, name, kind, open) {
  var fold = document.createElement("tr"), cell = document.createElement("td");
  var button = document.createElement("button");
  fold.className = "fold " + kind;
  cell.colSpan = rows[0].cells.length;
  button.type = "button";
  button.addEventListener("click", function () {
    setFold(fold, button.getAttribute("aria-expanded") === "false");
  });
  cell.appendChild(button);
  fold.appendChild(cell);
  fold.name = name;
  fold.rowsOf = rows;
  rows[0].parentNode.insertBefore(fold, rows[0]);
  setFold(fold, open);
}

// Are the lines in the order of the file?
function inOrder(pane) {
  var sorted = pane.querySelector("th[aria-sort]:not([aria-sort=none])");
  return !sorted || (!sorted.previousElementSibling &&
    sorted.getAttribute("aria-sort") === "ascending");
}

function shareOf(rows) {
  var sum = 0;
  rows.forEach(function (r) {
    sum += Number(r.cells[1].getAttribute("data-v")) || 0;
  });
  return sum;
}

function foldStretch(rows, pane) {
  if (rows.length < HIDDEN + 2 * AROUND) return;
  rows = rows.slice(AROUND, rows.length - AROUND);
  addFold(rows, rows.length + " cold lines" +
    (pane.classList.contains("plain") ? "" :
      ", " + shareOf(rows).toFixed(1) + " % of the slots"), "cold", false);
}

Code.prototype.fold = function () {
  if (!this.folding) return;
  this.panes.forEach(function (pane) {
    var rows = Array.prototype.slice.call(body(pane).rows);
    var stretch = [], functions = [];
    rows.forEach(function (r) {
      var begins = r.getAttribute("data-f");
      if (begins !== null && inOrder(pane))
        functions.push({ name: begins, rows: [] });
      if (functions.length) functions[functions.length - 1].rows.push(r);
      if (begins !== null || !r.classList.contains("cold")) {
        foldStretch(stretch, pane);
        stretch = [];
      }
      if (r.classList.contains("cold")) stretch.push(r);
    });
    foldStretch(stretch, pane);
    // A function has its stretches in it.
    functions.forEach(function (f) {
      var last = f.rows[f.rows.length - 1], all = [];
      for (var r = f.rows[0]; r; r = r.nextElementSibling) {
        all.push(r);
        if (r === last) break;
      }
      var folds = all.filter(function (r) {
        return r.classList.contains("fold");
      });
      addFold(f.rows, "function " + f.name + ", " + f.rows.length + " lines",
        "function", true);
      folds.forEach(function (x) { setFold(x, false); });
    });
  });
};

// What hides a row opens.
Code.prototype.open = function (row) {
  each(this.at.querySelectorAll("tr.fold"), function (f) {
    if (row.hidden && f.rowsOf.indexOf(row) >= 0) setFold(f, true);
  });
};

Code.prototype.refold = function () {
  this.unfold();
  this.fold();
};

// ---- Keys and buttons ----

function visible(row) { return !row.hidden && !row.classList.contains("fold"); }

Code.prototype.step = function (wide, down) {
  var rows = Array.prototype.filter.call(
    wide.querySelector("tbody").rows, visible);
  var i = rows.indexOf(this.selected);
  if (i < 0 && this.selected)
    i = rows.findIndex(function (r) { return r.classList.contains("sel"); }) -
      (down ? 1 : -1);
  var next = rows[i < -1 ? 0 : Math.min(Math.max(i + (down ? 1 : -1), 0),
                                        rows.length - 1)];
  if (next) this.select(next);
};

Code.prototype.key = function (e) {
  var wide = e.target.closest(".wide");
  if (e.altKey || e.ctrlKey || e.metaKey) return;
  if (e.key === "n") this.hot(1);
  else if (e.key === "p") this.hot(-1);
  else if (wide && e.target === wide &&
           (e.key === "ArrowDown" || e.key === "ArrowUp"))
    this.step(wide, e.key === "ArrowDown");
  else return;
  e.preventDefault();
};

// All panes by what is hottest, or in order.
Code.prototype.sort = function (hottest) {
  this.panes.forEach(function (pane) {
    var heads = pane.querySelectorAll("thead th");
    var head = heads[hottest && !pane.classList.contains("plain") ? 1 : 0];
    var want = hottest && !pane.classList.contains("plain") ? "descending"
                                                            : "ascending";
    while (head.getAttribute("aria-sort") !== want)
      head.querySelector("button").click();
  });
};

Code.prototype.listen = function () {
  var self = this, at = this.at;
  function on(name, f) {
    at.querySelector(name).addEventListener("click", f);
  }
  // Tables are sorted and saved without what folds them.
  at.addEventListener("click", function (e) {
    if (!e.target.closest("thead button, button.csv")) return;
    self.unfold();
    setTimeout(function () { self.refold(); });
  }, true);
  at.addEventListener("click", function (e) {
    var row = e.target.closest("tbody tr:not(.fold)");
    if (row) self.select(row);
  });
  at.addEventListener("mouseover", function (e) {
    var row = e.target.closest("tbody tr");
    self.light(row && row.getAttribute("data-k"));
  });
  at.addEventListener("mouseleave", function () { self.light(null); });
  at.addEventListener("keydown", function (e) { self.key(e); });
  on(".next", function () { self.hot(1); });
  on(".prev", function () { self.hot(-1); });
  on(".hottest", function () {
    var is = this.getAttribute("aria-pressed") !== "true";
    this.setAttribute("aria-pressed", is);
    self.sort(is);
  });
  on(".folds", function () {
    self.folding = !self.folding;
    this.setAttribute("aria-pressed", self.folding);
    self.refold();
  });
};

var views = Array.prototype.map.call(document.querySelectorAll(".code"),
  function (at) {
    var code = new Code(at);
    code.listen();
    code.fold();
    return code;
  });

// A link leads to its line.
function follow() {
  var row = location.hash.length > 1 &&
    document.getElementById(location.hash.slice(1));
  if (row && row.tagName === "TR")
    views.forEach(function (v) {
      if (!v.at.contains(row)) return;
      v.select(row);
      row.closest(".wide").focus({ preventScroll: true });
      row.scrollIntoView({ block: "center" });
    });
}

addEventListener("hashchange", follow);
addEventListener("load", follow);
document.addEventListener("click", function (e) {
  var link = e.target.closest("a[href^='#c']");
  if (link && link.getAttribute("href") === location.hash) follow();
});
follow();
}());
