// Opens a page in a real Chromium without network, and points at its charts: by mouse, keyboard and touch, and without scripts.
// Usage: node charts.mjs CHROMIUM PACKAGES PAGE.html FOLDER: prints one JSON object; screenshots go to FOLDER.
import fs from "node:fs";
import path from "node:path";
import { createRequire } from "node:module";

const [chromium, packages, file, folder] = process.argv.slice(2);
const require = createRequire(path.join(packages, "package.json"));
const puppeteer = require("puppeteer-core");
const axeText = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const url = "file://" + path.resolve(file);
const out = { console: [], requests: [], axe: {}, wrong: [], compared: 0, zooms: {}, dialogs: 0 };

const browser = await puppeteer.launch({
  executablePath: chromium, headless: true,
  args: ["--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--font-render-hinting=none"],
});

async function open(width, { script = true, touch = false } = {}) {
  const page = await browser.newPage();
  await page.setJavaScriptEnabled(script);
  await page.setViewport({ width, height: 900, deviceScaleFactor: 1, hasTouch: touch, isMobile: touch });
  await page.setOfflineMode(true);
  page.on("console", (m) => { if (m.type() === "error" || m.type() === "warning") out.console.push(m.text()); });
  page.on("pageerror", (e) => out.console.push(String(e)));
  page.on("dialog", (d) => { out.dialogs++; d.dismiss(); });
  page.on("request", (r) => { if (!/^(data|blob):/.test(r.url()) && r.url() !== url) out.requests.push(r.url()); });
  await page.goto(url, { waitUntil: "load" });
  return page;
}

async function axe(page, name) {
  await page.evaluate(axeText + ";0");
  const found = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
  out.axe[name] = found.violations.map((v) => ({ id: v.id, impact: v.impact, help: v.help, nodes: v.nodes.slice(0, 3).map((n) => n.html.slice(0, 200)) }));
}

// What a chart says now.
const says = (page, id) => page.evaluate((id) => {
  const figure = document.getElementById(id), stage = figure.querySelector(".stage"), over = figure.querySelector(".u-over").getBoundingClientRect();
  const line = figure.querySelector(".u-cursor-x"), at = line && !line.classList.contains("u-off") ? new DOMMatrix(getComputedStyle(line).transform).e : -10;
  return {
    id, at, left: over.left, top: over.top, width: over.width, height: over.height, from: Number(stage.ariaValueMin), to: Number(stage.ariaValueMax), text: stage.ariaValueText,
    legend: [...figure.querySelectorAll(".legend > span:not(.at)")].map((s) => ({ name: s.querySelector("span:not(.swatch)")?.textContent || "", value: s.querySelector("b")?.textContent ?? null })),
    where: figure.querySelector(".at").textContent, found: figure.querySelector(".found")?.textContent || "",
  };
}, id);

// number is a value as the page writes it; NaN where it says that there is none.
const number = (text) => text === "–" || text === "" || text === null ? NaN : Number(text.replaceAll(",", "").split(" ")[0]);

// compare holds a legend against the numbers in the page: of each series that has values the nearest to the crosshair.
function compare(set, id, now) {
  const d = set.charts[id], log = d.x.log, [a, b] = [now.from, now.to].map((v) => log ? Math.log(v) : v);
  const place = a + now.at / now.width * (b - a), x = log ? Math.exp(place) : place;
  for (const s of (d.series || []).filter((s) => s.kind !== "points")) {
    const places = set.x[s.at], entry = now.legend.find((l) => l.name === s.name);
    if (!entry || entry.value === null || places.length < 2 || places[0] === places[1] || new Set(places).size < places.length) continue;
    const near = places.map((p, k) => [Math.abs(p - x), s.y[k]]).sort((p, q) => p[0] - q[0]);
    if (x < places[0] || x > places.at(-1) || near[1][0] - near[0][0] < 0.2 * near[0][0]) continue; // beyond the ends, or between two
    const want = near[0][1] === null ? NaN : near[0][1], got = number(entry.value);
    out.compared++;
    if (!(Number.isNaN(want) ? Number.isNaN(got) : Math.abs(got - want) <= Math.max(0.0006, Math.abs(want) * 0.006))) out.wrong.push(`${id}, ${s.name} at ${x}: ${entry.value}, not ${want}`);
  }
}

