// A small picture of the whole graph with the visible part. A click or a drag moves there. Long graphs are compressed.

const MINIMAP = {width: 130, height: 220};
const MINIMAP_COLOURS = ["end", "control", "fold", "product", "activation", "statistics", "quantisation", "movement"];

// Draws the layout into `canvas`. Returns the scales of both axes.
function drawMinimap(canvas, layout, view, window) {
  const isWhole = view.x <= 0 && view.y <= 0 && view.x + window.width / view.scale >= layout.shownWidth && view.y + window.height / view.scale >= layout.shownHeight;
  canvas.hidden = isWhole;
  if (isWhole) return null;
  const ratio = Math.min(1, MINIMAP.width / layout.shownWidth, MINIMAP.height / layout.shownHeight);
  const width = Math.max(36, Math.min(MINIMAP.width, layout.shownWidth * ratio * 4));
  const height = Math.max(36, Math.min(MINIMAP.height, layout.shownHeight * ratio * 4));
  canvas.width = width;
  canvas.height = height;
  const [scaleX, scaleY] = [width / Math.max(1, layout.shownWidth), height / Math.max(1, layout.shownHeight)];
  const pen = canvas.getContext("2d");
  const colour = (name) => {  // of the style sheet, for the chosen theme
    canvas.style.color = `var(--${name})`;
    return getComputedStyle(canvas).color;
  };
  const colours = new Map(MINIMAP_COLOURS.map((name) => [name, colour(`${name}-edge`)]));
  const rest = colour("element-edge");
  for (const {first, end, dx, dy} of layout.columns) {
    let next = -Infinity;
    for (let i = first; i < end; ++i) {
      const row = layout.rows[i];
      const y = (row.y + dy) * scaleY;
      if (y < next) continue;  // rows that are closer than half a pixel
      next = y + 0.5;
      for (const item of row.items) {
        if (!item.node) continue;
        pen.fillStyle = pen.strokeStyle = colours.get(familyOf(item.node)) ?? rest;
        const box = [(item.x - item.width / 2 + dx) * scaleX, y, Math.max(1, item.width * scaleX), Math.max(0.7, item.height * scaleY)];
        if (item.frames) pen.strokeRect(...box);
        else pen.fillRect(...box);
      }
    }
  }
  pen.strokeStyle = colour("chosen");
  pen.lineWidth = 1.5;
  const box = [view.x * scaleX, view.y * scaleY, window.width / view.scale * scaleX, window.height / view.scale * scaleY];
  const [left, top] = [Math.max(1, box[0]), Math.max(1, box[1])];
  pen.strokeRect(left, top, Math.max(3, Math.min(width - 1, box[0] + box[2]) - left), Math.max(3, Math.min(height - 1, box[1] + box[3]) - top));
  return {scaleX, scaleY};
}
