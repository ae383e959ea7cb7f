// Positions of items in the rows of a graph: first their order, then straight lines.

// Centers for items in their order, without overlaps, as near as possible to the wanted ones (least squares).
// widths and wanted are lists; the result is a list. Linear: pools of adjacent items that touch each other.
function placeInOrder(widths, wanted, gap) {
  const offsets = [];
  const pools = [];  // {sum, count}: the shift of the items of the pool is sum / count
  let offset = 0;
  for (let i = 0; i < widths.length; ++i) {
    if (i > 0) offset += (widths[i - 1] + widths[i]) / 2 + gap;
    offsets.push(offset);
    let pool = {sum: wanted[i] - offset, count: 1};
    while (pools.length && pools.at(-1).sum / pools.at(-1).count >= pool.sum / pool.count) {
      const before = pools.pop();
      pool = {sum: before.sum + pool.sum, count: before.count + pool.count};
    }
    pools.push(pool);
  }
  const centers = [];
  for (const pool of pools) {
    for (let i = 0; i < pool.count; ++i) centers.push(offsets[centers.length] + pool.sum / pool.count);
  }
  return centers;
}

const ITEM_GAP = 18;

// The mean position that the lines of an item ask for; its own position without lines.
function wantedCenter(item, above, below) {
  const wanted = [];
  if (above) for (const line of item.above) wanted.push(line.from.x + line.fromShift - line.toShift);
  if (below) for (const line of item.below) wanted.push(line.to.x + line.toShift - line.fromShift);
  return wanted.length ? wanted.reduce((sum, x) => sum + x) / wanted.length : item.x;
}

function placeRow(row, {above = false, below = false, sorts = false}) {
  for (const item of row.items) item.wanted = wantedCenter(item, above, below);
  if (sorts && !row.isFixed) row.items.sort((a, b) => a.wanted - b.wanted);
  const centers = placeInOrder(row.items.map((item) => item.width), row.items.map((item) => item.wanted), ITEM_GAP);
  row.items.forEach((item, i) => { item.x = centers[i]; });
}

// Orders and places the items of all rows: downwards, upwards, and downwards again with both neighbours.
function placeRows(rows) {
  for (const row of rows) placeRow(row, {above: true, sorts: true});
  for (const row of [...rows].reverse()) placeRow(row, {below: true, sorts: true});
  for (const row of rows) placeRow(row, {above: true, sorts: true});
  for (const row of [...rows].reverse()) placeRow(row, {above: true, below: true});
  for (const row of rows) placeRow(row, {above: true, below: true});
  straighten(rows);
}

// The line that continues an item in a direction: towards the data of the longest path, past sizes and indices.
function mainLine(lines, lengthOf) {
  let best = null;
  let most = -1;
  for (const line of lines) {
    const length = lengthOf(line);
    if (length > most) [best, most] = [line, length];
  }
  return best;
}

const DATA = 1e9;  // longer than all paths: floating-point values come before sizes

function hasData(node) {
  return node.isFold || /^b?f/.test(node.types[0] ?? "");
}

// Sets `main` of the lines that are a continuation in both directions: they form the spine of the graph.
function findSpine(rows) {
  for (const row of [...rows].reverse()) {
    for (const item of row.items) {
      const next = mainLine(item.below, (line) => line.to.depthBelow + (line.to.leadsToData ? DATA : 0));
      item.depthBelow = next ? next.to.depthBelow + (item.node ? 1 : 0) : 0;
      item.leadsToData = item.node ? hasData(item.node) : next?.to.leadsToData;
      item.next = next;
    }
  }
  for (const row of rows) {
    for (const item of row.items) {
      const last = mainLine(item.above, (line) => line.from.depthAbove + (line.isData ? DATA : 0));
      item.depthAbove = last ? last.from.depthAbove + (item.node ? 1 : 0) : 0;
      if (last && last.from.next === last) last.isMain = true;
    }
  }
}

// Chooses the lines between two rows that become straight. No two of them cross, and each item has at most one in each direction.
function chooseStraight(row) {
  const chosen = [];  // in order
  const rank = (line) => (line.isMain ? 0 : !line.from.node && !line.to.node ? 1 : line === line.from.next ? 2 : 3);
  const lines = row.lines.map((line) => [rank(line), line]).sort((a, b) => a[0] - b[0]);
  for (const [, line] of lines) {
    if (line.from.straightBelow || line.to.straightAbove) continue;
    const at = firstIndex(chosen, (other) => other.from.place > line.from.place);
    if (at > 0 && chosen[at - 1].to.place > line.to.place) continue;
    if (at < chosen.length && chosen[at].to.place < line.to.place) continue;
    chosen.splice(at, 0, line);
    line.from.straightBelow = line;
    line.to.straightAbove = line;
  }
}

// Items on straight lines are blocks that move as one. Returns the blocks from left to right.
function blocksOfRows(rows) {
  const blocks = [];
  for (const row of rows) row.items.forEach((item, i) => {
    const line = item.straightAbove;
    const block = line ? line.from.block : {items: [], x: 0, before: [], after: [], waiting: 0};
    item.shift = line ? line.from.shift + line.fromShift - line.toShift : 0;
    item.block = block;
    block.items.push(item);
    if (!line) blocks.push(block);
    if (i === 0) return;
    const left = row.items[i - 1];
    const distance = (left.width + item.width) / 2 + ITEM_GAP + left.shift - item.shift;
    left.block.after.push([block, distance]);
    block.before.push([left.block, distance]);
    ++block.waiting;
  });
  const order = blocks.filter((block) => block.waiting === 0);
  for (let i = 0; i < order.length; ++i) {
    for (const [block] of order[i].after) if (--block.waiting === 0) order.push(block);
  }
  return order;
}

// Where the lines of a block that are not straight ask it to be. Lines of the spine ask louder.
function wantedBlock(block) {
  let sum = 0;
  let weights = 0;
  const add = (item, line, other, shift) => {
    if (other.block === block) return;
    const weight = line.isMain || line === line.from.next ? 4 : 1;
    sum += weight * (other.block.x + other.shift + shift - item.shift);
    weights += weight;
  };
  for (const item of block.items) {
    for (const line of item.above) add(item, line, line.from, line.fromShift - line.toShift);
    for (const line of item.below) add(item, line, line.to, line.toShift - line.fromShift);
  }
  return weights ? sum / weights : block.x;
}

// Makes lines straight where it is possible. All steps are linear in the number of lines.
function straighten(rows) {
  findSpine(rows);
  for (const row of rows) row.items.forEach((item, i) => { item.place = i; });
  for (const row of rows) chooseStraight(row);
  const blocks = blocksOfRows(rows);
  for (const block of blocks) {
    block.x = block.items.reduce((sum, item) => sum + item.x - item.shift, 0) / block.items.length;
    for (const [left, distance] of block.before) block.x = Math.max(block.x, left.x + distance);
  }
  const low = (block) => block.before.reduce((x, [left, distance]) => Math.max(x, left.x + distance), -Infinity);
  const high = (block) => block.after.reduce((x, [right, distance]) => Math.min(x, right.x - distance), Infinity);
  for (let round = 0; round < 6; ++round) {
    for (const block of blocks) block.x = Math.min(high(block), Math.max(low(block), wantedBlock(block)));
    for (let i = blocks.length; i-- > 0;) blocks[i].x = Math.max(low(blocks[i]), Math.min(high(blocks[i]), wantedBlock(blocks[i])));
  }
  for (const row of rows) for (const item of row.items) item.x = item.block.x + item.shift;
}
