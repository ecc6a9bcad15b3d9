"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const picture = document.getElementById("picture"), view = document.getElementById("view");
const side = document.getElementById("side"), find = document.getElementById("find"), count = document.getElementById("count");
const items = data.items, elements = [], paths = [];
for (const e of view.querySelectorAll("[data-i]")) elements[e.dataset.i] = e;
for (const e of view.querySelectorAll("[data-r]")) paths[e.dataset.r] = e;
const children = items.map(() => []);
items.forEach((item, i) => { if (i) children[item.in].push(i); });
const folded = new Set();
const HEAD = 30;

// Where the picture is: what stands at the corner, and how large a unit is.
let x = 0, y = 0, scale = 1, size = [+picture.dataset.width, +picture.dataset.height];
function show() { view.setAttribute("transform", `translate(${x},${y}) scale(${scale})`); }
function fit() {
  const box = picture.getBoundingClientRect();
  scale = Math.min(1.2, (box.width - 20) / size[0]);
  if (size[1] * scale > box.height) scale = Math.max(scale * .35, Math.min(scale, Math.max((box.height - 20) / size[1], .75 * Math.min(1, scale))));
  x = (box.width - size[0] * scale) / 2; y = 10; show();
}

// Folding: room inside folded frames is given back where nothing that is shown needs it. The order of places stays.
let mapX = v => v, mapY = v => v;
function cutter(free, needed) {
  const cuts = [], gone = [];
  const marks = free.flatMap(([a, b]) => [[a, 1, 0], [b, -1, 0]]).concat(needed.flatMap(([a, b]) => [[a, 0, 1], [b, 0, -1]]));
  marks.sort((a, b) => a[0] - b[0]);
  let inFree = 0, inNeeded = 0, last = 0, total = 0;
  for (const [at, f, n] of marks) {
    if (inFree > 0 && inNeeded === 0 && at > last) cuts.push([last, at]);
    inFree += f; inNeeded += n; last = at;
  }
  for (const [a, b] of cuts) gone.push(total), total += b - a;
  return v => {
    let lo = 0, hi = cuts.length;
    while (lo < hi) { const mid = (lo + hi) >> 1; if (cuts[mid][1] <= v) lo = mid + 1; else hi = mid; }
    return v - (lo < cuts.length ? gone[lo] + Math.max(0, v - cuts[lo][0]) : total);
  };
}
function arrange() {
  const hidden = items.map(() => false);
  items.forEach((item, i) => { if (i) hidden[i] = hidden[item.in] || folded.has(item.in); });
  const free = [[], []], needed = [[], []];
  items.forEach((item, i) => {
    if (!i || hidden[i]) return;
    const [left, top, width, height] = item.at;
    if (folded.has(i)) {
      free[0].push([left, left + width]); needed[0].push([left - 12, left + Math.min(width, 34 + 7.6 * item.title.length)], [left + width - 8, left + width + 12]);
      free[1].push([top + HEAD, top + height]); needed[1].push([top, top + HEAD]);
    } else if (!item.frame) {
      needed[0].push([left - 12, left + Math.max(width, ...item.outs.map(o => width / 2 + 10 + o.length * 5.5)) + 12]);
      needed[1].push([top - 14, top + height + 20]);
    } else {
      needed[0].push([left - 12, left + 34 + 7.6 * item.title.length], [left + width - 14, left + width + 12]);
      needed[1].push([top - 2, top + HEAD], [top + height - 12, top + height + 4]);
    }
  });
  data.routes.forEach(([frame, , , points]) => {
    if (hidden[frame] || folded.has(frame)) return;
    for (let i = 0; i < points.length; i += 2) {
      needed[0].push([points[i] - 8, points[i] + 8]);
      // Lines keep the room in which they cross, and that of arrows.
      const [at, above] = [points[i + 1], points[i - 1]];
      if (i && (points[i] !== points[i - 2] || at - above < 60)) needed[1].push([above, at]);
    }
  });
  mapX = cutter(free[0], needed[0]); mapY = cutter(free[1], needed[1]);
  items.forEach((item, i) => {
    if (!i) return;
    const e = elements[i];
    e.classList.toggle("gone", hidden[i]);
    if (hidden[i]) return;
    const [left, top, width, height] = item.at, x = mapX(left), y = mapY(top);
    if (!item.frame) { e.setAttribute("transform", `translate(${x},${y})`); return; }
    const rect = e.firstChild, text = e.lastChild, is = folded.has(i);
    rect.setAttribute("y", y); rect.setAttribute("height", mapY(top + height) - y); text.setAttribute("y", y + 17);
    rect.setAttribute("x", x); rect.setAttribute("width", mapX(left + width) - x); text.setAttribute("x", x + 10);
    text.textContent = (item.folds ? (is ? "\u25b8 " : "\u25be ") : "") + item.title;
    e.classList.toggle("folded", is);
  });
  data.routes.forEach(([frame, , , points], r) => {
    const shown = !folded.has(frame) && !hidden[frame];
    paths[r].classList.toggle("gone", !shown);
    if (shown) paths[r].setAttribute("d", line(points));
  });
  size = [mapX(items[0].at[2]), mapY(items[0].at[3])];
}
function line(points) {
  let d = "", lastX, lastY;
  for (let i = 0; i < points.length; i += 2) {
    const px = mapX(points[i]), py = mapY(points[i + 1]);
    if (!i) d = `M${px},${py}`;
    else if (px === lastX) d += `V${py}`;
    else { const m = (lastY + py) / 2; d += `C${lastX},${m} ${px},${m} ${px},${py}`; }
    lastX = px; lastY = py;
  }
  return d;
}
function toggle(i) {
  const [left, top] = items[i].at, before = [mapX(left), mapY(top)];
  folded.has(i) ? folded.delete(i) : folded.add(i);
  arrange(); x += (before[0] - mapX(left)) * scale; y += (before[1] - mapY(top)) * scale; show();
}
function reveal(i) {
  let changed = false;
  for (let at = items[i].in; at; at = items[at].in) changed = folded.delete(at) || changed;
  if (changed) arrange();
  const box = picture.getBoundingClientRect(), [left, top, width] = items[i].at;
  scale = Math.max(scale, .9);
  x = box.width / 2 - mapX(left + width / 2) * scale; y = box.height / 2 - mapY(top + 15) * scale; show();
}

