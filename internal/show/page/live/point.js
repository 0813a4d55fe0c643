// Pointing at charts: what is read out under the crosshair, by mouse, touch and keyboard.
Object.assign(LiveChart.prototype, {
  // read writes the values at the crosshair into the legend.
  read() {
    const { u, d } = this, left = u?.cursor.left;
    if (!u) return;
    if (left === undefined || left === null || left < 0) return this.clear();
    const x = u.posToVal(left, "x"), pixel = (u.scales.x.max - u.scales.x.min) / Math.max(u.over.clientWidth, 1);
    const row = this.nearestRow(x), at = placeText(d.heat || this.points.length ? x : this.rows.x[row], d.x, d.x.log ? x / 200 : pixel), texts = [];
    this.at.textContent = this.points.length ? "" : at;
    for (const { n, value } of this.values) {
      const i = nearest(this.rows, n, x);
      value.textContent = u.series[n + 1].show && i >= 0 ? withUnit(this.rows.y[n][i], d.y.unit) : "–";
      if (u.series[n + 1].show) texts.push((this.series[n].name + " " + value.textContent).trim());
    }
    if (d.heat) texts.push(this.cell(x));
    else if (this.points.length) texts.unshift(this.nearPoint(left));
    if (document.activeElement === this.stage) {
      this.stage.setAttribute("aria-valuenow", Number(x.toPrecision(6)));
      this.stage.setAttribute("aria-valuetext", [this.points.length || d.heat ? "" : at, ...texts].filter(Boolean).join(", "));
    }
  },

  clear() {
    this.at.textContent = "";
    this.found.replaceChildren();
    this.near = null;
    this.ring.hidden = true;
    for (const { value } of this.values) value.textContent = "";
  },

  nearestRow(x) {
    const list = this.rows.x, i = rowAt(list, x);
    if (i === 0) return 0;
    if (i === list.length) return i - 1;
    return x - list[i - 1] <= list[i] - x ? i - 1 : i;
  },

  // own says whether the crosshair is here by this chart's own mouse or keys, not by another's.
  own() { return this.keyed || !!this.u.cursor.event; },

  // cell is the count under the pointer, or of the column where another chart has it.
  cell(x) {
    const { x: xs, y: ys, counts, name } = this.d.heat, { x: ax, y: ay } = this.d;
    const i = Math.max(0, Math.min(counts.length - 1, rowAt(xs, x) - 1)), column = counts[i];
    const y = this.u.posToVal(this.u.cursor.top, "y");
    let j = Math.max(0, Math.min(column.length - 1, rowAt(ys, y) - 1)), text;
    const span = (list, k, unit) => valueText(list[k]) + "–" + withUnit(list[k + 1], unit);
    if (this.own()) {
      text = `${valueText(column[j])} ${name} of ${span(ys, j, ay.unit)} at ${span(xs, i, ax.unit)}`;
    } else {
      const sum = column.reduce((a, b) => a + b, 0);
      j = column.indexOf(Math.max(...column));
      text = `${valueText(sum)} ${name} at ${span(xs, i, ax.unit)}` + (sum ? `, most of them of ${span(ys, j, ay.unit)}` : "");
    }
    this.found.textContent = text;
    return text;
  },

  // nearPoint is what the nearest point says; its run is one click away.
  nearPoint(left) {
    const u = this.u, top = u.cursor.top;
    let best = this.own() ? this.nearest(28, (p) => Math.hypot(u.valToPos(p.x, "x") - left, u.valToPos(p.y, "y") - top)) : null;
    best ||= this.nearest(10, (p) => Math.abs(u.valToPos(p.x, "x") - left));
    if (this.keyed && this.forced) best = this.forced;
    this.near = best;
    u.over.classList.toggle("leads", !!this.address(best));
    this.found.replaceChildren();
    this.ring.hidden = !best;
    if (!best) return "";
    this.ring.style.transform = `translate(${u.valToPos(best.x, "x")}px, ${u.valToPos(best.y, "y")}px)`;
    this.found.append(best.hint);
    if (this.address(best)) this.found.append(" ", make("a", { href: best.link, tabindex: "-1" }, "open"));
    return best.hint;
  },

  nearest(least, distance) {
    let best = null;
    for (const p of this.points) {
      if (!this.u.series[p.n + 1].show) continue;
      const far = distance(p);
      if (far < least) [best, least] = [p, far];
    }
    return best;
  },

  // address is where a point leads: to a page beside this one, and nowhere else.
  address(p) { return p && p.link && /^[\w.][\w./-]*$/.test(p.link) ? p.link : ""; },

  follow() {
    const link = this.address(this.near);
    if (link) location.assign(link);
  },

  // touch: a finger that goes sideways moves the crosshair; up and down it scrolls the page.
  touch(over) {
    const move = (e) => {
      if (e.pointerType !== "touch") return;
      const box = over.getBoundingClientRect();
      this.go(Math.max(0, Math.min(e.clientX - box.left, box.width)), Math.max(0, Math.min(e.clientY - box.top, box.height)));
    };
    over.addEventListener("pointerdown", move);
    over.addEventListener("pointermove", move);
  },

  // go puts the crosshair somewhere, in all charts that go together.
  go(left, top, point = null) {
    this.keyed = true;
    this.forced = point;
    this.u.setCursor({ left, top }, true, true);
    this.keyed = false;
  },

  // key: what the mouse can do.
  key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const many = e.shiftKey ? 10 : 1;
    const acts = {
      ArrowLeft: () => this.step(-many), ArrowRight: () => this.step(many), Home: () => this.step(-Infinity), End: () => this.step(Infinity),
      "+": () => this.zoomBy(0.5), "=": () => this.zoomBy(0.5), "-": () => this.zoomBy(2), "0": () => this.together.reset(), Escape: () => this.together.reset(),
      Enter: () => this.follow(),
    };
    if (this.d.heat) Object.assign(acts, { ArrowUp: () => this.rise(1), ArrowDown: () => this.rise(-1) });
    if (!acts[e.key]) return;
    e.preventDefault();
    acts[e.key]();
  },

  // stops are where the arrow keys halt: each point, or each place that has values.
  stops() {
    const points = this.points.filter((p) => this.u.series[p.n + 1].show);
    if (points.length) return points;
    const { x } = this.rows;
    return this.every ||= x.filter((v, i) => i === 0 || v !== x[i - 1]).map((v) => ({ x: v }));
  },

  step(by) {
    const stops = this.stops(), left = this.u.cursor.left, shown = left >= 0 && left !== null;
    if (!stops.length) return;
    let now = this.forced && shown ? stops.indexOf(this.forced) : -1;
    if (now < 0 && shown) {
      const x = this.u.posToVal(left, "x");
      now = stops.reduce((best, s, i) => Math.abs(s.x - x) < Math.abs(stops[best].x - x) ? i : best, 0);
    }
    if (now >= 0 || !Number.isFinite(by)) return this.halt(stops[Math.max(0, Math.min(now + by, stops.length - 1))]);
    const { min, max } = this.u.scales.x, seen = stops.filter((s) => s.x >= min && s.x <= max); // begin at the edge of what is shown
    this.halt((by > 0 ? seen[0] : seen.at(-1)) || stops[0]);
  },

  // halt goes to a stop, and takes the part that is shown along.
  halt(stop) {
    const { u } = this, { min, max } = u.scales.x;
    if (stop.x < min || stop.x > max) {
      const by = this.d.x.log ? stop.x / Math.sqrt(min * max) : stop.x - (min + max) / 2;
      if (this.d.x.log) this.together.zoom(this, min * by, max * by);
      else this.together.zoom(this, min + by, max + by);
    }
    const top = stop.y !== undefined ? u.valToPos(stop.y, "y") : this.d.heat && u.cursor.top >= 0 ? u.cursor.top : u.over.clientHeight / 2;
    this.go(u.valToPos(stop.x, "x"), top, stop.hint ? stop : null);
  },

  // rise goes to the cell above or below.
  rise(by) {
    const { u } = this, ys = this.d.heat.y;
    if (!(u.cursor.left >= 0)) return this.step(1);
    const j = Math.max(0, Math.min(ys.length - 2, rowAt(ys, u.posToVal(u.cursor.top, "y")) - 1 + by));
    this.go(u.cursor.left, u.valToPos(Math.sqrt(ys[j] * ys[j + 1]), "y"));
  },

  // zoomBy shows so much more or less around the crosshair.
  zoomBy(factor) {
    const { u } = this, { min, max } = u.scales.x, log = this.d.x.log;
    const to = log ? Math.log : (v) => v, back = log ? Math.exp : (v) => v;
    const a = to(min), b = to(max), left = u.cursor.left, shown = left >= 0 && left !== null;
    const at = shown ? u.posToVal(left, "x") : back((a + b) / 2), share = (to(at) - a) / (b - a);
    this.together.zoom(this, back(to(at) - share * (b - a) * factor), back(to(at) + (1 - share) * (b - a) * factor));
    if (shown) this.go(u.valToPos(at, "x"), u.cursor.top, this.forced);
  },
});
