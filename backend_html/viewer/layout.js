// Layered layout of a graph with its bodies: each node is one row below its inputs. Time and size are nearly linear in the number of
// layers: lines over more than MAX_SPAN rows are not led through the rows, but are cut.

const MAX_SPAN = 24;
const ROW_GAP = 30;
const FRAME = 14;     // between the border of a body and its rows
const TITLE = 22;     // height of the title of a body
const HEADER = 36;    // height of the port numbers and the title of an open node
const PORT_SPACE = 24;  // between them and the bodies
const PORT_GAP = 14;
const MAX_LETTERS = 50;  // in a line of a box
const MAX_NAME = 36;     // letters of the name in a box
const LANE = 9;       // between back edges
const MAX_LANES = 40;
const LETTER = 6.9;   // mean width of a letter
const MAX_TEXTS = 8;  // lines of text in a box

// The end of a name that fits into a line: whole parts of the path, if the last one fits.
function shortName(name, letters) {
  if (name.length <= letters) return name;
  const parts = name.split("/");
  let text = parts.pop();
  while (parts.length && text.length + parts.at(-1).length + 3 <= letters) text = `${parts.pop()}/${text}`;
  return parts.length ? `…/${text}` : text;
}

function textWidth(text, most) {
  return LETTER * Math.min(text.length, most);
}

function isControlFlow(node) {
  return node.bodies.length > 0;
}

// The lines of text in the box of a node.
function boxTexts(node) {
  if (node.isFold) return [node.operation, shortName(node.name, MAX_NAME), `like ${shortName(node.like, MAX_NAME)}`];
  const texts = [node.operation, node.name === node.operation ? "" : shortName(node.name, MAX_NAME)];
  if (node.roles.length) texts.push(...node.roles);
  else if (node.operation === "Const") texts.push(node.value ?? "");
  if (node.types.length) texts.push(node.types[0] + (node.types.length > 1 ? ` and ${node.types.length - 1} more` : ""));
  if (isControlFlow(node)) texts.push(`${layersInside(node)} layers inside`);
  return texts.filter((text) => text).slice(0, MAX_TEXTS);
}

function addBox(item) {
  item.texts = boxTexts(item.node);
  item.width = 22 + Math.max(50, ...item.texts.map((text) => textWidth(text, MAX_LETTERS)));
  item.height = 8 + 15 * item.texts.length;
}

// The text at an input: its number, and the name of the tensor; the role and constant value of one that is not for a body.
function inputLabel(node, index) {
  const role = ownRole(node, index);
  const source = node.inputs[index]?.node;
  if (!role) return `${index} ${shortName(source ? tensorName(source, node.inputs[index].output) : "", 18)}`.trim();
  return `${index} ${role}${source?.value !== undefined && source.value.length < 12 ? ` = ${source.value}` : ""}`;
}

function outputLabel(node, index) {
  const [name] = node.tensors.filter(([output]) => output === index).map(([, text]) => text);
  return `${index} ${shortName(name ?? "", 18)}`.trim();
}

// Ports along the upper or lower border of an open node, near the Parameters or Results that they belong to. `first`: the place of ports
// without them.
function placePorts(labels, wanted, first) {
  const places = labels.map(() => []);
  for (const [port, x] of wanted) places[port]?.push(x);
  let last = first;
  const targets = places.map((list) => (last = list.length ? list.reduce((a, b) => a + b) / list.length : last));
  const widths = labels.map((label) => textWidth(label, 30));  // to the right of the port
  return placeInOrder(widths, targets.map((x, i) => x + widths[i] / 2), PORT_GAP).map((x, i) => x - widths[i] / 2);
}

