// Layered layout of a graph with its bodies: each node is one row below its inputs. Time and size are nearly linear in the number of
// layers: lines over more than MAX_SPAN rows are not led through the rows, but are cut.

const MAX_SPAN = 24;
const ROW_GAP = 40;
const FRAME = 14;     // between the border of a body and its rows
const TITLE = 22;     // height of the title of a body
const HEADER = 36;    // height of the port numbers and the title of an open node
const PORT_SPACE = 24;  // between them and the bodies
const PORT_GAP = 14;
const MAX_LETTERS = 50;  // in a line of a box
const LANE = 9;       // between back edges
const MAX_LANES = 40;
const LETTER = 6.4;   // mean width of a letter
const MAX_TEXTS = 8;  // lines of text in a box

function textWidth(text, most) {
  return LETTER * Math.min(text.length, most);
}

function isControlFlow(node) {
  return node.bodies.length > 0;
}

// The lines of text in the box of a node.
function boxTexts(node) {
  const texts = [node.operation, node.name === node.operation ? "" : node.name];
  if (node.roles.length) texts.push(...node.roles);
  else if (node.operation === "Const") texts.push(node.value ?? "");
  if (node.types.length) texts.push(node.types[0] + (node.types.length > 1 ? ` and ${node.types.length - 1} more` : ""));
  if (isControlFlow(node)) texts.push(`${layersInside(node)} layers inside`);
  return texts.filter((text) => text).slice(0, MAX_TEXTS);
}

function addBox(item) {
  item.texts = boxTexts(item.node);
  item.width = 18 + Math.max(50, ...item.texts.map((text) => textWidth(text, MAX_LETTERS)));
  item.height = 8 + 14 * item.texts.length;
}

