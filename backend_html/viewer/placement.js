// Positions of items in the rows of a graph.

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
  let sum = 0;
  let count = 0;
  if (above) {
    for (const line of item.above) sum += line.from.x + line.fromShift - line.toShift;
    count += item.above.length;
  }
  if (below) {
    for (const line of item.below) sum += line.to.x + line.toShift - line.fromShift;
    count += item.below.length;
  }
  return count ? sum / count : item.x;
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
}
