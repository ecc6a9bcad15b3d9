// The documentation site: light and dark, the navigation on small screens, and the search box, which looks into
// search-index.js and asks nobody else.

"use strict";

(function () {
  const root = document.documentElement;

  // Storage may be refused, for instance to pages that are read from a disk.
  function kept() {
    try {
      return localStorage.getItem("light");
    } catch (error) {
      return null;
    }
  }
  function keep(value) {
    try {
      localStorage.setItem("light", value);
    } catch (error) {
      return;
    }
  }
  const wanted = kept();
  const dark = wanted ? wanted === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.classList.toggle("dark", dark);

  // The weight of a passage for the words that are looked for; 0 where one is missing.
  function weigh(entry, words) {
    const title = entry[0].toLowerCase();
    const heading = entry[1].toLowerCase();
    const text = entry[3].toLowerCase();
    let sum = 0;
    for (const word of words) {
      let weight = 0;
      if (heading === word || title === word) weight = 60;
      else if (heading.endsWith("::" + word)) weight = 50;
      else if (heading.includes(word)) weight = 20;
      else if (title.includes(word)) weight = 12;
      else if (text.includes(word)) weight = 4;
      if (weight === 0) return 0;
      sum += weight;
    }
    return sum;
  }

  // A piece of the text around the first word, with all words marked.
  function excerpt(text, words) {
    const lower = text.toLowerCase();
    const places = words.map((word) => lower.indexOf(word)).filter((at) => at >= 0);
    const first = places.length ? Math.min(...places) : 0;
    const start = Math.max(0, first - 50);
    const piece = text.slice(start, start + 160);
    const out = document.createElement("small");
    out.append(start > 0 ? "..." : "");
    let rest = piece;
    while (rest) {
      const found = words
        .map((word) => [rest.toLowerCase().indexOf(word), word.length])
        .filter((pair) => pair[0] >= 0)
        .sort((a, b) => a[0] - b[0])[0];
      if (!found) break;
      out.append(rest.slice(0, found[0]));
      const mark = document.createElement("mark");
      mark.textContent = rest.slice(found[0], found[0] + found[1]);
      out.append(mark);
      rest = rest.slice(found[0] + found[1]);
    }
    out.append(rest);
    return out;
  }

  function search(text, results) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    results.hidden = words.length === 0;
    results.replaceChildren();
    if (words.length === 0) return;
    // No page fills the list alone.
    const shown = new Map();
    const found = (window.searchIndex || [])
      .map((entry, at) => [weigh(entry, words), at, entry])
      .filter((row) => row[0] > 0)
      .sort((a, b) => b[0] - a[0] || a[1] - b[1])
      .filter((row) => {
        const title = row[2][0];
        const count = (shown.get(title) || 0) + 1;
        shown.set(title, count);
        return count <= 6;
      })
      .slice(0, 20);
    for (const [, , entry] of found) {
      const link = document.createElement("a");
      link.href = (root.dataset.up || "") + entry[2];
      const name = document.createElement("b");
      name.textContent = entry[1] || entry[0];
      link.append(name, entry[1] ? " - " + entry[0] : "");
      if (entry[3]) link.append(excerpt(entry[3], words));
      results.append(link);
    }
    if (found.length === 0) {
      const none = document.createElement("p");
      none.textContent = "Nothing found.";
      results.append(none);
    }
  }

  addEventListener("DOMContentLoaded", () => {
    const box = document.getElementById("search");
    const results = document.getElementById("results");
    const pages = document.getElementById("pages");
    document.getElementById("light").addEventListener("click", () => {
      keep(root.classList.toggle("dark") ? "dark" : "light");
    });
    document.getElementById("menu").addEventListener("click", () => pages.classList.toggle("open"));
    const here = pages.querySelector(".here");
    if (here) pages.scrollTop = here.offsetTop - pages.clientHeight / 2;

    box.addEventListener("input", () => search(box.value, results));
    box.addEventListener("focus", () => search(box.value, results));
    addEventListener("click", (event) => {
      if (event.target !== box && !results.contains(event.target)) results.hidden = true;
      if (event.target.closest && event.target.closest("#results a")) results.hidden = true;
    });
    addEventListener("keydown", (event) => {
      const typing = document.activeElement && document.activeElement.tagName === "INPUT";
      if (event.key === "/" && !typing) {
        event.preventDefault();
        box.focus();
      }
      if (event.key === "Escape") {
        results.hidden = true;
        box.blur();
      }
      const links = [...results.querySelectorAll("a")];
      if (document.activeElement !== box || links.length === 0) return;
      const chosen = links.findIndex((link) => link.classList.contains("chosen"));
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step) {
        event.preventDefault();
        const next = (chosen + step + links.length) % links.length;
        links.forEach((link, at) => link.classList.toggle("chosen", at === next));
        links[next].scrollIntoView({ block: "nearest" });
      }
      if (event.key === "Enter") links[Math.max(chosen, 0)].click();
    });
    // #search=WORDS opens a page with the search made.
    const asked = /^#search=(.*)$/.exec(location.hash);
    if (asked) {
      addEventListener("load", () => {
        box.value = decodeURIComponent(asked[1]);
        box.focus();
      });
    }
  });
})();
