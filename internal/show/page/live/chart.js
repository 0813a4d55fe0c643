// Together is charts with one lower axis: one crosshair, one zoom.
class Together {
  constructor(key) {
    this.key = key;
    this.charts = [];
    this.range = null; // what is shown of the lower axis; null: all
  }

  // zoom shows a part; it stays within the axis, and is no narrower than can be read.
  zoom(chart, from, to) {
    const axis = chart.d.x, to1 = axis.log ? Math.log : (v) => v, back = axis.log ? Math.exp : (v) => v;
    const [least, most] = axis.ends.map(to1), whole = most - least;
    let [a, b] = [to1(Math.max(from, axis.log ? Number.MIN_VALUE : -Infinity)), to1(to)].sort((x, y) => x - y);
    const span = Math.min(whole, Math.max(b - a, whole / 500));
    a = Math.max(least, Math.min((a + b) / 2 - span / 2, most - span));
    b = a + span;
    if (span > whole * 0.999) return this.reset();
    this.range = [back(a), back(b)];
    this.show();
    say("shown: " + this.range.map((v) => placeText(v, axis, (this.range[1] - this.range[0]) / 500)).join(" to "));
  }

  reset() {
    if (!this.range) return;
    this.range = null;
    this.show();
    say("all is shown");
  }

  show() {
    for (const c of this.charts) c.shown();
  }
}

// LiveChart stands in the place of a picture.
class LiveChart {
  constructor(figure, d, places, together) {
    Object.assign(this, { figure, d, places, together, title: figure.querySelector("figcaption").textContent });
    this.series = d.series || [];
    this.rows = d.heat ? heatRows(d.heat) : toRows(this.series, places);
    this.points = this.series.flatMap((s, n) => s.kind === "points" ? s.y.map((y, k) => this.point(s, n, k, y)).filter((p) => p.y !== null) : []);
    this.points.sort((a, b) => a.x - b.x);
    this.build();
    this.draw();
    together.charts.push(this);
    this.shown();
  }

  point(s, n, k, y) {
    const x = this.places[s.at][k], label = s.labels?.[k] ? s.labels[k] + ": " : "";
    const hint = label + (s.hints?.[k] ?? `${s.name}: ${placeText(x, this.d.x, 0.01)}, ${withUnit(y, this.d.y.unit)}`);
    return { x, y, n, hint, link: s.links?.[k] };
  }

  // upright is a line that marks places and has no values.
  upright(s) { return s.y.length > 1 && this.places[s.at][0] === this.places[s.at][1]; }

  build() {
    const figure = this.figure;
    this.at = make("span", { class: "at" });
    this.values = [];
    const named = this.series.filter((s) => s.name).length;
    const entries = this.series.map((s, n) => this.entry(s, n, named)).filter(Boolean);
    this.found = make("p", { class: "found" });
    this.stage = make("div", {
      class: "stage", tabindex: "0", role: "slider", "aria-label": this.title + ", chart", "aria-describedby": "live-keys",
      "aria-valuemin": this.d.x.ends[0], "aria-valuemax": this.d.x.ends[1], "aria-valuenow": this.d.x.ends[0], "aria-valuetext": "no place is chosen",
    });
    this.box = make("div", { class: "live" }, make("div", { class: "legend" }, ...entries, this.at), this.stage);
    if (this.points.length || this.d.heat) this.box.append(this.found);
    figure.querySelector(".wide").before(this.box);
    figure.classList.add("answering");
    this.buttons();
    this.stage.addEventListener("keydown", (e) => this.key(e));
  }

