"use strict";
(() => {
  const rows = JSON.parse(document.getElementById("data").textContent);
  const canvas = document.getElementById("lanes"), tip = document.getElementById("tip"), pen = canvas.getContext("2d");
  const names = ["ttft", "short", "middle", "long", "failed"];
  const left = 56, bottom = 34, top = 8;
  let end = 1;
  for (const r of rows) end = Math.max(end, r[1] + r[3]);
  let view = { x0: 0, x1: end, y0: 0, y1: Math.max(rows.length, 1) };
  let wide = 0, high = 0;

  // A canvas does not know the page's colours: an element tells what each is, in light or dark.
  const ink = document.getElementById("ink");
  const style = (name) => { ink.style.color = "var(--" + name + ")"; return getComputedStyle(ink).color; };
  const X = (ms) => left + (ms - view.x0) / (view.x1 - view.x0) * (wide - left - 8);
  const Y = (lane) => top + (lane - view.y0) / (view.y1 - view.y0) * (high - top - bottom);
  const time = (x) => view.x0 + (x - left) / (wide - left - 8) * (view.x1 - view.x0);
  const lane = (y) => view.y0 + (y - top) / (high - top - bottom) * (view.y1 - view.y0);

  // parts of a request: what it is, from, to, and its words
  const parts = (r) => {
    const first = r[2], list = [];
    if (first >= 0) list.push([0, 0, first, "TTFT " + first.toFixed(2) + " ms"]);
    let at = Math.max(first, 0);
    for (let i = 0; i < r[7].length; i += 4) {
      const [kind, gaps, total, longest] = r[7].slice(i, i + 4);
      list.push([1 + kind, at, at + total, gaps === 1 ? "a gap of " + total.toFixed(2) + " ms" : gaps + " gaps, " + total.toFixed(2) + " ms, the longest " + longest.toFixed(2) + " ms"]);
      at += total;
    }
    if (r[6] !== "complete") list.push([4, at, Math.max(r[3], at), r[6]]);
    return list;
  };

  const step = (span, most) => {
    const raw = span / most, ten = Math.pow(10, Math.floor(Math.log10(raw)));
    return [1, 2, 5, 10].map((m) => m * ten).find((v) => v >= raw);
  };
  const axes = () => {
    pen.strokeStyle = style("line");
    pen.fillStyle = style("muted");
    pen.font = "12px system-ui, sans-serif";
    pen.textAlign = "center";
    const dx = step(view.x1 - view.x0, Math.max(wide / 110, 2));
    for (let v = Math.ceil(view.x0 / dx) * dx; v <= view.x1; v += dx) {
      pen.beginPath(); pen.moveTo(X(v), top); pen.lineTo(X(v), high - bottom); pen.stroke();
      pen.fillText(dx < 1 ? v.toFixed(2) + " ms" : dx < 1000 ? (v / 1000).toFixed(3) + " s" : (v / 1000).toFixed(0) + " s", X(v), high - bottom + 15);
    }
    pen.fillText("time since the first request", (left + wide) / 2, high - 4);
    pen.textAlign = "right";
    const dy = Math.max(1, step(view.y1 - view.y0, Math.max(high / 40, 2)));
    for (let v = Math.ceil(view.y0 / dy) * dy; v < view.y1; v += dy) if (rows[v]) pen.fillText("Req " + rows[v][0], left - 6, Math.min(Y(v + 0.5) + 4, high - bottom));
  };

  const draw = () => {
    const ratio = window.devicePixelRatio || 1;
    wide = canvas.clientWidth; high = canvas.clientHeight;
    canvas.width = wide * ratio; canvas.height = high * ratio;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, wide, high);
    axes();
    pen.save();
    pen.beginPath(); pen.rect(left, top, wide - left - 8, high - top - bottom); pen.clip();
    const colours = names.map(style), from = Math.max(0, Math.floor(view.y0)), to = Math.min(rows.length, Math.ceil(view.y1));
    const tall = Y(1) - Y(0), gap = tall > 6 ? 1 : 0;
    for (let i = from; i < to; i++) {
      const r = rows[i];
      if (r[1] > view.x1 || r[1] + r[3] < view.x0) continue;
      for (const [kind, a, b] of parts(r)) {
        pen.fillStyle = colours[kind];
        pen.fillRect(X(r[1] + a), Y(i), Math.max(X(r[1] + b) - X(r[1] + a), kind === 4 ? 4 : 0.5), Math.max(tall - gap, 0.6));
      }
    }
    pen.restore();
  };

  const clamp = () => {
    const span = Math.min(Math.max(view.x1 - view.x0, 0.01), end), rowsShown = Math.min(Math.max(view.y1 - view.y0, 1), Math.max(rows.length, 1));
    view.x0 = Math.min(Math.max(view.x0, 0), end - span); view.x1 = view.x0 + span;
    view.y0 = Math.min(Math.max(view.y0, 0), Math.max(rows.length, 1) - rowsShown); view.y1 = view.y0 + rowsShown;
    draw();
  };
  const zoom = (factor, at, axis) => {
    view[axis + "0"] = at + (view[axis + "0"] - at) * factor;
    view[axis + "1"] = at + (view[axis + "1"] - at) * factor;
    clamp();
  };
  const middle = (axis) => (view[axis + "0"] + view[axis + "1"]) / 2;
  const all = () => { view = { x0: 0, x1: end, y0: 0, y1: Math.max(rows.length, 1) }; draw(); };

  canvas.addEventListener("wheel", (e) => {
    e.preventDefault();
    const factor = (e.deltaY || e.deltaX) > 0 ? 1.25 : 0.8;
    if (e.shiftKey) zoom(factor, lane(e.offsetY), "y"); else zoom(factor, time(e.offsetX), "x");
  }, { passive: false });
  let held = null;
  canvas.addEventListener("pointerdown", (e) => { held = { x: time(e.offsetX), y: lane(e.offsetY) }; canvas.setPointerCapture(e.pointerId); });
  canvas.addEventListener("pointerup", () => { held = null; });
  canvas.addEventListener("pointerleave", () => { tip.style.display = "none"; });
  canvas.addEventListener("pointermove", (e) => {
    if (held) {
      const dx = held.x - time(e.offsetX), dy = held.y - lane(e.offsetY);
      view.x0 += dx; view.x1 += dx; view.y0 += dy; view.y1 += dy;
      clamp();
      return;
    }
    const r = rows[Math.floor(lane(e.offsetY))], at = time(e.offsetX);
    if (!r || e.offsetX < left || at < r[1] || at > r[1] + r[3]) { tip.style.display = "none"; return; }
    const part = parts(r).find(([, a, b]) => at >= r[1] + a && at <= r[1] + b);
    tip.textContent = "Req " + r[0] + "\n" + (part ? part[3] + "\n" : "") + "sent at " + (r[1] / 1000).toFixed(3) + " s, ended at " + ((r[1] + r[3]) / 1000).toFixed(3) + " s\n" +
      r[4] + " prompt tokens, " + r[5] + " output tokens\n" + r[6];
    tip.style.display = "block";
    tip.style.left = Math.min(e.offsetX + 14, wide - tip.offsetWidth - 4) + "px";
    tip.style.top = Math.min(e.offsetY + 14, high - tip.offsetHeight - 4) + "px";
  });
  canvas.addEventListener("keydown", (e) => {
    const span = (view.x1 - view.x0) / 10, tall = (view.y1 - view.y0) / 10;
    const moves = { ArrowLeft: [-span, 0], ArrowRight: [span, 0], ArrowUp: [0, -tall], ArrowDown: [0, tall] };
    if (e.key === "+") zoom(0.8, middle("x"), "x");
    else if (e.key === "-") zoom(1.25, middle("x"), "x");
    else if (e.key === "0") all();
    else if (moves[e.key]) {
      const [dx, dy] = moves[e.key];
      view.x0 += dx; view.x1 += dx; view.y0 += dy; view.y1 += dy;
      clamp();
    } else return;
    e.preventDefault();
  });
  document.getElementById("in").addEventListener("click", () => zoom(0.5, middle("x"), "x"));
  document.getElementById("out").addEventListener("click", () => zoom(2, middle("x"), "x"));
  document.getElementById("all").addEventListener("click", all);
  window.addEventListener("resize", draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  draw();
})();
