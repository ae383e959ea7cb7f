// Draws the visible part of the graph as SVG. Coordinates are relative to the corner of the view, because SVG computes in single precision.

const SVG = "http://www.w3.org/2000/svg";
const TEXT_SCALE = 0.3;   // the smallest scale at which boxes have texts
const LEAST_STEP = 1.5;   // pixels between rows that are drawn
const MAX_LINES = 4000;   // lines that are drawn at once
const CUT = 16;
const MAX_SIDE = 4000;    // browsers do not draw shapes of millions of pixels: lines with longer horizontal parts are cut

function shape(name, attributes, parent, text) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  parent.append(element);
  return element;
}

function shortened(text, letters) {
  return text.length > letters ? text.slice(0, letters - 1) + "…" : text;
}

// The index of the first element for which `isAfter` holds; the list must be sorted by it.
function firstIndex(list, isAfter) {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isAfter(list[middle])) high = middle;
    else low = middle + 1;
  }
  return low;
}

// What is known of a port: "input 2: state, tensor x, f32[batch,8]".
function portText(side, index, role, source, output) {
  const value = source ? [`tensor ${tensorName(source, output)}`, source.types[output] ?? ""] : [];
  return `${side} ${index}: ${[role, ...value].filter((text) => text).join(", ")}`;
}

// `view`: {x, y, width, height, scale} in the coordinates of the graph; `chosen`: the selected node, or null.
class Drawing {
  constructor(content, view, chosen) {
    Object.assign(this, {view, chosen, lines: 0, boxes: new Map(), distant: ""});
    this.edges = shape("g", {}, content);
    this.nodes = shape("g", {}, content);
    this.over = shape("g", {}, content);
  }

  draw(layout) {
    this.layout(layout, -this.view.x, -this.view.y, this.nodes);
    if (this.distant) shape("path", {class: "edge", d: this.distant, "stroke-width": 0.7 / this.view.scale}, this.edges);
    for (const [family, boxes] of this.boxes) shape("path", {class: `distant ${family}`, d: boxes}, this.nodes);
  }

  // Moves coordinates that are far outside of the view closer to it.
  nearX(x) {
    return Math.min(Math.max(x, -MAX_SIDE), this.view.width + MAX_SIDE);
  }

  nearY(y) {
    return Math.min(Math.max(y, -MAX_SIDE), this.view.height + MAX_SIDE);
  }

  // A curve downwards, straight down to `start` first.
  curve(x1, y1, x2, y2, start = y1) {
    const [first, bend, last] = [y1, start, y2].map((y) => this.nearY(y));
    if (Math.abs(x1 - x2) < 1) return `M${x1} ${first}L${x2} ${last}`;
    const middle = (bend + last) / 2;
    return `M${x1} ${first}V${bend}C${x1} ${middle} ${x2} ${middle} ${x2} ${last}`;
  }

  rectangle(x, y, width, height, attributes, parent) {
    const [left, top] = [this.nearX(x), this.nearY(y)];
    shape("rect", {x: left, y: top, width: this.nearX(x + width) - left, height: this.nearY(y + height) - top, ...attributes}, parent);
  }

  // The end of a line that is not drawn.
  cut(x, y, source) {
    if (x < 0 || x > this.view.width || ++this.lines > MAX_LINES) return;
    shape("path", {class: "cut", d: `M${x} ${y - CUT}v${CUT}`, "marker-end": "url(#arrow)"}, this.edges);
    shape("text", {class: "small", x, y: y - CUT - 2}, this.edges, shortened(`from ${source.name}`, 24));
  }

  // (x, y): the corner of the layout relative to the view.
  layout(layout, x, y) {
    for (const column of layout.columns) this.rows(layout, column, x + column.dx, y + column.dy);
  }

