"use strict";
(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const said = document.getElementById("said");
  let clearing;
  const say = (text) => {
    said.textContent = text;
    clearTimeout(clearing);
    clearing = setTimeout(() => { said.textContent = ""; }, 3000);
  };
  document.addEventListener("say", (event) => say(event.detail));

  // Light and dark: the reader's choice is kept where the browser lets us.
  const theme = document.getElementById("theme");
  const setTheme = (name) => {
    if (name) document.documentElement.dataset.theme = name;
    else delete document.documentElement.dataset.theme;
    theme.value = name;
  };
  try { setTheme(localStorage.getItem("inferometer-theme") || ""); } catch { /* no storage: as the system */ }
  theme.addEventListener("change", () => {
    setTheme(theme.value);
    try { localStorage.setItem("inferometer-theme", theme.value); } catch { /* kept for this page only */ }
  });
  const isDark = () => theme.value ? theme.value === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;

  // Parts that fold: all are open in the file, for those who read it without this script, and on paper.
  const open = (list, is) => list.forEach((d) => { d.open = is; });
  open(all("details[data-folded]").filter((d) => !d.querySelector(":target")), false);
  all(".unfold").forEach((button) => {
    const folds = () => all("details.fold", button.closest("section"));
    button.addEventListener("click", () => open(folds(), folds().some((d) => !d.open)));
    button.closest("section").addEventListener("toggle", () => { button.textContent = folds().some((d) => !d.open) ? "Open all" : "Fold all"; }, true);
  });
  let closed = [];
  addEventListener("beforeprint", () => { closed = all("details:not([open])"); open(closed, true); });
  addEventListener("afterprint", () => open(closed, false));

  // Tables are sorted by a click on a head; a second click turns the order.
  const key = (row, i) => {
    const cell = row.cells[i];
    return cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v);
  };
  const sort = (head) => {
    const table = head.closest("table"), i = head.cellIndex;
    const down = head.getAttribute("aria-sort") === "ascending";
    all("th[aria-sort]", table).forEach((h) => h.setAttribute("aria-sort", "none"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const rows = [...table.tBodies[0].rows];
    rows.sort((a, b) => {
      const x = key(a, i), y = key(b, i);
      const order = typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y), "en", { numeric: true });
      return down ? -order : order;
    });
    table.tBodies[0].append(...rows);
    say("sorted by " + head.textContent + (down ? ", descending" : ", ascending"));
  };

  // Tables and commands as text.
  const cells = (table) => [...table.rows].map((row) => [...row.cells].map((c) => c.textContent.trim()));
  const csv = (lines) => lines.map((l) => l.map((c) => /[",\n]/.test(c) ? '"' + c.replaceAll('"', '""') + '"' : c).join(",")).join("\n") + "\n";
  const markdown = (table) => {
    const lines = cells(table).map((l) => "| " + l.map((c) => c.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ") + " |");
    const rule = "|" + [...table.rows[0].cells].map((c) => c.classList.contains("num") ? "---:" : "---").join("|") + "|";
    return [lines[0], rule, ...lines.slice(1)].join("\n") + "\n";
  };
  const plain = (table) => cells(table).map((l, n) => n ? l.map((c, i) => table.rows[n].cells[i].dataset.v ?? c) : l);
  const copy = async (text) => {
    try { await navigator.clipboard.writeText(text); } catch {
      const box = document.createElement("textarea");
      box.value = text;
      document.body.append(box);
      box.select();
      document.execCommand("copy");
      box.remove();
    }
    say("copied");
  };

  // Charts as files: the visible drawing with its style inside.
  const drawing = (figure) => {
    // Where a chart answers the mouse, its picture is there and hidden: a file is of the whole of it.
    const hidden = figure.classList.contains("answering") && (matchMedia("(max-width: 720px)").matches ? ".narrow svg" : ".wide svg");
    const svg = hidden ? figure.querySelector(hidden) : all("svg", figure).find((s) => s.getBoundingClientRect().width > 0);
    if (!svg) return null;
    const box = svg.viewBox.baseVal, out = svg.cloneNode(true);
    out.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    out.setAttribute("width", box.width);
    out.setAttribute("height", box.height);
    out.setAttribute("data-theme", isDark() ? "dark" : "light");
    const style = document.createElementNS("http://www.w3.org/2000/svg", "style");
    style.textContent = document.getElementById("chart-style").textContent +
      all(".key:first-of-type .k", figure).map((k) => `.chart rect.${k.className.slice(2)}{fill:${getComputedStyle(k).backgroundColor}}`).join("");
    const paper = document.createElementNS("http://www.w3.org/2000/svg", "path");
    paper.setAttribute("d", `M0 0h${box.width}v${box.height}H0z`);
    paper.setAttribute("fill", getComputedStyle(figure).backgroundColor);
    out.prepend(style, paper);
    return { text: new XMLSerializer().serializeToString(out), width: box.width, height: box.height };
  };
  const download = (blob, name) => {
    const a = document.createElement("a");
    a.href = URL.createObjectURL(blob);
    a.download = name;
    a.click();
    setTimeout(() => URL.revokeObjectURL(a.href), 10000);
    say("saved " + name);
  };
  const save = (figure, kind) => {
    const d = drawing(figure);
    if (!d) return say("there is nothing to save");
    const name = (figure.id || figure.closest("[id]").id) + "." + kind;
    const blob = new Blob([d.text], { type: "image/svg+xml" });
    if (kind === "svg") return download(blob, name);
    const img = new Image(), url = URL.createObjectURL(blob);
    img.onload = () => {
      const canvas = document.createElement("canvas");
      canvas.width = 2 * d.width;
      canvas.height = 2 * d.height;
      canvas.getContext("2d").drawImage(img, 0, 0, canvas.width, canvas.height);
      URL.revokeObjectURL(url);
      canvas.toBlob((b) => download(b, name), "image/png");
    };
    img.src = url;
  };

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.classList.contains("sort")) return sort(button.closest("th"));
    if (button.dataset.save) return save(button.closest("figure"), button.dataset.save);
    if (!button.dataset.copy) return;
    const from = document.getElementById(button.dataset.for);
    const texts = { markdown: () => markdown(from), csv: () => csv(plain(from)), text: () => from.textContent };
    copy(texts[button.dataset.copy]());
  });

  // The waterfall: some requests at a time, each as a bar from when it was due to its end.
  const data = JSON.parse(document.getElementById("data").textContent);
  const page = 40, rowHeight = 16;
  const ms = (v) => v >= 100 ? v.toFixed(0) : v.toFixed(1);
  const element = (name, attributes, text) => {
    const e = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
    if (text !== undefined) e.textContent = text;
    return e;
  };
  const step = (least) => {
    const power = 10 ** Math.floor(Math.log10(least));
    return [1, 2, 5, 10].map((f) => f * power).find((v) => v >= least);
  };

  class Waterfall {
    constructor(box) {
      this.box = box;
      this.d = data[Number(box.dataset.run)];
      this.at = 0;
      this.plot = box.querySelector(".plot");
      this.which = box.querySelector(".which");
      this.align = box.querySelector(".align");
      this.align.addEventListener("change", () => this.show());
      this.which.addEventListener("change", () => {
        this.at = 0;
        this.align.checked = this.which.value !== "all"; // in their order, the run's own time tells more
        this.choose();
        this.show();
      });
      box.querySelector(".before").addEventListener("click", () => { this.at -= page; this.show(); });
      box.querySelector(".after").addEventListener("click", () => { this.at += page; this.show(); });
      new ResizeObserver(() => { if (this.plot.clientWidth && this.plot.clientWidth !== this.drawn) this.show(); }).observe(this.plot);
      this.choose();
    }

    took(i) { return this.d.wait[i] + this.d.end[i]; }
    ok(i) { return this.d.ok[this.d.outcome[i]] === 1; }

    choose() {
      const every = (this.d.i || []).map((_, i) => i);
      if (this.which.value === "failed") this.list = every.filter((i) => !this.ok(i));
      else if (this.which.value === "slow") this.list = every.sort((a, b) => this.took(b) - this.took(a));
      else this.list = every.sort((a, b) => this.d.due[a] + this.d.wait[a] - this.d.due[b] - this.d.wait[b]);
    }

    show() {
      this.at = Math.max(0, Math.min(this.at, Math.floor((this.list.length - 1) / page) * page));
      const part = this.list.slice(this.at, this.at + page);
      this.box.querySelector(".before").disabled = this.at === 0;
      this.box.querySelector(".after").disabled = this.at + page >= this.list.length;
      this.box.querySelector(".where").textContent = part.length
        ? `${this.at + 1} to ${this.at + part.length} of ${this.list.length}` : "none";
      this.drawn = this.plot.clientWidth;
      this.plot.replaceChildren(part.length ? this.draw(part) : document.createTextNode("No request is like that."));
      this.fill(part);
    }

    draw(part) {
      const d = this.d, width = Math.max(300, this.drawn || 1100), left = 58, right = width - 20;
      const due = (i) => this.align.checked ? 0 : d.due[i];
      const from = Math.min(...part.map(due)), to = Math.max(...part.map((i) => due(i) + this.took(i)), from + 1);
      const x = (v) => left + (v - from) / (to - from) * (right - left);
      const height = part.length * rowHeight + 46;
      const svg = element("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Timeline of ${part.length} requests; the table below holds the same` });
      const every = step((to - from) / Math.max(2, (right - left) / 90));
      for (let v = Math.ceil(from / every) * every; v <= to; v += every) {
        svg.append(element("polyline", { class: "grid", points: `${x(v)},4 ${x(v)},${height - 40}` }),
          element("text", { class: "muted", x: x(v), y: height - 24, "text-anchor": "middle" }, +(v / 1000).toFixed(3)));
      }
      svg.append(element("text", { class: "text", x: (left + right) / 2, y: height - 6, "text-anchor": "middle" }, this.align.checked ? "seconds since it was due" : "seconds since the start"));
      part.forEach((i, n) => this.bar(svg, i, due(i), 6 + n * rowHeight, x));
      return svg;
    }

    bar(svg, i, due, y, x) {
      const d = this.d, sent = due + d.wait[i], end = sent + d.end[i], first = d.first[i] < 0 ? end : sent + d.first[i];
      const g = element("g", {});
      const rect = (kind, a, b) => {
        if (b > a) g.append(element("rect", { class: kind, x: x(a).toFixed(1), y, width: Math.max(x(b) - x(a), 1).toFixed(1), height: rowHeight - 5 }));
      };
      rect("wait", due, sent);
      rect("first", sent, first);
      rect(this.ok(i) ? "rest" : "fail", d.first[i] < 0 ? sent : first, end);
      g.append(element("title", {}, `request ${d.i[i]}: ${d.outcomes[d.outcome[i]]}, ${ms(this.took(i))} ms, ${d.tokens[i]} tokens ${d.errors[d.error[i]]}`),
        element("text", { class: "muted", x: 52, y: y + 10, "text-anchor": "end" }, "#" + d.i[i]));
      svg.append(g);
    }

    fill(part) {
      const d = this.d, body = this.box.querySelector("tbody"), heads = all("thead th", this.box).map((h) => h.textContent);
      body.replaceChildren(...part.map((i) => {
        const row = document.createElement("tr");
        const add = (text, v, head) => {
          const c = document.createElement(head ? "th" : "td");
          if (head) c.scope = "row";
          else c.dataset.head = heads[row.cells.length];
          c.textContent = text;
          if (v !== undefined) { c.dataset.v = v; c.className = "num"; }
          row.append(c);
        };
        add(d.i[i], d.i[i], true);
        add(ms(d.due[i]), d.due[i]);
        add(ms(d.wait[i]), d.wait[i]);
        add(d.first[i] < 0 ? "–" : ms(d.first[i]), d.first[i]);
        add(ms(d.end[i]), d.end[i]);
        add(d.tokens[i], d.tokens[i]);
        add(d.outcomes[d.outcome[i]]);
        add(d.errors[d.error[i]]);
        return row;
      }));
      all("th[aria-sort]", this.box).forEach((h) => h.setAttribute("aria-sort", "none"));
    }
  }
  all(".waterfall").forEach((box) => { const w = new Waterfall(box); if (box.offsetParent) w.show(); });
})();
