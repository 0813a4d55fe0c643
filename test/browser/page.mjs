// Opens a report in a real Chromium without network, and tries what a reader does with it.
// Usage: node page.mjs CHROMIUM PACKAGES PAGE.html FOLDER: prints one JSON object; screenshots and saved charts go to FOLDER.
import fs from "node:fs";
import path from "node:path";
import { createRequire } from "node:module";

const [chromium, packages, file, folder] = process.argv.slice(2);
const require = createRequire(path.join(packages, "package.json"));
const puppeteer = require("puppeteer-core");
const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const url = "file://" + path.resolve(file);
const out = { loadMs: [], console: [], requests: [], axe: {}, overflow: {}, cut: {} };

const browser = await puppeteer.launch({
  executablePath: chromium, headless: true,
  args: ["--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--font-render-hinting=none"],
});

async function open(width, scheme) {
  const page = await browser.newPage();
  await page.setViewport({ width, height: 900, deviceScaleFactor: 1 });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  await page.setOfflineMode(true);
  page.on("console", (m) => { if (m.type() === "error" || m.type() === "warning") out.console.push(m.text()); });
  page.on("pageerror", (e) => out.console.push(String(e)));
  page.on("request", (r) => { if (!/^(data|blob):/.test(r.url()) && r.url() !== url) out.requests.push(r.url()); });
  await page.goto(url, { waitUntil: "load" });
  out.loadMs.push(await page.evaluate(() => performance.getEntriesByType("navigation")[0].loadEventEnd));
  return page;
}

const unfold = (page) => page.$$eval("details", (list) => list.forEach((d) => { d.open = true; }));

for (const scheme of ["light", "dark"]) {
  for (const width of [1440, 390]) {
    const page = await open(width, scheme);
    const name = `${width}-${scheme}`;
    await page.screenshot({ path: path.join(folder, name + ".png"), clip: { x: 0, y: 0, width, height: width > 1000 ? 1500 : 1700 } });
    await unfold(page);
    out.overflow[name] = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    await page.evaluate(axe + ";0"); // the page's policy forbids scripts in elements, not the debugger's
    const found = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
    out.axe[name] = found.violations.map((v) => ({ id: v.id, impact: v.impact, help: v.help, nodes: v.nodes.slice(0, 3).map((n) => n.html.slice(0, 200)) }));
    // Words of a picture that lie outside of it would be cut off: also of those that are hidden while their chart answers the mouse.
    out.cut[name] = await page.evaluate(() => {
      const live = [...document.querySelectorAll(".answering")];
      live.forEach((f) => f.classList.remove("answering"));
      const cut = [...document.querySelectorAll("svg.chart text")].filter((t) => {
        const a = t.getBoundingClientRect(), b = t.ownerSVGElement.getBoundingClientRect();
        return a.width > 0 && (a.left < b.left - 1 || a.right > b.right + 1 || a.top < b.top - 1 || a.bottom > b.bottom + 1);
      }).map((t) => t.textContent);
      live.forEach((f) => f.classList.add("answering"));
      return cut;
    });
    if (width > 1000) {
      const clip = await page.evaluate(() => {
        const a = document.querySelector("#run1-course1").getBoundingClientRect(), b = document.querySelector("#run1-course6").getBoundingClientRect();
        return { x: 0, y: a.top + scrollY - 50, width: innerWidth, height: b.bottom - a.top + 60 };
      });
      await page.screenshot({ path: path.join(folder, "courses-" + scheme + ".png"), clip });
      const more = await page.evaluate(() => {
        const a = document.querySelector("#run1-gaps").getBoundingClientRect(), b = document.querySelector("#run1-requests figure").getBoundingClientRect();
        return { x: 0, y: a.top + scrollY - 50, width: innerWidth, height: b.bottom - a.top + 60 };
      });
      await page.screenshot({ path: path.join(folder, "requests-" + scheme + ".png"), clip: more });
    }
    await page.close();
  }
}

const page = await open(1440, "light");
await unfold(page);
const client = await page.createCDPSession();
await client.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: path.resolve(folder) });
await page.evaluate(() => { globalThis.copied = ""; navigator.clipboard.writeText = async (t) => { globalThis.copied = t; }; });

// Sort a table by the keyboard alone.
await page.focus("#run1-latency thead th:nth-child(5) button");
await page.keyboard.press("Enter");
const sorted = () => page.$$eval("#run1-latency tbody tr", (rows) => rows.map((r) => Number(r.cells[4].dataset.v)));
out.sortUp = await sorted();
await page.keyboard.press("Enter");
out.sortDown = await sorted();
out.ariaSort = await page.$eval("#run1-latency thead th:nth-child(5)", (h) => h.getAttribute("aria-sort"));

// The waterfall: slowest first, then the failed ones, then the next page of all.
const bars = () => page.$$eval("#run1-requests .plot g title", (l) => l.map((t) => t.textContent));
out.slowest = await bars();
out.aligned = await page.$eval("#run1-requests .plot", (p) => p.textContent.includes("seconds since it was due"));
await page.select("#run1-requests .which", "failed");
out.failed = await bars();
await page.select("#run1-requests .which", "all");
out.first = (await bars()).slice(0, 3);
out.aligned &&= await page.$eval("#run1-requests .plot", (p) => p.textContent.includes("seconds since the start"));
await page.click("#run1-requests .after");
out.where = await page.$eval("#run1-requests .where", (e) => e.textContent);

// Copy and save.
const copied = async (selector) => { await page.click(selector); return page.evaluate(() => globalThis.copied); };
out.markdown = await copied('[data-copy=markdown][data-for="run1-outcomes"]');
out.csv = await copied('[data-copy=csv][data-for="run1-outcomes"]');
out.command = await copied('[data-copy=text][data-for="run1-command"]');
for (const kind of ["svg", "png"]) {
  for (const figure of ["#run1-ttft", "#run1-requests figure"]) await page.click(`${figure} [data-save=${kind}]`);
}
const saved = ["run1-ttft.svg", "run1-ttft.png", "run1-requests.svg", "run1-requests.png"];
for (let i = 0; i < 100 && !saved.every((n) => fs.existsSync(path.join(folder, n))); i++) await new Promise((r) => setTimeout(r, 50));
out.saved = saved.filter((n) => fs.existsSync(path.join(folder, n)));

// The switch for colours wins over the system's.
await page.select("#theme", "dark");
out.dark = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
await browser.close();
console.log(JSON.stringify(out));
