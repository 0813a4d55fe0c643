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
  // highlight.js knows the words of a shell, not those of a program: its name and its flags are coloured here.
  const words = /(^|\n)(\s*(?:bin\/)?inferometer)(?=\s)|(\s)(--?[a-z][\w-]*)/gi;
  for (const code of document.querySelectorAll("main code.language-sh, main code.language-console")) {
    const texts = [];
    for (const walk = document.createTreeWalker(code, NodeFilter.SHOW_TEXT); walk.nextNode();) texts.push(walk.currentNode);
    for (const node of texts) {
      if (node.parentElement.closest(".hljs-comment, .hljs-string")) continue;
      const parts = [];
      let from = 0;
      for (const m of node.data.matchAll(words)) {
        const span = document.createElement("span");
        span.className = m[2] ? "program" : "flag";
        span.textContent = m[2] ?? m[4];
        parts.push(node.data.slice(from, m.index) + (m[1] ?? m[3]), span);
        from = m.index + m[0].length;
      }
      if (parts.length) node.replaceWith(...parts, node.data.slice(from));
    }
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