const page = await open(1440);
await page.screenshot({ path: path.join(folder, "1440-light.png"), clip: { x: 0, y: 0, width: 1440, height: 1300 } });
const set = await page.$eval("#charts", (e) => JSON.parse(e.textContent));
const seen = await page.$$eval(".answering", (list) => list.map((f) => f.id));
const key = seen.map((id) => set.charts[id].together).find(Boolean);
const group = seen.filter((id) => set.charts[id].together === key && key);
out.figures = await page.$$eval("figure svg.chart", (list) => new Set(list.map((s) => s.closest("figure").id)).size);
out.answering = seen.length;
out.group = group.length;
out.pictures = await page.$$eval(".answering .wide svg, .answering .narrow svg", (list) => list.filter((s) => s.getBoundingClientRect().width > 0).length);

const point = async (id, x, y) => {
  await page.$eval(`#${id} .stage`, (e) => e.scrollIntoView({ block: "center" }));
  const now = await says(page, id);
  await page.mouse.move(now.left + now.width * x - 3, now.top + now.height * y);
  await page.mouse.move(now.left + now.width * x, now.top + now.height * y);
};

// The mouse over each chart: its values are those of the data.
for (const id of seen) {
  for (const share of [0.21, 0.5, 0.77]) {
    await point(id, share, 0.5);
    compare(set, id, await says(page, id));
  }
}

// One crosshair over all charts of a group.
out.crosshair = [];
if (group.length > 1) {
  await point(group[1], 0.41, 0.5);
  for (const id of group) {
    const now = await says(page, id);
    out.crosshair.push(now.at / now.width);
    compare(set, id, now);
  }
  await page.screenshot({ path: path.join(folder, "crosshair.png") });
}

// Zoom by dragging, and all again by a double click, by buttons, and by keys.
const ranges = async (ids) => Promise.all(ids.map(async (id) => { const n = await says(page, id); return [n.from, n.to]; }));
const of = group.length ? group : seen.slice(0, 1), first = of[0];
const end = async (name) => { out.zooms[name] = await ranges(of); };
if (first) {
  await end("before");
  await point(first, 0.3, 0.5);
  const now = await says(page, first);
  await page.mouse.down();
  await page.mouse.move(now.left + now.width * 0.45, now.top + now.height * 0.5);
  await page.mouse.move(now.left + now.width * 0.6, now.top + now.height * 0.5);
  await page.mouse.up();
  await end("dragged");
  for (const id of of) {
    await point(id, 0.62, 0.5);
    compare(set, id, await says(page, id));
  }
  await point(of[Math.min(2, of.length - 1)], 0.62, 0.5);
  await page.screenshot({ path: path.join(folder, "zoomed.png") });
  await axe(page, "zoomed");
  await point(first, 0.5, 0.5);
  const at = await says(page, first);
  await page.mouse.click(at.left + at.width / 2, at.top + at.height * 0.08, { count: 2 });
  await end("double-click");
  const tool = (text) => page.evaluate((id, text) => [...document.querySelectorAll(`#${id} .tools button`)].find((b) => b.textContent === text).click(), first, text);
  await tool("+");
  await end("button");
  await tool("All");
  await end("all");

  // The keyboard alone.
  await page.mouse.move(0, 0);
  await page.focus(`#${first} .stage`);
  const press = async (...keys) => { for (const k of keys) await page.keyboard.press(k); };
  await press("Home", "ArrowRight", "ArrowRight");
  out.keyText = (await says(page, first)).text;
  out.keyLegend = (await says(page, first)).legend;
  compare(set, first, await says(page, first));
  out.keyCrosshair = await Promise.all(of.map(async (id) => { const n = await says(page, id); return n.at / n.width; }));
  await press("+", "+");
  await end("keys");
  await press("Escape");
  await end("escape");
}

// A series is hidden by its name, by the keyboard.
const named = await page.$(".legend button");
if (named) {
  const state = () => named.evaluate((b) => b.getAttribute("aria-pressed"));
  await named.focus();
  await page.keyboard.press("Space");
  out.pressed = [await state()];
  await page.keyboard.press("Enter");
  out.pressed.push(await state());
}

