// The model of the page. The JSON that page.cpp writes has the form
//   {"name", "options": [[name, value]], "provenance": [[name, value]], "emitters": [EMITTER], "operations": [text], "types": [text], "graphs": [[NODE]],
//    "statistics": the JSON of onnx2ir stats, or null}
//   NODE: [operation, name, [node, output, node, output, ...] (inputs), [type] (outputs), PROPERTIES]
//   EMITTER: {"name", "summary", "faults": [[name, summary]]}
//   PROPERTIES: {"attributes": [[name, value]], "tensors": [[output, name]], "value", "decompression", "emitter" (an index),
//                "onnx": [operator, name of the ONNX node unless it is that of the layer], "bodies": [BODY],
//                "change": "added", "removed" or "changed", "differences": [[what, before, after]] (of a comparison),
//                "error": [largest difference, relative, problem, note] (of verify)}; may be absent
//   BODY: {"name", "graph", "inputs": [[input, parameter, kind, ...SLICES]], "outputs": [[result, output, kind, ...SLICES]],
//          "back_edges": [[result, parameter]], "iteration": parameter, "condition": result}
//   SLICES: axis, start, end, stride, part_size
// Operations, types and graphs are indices of the lists, nodes indices in their graph; -1: no node. Graph 0 is the main graph.

const SLICE_FIELDS = ["axis", "start", "end", "stride", "part_size"];

function sliceText(fields) {
  return SLICE_FIELDS.map((name, i) => `${name} ${fields[i]}`).join(", ");
}

function readNode(row, id, graph, data) {
  const [operation, name, inputs, types, properties] = row;
  const node = {
    graph, id, name,
    operation: data.operations[operation],
    inputs: [],  // {node, output}
    users: [],   // {node, input, output}
    types: types.map((type) => data.types[type]),
    roles: [],   // of a Parameter or Result of a body, as text
    bodies: [],
    isOpen: false,
    attributes: [], tensors: [],
    ...properties,
  };
  for (let i = 0; i < inputs.length; i += 2) node.inputs.push({node: inputs[i], output: inputs[i + 1]});
  return node;
}

function connectNodes(graph) {
  for (const node of graph.nodes) {
    node.inputs.forEach((input, index) => {
      input.node = graph.nodes[input.node] ?? null;
      if (input.node) input.node.users.push({node, input: index, output: input.output});
    });
  }
}

// Replaces the indices in a body by nodes, and writes the roles of its Parameters and Results.
function readBody(body, owner, graphs) {
  const graph = graphs[body.graph];
  Object.assign(graph, {owner, name: body.name, body});
  const at = (index) => graph.nodes[index] ?? null;
  const read = {name: body.name, graph, inputs: [], outputs: [], backEdges: [], iteration: at(body.iteration), condition: at(body.condition)};
  for (const [input, parameter, kind, ...slices] of body.inputs) {
    const ranges = slices.length ? [sliceText(slices)] : [];
    read.inputs.push({input, parameter: at(parameter), kind, text: [kind, ...ranges].join(": ")});
    at(parameter)?.roles.push(`input ${input}, ${kind}`, ...ranges);
  }
  for (const [result, output, kind, ...slices] of body.outputs) {
    const ranges = slices.length ? [sliceText(slices)] : [];
    read.outputs.push({result: at(result), output, kind, text: [kind, ...ranges].join(": ")});
    at(result)?.roles.push(`output ${output}` + (kind === "output" ? "" : `, ${kind}`), ...ranges);
  }
  for (const [result, parameter] of body.back_edges) {
    read.backEdges.push({result: at(result), parameter: at(parameter)});
    at(result)?.roles.push(`back edge to ${at(parameter)?.name}`);
  }
  read.iteration?.roles.push("iteration number");
  read.condition?.roles.push("body condition");
  return read;
}

// The name of a value: the first name of its tensor, or else that of its node.
function tensorName(node, output) {
  const found = node.tensors.find(([index]) => index === output);
  return found ? found[1] : node.name + (output ? `:${output}` : "");
}

// The number of layers in the bodies of a node, at all depths.
function layersInside(node) {
  return node.bodies.reduce((sum, body) => sum + body.graph.nodes.reduce((inner, one) => inner + 1 + layersInside(one), 0), 0);
}

function readModel(data) {
  const graphs = data.graphs.map((rows, index) => {
    const graph = {index, owner: null, name: "main"};
    graph.nodes = rows.map((row, id) => readNode(row, id, graph, data));
    connectNodes(graph);
    return graph;
  });
  for (const graph of graphs) {
    for (const node of graph.nodes) node.bodies = node.bodies.map((body) => readBody(body, node, graphs));
  }
  const firstDifference = graphs[0].nodes[data.first_difference] ?? null;
  return {firstDifference, hasErrors: data.first_difference !== undefined, name: data.name, options: data.options, provenance: data.provenance, statistics: data.statistics ?? null, emitters: data.emitters ?? [], graphs};
}

// Opens bodies from the outside to the inside until the page would show more than `budget` layers.
function openBodies(model, budget) {
  budget -= model.graphs[0].nodes.length;
  for (const node of comparison(model)) node.isOpen = true;
  const waiting = comparison(model).length ? comparison(model)[0].bodies.map((body) => body.graph) : [model.graphs[0]];
  for (const graph of waiting) {
    for (const node of graph.nodes) {
      const size = node.bodies.reduce((sum, body) => sum + body.graph.nodes.length, 0);
      if (!size || size > budget) continue;
      budget -= size;
      node.isOpen = true;
      waiting.push(...node.bodies.map((body) => body.graph));
    }
  }
}

// The node whose bodies are the models that are compared: a list of one, or empty on other pages.
function comparison(model) {
  return model.graphs[0].nodes.filter((node) => node.operation === "Comparison");
}

// Whether a graph is the body of a Loop or an If, and not a whole model.
function isBody(graph) {
  return graph.owner !== null && graph.owner.operation !== "Comparison";
}

// The nodes around a node, the outermost first.
function ownersOf(node) {
  const owners = [];
  for (let owner = node.graph.owner; owner; owner = owner.graph.owner) owners.unshift(owner);
  return owners;
}

// The role of an input that is not for a body: "trip count".
function ownRole(node, index) {
  if (node.operation === "Loop") return ["trip count", "initial condition"][index] ?? "";
  return node.operation === "If" && index === 0 ? "condition" : "";
}

// The roles of an input or output of a node with bodies: "state".
function inputRole(node, index) {
  const roles = node.bodies.flatMap((body) => body.inputs.filter((port) => port.input === index).map((port) => port.kind));
  return [...new Set([ownRole(node, index), ...roles])].filter((role) => role).join(", ");
}

function outputRole(node, index) {
  const roles = node.bodies.flatMap((body) => body.outputs.filter((port) => port.output === index).map((port) => port.kind));
  return [...new Set(roles)].join(", ");
}
