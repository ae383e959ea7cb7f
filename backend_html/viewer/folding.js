// Repeated blocks: layers whose names have a number as a part of the path ("layers.3/attention/MatMul"). If at least three blocks in a row
// have the same operations, all but the first are shown as one box, which can be opened.

const LEAST_BLOCKS = 3;
const MAX_FOLDS = 32;  // in a graph: each is checked with one walk over the graph
const BLOCK_NAME = /^(.*?\w[./_])(\d+)([./].*)$/s;

// [prefix, number] of the block that a name belongs to; null without one.
function blockOfName(name) {
  const parts = BLOCK_NAME.exec(name);
  return parts && [parts[1], Number(parts[2])];
}

// The blocks of all nodes as "number prefix", by node. Nodes without a name of their own, such as "Reshape_3", belong to the block that all
// their inputs, or all their users, belong to.
function blocksOf(graph) {
  const blocks = new Map();
  for (const node of graph.nodes) {
    const block = node.operation === "Parameter" || node.operation === "Result" ? null : blockOfName(node.name);
    if (block) blocks.set(node, `${block[1]} ${block[0]}`);
  }
  const adopt = (node, neighbours) => {
    if (blocks.has(node) || !node.name.startsWith(node.operation) || node.operation === "Parameter" || node.operation === "Result") return;
    const found = new Set(neighbours.map((one) => blocks.get(one)));
    if (found.size === 1 && !found.has(undefined)) blocks.set(node, [...found][0]);
  };
  for (const node of graph.nodes) adopt(node, node.inputs.map((input) => input.node).filter((one) => one && one.operation !== "Const"));
  for (let i = graph.nodes.length; i-- > 0;) adopt(graph.nodes[i], graph.nodes[i].users.map((use) => use.node));
  return blocks;
}

// Runs of consecutive blocks with the same operations: [{prefix, blocks: [[node]]}], in the order of the graph.
function repeatedBlocks(graph) {
  const members = new Map();  // by block
  for (const [node, block] of blocksOf(graph)) {
    if (!members.has(block)) members.set(block, []);
    members.get(block).push(node);
  }
  const families = new Map();  // by prefix: [number, nodes, operations]
  for (const [block, nodes] of members) {
    const space = block.indexOf(" ");
    const prefix = block.slice(space + 1);
    if (!families.has(prefix)) families.set(prefix, []);
    const operations = nodes.filter((node) => node.operation !== "Const").map((node) => node.operation).sort().join(" ");
    families.get(prefix).push([Number(block.slice(0, space)), nodes, operations]);
  }
  const runs = [];
  for (const [prefix, list] of families) {
    list.sort((a, b) => a[0] - b[0]);
    for (let start = 0; start < list.length;) {
      let end = start + 1;
      while (end < list.length && list[end][2] === list[start][2] && list[end][0] === list[end - 1][0] + 1) ++end;
      if (end - start >= LEAST_BLOCKS) runs.push({prefix, first: list[start][0], blocks: list.slice(start, end).map(([, nodes]) => nodes)});
      start = end;
    }
  }
  return runs.sort((a, b) => b.blocks.length * b.blocks[0].length - a.blocks.length * a.blocks[0].length).slice(0, MAX_FOLDS);
}

// A box for all blocks of a run but the first, in the form of a node.
function foldNode(graph, run, number) {
  const nodes = run.blocks.slice(1).flat();
  const last = run.first + run.blocks.length - 1;
  const fold = {
    isFold: true, isUnfolded: false, graph, id: `fold${number}`, operation: `layer × ${run.blocks.length - 1}`, name: `${run.prefix}${run.first + 1} … ${last}`,
    members: new Set(nodes), like: `${run.prefix}${run.first}`, users: [], inputs: [], types: [], roles: [], bodies: [], tensors: [], attributes: [], isOpen: false,
  };
  for (const node of nodes) {
    for (const input of node.inputs) if (input.node && !fold.members.has(input.node) && input.node.operation !== "Const") fold.inputs.push(input);
    for (const use of node.users) if (!fold.members.has(use.node)) fold.users.push(use);
  }
  return fold;
}

// The folds of a graph. Computed once.
function foldsOf(graph) {
  graph.folds ??= graph.nodes.length < 40 ? [] : repeatedBlocks(graph).map((run, number) => foldNode(graph, run, number));
  return graph.folds;
}

// The nodes of a graph in topological order, with the folds that are closed instead of their members. Null if a path leaves a fold and
// comes back: it cannot be one box.
function orderWith(graph, folds) {
  const owner = new Map();
  for (const fold of folds) for (const node of fold.members) owner.set(node, fold);
  const shown = [...new Set(graph.nodes.map((node) => owner.get(node) ?? node))];
  const waiting = new Map(shown.map((node) => [node, 0]));
  const count = (node, change) => {
    waiting.set(node, waiting.get(node) + change);
    return waiting.get(node) === 0;
  };
  for (const node of shown) for (const use of node.users) count(owner.get(use.node) ?? use.node, 1);
  const order = shown.filter((node) => waiting.get(node) === 0);
  for (let i = 0; i < order.length; ++i) {
    for (const use of order[i].users) {
      const user = owner.get(use.node) ?? use.node;
      if (count(user, -1)) order.push(user);
    }
  }
  return order.length === shown.length ? order : null;
}

// What the page shows of a graph. Folds that would make a cycle are left open for good.
function shownNodes(graph, folds) {
  if (!folds) return graph.nodes;
  const closed = [];
  for (const fold of foldsOf(graph)) {
    if (fold.isUnfolded || fold.isImpossible) continue;
    fold.isImpossible = !fold.isChecked && orderWith(graph, [...closed, fold]) === null;
    fold.isChecked = true;
    if (!fold.isImpossible) closed.push(fold);
  }
  if (!closed.length) return graph.nodes;
  return orderWith(graph, closed) ?? graph.nodes;
}

// The closed fold that hides a node; null without one.
function foldAround(node) {
  return (node.graph.folds ?? []).find((fold) => !fold.isUnfolded && !fold.isImpossible && fold.members.has(node)) ?? null;
}