  // entry names a series and holds its value; with others it is a button that hides it.
  entry(s, n, named) {
    if (!s.name && this.series.length > 1) return null;
    const told = s.kind !== "points" && !this.upright(s), value = told ? make("b") : "";
    const swatch = make("span", { class: "chart swatch", "aria-hidden": "true" }, make("i", { class: `s${s.color}${s.kind === "points" ? " dot" : s.dashed ? " dashed" : ""}` }));
    if (told) this.values.push({ n, value });
    if (!s.name) return make("span", {}, value);
    if (named < 2) return make("span", {}, swatch, make("span", {}, s.name), value);
    const button = make("button", { type: "button", "aria-pressed": "true" }, swatch, make("span", {}, s.name));
    button.addEventListener("click", () => {
      const show = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(show));
      this.series.forEach((other, i) => {
        if (i === n || !other.name && other.color === s.color) this.u.setSeries(i + 1, { show });
      });
      this.read();
      say(s.name + (show ? " is shown" : " is hidden"));
    });
    return make("span", {}, button, value);
  }

  buttons() {
    const tools = this.figure.querySelector(".tools");
    const button = (text, label, act) => {
      const b = make("button", { type: "button", tabindex: "-1", "aria-label": `${label}: ${this.title}` }, text); // the chart itself takes keys
      b.addEventListener("click", act);
      return b;
    };
    this.all = button("All", "Show all", () => this.together.reset());
    tools.prepend(button("−", "Show more", () => this.zoomBy(2)), button("+", "Show nearer", () => this.zoomBy(0.5)), this.all);
  }

  draw() {
    const { d, series } = this, size = this.size();
    const marks = [d.heat ? drawHeat(d.heat) : drawBars(series, this.places), drawEvents(d.events || [])];
    const options = {
      ...size, padding: [8, 20, 0, 0], legend: { show: false },
      scales: {
        x: { time: false, distr: d.x.log ? 3 : 1, range: () => this.together.range || d.x.ends },
        y: { distr: d.y.log ? 3 : 1, range: (u, low, high) => this.fit(low, high) },
      },
      axes: [uplotAxis(d.x, true), uplotAxis(d.y, false)],
      series: [{}, ...(d.heat ? [{ show: true, scale: "y", points: { show: false }, paths: () => null }] : series.map((s) => uplotSeries(s)))],
      cursor: {
        y: !!d.heat, points: d.heat ? { show: false } : { size: 8, width: 1.5 }, drag: { x: true, y: false, dist: 6, setScale: false },
        sync: { key: this.together.key, scales: ["x", null], filters: { pub: (type) => type === "mousemove", sub: () => true } },
        dataIdx: (u, n, row, at) => this.marked(u, n, row, at),
        bind: { dblclick: () => () => { this.together.reset(); return null; } },
      },
      hooks: {
        drawAxes: marks, draw: [drawLabels(series, this.places)],
        setCursor: [() => this.read()],
        setSelect: [(u) => this.selected(u)],
      },
    };
    this.u = new uPlot(options, [this.rows.x, ...this.rows.y], this.stage);
    this.ring = make("div", { class: "ring", hidden: "" });
    this.u.over.append(this.ring);
    this.touch(this.u.over);
    this.u.over.addEventListener("click", () => { if (!this.dragged) this.follow(); });
    this.u.over.addEventListener("pointerdown", (e) => { this.dragged = e.pointerType === "touch"; }); // a finger has to see first what it is at
    new ResizeObserver(() => {
      const now = this.size();
      if (now.width > 40 && (now.width !== this.u.width || now.height !== this.u.height)) this.u.setSize(now);
    }).observe(this.box);
  }

  size() {
    const phone = matchMedia("(max-width: 720px)").matches;
    return { width: Math.max(this.box.clientWidth, 120), height: this.d.height[phone ? 1 : 0] - (this.series.length > 1 ? 14 : 0) };
  }

  // fit is the ends of the left axis: the picture's own, or what is seen of a part.
  fit(low, high) {
    const { y } = this.d, hidden = this.u && this.u.series.some((s, i) => i && !s.show);
    if (y.fixed || !this.together.range && !hidden || low === null || low === undefined || !Number.isFinite(low)) return y.ends;
    if (y.log) return [low / 1.15, high * 1.15];
    const size = Math.max(Math.abs(low), Math.abs(high)), room = Math.max((high - low) * 0.06, size * 1e-6) || 1;
    return [y.zero && low >= 0 ? 0 : low - room, y.zero && high <= 0 ? Math.max(high, 1) : high + room];
  }

  // marked is where a dot lies on a series: nowhere, if its next value is not near.
  marked(u, n, row, at) {
    if (!n || this.d.heat) return row;
    const s = this.series[n - 1];
    if (s.kind === "points" || this.upright(s)) return null;
    const i = nearest(this.rows, n - 1, at);
    return i >= 0 && Math.abs(u.valToPos(this.rows.x[i], "x") - u.valToPos(at, "x")) < 14 ? i : null;
  }

  selected(u) {
    const { left, width } = u.select;
    if (!(width > 0)) return;
    this.dragged = true;
    u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.together.zoom(this, u.posToVal(left, "x"), u.posToVal(left + width, "x"));
  }

  // shown draws the part that is to be seen.
  shown() {
    const [min, max] = this.together.range || this.d.x.ends;
    this.all.disabled = !this.together.range;
    this.stage.setAttribute("aria-valuemin", Number(min.toPrecision(10)));
    this.stage.setAttribute("aria-valuemax", Number(max.toPrecision(10)));
    this.u.batch(() => this.u.setScale("x", { min, max })); // drawn at once, not in a task of its own
    this.read();
  }
}

const uplotSeries = (s) => ({
  scale: "y", label: s.name, stroke: () => ink("s" + s.color), width: s.kind === "points" ? 0 : 1.8, dash: s.dashed ? [5, 4] : undefined,
  paths: s.kind === "points" ? () => null : linePath(s.kind === "steps"),
  points: { show: s.kind.endsWith("points"), size: 7, width: 0, stroke: () => ink("s" + s.color), fill: () => ink("s" + s.color) },
});

// heatRows are the columns of a heat map: uPlot draws nothing for them.
const heatRows = (heat) => {
  const x = heat.counts.map((_, i) => (heat.x[i] + heat.x[i + 1]) / 2);
  return { x, y: [x.map(() => null)], from: [[]] };
};