  // Rows of a column. Of rows that are closer than a pixel only some are drawn.
  rows(layout, {first: begin, end}, x, y) {
    if (x > this.view.width || x + layout.width < 0) return;
    const isDistant = this.view.scale < TEXT_SCALE;
    const visible = firstIndex(layout.rows, (row) => y + row.bottom >= 0);
    let next = -Infinity;
    for (let i = Math.max(begin, visible - 1); i < end; ++i) {
      const row = layout.rows[i];
      if (y + row.y > this.view.height) break;
      if (isDistant && row.y < next) continue;
      next = row.y + LEAST_STEP / this.view.scale;
      const from = firstIndex(row.items, (item) => x + item.x + item.width / 2 >= 0);
      for (let k = from; k < row.items.length; ++k) {
        const item = row.items[k];
        if (x + item.x - item.width / 2 > this.view.width) break;
        if (item.node) this.item(item, x, y);
      }
      const isLast = i + 1 === end && end < layout.rows.length;
      for (const line of row.lines) this.line(line, x, y, y + row.bottom, isLast);
    }
  }

  // `isLast`: the line leaves the last row of a column and goes on in the next one.
  line({from, fromShift, to, toShift, source, output, target, input}, x, y, bottom, isLast) {
    const [x1, x2] = [x + from.x + fromShift, x + to.x + toShift];
    if (Math.max(x1, x2) < 0 || Math.min(x1, x2) > this.view.width) return;
    const y1 = y + (from.node ? from.y + from.height : from.y);
    if (isLast) {
      if (++this.lines < MAX_LINES) shape("path", {class: "cut", d: `M${x1} ${y1}v${CUT}`, "marker-end": "url(#arrow)"}, this.edges);
      return;
    }
    if (this.view.scale < TEXT_SCALE) {
      if (++this.lines < MAX_LINES) this.distant += `M${x1} ${this.nearY(y1)}L${x2} ${this.nearY(y + to.y)}`;
      return;
    }
    if (Math.abs(x1 - x2) > MAX_SIDE) return this.cut(x2, y + to.y, source);
    if (++this.lines > MAX_LINES) return;
    const isLit = this.chosen && (source === this.chosen || target === this.chosen);
    const edge = shape("path", {class: isLit ? "edge lit" : "edge", d: this.curve(x1, y1, x2, y + to.y, bottom)}, this.edges);
    if (target) edge.setAttribute("marker-end", "url(#arrow)");
    const end = target ? `${target.name}, input ${input}` : "…";
    shape("title", {}, edge, `${source.name} → ${end}\ntensor ${tensorName(source, output)}, ${source.types[output] ?? ""}`);
  }

  item(item, x, y) {
    const left = x + item.x - item.width / 2;
    const top = y + item.y;
    const {node} = item;
    if (this.view.scale < TEXT_SCALE && !item.frames) {
      const family = node === this.chosen ? "chosen" : node.change ?? (heatOf(node) || familyOf(node));
      this.boxes.set(family, `${this.boxes.get(family) ?? ""}M${left} ${top}h${item.width}v${item.height}h${-item.width}z`);
      return;
    }
    const kinds = ["node", model.hasErrors ? heatOf(node) || "unknown" : familyOf(node)];
    if (node === model.firstDifference) kinds.push("first");
    if (node.change) kinds.push(node.change);
    if (item.frames) kinds.push("open");
    if (node === this.chosen) kinds.push("chosen");
    const group = shape("g", {class: kinds.join(" ").trim(), "data-node": `${node.graph.index}.${node.id}`}, item.frames ? this.edges : this.nodes);
    this.rectangle(left, top, item.width, item.height, {rx: 5}, group);
    if (item.frames) this.open(item, left, top, group);
    else this.box(item, left, top, group);
    if (item.isCut) shape("path", {class: "cut", d: `M${left + item.width / 2} ${top + item.height}v${CUT}`}, this.edges);
    item.cuts.slice(0, 20).forEach((cut, i) => {
      const shift = item.inputX ? inputShift(item, cut.input) : Math.max(-item.width / 2, item.width / 2 - 14 - 30 * i);  // beside the other lines
      this.cut(x + item.x + shift, top, cut.source);
    });
  }

  box(item, left, top, group) {
    item.texts.forEach((text, i) => {
      shape("text", {class: i ? "line" : "operation", x: left + item.width / 2, y: top + 16 + 15 * i}, group, shortened(text, MAX_LETTERS));
    });
    if (item.texts[1] !== item.node.name) shape("title", {}, group, `${item.node.operation} ${item.node.name}`);
    if (isControlFlow(item.node) || item.node.isFold) this.toggle(item.node, "▸", left, top + 16, group);
  }

