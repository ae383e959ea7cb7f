// Connects the parts of the page: view, selection, search.

const OPEN_BUDGET = 600;  // layers that are visible at first; larger bodies are hidden
const SMALLEST_SCALE = 0.0005;
const LARGEST_SCALE = 4;
const READABLE_SCALE = 0.7;
const MARGIN = 24;

const byId = (id) => document.getElementById(id);
const model = readModel(JSON.parse(byId("model").textContent));
const canvas = byId("graph");
const view = {x: 0, y: 0, scale: 1};
let chosen = null;
let isPlanned = false;

function shownOptions() {
  return {showsConstants: byId("constants").checked, folds: byId("folds").checked && !comparison(model).length};
}

function mainLayout() {
  return layoutOf(model.graphs[0], shownOptions());
}

let minimap = null;  // its scales

function draw() {
  isPlanned = false;
  const {clientWidth, clientHeight} = canvas;
  const content = byId("content");
  content.replaceChildren();
  content.setAttribute("transform", `scale(${view.scale})`);
  const visible = {...view, width: clientWidth / view.scale, height: clientHeight / view.scale};
  new Drawing(content, visible, chosen).draw(mainLayout());
  minimap = drawMinimap(byId("minimap"), mainLayout(), view, {width: clientWidth, height: clientHeight});
}

function redraw() {
  if (isPlanned) return;
  isPlanned = true;
  requestAnimationFrame(draw);
}

// Zooms by `factor`; the point (x, y) of the window keeps its place.
function zoom(factor, x = canvas.clientWidth / 2, y = canvas.clientHeight / 2) {
  const scale = Math.min(LARGEST_SCALE, Math.max(SMALLEST_SCALE, view.scale * factor));
  view.x += x / view.scale - x / scale;
  view.y += y / view.scale - y / scale;
  view.scale = scale;
  redraw();
}

// Shows the whole graph, in columns if it is much taller than the window.
function fit() {
  const layout = mainLayout();
  const {clientWidth, clientHeight} = canvas;
  const scaleOf = () => Math.min(clientWidth / (layout.shownWidth + 2 * MARGIN), clientHeight / (layout.shownHeight + 2 * MARGIN));
  setColumns(layout, 1);
  const narrow = scaleOf();
  setColumns(layout, bestColumns(layout, clientWidth, clientHeight));
  if (scaleOf() < 1.5 * narrow) setColumns(layout, 1);
  view.scale = Math.min(1.2, Math.max(SMALLEST_SCALE, scaleOf()));
  view.x = layout.shownWidth / 2 - clientWidth / view.scale / 2;
  view.y = layout.shownHeight / 2 - clientHeight / view.scale / 2;
  redraw();
}

// Shows the inputs at 100 %, or the whole graph if that is nearly as large.
function showInputs() {
  const layout = mainLayout();
  const {clientWidth, clientHeight} = canvas;
  setColumns(layout, 1);
  const whole = Math.min(clientWidth / (layout.width + 2 * MARGIN), clientHeight / (layout.height + 2 * MARGIN));
  view.scale = whole < 1 && whole >= 0.85 ? whole : 1;
  const items = layout.rows.find((row) => row.items.length)?.items ?? [{x: 0, width: 0}];
  const [left, right] = [items[0].x - items[0].width / 2, items.at(-1).x + items.at(-1).width / 2];
  const fits = right - left < clientWidth / view.scale;
  const center = layout.width < clientWidth / view.scale ? layout.width / 2 : fits ? (left + right) / 2 : items[0].x;
  view.x = center - clientWidth / view.scale / 2;
  view.y = Math.min(-MARGIN, whole >= 0.85 ? layout.height / 2 - clientHeight / view.scale / 2 : 0);
  redraw();
}

function choose(node) {
  chosen = node;
  if (node?.isFold) describeFold(node, byId("details"));
  else if (node) describeNode(node, byId("details"));
  else describeModel(model, byId("details"));
  redraw();
}

// Changes what is open, and keeps a node at its place in the window.
function changeOpen(node, change) {
  const before = node && positionOf(node, shownOptions());
  change();
  const after = node && positionOf(node, shownOptions());
  if (before && after) {
    view.x += after.x - before.x;
    view.y += after.y - before.y;
  }
  redraw();
}

// Shows the layers of a fold.
function unfold(fold) {
  changeOpen([...fold.members][0], () => {
    fold.isUnfolded = true;
    forgetLayout(fold);
  });
}

function toggleNode(node) {
  if (node.isFold) {
    unfold(node);
    choose([...node.members][0]);
    return;
  }
  changeOpen(node, () => {
    node.isOpen = !node.isOpen;
    forgetLayout(node);
  });
  if (node === chosen) choose(node);
}

function setAllOpen(isOpen) {
  for (const graph of model.graphs) {
    graph.layout = null;
    for (const fold of graph.folds ?? []) fold.isUnfolded = isOpen;
    for (const node of graph.nodes) node.isOpen = isOpen && isControlFlow(node);
  }
  showInputs();
}

