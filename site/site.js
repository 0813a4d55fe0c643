(function () {
  // Tables and code that are wider than the screen scroll inside themselves; this makes them reachable by the keyboard.
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
  // A flag or a key that begins a row stays in one piece; a browser would break it after each dash.
  for (const code of document.querySelectorAll("main td:first-child > code:first-child")) {
    if (/^\S{1,24}$/.test(code.textContent)) code.classList.add("word");
  }
  // The menu's switch is a label; for a keyboard and for a screen reader it is a button.
  const toggle = document.getElementById("mdbook-sidebar-toggle");
  if (toggle) {
    toggle.setAttribute("role", "button");
    toggle.tabIndex = 0;
    toggle.addEventListener("keydown", (e) => {
      if (e.key === "Enter" || e.key === " ") {
        e.preventDefault();
        toggle.click();
      }
    });
  }
  addEventListener("load", mark);
  addEventListener("resize", mark);
})();
