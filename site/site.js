// Tables and code that are wider than the screen scroll inside themselves; this makes them reachable by the keyboard.
(function () {
  function mark() {
    for (const e of document.querySelectorAll("main .table-wrapper, main pre > code")) {
      const wide = e.scrollWidth > e.clientWidth + 1;
      if (wide && !e.hasAttribute("tabindex")) {
        e.tabIndex = 0;
        e.setAttribute("role", "region");
        e.setAttribute("aria-label", e.tagName === "CODE" ? "code, scrolls sideways" : "table, scrolls sideways");
      } else if (!wide && e.getAttribute("role") === "region") {
        e.removeAttribute("tabindex");
        e.removeAttribute("role");
        e.removeAttribute("aria-label");
      }
    }
  }
  addEventListener("load", mark);
  addEventListener("resize", mark);
})();