// An open node: title, ports, bodies side by side.
function addFrames(item, options) {
  let x = FRAME;
  item.frames = item.node.bodies.map((body) => {
    const layout = layoutOf(body.graph, options);
    const lanes = Math.min(body.backEdges.length, MAX_LANES);
    const title = `${body.name}: ${body.graph.nodes.length} layers`;
    const frame = {
      body, layout, x, y: HEADER + PORT_SPACE, title,
      width: Math.max(layout.width, textWidth(title, 60)) + 2 * FRAME + (lanes ? (lanes + 1) * LANE : 0),
      height: layout.height + TITLE + 2 * FRAME + (lanes ? 2 * LANE : 0),
    };
    frame.insideX = frame.x + FRAME;
    frame.insideY = frame.y + TITLE + FRAME + (lanes ? LANE : 0);
    x += frame.width + FRAME;
    return frame;
  });
  item.title = `${item.node.operation} ${item.node.name}`;
  item.width = Math.max(x, textWidth(item.title, 80) + 60);
  item.height = HEADER + 2 * PORT_SPACE + Math.max(...item.frames.map((frame) => frame.height)) + FRAME;
  const inputs = [];
  const outputs = [];
  for (const frame of item.frames) {
    const center = (node) => frame.insideX + (frame.layout.items.get(node)?.x ?? 0);
    for (const port of frame.body.inputs) inputs.push([port.input, center(port.parameter)]);
    for (const port of frame.body.outputs) outputs.push([port.output, center(port.result)]);
  }
  item.inputLabels = item.node.inputs.map((_, i) => inputLabel(item.node, i));
  item.inputX = placePorts(item.inputLabels, inputs, FRAME);
  item.outputLabels = item.node.types.map((_, i) => outputLabel(item.node, i));
  item.outputX = placePorts(item.outputLabels, outputs, item.width / 2);
  const ports = [...item.inputX, ...item.outputX];  // may need more width than the bodies
  const left = ports.reduce((x, port) => Math.min(x, port), FRAME) - FRAME;
  const right = ports.reduce((x, port) => Math.max(x, port), item.width - FRAME) + FRAME;
  item.inputX = item.inputX.map((port) => port - left);
  item.outputX = item.outputX.map((port) => port - left);
  for (const frame of item.frames) {
    frame.x -= left;
    frame.insideX -= left;
  }
  item.width = right - left;
}

// The x of a port relative to the center of the item. Lines of closed boxes end in the middle of the box, or, if there are several, on the
// side that they come from (fanOut).
function inputShift(item, input) {
  return item.inputX ? item.inputX[input] - item.width / 2 : 0;
}

function outputShift(item, output) {
  return item.outputX ? item.outputX[output] - item.width / 2 : 0;
}

const FAN = 0.12;

function fanOut(item) {
  if (!item.node || item.frames) return;
  const most = item.width / 2 - 12;
  const fan = (distance) => Math.max(-most, Math.min(most, FAN * distance));
  if (item.above.length > 1) {
    for (const line of item.above) line.toShift = Math.abs(line.from.x - item.x) < 2 ? 0 : fan(line.from.x - item.x);
  }
  if (item.below.length > 1) {
    for (const line of item.below) line.fromShift = Math.abs(line.to.x - item.x) < 2 ? 0 : fan(line.to.x - item.x);
  }
}

// Rows of nodes: below all inputs; nodes without inputs directly above their first user. In a body, only the Parameters are in the first
// row, and only the Results in the last one.
function assignRows(graph, list, items) {
  const first = isBody(graph) ? 1 : 0;
  let last = 0;
  for (const item of list) {
    item.row = item.node.operation === "Parameter" ? 0 : first;
    for (const input of item.node.inputs) {
      const source = items.get(input.node);
      if (!source || source === item) continue;
      item.row = Math.max(item.row, source.row + 1);
      item.hasSource = true;
    }
    if (item.node.operation !== "Result") last = Math.max(last, item.row);
  }
  for (const item of list) {
    const {operation, users} = item.node;
    if (isBody(graph) && operation === "Result") item.row = last + 1;
    if (item.hasSource || operation === "Result" || (isBody(graph) && operation === "Parameter")) continue;
    const row = users.reduce((least, use) => Math.min(least, items.get(use.node)?.row ?? Infinity), Infinity);
    if (row !== Infinity) item.row = Math.max(first, row - 1);
  }
}

