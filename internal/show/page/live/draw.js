// What is drawn by ourselves on uPlot's canvas.

// linePath is a line that stops at gaps. A value alone between gaps is a short stroke.
const linePath = (steps) => (u, n) => {
  const path = new Path2D(), xs = u.data[0], ys = u.data[n], stroke = 2.5 * devicePixelRatio;
  let before = null, alone = false;
  const end = () => {
    if (before && alone) {
      path.moveTo(before.x - stroke, before.y);
      path.lineTo(before.x + stroke, before.y);
    }
    before = null;
  };
  for (let i = 0; i < xs.length; i++) {
    if (ys[i] === undefined) continue;
    if (ys[i] === null) {
      end();
      continue;
    }
    const x = u.valToPos(xs[i], "x", true), y = u.valToPos(ys[i], "y", true);
    if (before) {
      if (steps) path.lineTo(x, before.y);
      path.lineTo(x, y);
    } else path.moveTo(x, y);
    alone = !before;
    before = { x, y };
  }
  end();
  return { stroke: path, fill: null, clip: null, band: null, gaps: null, flags: 0 };
};

const inPlot = (u, draw) => {
  const { ctx, bbox } = u;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  draw(ctx);
  ctx.restore();
};

// drawHeat draws the cells: the stronger, the more, by the logarithm, as counts differ by orders.
const drawHeat = (heat) => {
  const most = Math.max(1, ...heat.counts.flat());
  return (u) => inPlot(u, (ctx) => {
    ctx.fillStyle = ink("heat");
    const xs = heat.x.map((v) => u.valToPos(v, "x", true)), ys = heat.y.map((v) => u.valToPos(v, "y", true));
    heat.counts.forEach((column, i) => column.forEach((n, j) => {
      if (!(n > 0)) return;
      ctx.globalAlpha = 0.12 + 0.88 * Math.log1p(n) / Math.log1p(most);
      ctx.fillRect(xs[i], ys[j + 1], xs[i + 1] - xs[i], ys[j] - ys[j + 1]);
    }));
  });
};

// drawBars draws the intervals of points, and drawLabels their words where there is room.
const drawBars = (series, places) => (u) => inPlot(u, (ctx) => {
  series.forEach((s, n) => {
    if (!s.low || !u.series[n + 1].show) return;
    ctx.strokeStyle = ink("s" + s.color);
    ctx.lineWidth = 1.8 * devicePixelRatio;
    s.low.forEach((low, k) => {
      if (low === null || s.high[k] === null) return;
      const x = u.valToPos(places[s.at][k], "x", true);
      ctx.beginPath();
      ctx.moveTo(x, u.valToPos(low, "y", true));
      ctx.lineTo(x, u.valToPos(s.high[k], "y", true));
      ctx.stroke();
    });
  });
});

const drawLabels = (series, places) => (u) => inPlot(u, (ctx) => {
  const ratio = devicePixelRatio, taken = [], { bbox } = u;
  ctx.font = 12 * ratio + "px system-ui, sans-serif";
  ctx.fillStyle = ink("muted");
  ctx.textBaseline = "alphabetic";
  series.forEach((s, n) => (s.labels || []).forEach((text, k) => {
    if (!text || s.y[k] === null || !u.series[n + 1].show) return;
    const x = u.valToPos(places[s.at][k], "x", true), y = u.valToPos(s.y[k], "y", true), wide = ctx.measureText(text).width, gap = 6 * ratio, high = 14 * ratio;
    if (x < bbox.left || x > bbox.left + bbox.width) return;
    for (const [left, low] of [[true, false], [false, false], [true, true], [false, true]]) {
      const a = left ? x - gap - wide : x + gap, b = low ? y + high : y - gap;
      if (a < bbox.left || a + wide > bbox.left + bbox.width || b - high < bbox.top || b > bbox.top + bbox.height) continue;
      if (taken.some((t) => a < t.right && t.left < a + wide && b - high < t.low && t.top < b)) continue;
      taken.push({ left: a, right: a + wide, top: b - high, low: b });
      ctx.textAlign = "left";
      ctx.fillText(text, a, b);
      return;
    }
  }));
});

// drawEvents draws moments and times behind the series, with their words at the top, one below the other where they are close.
const drawEvents = (events) => (u) => inPlot(u, (ctx) => {
  const ratio = devicePixelRatio, { bbox } = u, free = [-Infinity, -Infinity, -Infinity];
  ctx.font = 12 * ratio + "px system-ui, sans-serif";
  ctx.strokeStyle = ctx.fillStyle = ink("event");
  ctx.lineWidth = ratio;
  ctx.textAlign = "left";
  ctx.textBaseline = "alphabetic";
  for (const e of events) {
    const [x, to] = e.at.map((v) => u.valToPos(v, "x", true));
    if (to > x) {
      ctx.globalAlpha = 0.13;
      ctx.fillRect(x, bbox.top, to - x, bbox.height);
      ctx.globalAlpha = 1;
    }
    ctx.setLineDash([5 * ratio, 4 * ratio]);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.setLineDash([]);
    const text = e.label.length > 24 ? e.label.slice(0, 23) + "…" : e.label, wide = ctx.measureText(text).width + 6 * ratio;
    const from = x + wide > bbox.left + bbox.width ? x - wide : x; // where there is no room, to the left of it
    const row = free.findIndex((end) => from >= end);
    if (row < 0 || from < bbox.left || x > bbox.left + bbox.width) continue;
    free[row] = from + wide;
    ctx.fillText(text, from + (from < x ? 2 : 4) * ratio, bbox.top + (14 * (row + 1) - 3) * ratio);
  }
});
