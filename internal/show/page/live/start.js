// All charts of the page that have numbers are drawn again, when they are first seen.
const set = JSON.parse(document.getElementById("charts").textContent), groups = {}, drawn = [];
const begin = () => {
  for (const [id, d] of Object.entries(set.charts || {})) {
    const figure = document.getElementById(id);
    if (!figure || figure.classList.contains("answering") || figure.closest("details:not([open])")) continue; // in a part that is closed: it has no size yet
    const key = d.together ? "together " + d.together : "alone " + id;
    try {
      drawn.push(new LiveChart(figure, d, set.x, groups[key] ||= new Together(key)));
    } catch (e) {
      figure.classList.remove("answering"); // the picture is still there
      figure.querySelector(".live")?.remove();
      console.error(e);
    }
  }
};
if (Object.keys(set.charts || {}).length && typeof uPlot === "function") {
  const help = make("p", { id: "live-keys", class: "muted" },
    "Point at a chart for its values; drag over it to look closer, double-click to see all again. By the keyboard: the arrow keys move the line (ten steps with Shift), + and − zoom, 0 shows all.");
  begin();
  const first = document.querySelector(".answering") || document.querySelector("figure");
  (first.closest(".figures") || first).after(help);
  document.addEventListener("toggle", begin, true);
  const repaint = () => {
    inks = {};
    for (const c of drawn) c.u.redraw(false);
  };
  document.getElementById("theme").addEventListener("change", repaint);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
}