// Lines between adjacent rows. A line over several rows is led through points, which all lines of an output share.
function addLines(list, items, rows) {
  let points = 4 * list.length + 1000;
  const connect = (from, fromShift, to, toShift, ends) => {
    const line = {from, fromShift, to, toShift, isData: /^b?f/.test(ends.source.types[ends.output] ?? ""), ...ends};
    from.below.push(line);
    to.above.push(line);
    rows[from.row].lines.push(line);
  };
  for (const item of list) {
    const chains = new Map();  // by output: the item or point in each row below
    const uses = item.node.users.map((use) => ({source: item.node, ...use, item: items.get(use.node)})).filter((use) => use.item);
    uses.sort((a, b) => a.item.row - b.item.row);
    for (const use of uses) {
      const span = use.item.row - item.row;
      if (span < 1) continue;
      const key = `${use.source.id}.${use.output}`;
      if (!chains.has(key)) chains.set(key, {items: [item], folds: new Set()});
      const {items: chain, folds} = chains.get(key);
      if (use.item.node.isFold) {
        if (folds.has(use.item)) continue;
        folds.add(use.item);
      }
      const needed = span - chain.length;
      const source = {source: use.source, output: use.output};
      if (span > MAX_SPAN || needed > points) {
        use.item.cuts.push({input: use.input, source: use.source});
        item.isCut = true;
        continue;
      }
      while (chain.length < span) {
        const point = {node: null, row: item.row + chain.length, x: chain.at(-1).x, width: 2, height: 0, above: [], below: []};
        rows[point.row].items.push(point);
        connect(chain.at(-1), outputShift(chain.at(-1), use.output), point, 0, source);
        chain.push(point);
        --points;
      }
      const before = chain[span - 1];
      connect(before, outputShift(before, use.output), use.item, inputShift(use.item, use.input),
              {...source, target: use.item.node.isFold ? use.item.node : use.node, input: use.input});
    }
  }
}

// Parameters and Results of a body in the order of the ports of its owner, so that the lines to the ports do not cross.
function sortPorts(graph, rows) {
  if (!isBody(graph)) return;
  const body = graph.owner.bodies.find((one) => one.graph === graph);
  const order = new Map([[body.iteration, -1], [body.condition, -1]]);
  for (const port of body.inputs) order.set(port.parameter, port.input);
  for (const edge of body.backEdges) order.set(edge.result, body.outputs.length);
  for (const port of body.outputs) order.set(port.result, port.output);
  const key = (item) => order.get(item.node) ?? Infinity;
  for (const row of new Set([rows[0], rows.at(-1)])) {
    row.items.sort((a, b) => (key(a) === key(b) ? 0 : key(a) - key(b)));
    row.isFixed = row.items.every((item) => order.has(item.node));
  }
}

// Boxes for what the page shows of a graph: `items` has them by node, also for the nodes of a fold.
function makeItems(graph, options) {
  const items = new Map();
  const list = [];
  for (const node of shownNodes(graph, options.folds)) {
    if (node.operation === "Const" && !options.showsConstants && node.users.length && !node.change) continue;
    const item = {node, x: 0, above: [], below: [], cuts: []};
    if (node.isOpen && isControlFlow(node)) addFrames(item, options);
    else addBox(item);
    list.push(item);
    items.set(node, item);
    if (node.isFold) for (const member of node.members) items.set(member, item);
  }
  return {items, list};
}

