// Takes README's first screen as a code host shows it: node readme.mjs BROWSER PACKAGES SITE OUT
// The text is that of the built site; the frame around it is plain, in a code host's sizes.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { resolve } from "node:path";

const [browser, packages, site, out] = process.argv.slice(2);
const puppeteer = createRequire(resolve(packages, "x.js"))("puppeteer-core");
const style = `
  body { margin: 0; background: #fff; color: #1f2328; font: 16px/1.5 -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", Helvetica, Arial, sans-serif; }
  main { max-width: 946px; margin: 24px auto; padding: 32px; border: 1px solid #d1d9e0; border-radius: 6px; }
  h1, h2 { border-bottom: 1px solid #d1d9e0; padding-bottom: .3em; line-height: 1.25; margin: 24px 0 16px; }
  h1 { font-size: 2em; margin-top: 0; } h2 { font-size: 1.5em; }
  h1 a, h2 a { color: inherit !important; text-decoration: none !important; }
  p, ul, pre, .table-wrapper { margin: 0 0 16px; } ul { padding-left: 2em; } li + li { margin-top: .25em; }
  a { color: #0969da; text-decoration: none; }
  code { font: 85% ui-monospace, "DejaVu Sans Mono", monospace; background: #818b981f; padding: .2em .4em; border-radius: 6px; }
  pre { background: #f6f8fa; padding: 16px; border-radius: 6px; overflow: auto; line-height: 1.45; }
  pre code { background: none; padding: 0; font-size: 13.6px; } pre .buttons { display: none; }
  table { border-collapse: collapse; } th, td { border: 1px solid #d1d9e0; padding: 6px 13px; } th { font-weight: 600; }
  tr:nth-child(2n) { background: #f6f8fa; } img { max-width: 100%; }`;

const text = readFileSync(resolve(site, "index.html"), "utf8").match(/<main>([\s\S]*)<\/main>/)[1];
const chromium = await puppeteer.launch({ executablePath: browser, args: ["--no-sandbox"] });
try {
  const page = await chromium.newPage();
  await page.setViewport({ width: 1440, height: 900 });
  await page.goto(pathToFileURL(resolve(site, "index.html")).href);
  await page.setContent(`<base href="${pathToFileURL(resolve(site)).href}/"><style>${style}</style><main>${text}</main>`, { waitUntil: "load" });
  await page.screenshot({ path: out });
} finally {
  await chromium.close();
}
