// The colours and the axes: those of the pictures, also where a part is shown nearer.

// ink is the colour of a class of the pictures, light or dark as the page is now.
const probe = make("span", { class: "chart", hidden: "" });
document.body.append(probe);
let inks = {};
const ink = (name) => {
  if (!inks[name]) {
    const e = make("i", { class: name });
    probe.append(e);
    inks[name] = getComputedStyle(e).getPropertyValue("--c").trim() || "#777";
    e.remove();
  }
  return inks[name];
};

// roundStep is 1, 2 or 5 times a power of ten, at least so much.
const roundStep = (least) => {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5].find((f) => f * power >= least * (1 - 1e-9)) || 10);
};

const linearTicks = (min, max, most) => {
  const step = roundStep((max - min) / Math.max(most, 2)), out = [];
  for (let i = Math.ceil(min / step - 1e-9); i * step <= max + step * 1e-9 && out.length <= 4 * Math.max(most, 2); i++) out.push(i * step);
  return out;
};

const logTicks = (min, max, most) => {
  const decades = Math.log10(max / min);
  if (decades < 0.8) return linearTicks(min, max, most);
  const within = decades * 3 <= most ? [1, 2, 5] : [1], every = Math.max(1, Math.ceil(decades / Math.max(most, 1))), out = [];
  for (let d = Math.floor(Math.log10(min)); d <= Math.ceil(Math.log10(max)); d += every) {
    for (const f of within) {
      const v = f * 10 ** d;
      if (v >= min * (1 - 1e-9) && v <= max * (1 + 1e-9)) out.push(v);
    }
  }
  return out;
};

// The steps of times, in seconds; from a month on by the calendar.
const minute = 60, hour = 3600, day = 86400;
const timeSteps = [1, 5, 15, 30, minute, 5 * minute, 15 * minute, 30 * minute, hour, 3 * hour, 6 * hour, 12 * hour, day, 2 * day, 7 * day, 14 * day];
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const timeTicks = (min, max, most) => {
  const least = (max - min) / Math.max(most, 2), step = timeSteps.find((s) => s >= least), out = [];
  if (step) {
    for (let v = Math.ceil(min / step) * step; v <= max; v += step) out.push(v);
    return out;
  }
  const every = [1, 2, 3, 6, 12, 24, 60, 120].find((n) => n * 30 * day >= least) || 240, first = new Date(min * 1000);
  for (let m = first.getUTCFullYear() * 12 + (every > 11 ? 0 : first.getUTCMonth()); ; m += every) {
    const v = Date.UTC(Math.floor(m / 12), m % 12, 1) / 1000;
    if (v > max) return out;
    if (v >= min) out.push(v);
  }
};
const timeText = (v, step) => {
  const d = new Date(v * 1000), two = (n) => String(n).padStart(2, "0");
  if (step < minute) return `${two(d.getUTCHours())}:${two(d.getUTCMinutes())}:${two(d.getUTCSeconds())}`;
  if (step < day) return (v % day === 0 ? `${d.getUTCDate()} ${months[d.getUTCMonth()]}` : `${two(d.getUTCHours())}:${two(d.getUTCMinutes())}`);
  if (step < 28 * day) return `${d.getUTCDate()} ${months[d.getUTCMonth()]}`;
  return step < 360 * day ? `${months[d.getUTCMonth()]} ${d.getUTCFullYear()}` : String(d.getUTCFullYear());
};

// namedTicks are places with names, as many as have room beside each other.
const namedTicks = (axis, min, max, width) => {
  const all = axis.at.map((at, i) => ({ at, wide: axis.names[i].length * 7 + 14 })).filter((t) => t.at >= min && t.at <= max), out = [];
  let free = -Infinity;
  for (const t of all) {
    const x = (t.at - min) / (max - min) * width;
    if (x - t.wide / 2 < free) continue;
    out.push(t.at);
    free = x + t.wide / 2;
  }
  return out;
};

// uplotAxis is one axis for uPlot. Its room is always the same, so that charts below each other have one crosshair.
const uplotAxis = (axis, lower) => ({
  scale: lower ? "x" : "y", label: axis.label, size: lower ? 26 : 44, labelSize: 16, gap: 4, labelGap: 0,
  font: "12px system-ui, sans-serif", labelFont: "12px system-ui, sans-serif",
  stroke: () => ink("muted"), grid: { stroke: () => ink("grid"), width: 1 }, ticks: { show: false }, border: { show: true, stroke: () => ink("axis"), width: 1 },
  splits: (u, _, min, max) => {
    const wide = u.width - 80, most = lower ? wide / 80 : (u.height - 50) / 30; // without the room of the axes, which uPlot tells only later
    if (axis.time) return timeTicks(min, max, Math.min(most, 12));
    if (axis.at) return namedTicks(axis, min, max, wide);
    return axis.log ? logTicks(min, max, most) : linearTicks(min, max, most);
  },
  values: (_, ticks) => {
    const step = ticks.length > 1 ? Math.min(...ticks.slice(1).map((v, i) => v - ticks[i])) : Math.abs(ticks[0]) || 1;
    if (axis.time) return ticks.map((v) => timeText(v, ticks.length > 1 ? step : minute));
    if (axis.at) return ticks.map((v) => axis.names[axis.at.indexOf(v)]);
    return ticks.map((v) => tickText(v, axis.log && ticks.length > 1 && ticks.at(-1) / ticks[0] > 6 ? v : step));
  },
  filter: (_, ticks) => ticks,
});