// What a box says of itself, at the side.
let picked = null;
function node(tag, text, name) { const e = document.createElement(tag); e.textContent = text; if (name) e.className = name; return e; }
function pick(i) {
  if (picked !== null) elements[picked].classList.remove("picked");
  for (const e of view.querySelectorAll(".lit")) e.classList.remove("lit");
  picked = i; side.hidden = i === null; side.replaceChildren();
  if (i === null) return;
  const item = items[i]; elements[i].classList.add("picked");
  data.routes.forEach(([, wire, target], r) => { if (target === i || data.wires[wire][0] === i) paths[r].classList.add("lit"); });
  side.append(node("h2", item.title));
  if (item.lines.length) side.append(node("pre", item.lines.join("\n"), "wrap"));
  if (item.about) side.append(node("pre", item.about, "wrap"));
  const said = item.outs.filter(o => o);
  if (said.length) side.append(node("div", "gives " + said.join(", "), "where"));
  item.places.forEach(([file, at], k) => {
    side.append(node("div", (k ? "called from " : "") + data.files[file].name + ":" + at, "where"));
    const pre = document.createElement("pre");
    for (const [number, text] of data.files[file].lines) {
      if (Math.abs(number - at) > 4) continue;
      pre.append(node(number === at ? "mark" : "span", String(number).padStart(4) + "  " + text), "\n");
    }
    side.append(pre);
  });
}

