// The side panel: what is known of a node or of the model, and the results of a search. Texts are inserted as text, never as markup.

const MAX_ROWS = 200;

// Inserts a text. A browser may break its lines after the separators of a name, not inside of a word of up to 30 letters.
function insertText(parent, text) {
  const words = text.split(/(?<=[/._:,\\-])(?=[^/._:,\\-])/);
  words.flatMap((word) => word.match(/.{1,30}/gsu) ?? [word]).forEach((part, i) => {
    if (i) parent.append(document.createElement("wbr"));
    parent.append(part);
  });
}

function element(name, parent, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) insertText(made, String(text));
  if (className) made.className = className;
  parent.append(made);
  return made;
}

function link(node, parent, text = node.name) {
  const button = element("button", parent, text, "link");
  button.title = `${node.operation} ${node.name}`;
  button.addEventListener("click", () => showNode(node));
}

// A table with a heading. Each row is a list of texts, nodes, or lists of them.
function table(parent, heading, rows) {
  if (!rows.length) return;
  element("h3", parent, rows.length > MAX_ROWS ? `${heading} (the first ${MAX_ROWS} of ${rows.length})` : heading);
  const body = element("tbody", element("table", parent));
  for (const row of rows.slice(0, MAX_ROWS)) {
    const line = element("tr", body);
    for (const cell of row) {
      const place = element("td", line);
      for (const part of [cell].flat()) {
        if (part !== null && typeof part === "object") link(part, place);
        else element("span", place, String(part));
      }
    }
  }
}

function tensorNames(node, output) {
  return node.tensors.filter(([index]) => index === output).map(([, name]) => name).join(", ");
}

function inputRows(node) {
  return node.inputs.map((input, index) => [
    index, inputRole(node, index), input.node ?? "absent", input.node?.types[input.output] ?? "", input.node ? tensorNames(input.node, input.output) : "",
    input.node?.value ?? "",
  ]);
}

function outputRows(node) {
  return node.types.map((type, index) => {
    const users = node.users.filter((use) => use.output === index).slice(0, MAX_ROWS).map((use) => use.node);
    return [index, outputRole(node, index), type, tensorNames(node, index), users];
  });
}

function bodyTables(parent, body) {
  const sides = [
    ...body.inputs.map((port) => [`input ${port.input}`, "→", port.parameter ?? "", port.text]),
    ...(body.iteration ? [["", "→", body.iteration, "iteration number"]] : []),
    ...body.outputs.map((port) => [`output ${port.output}`, "←", port.result ?? "", port.text]),
    ...(body.condition ? [["", "←", body.condition, "body condition"]] : []),
  ];
  table(parent, `${body.name}: port map`, sides);
  table(parent, `${body.name}: back edges`, body.backEdges.map((edge) => [edge.result ?? "", "→", edge.parameter ?? ""]));
}

// Which ONNX node, pass or fault made a layer.
function whyHere(node, panel) {
  const emitter = model.emitters[node.emitter];
  const [operator, name] = node.onnx ?? [];
  const rows = [];
  if (operator) rows.push(["ONNX node", `${operator} ${name ?? node.name}`]);
  if (emitter) rows.push(["made by", emitter.name]);
  if (emitter?.summary) rows.push(["which", emitter.summary]);
  for (const [fault, summary] of emitter?.faults ?? []) rows.push(["fault", `${fault}: ${summary}`]);
  table(panel, "Why is this here?", rows);
}

function describeFold(fold, panel) {
  panel.replaceChildren();
  element("h2", panel, fold.operation);
  element("p", panel, fold.name, "name");
  element("p", panel, `${fold.members.size} layers with the same operations as ${fold.like}`);
  const button = element("button", panel, "show these layers");
  button.addEventListener("click", () => toggleNode(fold));
  table(panel, "Inputs", fold.inputs.slice(0, MAX_ROWS).map((input) => [input.node, input.node.types[input.output] ?? ""]));
}

function describeNode(node, panel) {
  panel.replaceChildren();
  element("h2", panel, node.operation);
  element("p", panel, node.name, "name");
  const path = element("p", panel, "in ", "path");
  for (const owner of ownersOf(node)) {
    link(owner, path);
    element("span", path, " / ");
  }
  element("span", path, node.graph.name);
  if (isControlFlow(node)) {
    const button = element("button", panel, node.isOpen ? "hide bodies" : "show bodies");
    button.addEventListener("click", () => toggleNode(node));
  }
  table(panel, node.change ? `Difference: ${node.change}` : "", (node.differences ?? []).filter(([, before, after]) => before || after).map(([what, before, after]) => [what, before, "→", after]));
  if (node.change && node.change !== "changed") element("p", panel, `Only the ${node.change === "added" ? "new" : "old"} model has this layer.`);
  const [largest, relative, problem, note] = node.error ?? [];
  table(panel, node === model.firstDifference ? "The first difference from onnxruntime" : "Difference from onnxruntime", node.error ? [["largest", largest], ["relative", relative], ...(problem ? [["problem", problem]] : []), ...(note ? [["note", note]] : [])] : []);
  whyHere(node, panel);
  table(panel, "Role", node.roles.map((role) => [role]));
  table(panel, "Attributes", node.attributes);
  if (node.value !== undefined) table(panel, "Value", [[node.value]]);
  if (node.decompression) table(panel, "Note", [["decompresses a constant"]]);
  table(panel, "Inputs", inputRows(node));
  table(panel, "Outputs", outputRows(node));
  for (const body of node.bodies) bodyTables(panel, body);
}