  toggle(node, sign, left, y, group) {
    shape("text", {class: "toggle", x: left + 5, y, "data-toggle": `${node.graph.index}.${node.id}`}, group, sign);
  }

  open(item, left, top, group) {
    shape("text", {class: "title", x: Math.max(left, 0) + 20, y: top + HEADER - 6}, group, shortened(item.title, Math.floor(item.width / LETTER) - 4));
    this.toggle(item.node, "▾", Math.max(left, 0), top + HEADER - 6, group);
    for (const frame of item.frames) {
      const inside = {x: left + frame.insideX, y: top + frame.insideY};
      const [frameX, frameY] = [left + frame.x, top + frame.y];
      this.rectangle(frameX, frameY, frame.width, frame.height, {class: "body", rx: 3}, group);
      shape("text", {class: "title", x: Math.max(frameX, 0) + 8, y: frameY + 15}, group, frame.title);
      this.layout(frame.layout, inside.x, inside.y);
      if (this.view.scale >= TEXT_SCALE / 3) this.wiring(item, frame, left, top, inside);
    }
    this.ports(item, left, top);
  }

  // The port map and the back edges of a body.
  wiring(item, frame, left, top, inside) {
    const center = (node) => {
      const inner = frame.layout.items.get(node);
      return inner && {x: inside.x + inner.x, top: inside.y + inner.y, bottom: inside.y + inner.y + inner.height};
    };
    const {body} = frame;
    const add = (kind, x1, x2, path, text) => {
      if (Math.max(x1, x2) < 0 || Math.min(x1, x2) > this.view.width || ++this.lines > MAX_LINES) return;
      const line = shape("path", {class: kind, d: path(this.nearX(x1), this.nearX(x2)), "marker-end": "url(#arrow)"}, this.over);
      shape("title", {}, line, text);
    };
    for (const port of body.inputs) {
      const to = center(port.parameter);
      if (to) add("port-map", left + item.inputX[port.input], to.x, (from, at) => this.curve(from, top, at, to.top, top + HEADER), `input ${port.input} → ${port.parameter.name}, ${port.text}`);
    }
    for (const port of body.outputs) {
      const from = center(port.result);
      const bottom = top + item.height;
      if (from) add("port-map", from.x, left + item.outputX[port.output], (at, end) => this.curve(at, from.bottom, end, bottom), `${port.result.name} → output ${port.output}, ${port.text}`);
    }
    body.backEdges.forEach((edge, i) => {
      const [from, to] = [center(edge.result), center(edge.parameter)];
      if (!from || !to) return;
      const lane = i % MAX_LANES;
      const side = this.nearX(inside.x + frame.layout.width + LANE * (lane + 1));
      const [below, above] = [this.nearY(inside.y + frame.layout.height + 4 + lane / 4), this.nearY(inside.y - 4 - lane / 4)];
      add("back-edge", Math.min(from.x, to.x) + 8, side,
          () => `M${this.nearX(from.x + 8)} ${this.nearY(from.bottom)}V${below}H${side}V${above}H${this.nearX(to.x + 8)}V${this.nearY(to.top)}`,
          `back edge ${edge.result.name} → ${edge.parameter.name}`);
    });
  }

  ports(item, left, top) {
    const {node} = item;
    const add = (x, y, textY, label, role) => {
      if (++this.lines > MAX_LINES) return;
      const port = shape("g", {class: "port"}, this.over);
      shape("rect", {x: x - 4, y: y - 4, width: 8, height: 8}, port);
      shape("text", {x: x + 6, y: textY}, port, label);
      shape("title", {}, port, role);
    };
    item.inputX.forEach((x, i) => add(left + x, top, top + 11, item.inputLabels[i], portText("input", i, inputRole(node, i), node.inputs[i].node, node.inputs[i].output)));
    item.outputX.forEach((x, i) => add(left + x, top + item.height, top + item.height - 4, item.outputLabels[i], portText("output", i, outputRole(node, i), node, i)));
  }
}
