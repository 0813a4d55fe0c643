// Opens pages in a real Chromium as a phone and a wide screen have them, on paper and without scripts, and says what does not fit.
// Usage: node fit.mjs CHROMIUM PACKAGES PAGE.html…: prints one JSON object, of each page a list of what is wrong.
import path from "node:path";
import { createRequire } from "node:module";

const [chromium, packages, ...files] = process.argv.slice(2);
const puppeteer = createRequire(path.join(packages, "package.json"))("puppeteer-core");
const browser = await puppeteer.launch({
  executablePath: chromium, headless: true,
  args: ["--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--font-render-hinting=none"],
});
const out = {};

// What is wider than the screen, or a table that is cut; named by what it holds.
const wide = () => {
  const name = (e) => `${e.tagName.toLowerCase()}${e.id ? "#" + e.id : ""}.${e.getAttribute("class") || ""} ${e.textContent.trim().slice(0, 40)}`;
  const wrong = [], seen = (e) => e.getClientRects().length > 0 && !e.matches(".skip, .facts thead, .facts thead *") && !e.closest(".u-wrap");
  if (document.documentElement.scrollWidth > innerWidth) wrong.push(`the page is ${document.documentElement.scrollWidth} wide`);
  for (const e of document.querySelectorAll("body *:not(svg *)")) {
    const r = e.getBoundingClientRect();
    if (seen(e) && r.width > 0 && (r.left < -1 || r.right > innerWidth + 1)) wrong.push(`beyond the screen (${Math.round(r.left)} to ${Math.round(r.right)}): ${name(e)}`);
  }
  for (const e of document.querySelectorAll(".scroll")) if (seen(e) && e.scrollWidth > e.clientWidth + 1) wrong.push(`cut: ${name(e.querySelector("table"))}`);
  for (const e of document.querySelectorAll("td, tbody th, dd, summary")) if (seen(e) && e.scrollWidth > e.clientWidth + 1) wrong.push(`runs over: ${name(e)}`);
  return wrong.slice(0, 8);
};

// A chart that comes behind a table, of the same run or of what is of no single one.
const order = () => {
  const runs = Map.groupBy(document.querySelectorAll("figure, table"), (e) => e.closest("details.run"));
  return [...runs.values()].flatMap((list) => {
    const first = list.findIndex((e) => e.tagName === "TABLE");
    return first < 0 ? [] : list.slice(first).filter((e) => e.tagName === "FIGURE");
  }).map((f) => "behind a table: " + f.textContent.trim().slice(0, 40));
};

for (const file of files) {
  const wrong = out[file] = [];
  const open = async (width, script = true) => {
    const page = await browser.newPage();
    await page.setJavaScriptEnabled(script);
    await page.setViewport({ width, height: 900 });
    page.on("dialog", (d) => { wrong.push("a dialog: " + d.message()); d.dismiss(); });
    page.on("pageerror", (e) => wrong.push(String(e)));
    await page.goto("file://" + path.resolve(file), { waitUntil: "load" });
    return page;
  };
  const note = (where, list) => wrong.push(...list.map((w) => `${where}: ${w}`));
  const phone = await open(390);
  note("phone", await phone.evaluate(wide));
  await phone.$$eval("details", (list) => list.forEach((d) => { d.open = true; }));
  await phone.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  note("phone, all open", await phone.evaluate(wide));
  await phone.close();

  const screen = await open(1440);
  note("screen", await screen.evaluate(order));
  note("screen", await screen.evaluate(() => document.documentElement.scrollWidth > innerWidth ? ["the page is too wide"] : []));
  await screen.evaluate(() => addEventListener("beforeprint", () => { globalThis.folded = document.querySelectorAll("details:not([open])").length; }));
  const before = await screen.$$eval("details:not([open])", (list) => list.length);
  await screen.pdf({ path: path.join(path.dirname(file), "paper.pdf") });
  if (await screen.evaluate(() => globalThis.folded) !== 0) wrong.push("on paper a part is folded");
  if (await screen.$$eval("details:not([open])", (list) => list.length) !== before) wrong.push("what was folded is open after printing");
  await screen.close();

  const plain = await open(390, false);
  if (await plain.$("details:not([open])")) wrong.push("without scripts a part is folded");
  note("without scripts", await plain.evaluate(wide));
  await plain.close();
}
await browser.close();
console.log(JSON.stringify(out));
