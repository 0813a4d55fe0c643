// Opens every page of the site in a real Chromium, at two widths, and tries what a reader does with it.
// Usage: node site.mjs CHROMIUM PACKAGES URL FOLDER <pages.json: prints one JSON object; pictures go to FOLDER.
import fs from "node:fs";
import path from "node:path";
import { createRequire } from "node:module";

const [chromium, packages, base, folder] = process.argv.slice(2);
const require = createRequire(path.join(packages, "package.json"));
const puppeteer = require("puppeteer-core");
const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const names = JSON.parse(fs.readFileSync(0, "utf8"));
const out = { pages: 0, console: [], requests: [], axe: [], overflow: [], found: [], focus: [], menu: "", dark: "", coloured: [] };
const pictures = ["index.html", "docs/index.html", "docs/tutorials/compare-two-builds.html", "docs/reference/flags.html", "docs/verdict.html", "docs/coming-from/k6.html"];

const browser = await puppeteer.launch({
  executablePath: chromium, headless: true,
  args: ["--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--font-render-hinting=none"],
});

async function tab(width, height, scheme) {
  const context = await browser.createBrowserContext(); // nothing is remembered from one to the next
  const page = await context.newPage();
  await page.setViewport({ width, height, deviceScaleFactor: 1 });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  page.on("console", (m) => { if (m.type() === "error" || m.type() === "warn") out.console.push(`${page.url()}: ${m.text()}`); });
  page.on("pageerror", (e) => out.console.push(`${page.url()}: ${e}`));
  page.on("request", (r) => { if (!/^(data|blob):/.test(r.url()) && !r.url().startsWith(base)) out.requests.push(r.url()); });
  page.on("response", (r) => { if (r.status() >= 400) out.console.push(`${r.url()}: ${r.status()}`); });
  return page;
}

const short = (name) => name.replaceAll("/", "-").replace(".html", "");

async function look(width, height, scheme, only) {
  const page = await tab(width, height, scheme);
  for (const name of only ?? names) {
    await page.goto(base + name, { waitUntil: "load" });
    const wide = await page.evaluate(() => {
      const over = document.documentElement.scrollWidth - innerWidth;
      if (over <= 0) return "";
      const e = [...document.querySelectorAll("main *")].find((e) => e.getBoundingClientRect().right > innerWidth + 1);
      return `${over} px, ${e ? e.outerHTML.slice(0, 120) : "?"}`;
    });
    if (wide) out.overflow.push(`${name} at ${width}: ${wide}`);
    if (!only) out.pages += width > 1000 ? 1 : 0;
    if (width < 1000 || pictures.includes(name)) await accessible(page, name, width, scheme);
    if (pictures.includes(name)) {
      await page.screenshot({ path: path.join(folder, `${short(name)}-${width}-${scheme}.png`) });
      const table = await page.$("main .table-wrapper");
      if (table) {
        await table.evaluate((e) => e.scrollIntoView());
        await page.screenshot({ path: path.join(folder, `${short(name)}-table-${width}-${scheme}.png`) });
      }
    }
  }
  await page.browserContext().close();
}

// accessible runs all of axe on the pages with pictures, menu and all. On the text of the others it leaves the contrast out, which is
// most of the time, and depends on the theme and not on the page.
async function accessible(page, name, width, scheme) {
  const whole = pictures.includes(name);
  await page.evaluate(axe + ";0");
  const found = await page.evaluate((whole) => axe.run(whole ? document : document.querySelector("main"), {
    resultTypes: ["violations"], rules: whole ? {} : { "color-contrast": { enabled: false }, "link-in-text-block": { enabled: false } },
  }), whole);
  for (const v of found.violations) {
    out.axe.push({ page: `${name} at ${width}, ${scheme}`, id: v.id, impact: v.impact, help: v.help, nodes: v.nodes.slice(0, 3).map((n) => n.html.slice(0, 200)) });
  }
}

await look(1440, 900, "light");
await look(390, 844, "light");
await look(1440, 900, "dark", pictures);
await look(390, 844, "dark", pictures);

// The search, by the keyboard alone.
const page = await tab(1440, 900, "light");
await page.goto(base + "index.html", { waitUntil: "load" });
out.coloured = await page.$$eval("main code .program, main code .flag", (l) => [...new Set(l.map((e) => e.textContent))]);
await page.keyboard.press("s");
await page.waitForSelector("#mdbook-searchbar, #searchbar", { visible: true });
await page.keyboard.type("tpot", { delay: 20 });
await page.waitForFunction(() => document.querySelectorAll("#mdbook-searchresults a, #searchresults a").length > 0, { timeout: 20000 });
out.found = await page.$$eval("#mdbook-searchresults a, #searchresults a", (l) => l.slice(0, 10).map((a) => a.getAttribute("href")));
await page.screenshot({ path: path.join(folder, "search-1440-light.png") });

// The tab key goes through the menu and the bar to the text.
await page.goto(base + "docs/index.html", { waitUntil: "load" });
for (let i = 0; i < 150 && !out.focus.some((f) => f.startsWith("main ")); i++) {
  await page.keyboard.press("Tab");
  out.focus.push(await page.evaluate(() => (document.activeElement.closest("main") ? "main " : "") + document.activeElement.outerHTML.slice(0, 60)));
}
await page.browserContext().close();

// The menu of a narrow screen is closed at first, and opens.
const narrow = await tab(390, 844, "dark");
await narrow.goto(base + "docs/metrics.html", { waitUntil: "load" });
const shown = () => narrow.evaluate(() => { const r = (document.querySelector("#mdbook-sidebar") ?? document.querySelector("#sidebar")).getBoundingClientRect(); return r.right > 10 && r.left < innerWidth; });
const before = await shown();
const toggle = (await narrow.$("#mdbook-sidebar-toggle")) ?? (await narrow.$("#sidebar-toggle"));
await toggle.click();
await narrow.waitForFunction(() => (document.querySelector("#mdbook-sidebar") ?? document.querySelector("#sidebar")).getBoundingClientRect().left >= 0);
await narrow.screenshot({ path: path.join(folder, "menu-390-dark.png") });
out.menu = !before && (await shown()) ? "opened" : `at first ${before}`;
out.dark = await narrow.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
await browser.close();
console.log(JSON.stringify(out));
