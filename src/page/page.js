// src/page/page.js - what a page does: themes, sorting, CSV, copying, series.
// Without it everything can still be read.
(function () {
"use strict";

var root = document.documentElement;
var redraw = []; // called when colours change

function each(selector, f, at) {
  Array.prototype.forEach.call((at || document).querySelectorAll(selector), f);
}

// ---- Theme: as the system has it, light, dark ----

var THEMES = ["auto", "light", "dark"];

function stored() {
  try { return localStorage.getItem("heddle-theme"); } catch (e) { return null; }
}

function setTheme(theme, store) {
  if (theme === "auto") root.removeAttribute("data-theme");
  else root.setAttribute("data-theme", theme);
  var button = document.getElementById("theme");
  button.textContent = "Theme: " + theme;
  button.setAttribute("data-is", theme);
  if (store)
    try { localStorage.setItem("heddle-theme", theme); } catch (e) { }
  redraw.forEach(function (f) { f(); });
}

function startTheme() {
  var old = stored();
  setTheme(THEMES.indexOf(old) < 0 ? "auto" : old, false);
  document.getElementById("theme").addEventListener("click", function () {
    var at = THEMES.indexOf(this.getAttribute("data-is"));
    setTheme(THEMES[(at + 1) % THEMES.length], true);
  });
  var dark = matchMedia("(prefers-color-scheme: dark)");
  if (dark.addEventListener)
    dark.addEventListener("change", function () {
      redraw.forEach(function (f) { f(); });
    });
}

// A colour as it is in the theme: a canvas knows no variables.
function colour(element, name) {
  var old = element.style.color, found;
  element.style.color = "var(" + name + ")";
  found = getComputedStyle(element).color;
  element.style.color = old;
  return found;
}

// ---- Tables ----

function value(cell) {
  return cell.hasAttribute("data-v") ? cell.getAttribute("data-v")
                                     : cell.textContent.trim();
}

// Numbers before words, nothing last whichever the direction.
function order(a, b, down) {
  var x = a === "-" ? "" : a, y = b === "-" ? "" : b;
  if (x === "" || y === "") return (x === "") - (y === "");
  var p = Number(x), q = Number(y), result;
  if (isNaN(p) && isNaN(q))
    result = x.localeCompare(y, "en", { numeric: true });
  else if (isNaN(p) || isNaN(q)) return isNaN(p) - isNaN(q);
  else result = p - q;
  return down ? -result : result;
}

function sort(header) {
  var row = header.parentNode, body = row.parentNode.parentNode.tBodies[0];
  var column = Array.prototype.indexOf.call(row.children, header);
  var was = header.getAttribute("aria-sort");
  var down = was === "none" ? header.classList.contains("r")
                            : was === "ascending";
  each("th", function (h) { h.setAttribute("aria-sort", "none"); }, row);
  header.setAttribute("aria-sort", down ? "descending" : "ascending");
  Array.prototype.map.call(body.rows, function (r, i) {
    return { row: r, at: i, sum: r.classList.contains("sum"),
             key: value(r.cells[column]) };
  }).sort(function (a, b) {
    return a.sum - b.sum || order(a.key, b.key, down) || a.at - b.at;
  }).forEach(function (x) { body.appendChild(x.row); });
}

function field(text) {
  return /[",\n\r]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
}

function heading(cell) {
  var small = cell.querySelector("small");
  var unit = cell.getAttribute("data-unit") ||
    (small ? small.textContent.trim() : "");
  return cell.querySelector("span").textContent.trim() +
    (unit ? " (" + unit + ")" : "");
}

// Rows of fields as CSV.
function lines(rows) {
  return rows.map(function (l) {
    return l.map(function (x) { return field(String(x)); }).join(",") + "\n";
  }).join("");
}

function csv(table) {
  var rows = [Array.prototype.map.call(table.tHead.rows[0].cells, heading)];
  Array.prototype.forEach.call(table.tBodies[0].rows, function (r) {
    rows.push(Array.prototype.map.call(r.cells, function (c) {
      var v = value(c);
      return v === "-" ? "" : v;
    }));
  });
  return lines(rows);
}

function save(name, text) {
  var a = document.createElement("a");
  a.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  a.download = name;
  document.body.appendChild(a);
  a.click();
  a.remove();
  setTimeout(function () { URL.revokeObjectURL(a.href); }, 1000);
}

function startTables() {
  each("thead th button", function (b) {
    b.addEventListener("click", function () { sort(b.closest("th")); });
  });
  each("button.csv", function (b) {
    b.addEventListener("click", function () {
      var series = b.closest(".series");
      save(b.getAttribute("data-file"), series ? seriesCsv(series)
        : csv(b.closest(".table").querySelector("table")));
    });
  });
  each("button.copy", function (b) {
    b.addEventListener("click", function () {
      var code = b.parentNode.querySelector("code");
      var done = function () { b.textContent = "Copied"; };
      if (navigator.clipboard)
        navigator.clipboard.writeText(code.textContent).then(done, function () {
          getSelection().selectAllChildren(code);
        });
      else getSelection().selectAllChildren(code);
    });
  });
}

// ---- Series ----

function seriesData(figure) {
  return JSON.parse(figure.querySelector("script").textContent);
}

function seriesCsv(figure) {
  var d = seriesData(figure);
  var rows = [[d.at].concat(d.names)];
  d.x.forEach(function (x, i) {
    rows.push([x].concat(d.y.map(function (y) {
      return y[i] === null ? "" : y[i];
    })));
  });
  return lines(rows);
}

// "16 K": sizes are powers of two.
function sizeText(v) {
  var unit = 0;
  while (v >= 1024 && unit < 3) { v /= 1024; unit++; }
  return +v.toFixed(1) + ["", " K", " M", " G"][unit];
}

function codeText(v) { return "0x" + v.toString(16); }

// Texts of an axis. Where there is no room for one uPlot has null: a logarithmic
// axis keeps the grid line of it.
function labels(text) {
  return function (u, v) {
    return v.map(function (n) { return n === null ? "" : text(n); });
  };
}

// What differs from an even axis: see plot_scale in src/page/chart/chart.h.
function scaleOf(kind) {
  if (kind === 1)
    return { scale: { distr: 3, log: 2 },
             axis: { space: 40, values: labels(sizeText) } };
  if (kind === 2)
    return { scale: {}, axis: { incrs: [1, 2, 4, 8, 16, 32, 64],
                                values: labels(codeText) } };
  return { scale: {}, axis: {} };
}

function drawSeries(figure) {
  var d = seriesData(figure), at = figure.querySelector(".at");
  var plot = null, x = scaleOf(d.scale);
  function axis(label) {
    return { stroke: colour(at, "--soft"), label: label, labelSize: 22,
             font: "12px system-ui", labelFont: "12px system-ui",
             grid: { stroke: colour(at, "--line"), width: 1 },
             ticks: { stroke: colour(at, "--line"), width: 1 } };
  }
  function width() { return Math.max(240, at.clientWidth); }
  function draw() {
    if (plot) plot.destroy();
    plot = new uPlot({
      width: width(), height: 260,
      scales: { x: Object.assign({ time: false }, x.scale) },
      cursor: { y: false },
      axes: [Object.assign(axis(d.at), x.axis), Object.assign(axis(d.unit), { size: 64 })],
      series: [{ label: d.at }].concat(d.names.map(function (n, i) {
        var c = d.colours[i];
        var ink = colour(at, c === 99 ? "--soft" : "--c" + c % 8);
        return { label: n, width: d.marks[i] ? 0 : 1.5, stroke: ink,
                 points: { show: d.marks[i] === 1, size: 5, stroke: ink },
                 dash: c >= 8 && c < 99 ? [5, 3] : undefined };
      }))
    }, [d.x].concat(d.y), at);
  }
  draw();
  redraw.push(draw);
  addEventListener("resize", function () {
    plot.setSize({ width: width(), height: 260 });
  });
}

// ---- Points that are told in words when they are pointed at or focused ----

function tellPoints(at) {
  var told = at.parentNode.querySelector(".told");
  told.textContent = "Point at a mark, or reach it with the Tab key.";
  each(".mark", function (mark) {
    function tell() { told.textContent = mark.getAttribute("aria-label"); }
    mark.addEventListener("mouseenter", tell);
    mark.addEventListener("focus", tell);
  }, at);
}

startTheme();
startTables();
each(".agree", tellPoints);
each(".series", drawSeries);

window.heddle = { redraw: redraw, save: save, csv: lines, colour: colour };
}());