// A walk through the page by Tab: every chart is met once, and nothing holds it.
await page.evaluate(() => { document.activeElement.blur(); scrollTo(0, 0); });
await page.focus(".skip");
out.walk = [];
for (let i = 0; i < 600; i++) {
  await page.keyboard.press("Tab");
  const id = await page.evaluate(() => { const e = document.activeElement; return e.classList.contains("stage") ? e.closest("figure").id : e === document.body || e.classList.contains("skip") ? "" : "-"; });
  if (!id) break;
  if (id !== "-") out.walk.push(id);
}
out.walkWhole = JSON.stringify(out.walk) === JSON.stringify(seen);

// A heat map counts what is under the pointer.
const heat = seen.find((id) => set.charts[id].heat);
if (heat) {
  const h = set.charts[heat].heat, [i, j] = h.counts.flatMap((c, i) => c.map((n, j) => [i, j, n])).sort((a, b) => b[2] - a[2])[0];
  const share = (v, [a, b], log) => log ? Math.log(v / a) / Math.log(b / a) : (v - a) / (b - a), { x, y } = set.charts[heat];
  await point(heat, share((h.x[i] + h.x[i + 1]) / 2, x.ends, x.log), 1 - share(Math.sqrt(h.y[j] * h.y[j + 1]), y.ends, y.log));
  out.heat = { text: (await says(page, heat)).found, want: h.counts[i][j] };
}

// A point of a history says which run it is, and leads to it.
const linked = seen.find((id) => (set.charts[id].series || []).some((s) => s.links));
if (linked) {
  await page.focus(`#${linked} .stage`);
  await page.keyboard.press("Home");
  const s = set.charts[linked].series.find((s) => s.links);
  out.point = { text: (await says(page, linked)).found, want: s.hints[0], link: await page.$$eval(`#${linked} .found a`, (list) => list.map((a) => a.getAttribute("href")).join()), wantLink: s.links[0] };
}

await page.emulateMediaType("print");
out.print = await page.evaluate(() => ({
  svg: [...document.querySelectorAll(".answering .wide svg")].filter((s) => s.getBoundingClientRect().width > 0).length,
  canvas: [...document.querySelectorAll("canvas")].filter((s) => s.getBoundingClientRect().width > 0).length,
}));
await page.emulateMediaType("screen");

// A run that is opened later: its charts answer too, by themselves.
const closed = await page.$("details.run:not([open]) > summary");
if (closed) {
  await closed.click();
  await page.waitForFunction((n) => document.querySelectorAll(".answering").length > n, { timeout: 10000 }, seen.length);
  out.opened = (await page.$$(".answering")).length - seen.length;
}
await page.close();

// A finger on a phone.
const phone = await open(390, { touch: true });
if (first) {
  await phone.$eval(`#${first} .stage`, (e) => e.scrollIntoView({ block: "center" }));
  const now = await says(phone, first);
  await phone.touchscreen.tap(now.left + now.width * 0.5, now.top + now.height * 0.5);
  const after = await says(phone, first);
  out.touch = { at: after.at / after.width, said: after.legend.some((l) => l.value) || after.found !== "", stayed: phone.url() === url, overflow: await phone.evaluate(() => document.documentElement.scrollWidth - innerWidth) };
  await phone.screenshot({ path: path.join(folder, "phone.png") });
}
await phone.close();

// Without scripts the pictures are there.
for (const width of [1440, 390]) {
  const plain = await open(width, { script: false });
  const count = (selector) => plain.$$eval(selector, (list) => list.filter((s) => s.getBoundingClientRect().width > 0).map((s) => s.closest("figure").id));
  out.plain = { ...out.plain, [width]: { svg: new Set(await count("figure svg.chart")).size, canvas: (await count("canvas")).length } };
  await plain.close();
}
// axe is a script itself: it looks at the page as the browser has it without the page's own.
const bare = await browser.newPage();
await bare.setViewport({ width: 1440, height: 900 });
await bare.setContent(fs.readFileSync(file, "utf8").replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, "").replace(/<script[^]*?<\/script>/g, ""));
await axe(bare, "without scripts");
await browser.close();
console.log(JSON.stringify(out));