// Finding.
let hits = [], hit = -1;
function search() {
  for (const i of hits) elements[i].classList.remove("hit");
  const wanted = find.value.trim().toLowerCase();
  const has = item => [item.title, ...item.lines, ...item.outs, item.about].some(t => t.toLowerCase().includes(wanted));
  hits = wanted ? items.map((_, i) => i).filter(i => i && has(items[i])) : [];
  for (const i of hits) elements[i].classList.add("hit");
  hit = -1; next(1);
}
function next(step) {
  if (!hits.length) { count.textContent = find.value ? "none" : ""; return; }
  hit = (hit + step + hits.length) % hits.length;
  count.textContent = `${hit + 1} of ${hits.length}`; reveal(hits[hit]); pick(hits[hit]);
}
find.addEventListener("input", search);
find.addEventListener("keydown", e => { if (e.key === "Enter") next(e.shiftKey ? -1 : 1); });

// Moving.
function zoom(factor, cx, cy) {
  const to = Math.min(6, Math.max(.03, scale * factor));
  x = cx - (cx - x) * to / scale; y = cy - (cy - y) * to / scale; scale = to; show();
}
picture.addEventListener("wheel", e => {
  e.preventDefault();
  const box = picture.getBoundingClientRect();
  zoom(Math.exp(-e.deltaY * (e.deltaMode ? .05 : .0015)), e.clientX - box.left, e.clientY - box.top);
}, { passive: false });
let drag = null;
picture.addEventListener("pointerdown", e => { drag = [e.clientX, e.clientY, x, y, false, e.target]; picture.setPointerCapture(e.pointerId); });
picture.addEventListener("pointermove", e => {
  if (!drag) return;
  const dx = e.clientX - drag[0], dy = e.clientY - drag[1];
  if (Math.abs(dx) + Math.abs(dy) > 4) drag[4] = true, picture.classList.add("drag");
  if (drag[4]) x = drag[2] + dx, y = drag[3] + dy, show();
});
picture.addEventListener("pointerup", () => {
  const [, , , , moved, target] = drag || [0, 0, 0, 0, true]; drag = null; picture.classList.remove("drag");
  if (moved) return;
  const e = target.closest("[data-i]"), i = e ? +e.dataset.i : null;
  if (i !== null && items[i].folds && (target.tagName === "text" || folded.has(i))) toggle(i);
  pick(i);
});
picture.addEventListener("pointercancel", () => { drag = null; });
document.addEventListener("keydown", e => {
  if (e.target === find) return;
  const box = picture.getBoundingClientRect();
  if (e.key === "/") { e.preventDefault(); find.focus(); }
  else if (e.key === "+" || e.key === "=") zoom(1.25, box.width / 2, box.height / 2);
  else if (e.key === "-") zoom(.8, box.width / 2, box.height / 2);
  else if (e.key === "0") fit();
  else if (e.key === "Escape") pick(null);
});
document.getElementById("fit").addEventListener("click", fit);
document.getElementById("open").addEventListener("click", () => { folded.clear(); arrange(); fit(); });
document.getElementById("fold").addEventListener("click", () => {
  items.forEach((item, i) => { if (item.folds) folded.add(i); });
  arrange(); fit();
});
// At first, outer frames are open as long as not too many boxes show.
function overview(most) {
  folded.clear();
  items.forEach((item, i) => { if (item.folds) folded.add(i); });
  let shown = [0], at = 0, boxes = children[0].length;
  while (at < shown.length) {
    for (const i of children[shown[at++]]) {
      const inside = items[i].frame ? children[i].length : 0;
      if (!items[i].frame || (items[i].folds && boxes + inside > most)) continue;
      folded.delete(i); boxes += inside; shown.push(i);
    }
  }
  arrange(); fit();
}
for (const most of [60, 40, 25, 15, 6]) { overview(most); if (size[0] < 2200) break; }
const asked = new URLSearchParams(location.hash.slice(1));
if (asked.has("fold")) document.getElementById("fold").click();
if (asked.has("open")) document.getElementById("open").click();
if (asked.get("find")) { find.value = asked.get("find"); search(); }
