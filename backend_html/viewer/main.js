// Connects the parts of the page: view, selection, search.

const OPEN_BUDGET = 600;  // layers that are visible at first; larger bodies are hidden
const SMALLEST_SCALE = 0.05;
const LARGEST_SCALE = 4;
const READABLE_SCALE = 0.45;

const byId = (id) => document.getElementById(id);
const model = readModel(JSON.parse(byId("model").textContent));
const canvas = byId("graph");
const view = {x: 0, y: 0, scale: 1};
let chosen = null;
let isPlanned = false;

function showsConstants() {
  return byId("constants").checked;
}

function draw() {
  isPlanned = false;
  const {clientWidth, clientHeight} = canvas;
  const content = byId("content");
  content.replaceChildren();
  content.setAttribute("transform", `scale(${view.scale})`);
  const visible = {...view, width: clientWidth / view.scale, height: clientHeight / view.scale};
  new Drawing(content, visible, chosen).draw(layoutOf(model.graphs[0], showsConstants()));
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

// Shows the whole graph, or if that would not be readable, its upper part.
function fit(least) {
  const {width, height} = layoutOf(model.graphs[0], showsConstants());
  const {clientWidth, clientHeight} = canvas;
  const margin = 24;
  const wanted = Math.min(clientWidth / (width + 2 * margin), clientHeight / (height + 2 * margin));
  view.scale = Math.min(1.2, Math.max(least, wanted));
  view.x = width / 2 - clientWidth / view.scale / 2;
  view.y = Math.min(-margin, height / 2 - clientHeight / view.scale / 2);
  if (wanted < view.scale && clientWidth / view.scale < width) {
    const first = layoutOf(model.graphs[0], showsConstants()).rows.find((row) => row.items.length);
    view.x = first.items[0].x - clientWidth / view.scale / 2;
  }
  redraw();
}

function choose(node) {
  chosen = node;
  if (node) describeNode(node, byId("details"));
  else describeModel(model, byId("details"));
  redraw();
}

// Changes what is open, and keeps a node at its place in the window.
function changeOpen(node, change) {
  const before = node && positionOf(node, showsConstants());
  change();
  const after = node && positionOf(node, showsConstants());
  if (before && after) {
    view.x += after.x - before.x;
    view.y += after.y - before.y;
  }
  redraw();
}

function toggleNode(node) {
  changeOpen(node, () => {
    node.isOpen = !node.isOpen;
    forgetLayout(node);
  });
  if (node === chosen) choose(node);
}

function setAllOpen(isOpen) {
  for (const graph of model.graphs) {
    graph.layout = null;
    for (const node of graph.nodes) node.isOpen = isOpen && isControlFlow(node);
  }
  fit(READABLE_SCALE);
}

// Selects a node, opens what is around it, and moves it to the middle.
function showNode(node) {
  for (const owner of ownersOf(node)) {
    if (owner.isOpen) continue;
    owner.isOpen = true;
    forgetLayout(owner);
  }
  if (!positionOf(node, showsConstants())) byId("constants").checked = true;
  const place = positionOf(node, showsConstants());
  if (view.scale < READABLE_SCALE) view.scale = 1;
  view.x = place.x + place.width / 2 - canvas.clientWidth / view.scale / 2;
  view.y = place.y + Math.min(place.height, canvas.clientHeight / view.scale - 80) / 2 - canvas.clientHeight / view.scale / 2;
  choose(node);
}

function nodeAt(name, target) {
  const place = target.closest(`[data-${name}]`);
  if (!place) return null;
  const [graph, id] = place.dataset[name].split(".");
  return model.graphs[graph].nodes[id];
}

let drag = null;  // {x, y, moved}
canvas.addEventListener("pointerdown", (event) => { drag = {x: event.clientX, y: event.clientY, moved: false}; });
window.addEventListener("pointerup", () => { drag = null; });
window.addEventListener("pointermove", (event) => {
  if (!drag) return;
  const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
  if (!drag.moved && Math.hypot(dx, dy) < 4) return;
  view.x -= dx / view.scale;
  view.y -= dy / view.scale;
  drag = {x: event.clientX, y: event.clientY, moved: true};
  canvas.dataset.dragged = "yes";
  redraw();
});
canvas.addEventListener("click", (event) => {
  const wasDragged = canvas.dataset.dragged === "yes";
  canvas.dataset.dragged = "";
  if (wasDragged) return;
  const toggled = nodeAt("toggle", event.target);
  if (toggled) toggleNode(toggled);
  else choose(nodeAt("node", event.target));
});
canvas.addEventListener("dblclick", (event) => {
  const node = nodeAt("node", event.target);
  if (node && isControlFlow(node) && !nodeAt("toggle", event.target)) toggleNode(node);
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
  const {height, rows} = layoutOf(model.graphs[0], showsConstants());
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
byId("constants").addEventListener("change", () => changeOpen(chosen, () => {}));
byId("expand").addEventListener("click", () => setAllOpen(true));
byId("collapse").addEventListener("click", () => setAllOpen(false));
byId("zoom-in").addEventListener("click", () => zoom(1.25));
byId("zoom-out").addEventListener("click", () => zoom(0.8));
byId("fit").addEventListener("click", () => fit(SMALLEST_SCALE));
window.addEventListener("resize", redraw);

document.title = `${model.name} - onnx2ir`;
byId("name").textContent = model.name;
openBodies(model, OPEN_BUDGET);
choose(null);
fit(READABLE_SCALE);
