// The chart of the side panel: what a model consists of, before and after the conversion, and what one inference costs.

const MAX_BARS = 12;
const BAR_WIDTH = 110;

// "1,204" below a million, otherwise "4.09 G".
function countText(count) {
  if (count < 1e6) return count.toLocaleString("en");
  const units = ["M", "G", "T", "P", "E"];
  const unit = Math.min(units.length - 1, Math.floor(Math.log10(count) / 3) - 2);
  return `${Number((count / 1000 ** (unit + 2)).toPrecision(3))} ${units[unit]}`;
}

function bytesText(bytes) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const unit = bytes ? Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10)) : 0;
  return `${Number((bytes / 1024 ** unit).toFixed(unit ? 1 : 0))} ${units[unit]}`;
}

function familyOfType(type) {
  return familyOf({operation: type, bodies: type === "Loop" || type === "If" ? [{}] : []});
}

// Rows of [name, value, text, family]: the largest, and one for the rest.
function barChart(parent, heading, rows, textOf) {
  const sorted = rows.filter(([, value]) => value > 0).sort((a, b) => b[1] - a[1]);
  if (!sorted.length) return;
  const shown = sorted.slice(0, sorted.length === MAX_BARS + 1 ? undefined : MAX_BARS);
  const rest = sorted.slice(shown.length);
  if (rest.length) {
    const value = rest.reduce((sum, row) => sum + row[1], 0);
    shown.push([`${rest.length} others`, value, textOf(value), "element"]);
  }
  const largest = Math.max(...shown.map((row) => row[1]));
  element("h3", parent, heading);
  const body = element("tbody", element("table", parent, undefined, "bars"));
  for (const [name, value, text, family] of shown) {
    const line = element("tr", body);
    element("td", line, name);
    const bar = shape("svg", {width: BAR_WIDTH, height: 12, class: `bar node ${family}`, role: "img", "aria-label": text}, element("td", line));
    shape("rect", {x: 0.5, y: 0.5, width: Math.max(1, (BAR_WIDTH - 1) * value / largest), height: 11, rx: 2}, bar);
    element("td", line, text);
  }
}

function describeStatistics(statistics, panel) {
  const {onnx, ir, costs, missing_sizes: missing} = statistics;
  const rows = [];
  const beside = (what, name, textOf) => rows.push([what, onnx ? textOf(onnx[name]) : "", textOf(ir[name])]);
  if (onnx) rows.push(["", "ONNX", "IR"]);
  beside("operators, layers", "operator_count", countText);
  beside("parameters", "parameters", countText);
  beside("weights", "weight_bytes", bytesText);
  table(panel, onnx ? "Before and after the conversion" : "Counts", onnx ? rows : rows.map(([what, , after]) => [what, after]));
  const inference = [["FLOPs", countText(costs.flops)], ["multiply-adds", countText(costs.multiply_adds)]];
  if (costs.peak_bytes !== null) inference.push(["activations", `at most ${bytesText(costs.peak_bytes)}, at ${costs.peak_layer}`]);
  if (costs.without_sizes) inference.push(["not counted", `${countText(costs.without_sizes)} layers of dynamic sizes`]);
  if (costs.open_loops) inference.push(["loops", `${countText(costs.open_loops)} count as one iteration`]);
  if (missing.length) inference.push(["sizes to give", `onnx2ir stats MODEL --html FILE.html --dim ${missing.map((name) => `${name}=N`).join(",")}`]);
  table(panel, "One inference", inference);
  const share = (flops) => `${countText(flops)}, ${(100 * flops / Math.max(1, costs.flops)).toFixed(1)} %`;
  barChart(panel, "FLOPs by type of layer", ir.operators.map((row) => [row.type, row.flops, share(row.flops), familyOfType(row.type)]), share);
  barChart(panel, "Layers by type", ir.operators.map((row) => [row.type, row.count, countText(row.count), familyOfType(row.type)]), countText);
  if (onnx) barChart(panel, "ONNX operators by type", onnx.operators.map((row) => [row.type, row.count, countText(row.count), familyOfType(row.type)]), countText);
  barChart(panel, "Weights by type", ir.weights.map((row) => [row.element_type, row.bytes, bytesText(row.bytes), "constant"]), bytesText);
}