// A box in the colours of a class, and what they mean.
function colourSample(parent, className, text) {
  const line = element("p", parent);
  const sample = shape("svg", {width: 40, height: 14, class: `sample node ${className}`}, line);
  shape("rect", {x: 1, y: 1, width: 36, height: 12, rx: 3}, sample);
  element("span", line, ` ${text}`);
}

// The colours of errors, and the first layer that differs.
function describeErrors(panel) {
  table(panel, "First difference from onnxruntime", [[model.firstDifference ?? "none"]]);
  element("h3", panel, "Errors");
  for (let level = 0; level <= HEAT_LIMITS.length; ++level) {
    colourSample(panel, `heat${level}`, heatText(level));
  }
  if (!model.graphs.some((graph) => graph.nodes.some((node) => heatOf(node) === "nan"))) return;
  colourSample(panel, "nan", `${ALL_NAN}: the comparison shows nothing`);
}

// "old" or "new": the model of a comparison that a node belongs to.
function sideOf(node) {
  const [, inner] = [...ownersOf(node), node];
  return inner?.graph.name ?? "";
}

function describeModel(model, panel) {
  panel.replaceChildren();
  const main = comparison(model).length ? comparison(model)[0].bodies[1].graph : model.graphs[0];
  const ends = (operation) => main.nodes.filter((node) => node.operation === operation);
  const layers = model.graphs.reduce((sum, graph) => sum + graph.nodes.length, 0);
  element("h2", panel, model.name);
  element("p", panel, `${layers} layers` + (model.graphs.length > 1 ? `, ${main.nodes.length} of them in the main graph` : ""));
  table(panel, "Inputs", ends("Parameter").map((node) => [node, node.types[0]]));
  table(panel, "Outputs", ends("Result").map((node) => [node, node.inputs[0]?.node?.types[node.inputs[0].output] ?? ""]));
  table(panel, "Options of the runtime", model.options);
  table(panel, "Conversion", model.provenance);
  if (comparison(model).length) {
    const changed = model.graphs.flatMap((graph) => graph.nodes.filter((node) => node.change));
    table(panel, "Differences", changed.map((node) => [sideOf(node), node, node.change, node.differences[0][0]]));
    if (!changed.length) element("p", panel, "No layer differs.");
  }
  if (model.hasErrors) describeErrors(panel);
  if (model.statistics) describeStatistics(model.statistics, panel);
  element("h3", panel, "Colours");
  const families = new Set(model.graphs.flatMap((graph) => graph.nodes.map(familyOf)));
  if (model.graphs.some((graph) => graph.folds?.length)) families.add("fold");
  for (const family of Object.keys(FAMILY_TEXTS).filter((one) => families.has(one))) {
    colourSample(panel, family, FAMILY_TEXTS[family]);
  }
  element("h3", panel, "Lines");
  for (const [kind, text] of [["edge", "value"], ["port-map", "port map: a port of a Loop or If and its body"], ["back-edge", "back edge: the next value of a state"], ["cut", "value from far above"]]) {
    const line = element("p", panel);
    const sample = shape("svg", {width: 40, height: 10, class: "sample"}, line);
    shape("path", {class: kind, d: "M0 5H38", "marker-end": "url(#arrow)"}, sample);
    element("span", line, ` ${text}`);
  }
}

// The nodes whose name, operation or tensor has the text, those with equal names first.
function findNodes(model, text) {
  const wanted = text.toLowerCase();
  const has = (one) => one.toLowerCase().includes(wanted);
  const found = model.graphs.flatMap((graph) => graph.nodes.filter((node) => has(node.name) || has(node.operation) || node.tensors.some(([, name]) => has(name))));
  const equal = found.filter((node) => node.name.toLowerCase() === wanted);
  return equal.length ? [...equal, ...found.filter((node) => !equal.includes(node))] : found;
}

function listFound(found, panel) {
  panel.replaceChildren();
  panel.hidden = false;
  element("h3", panel, found.length === 1 ? "1 layer" : `${found.length} layers` + (found.length > MAX_ROWS ? `, the first ${MAX_ROWS}:` : ""));
  for (const node of found.slice(0, MAX_ROWS)) {
    const line = element("p", panel);
    link(node, line);
    element("span", line, ` ${node.operation}` + (node.graph.owner ? `, ${[...ownersOf(node).map((owner) => owner.name), node.graph.name].join(" / ")}` : ""), "path");
  }
}