// The text at a port: its number, and the role and constant value of a port that is not for a body.
function portLabel(node, index) {
  const role = ownRole(node, index);
  const value = node.inputs[index]?.node?.value;
  return `${index} ${role}${role && value !== undefined && value.length < 12 ? ` = ${value}` : ""}`.trim();
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
function addFrames(item, showsConstants) {
  let x = FRAME;
  item.frames = item.node.bodies.map((body) => {
    const layout = layoutOf(body.graph, showsConstants);
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
  item.inputLabels = item.node.inputs.map((_, i) => portLabel(item.node, i));
  item.inputX = placePorts(item.inputLabels, inputs, FRAME);
  item.outputX = placePorts(item.node.types.map((_, i) => `${i}`), outputs, item.width / 2);
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

// The x of a port relative to the center of the item.
function inputShift(item, input) {
  if (!item.node) return 0;
  if (item.inputX) return item.inputX[input] - item.width / 2;
  return item.width * 0.8 * ((input + 1) / (item.node.inputs.length + 1) - 0.5);
}

function outputShift(item, output) {
  if (!item.node) return 0;
  if (item.outputX) return item.outputX[output] - item.width / 2;
  return item.width * 0.8 * ((output + 1) / (item.node.types.length + 1) - 0.5);
}

// Rows of nodes: below all inputs; nodes without inputs directly above their first user. In a body, only the Parameters are in the first
// row, and only the Results in the last one.
function assignRows(graph, items) {
  const first = graph.owner ? 1 : 0;
  let last = 0;
  for (const item of items.values()) {
    item.row = item.node.operation === "Parameter" ? 0 : first;
    for (const input of item.node.inputs) {
      const source = items.get(input.node);
      if (!source) continue;
      item.row = Math.max(item.row, source.row + 1);
      item.hasSource = true;
    }
    if (item.node.operation !== "Result") last = Math.max(last, item.row);
  }
  for (const item of items.values()) {
    const {operation, users} = item.node;
    if (graph.owner && operation === "Result") item.row = last + 1;
    if (item.hasSource || operation === "Result" || (graph.owner && operation === "Parameter")) continue;
    const row = users.reduce((least, use) => Math.min(least, items.get(use.node)?.row ?? Infinity), Infinity);
    if (row !== Infinity) item.row = Math.max(first, row - 1);
  }
}

// Lines between adjacent rows. A line over several rows is led through points, which all lines of an output share.
function addLines(items, rows) {
  let points = 4 * items.size + 1000;
  const connect = (from, fromShift, to, toShift, ends) => {
    const line = {from, fromShift, to, toShift, ...ends};
    from.below.push(line);
    to.above.push(line);
    rows[from.row].lines.push(line);
  };
  for (const item of items.values()) {
    const chains = new Map();  // by output: the item or point in each row below
    const uses = item.node.users.map((use) => ({...use, item: items.get(use.node)})).filter((use) => use.item);
    uses.sort((a, b) => a.item.row - b.item.row);
    for (const use of uses) {
      const span = use.item.row - item.row;
      if (span < 1) continue;
      if (!chains.has(use.output)) chains.set(use.output, [item]);
      const chain = chains.get(use.output);
      const needed = span - chain.length;
      if (span > MAX_SPAN || needed > points) {
        use.item.cuts.push({input: use.input, source: item.node});
        item.isCut = true;
        continue;
      }
      while (chain.length < span) {
        const point = {node: null, row: item.row + chain.length, x: chain.at(-1).x, width: 2, height: 0, above: [], below: []};
        rows[point.row].items.push(point);
        connect(chain.at(-1), outputShift(chain.at(-1), use.output), point, 0, {source: item.node, output: use.output});
        chain.push(point);
        --points;
      }
      const before = chain[span - 1];
      connect(before, outputShift(before, use.output), use.item, inputShift(use.item, use.input),
              {source: item.node, output: use.output, target: use.node, input: use.input});
    }
  }
}

// Parameters and Results of a body in the order of the ports of its owner, so that the lines to the ports do not cross.
function sortPorts(graph, rows) {
  if (!graph.owner) return;
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

function makeLayout(graph, showsConstants) {
  const items = new Map();
  for (const node of graph.nodes) {
    if (node.operation === "Const" && !showsConstants && node.users.length) continue;
    const item = {node, x: 0, above: [], below: [], cuts: []};
    if (node.isOpen && isControlFlow(node)) addFrames(item, showsConstants);
    else addBox(item);
    items.set(node, item);
  }
  assignRows(graph, items);
  const rows = [];
  for (const item of items.values()) {
    while (rows.length <= item.row) rows.push({items: [], lines: [], isFixed: false});
    rows[item.row].items.push(item);
  }
  for (const row of rows) row.items.forEach((item, i) => { item.x = 120 * i; });
  addLines(items, rows);
  if (rows.length) sortPorts(graph, rows);
  placeRows(rows);
  let y = 0;
  let left = Infinity;
  let right = -Infinity;
  for (const row of rows) {
    row.y = y;
    row.height = row.items.reduce((height, item) => Math.max(height, item.height), 0);
    y += row.height + ROW_GAP + Math.min(40, row.lines.length);
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
  return {graph, rows, items, width: Math.max(0, right - left), height: rows.length ? rows.at(-1).bottom : 0, showsConstants};
}

// The layout of a graph. It is kept until forgetLayout().
function layoutOf(graph, showsConstants) {
  if (graph.layout?.showsConstants !== showsConstants) graph.layout = makeLayout(graph, showsConstants);
  return graph.layout;
}

// Forgets the layouts that depend on whether `node` is open.
function forgetLayout(node) {
  for (let owner = node; owner; owner = owner.graph.owner) owner.graph.layout = null;
}

// The position of a node in the page: {x, y, width, height}. All nodes around it must be open. Null for hidden constants.
function positionOf(node, showsConstants) {
  const item = layoutOf(node.graph, showsConstants).items.get(node);
  if (!item) return null;
  const place = {x: item.x - item.width / 2, y: item.y, width: item.width, height: item.height};
  if (node.graph.owner) {
    const outer = positionOf(node.graph.owner, showsConstants);
    const frame = layoutOf(node.graph.owner.graph, showsConstants).items.get(node.graph.owner).frames.find((one) => one.body.graph === node.graph);
    place.x += outer.x + frame.insideX;
    place.y += outer.y + frame.insideY;
  }
  return place;
}
