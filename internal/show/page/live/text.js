// How numbers and times are written, as the page itself writes them.

// valueText is a value for people: three digits or so, thousands apart.
const valueText = (v) => {
  if (v === null || v === undefined || !Number.isFinite(v)) return "–";
  const a = Math.abs(v);
  let digits = 0;
  if (a !== Math.trunc(a)) digits = a < 0.9995 ? 3 : a < 9.995 ? 2 : a < 99.95 ? 1 : 0;
  if (a > 0 && a < 0.001) return v.toPrecision(3);
  const [whole, rest] = v.toFixed(digits).split(".");
  return whole.replace(/\B(?=(\d{3})+$)/g, ",") + (rest ? "." + rest : "");
};

const withUnit = (v, unit) => {
  const text = valueText(v);
  return unit && text !== "–" ? text + " " + unit : text;
};

// placeText is a place on an axis, with as many digits as a pixel of it needs.
const placeText = (v, axis, pixel) => {
  if (axis.time) return new Date(v * 1000).toISOString().slice(0, 16).replace("T", " ") + " UTC";
  const at = (axis.at || []).indexOf(Math.round(v));
  if (at >= 0) return axis.names[at];
  const digits = Math.max(0, Math.min(6, Math.round(-Math.log10(pixel || 1))));
  return v.toFixed(digits) + (axis.unit ? " " + axis.unit : "");
};

// tickText is a tick with as many digits as its step needs.
const tickText = (v, step) => {
  if (v === 0) return "0";
  const short = (x, letter) => String(Number(x.toPrecision(4))) + letter;
  if (Math.abs(v) >= 1e9) return short(v / 1e9, "G");
  if (Math.abs(v) >= 1e6) return short(v / 1e6, "M");
  if (Math.abs(v) >= 1e4) return short(v / 1e3, "k");
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return digits > 6 ? String(Number(v.toPrecision(3))) : v.toFixed(digits);
};

const say = (text) => document.dispatchEvent(new CustomEvent("say", { detail: text }));

const make = (name, attributes = {}, ...children) => {
  const e = document.createElement(name);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  e.append(...children);
  return e;
};