// Selects a node, opens what is around it, and moves it to the middle.
function showNode(node) {
  for (const owner of ownersOf(node)) {
    if (owner.isOpen) continue;
    owner.isOpen = true;
    forgetLayout(owner);
  }
  for (const inner of [...ownersOf(node), node]) {
    const fold = foldAround(inner);
    if (!fold) continue;
    fold.isUnfolded = true;
    forgetLayout(fold);
  }
  if (!positionOf(node, shownOptions())) byId("constants").checked = true;
  const place = positionOf(node, shownOptions());
  if (view.scale < READABLE_SCALE) view.scale = 1;
  view.x = place.x + place.width / 2 - canvas.clientWidth / view.scale / 2;
  view.y = place.y + Math.min(place.height, canvas.clientHeight / view.scale - 80) / 2 - canvas.clientHeight / view.scale / 2;
  choose(node);
}

function nodeAt(name, target) {
  const place = target.closest(`[data-${name}]`);
  if (!place) return null;
  const [graph, id] = place.dataset[name].split(".");
  return model.graphs[graph].nodes[id] ?? foldsOf(model.graphs[graph]).find((fold) => fold.id === id);
}

const pointers = new Map();  // by id: {x, y}
let hasMoved = false;
canvas.addEventListener("pointerdown", (event) => {
  if (!pointers.size) hasMoved = false;
  pointers.set(event.pointerId, {x: event.clientX, y: event.clientY});
});
for (const kind of ["pointerup", "pointercancel"]) window.addEventListener(kind, (event) => pointers.delete(event.pointerId));
window.addEventListener("pointermove", (event) => {
  const last = pointers.get(event.pointerId);
  if (!last) return;
  const [dx, dy] = [event.clientX - last.x, event.clientY - last.y];
  if (!hasMoved && Math.hypot(dx, dy) < 4) return;
  hasMoved = true;
  pointers.set(event.pointerId, {x: event.clientX, y: event.clientY});
  const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
  if (other) {  // two fingers
    const box = canvas.getBoundingClientRect();
    const distance = (point) => Math.max(1, Math.hypot(point.x - other.x, point.y - other.y));
    zoom(distance({x: event.clientX, y: event.clientY}) / distance(last), other.x - box.left, other.y - box.top);
    return;
  }
  view.x -= dx / view.scale;
  view.y -= dy / view.scale;
  redraw();
});
canvas.addEventListener("click", (event) => {
  if (hasMoved) return;
  const toggled = nodeAt("toggle", event.target);
  if (toggled) toggleNode(toggled);
  else choose(nodeAt("node", event.target));
});
canvas.addEventListener("dblclick", (event) => {
  const node = nodeAt("node", event.target);
  if (node && (isControlFlow(node) || node.isFold) && !nodeAt("toggle", event.target)) toggleNode(node);
});
canvas.addEventListener("wheel", (event) => {
  event.preventDefault();
  if (event.ctrlKey || event.metaKey) {
    zoom(Math.exp(-event.deltaY / 400), event.offsetX, event.offsetY);
  } else {
    view.x += (event.shiftKey ? event.deltaY : event.deltaX) / view.scale;
    view.y += (event.shiftKey ? 0 : event.deltaY) / view.scale;
    redraw();
  }
}, {passive: false});

let found = [];
let foundAt = -1;
byId("search").addEventListener("input", (event) => {
  const text = event.target.value.trim();
  found = text ? findNodes(model, text) : [];
  foundAt = -1;
  byId("found").hidden = !text;
  if (text) listFound(found, byId("found"));
});
byId("search").addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !found.length) return;
  foundAt = (foundAt + (event.shiftKey ? found.length - 1 : 1)) % found.length;
  showNode(found[foundAt]);
});
window.addEventListener("keydown", (event) => {
  if (event.target.tagName === "INPUT") return;
  const {height, rows} = mainLayout();
  const page = canvas.clientHeight / view.scale;
  const moves = {PageDown: view.y + page, PageUp: view.y - page, Home: -24, End: height - page + 24};
  if (event.key === "/") byId("search").focus();
  else if (event.key in moves) view.y = moves[event.key];
  else return;
  event.preventDefault();
  const row = rows.find((one) => one.bottom > view.y && one.items.length) ?? rows.at(-1);
  if (event.key in moves && row) view.x = row.items[0].x - canvas.clientWidth / view.scale / 2;
  redraw();
});
for (const box of ["constants", "folds"]) byId(box).addEventListener("change", () => changeOpen(chosen?.isFold ? null : chosen, () => {}));
byId("expand").addEventListener("click", () => setAllOpen(true));
byId("collapse").addEventListener("click", () => setAllOpen(false));
byId("zoom-in").addEventListener("click", () => zoom(1.25));
byId("zoom-out").addEventListener("click", () => zoom(0.8));
byId("fit").addEventListener("click", fit);
byId("home").addEventListener("click", showInputs);
byId("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
  redraw();
});
for (const kind of ["pointerdown", "pointermove"]) byId("minimap").addEventListener(kind, (event) => {
  if (!event.buttons || !minimap) return;
  view.x = event.offsetX / minimap.scaleX - canvas.clientWidth / view.scale / 2;
  view.y = event.offsetY / minimap.scaleY - canvas.clientHeight / view.scale / 2;
  redraw();
});
window.addEventListener("resize", redraw);

document.title = `${model.name} - onnx2ir`;
byId("name").textContent = model.name;
openBodies(model, OPEN_BUDGET);
showInputs();
choose(null);
if (model.firstDifference) showNode(model.firstDifference);