// `options`: {showsConstants, folds}.
function makeLayout(graph, options) {
  const {items, list} = makeItems(graph, options);
  assignRows(graph, list, items);
  const rows = [];
  for (const item of list) {
    while (rows.length <= item.row) rows.push({items: [], lines: [], isFixed: false});
    rows[item.row].items.push(item);
  }
  for (const row of rows) row.items.forEach((item, i) => { item.x = 120 * i; });
  addLines(list, items, rows);
  if (rows.length) sortPorts(graph, rows);
  placeRows(rows);
  list.forEach(fanOut);
  let y = 0;
  let left = Infinity;
  let right = -Infinity;
  for (const row of rows) {
    row.y = y;
    row.height = row.items.reduce((height, item) => Math.max(height, item.height), 0);
    y += row.height + ROW_GAP + Math.min(40, Math.max(0, row.lines.length - 2));
    if (!row.items.length) continue;
    left = Math.min(left, row.items[0].x - row.items[0].width / 2);
    right = Math.max(right, row.items.at(-1).x + row.items.at(-1).width / 2);
  }
  for (const row of rows) {
    row.bottom = row.y + row.height;
    for (const item of row.items) {
      item.x -= left;
      item.y = row.y;
      if (!item.node) item.height = row.height;
    }
  }
  const layout = {graph, rows, items, options, width: Math.max(0, right - left), height: rows.length ? rows.at(-1).bottom : 0};
  setColumns(layout, 1);
  return layout;
}

const COLUMN_GAP = 60;

// Shows the rows in columns side by side. layout.columns: {first, end (rows), dx, dy (of their items)}.
function setColumns(layout, count) {
  const {rows} = layout;
  layout.columns = [];
  for (let first = 0; first < rows.length;) {
    const limit = (layout.columns.length + 1) * layout.height / count;
    let end = first + 1;
    while (end < rows.length && (rows[end].bottom <= limit || layout.columns.length === count - 1)) ++end;
    layout.columns.push({first, end, dx: layout.columns.length * (layout.width + COLUMN_GAP), dy: -rows[first].y});
    first = end;
  }
  layout.shownWidth = layout.columns.length * (layout.width + COLUMN_GAP) - COLUMN_GAP;
  layout.shownHeight = layout.columns.reduce((most, {end, dy}) => Math.max(most, rows[end - 1].bottom + dy), 0);
}

// The number of columns for which a graph fills a window best.
function bestColumns(layout, width, height) {
  const count = Math.round(Math.sqrt(layout.height * width / (height * (layout.width + COLUMN_GAP))));
  return Math.max(1, Math.min(count, Math.floor(layout.rows.length / 8)));
}

function columnOf(layout, row) {
  return layout.columns[firstIndex(layout.columns, (column) => column.end > row)];
}

// The layout of a graph. It is kept until forgetLayout().
function layoutOf(graph, options) {
  const old = graph.layout?.options;
  if (old?.showsConstants !== options.showsConstants || old.folds !== options.folds) graph.layout = makeLayout(graph, options);
  return graph.layout;
}

// Forgets the layouts that depend on whether `node` is open.
function forgetLayout(node) {
  for (let owner = node; owner; owner = owner.graph.owner) owner.graph.layout = null;
}

// The position of a node in the page: {x, y, width, height}. All nodes around it must be open. Null for hidden constants.
function positionOf(node, options) {
  const layout = layoutOf(node.graph, options);
  const item = layout.items.get(node);
  if (!item) return null;
  const {dx, dy} = columnOf(layout, item.row);
  const place = {x: item.x - item.width / 2 + dx, y: item.y + dy, width: item.width, height: item.height};
  if (node.graph.owner) {
    const outer = positionOf(node.graph.owner, options);
    if (!outer) return null;
    const frame = layoutOf(node.graph.owner.graph, options).items.get(node.graph.owner).frames?.find((one) => one.body.graph === node.graph);
    if (!frame) return null;
    place.x += outer.x + frame.insideX;
    place.y += outer.y + frame.insideY;
  }
  return place;
}
