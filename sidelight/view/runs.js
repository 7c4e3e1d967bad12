"use strict";
(() => {
  const of = (id) => document.getElementById(id);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  for (const one of all(".sifting")) one.hidden = false;

  // The list of runs: each head sorts by its column, numbers from the highest; "–" comes last.
  const body = of("runs").tBodies[0];
  const heads = [...of("runs").tHead.rows[0].cells];
  const compared = (one, other, sign) => {
    const known = [one, other].map((text) => text !== "–" && text !== "undefined");
    if (!known[0] || !known[1]) return known[1] - known[0];
    const apart = Number(one) - Number(other);
    return sign * (Number.isNaN(apart) ? one.localeCompare(other) : apart);
  };
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const rows = [...body.rows];
      const text = (row) => row.cells[column].textContent.trim();
      const numbers = rows.some((row) => text(row) !== "" && !Number.isNaN(Number(text(row))));
      const usual = numbers ? "descending" : "ascending";
      const next = head.getAttribute("aria-sort") !== usual ? usual : numbers ? "ascending" : "descending";
      for (const one of heads) one.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", next);
      rows.sort((one, other) => compared(text(one), text(other), next === "ascending" ? 1 : -1));
      body.append(...rows);
    });
  });
  of("filter").addEventListener("input", () => {
    const wanted = of("filter").value.trim().toLowerCase();
    const rows = [...body.rows];
    for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
    const count = rows.filter((row) => !row.hidden).length;
    of("shown").textContent = wanted ? `${count} of ${rows.length}` : "";
  });

  // Two runs beside each other: the others' cells are hidden, and what both have is marked.
  const topics = all("#topics > .topic");
  const signed = (value) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(3)}`;
  const compare = () => {
    const pair = [of("first").value, of("second").value].filter(Boolean);
    const only = of("changed").checked;
    for (const one of all("[data-run]")) {
      one.hidden = pair.length > 0 && !pair.includes(one.dataset.run);
    }
    for (const row of all("[data-row]")) {
      const said = all("[data-run]", row).filter((cell) => !cell.hidden)
        .map((cell) => (cell.querySelector(".chip") || cell).textContent);
      row.hidden = only && said.every((one) => one === said[0]);
    }
    for (const group of all("#topics .cells tbody")) {
      group.hidden = all("[data-row]", group).every((row) => row.hidden);
    }
    for (const topic of topics) {
      const sides = all(".sides > [data-run]", topic).filter((side) => !side.hidden);
      const said = sides.map((side) => new Set(all(".said", side).map((one) => one.textContent)));
      for (const one of all(".sides li", topic)) {
        const text = one.querySelector(".said").textContent;
        const shared = pair.length === 2 && said.length === 2 && said.every((those) => those.has(text));
        one.classList.toggle("shared", shared);
        one.hidden = only && shared;
      }
      const scores = pair.map((run) => topic.querySelector(`tr[data-run="${run}"] [data-score]`)?.dataset.score);
      const known = scores.length === 2 && scores.every((score) => score !== undefined);
      const change = known ? scores[1] - scores[0] : null;
      topic.dataset.change = change === null ? "" : Math.abs(change);
      topic.querySelector(".change").textContent = change === null ? "" : `report ${signed(change)}`;
    }
    const bySize = of("order").value === "change";
    const size = (topic) => (topic.dataset.change === "" ? -1 : Number(topic.dataset.change));
    topics.sort((one, other) => (bySize ? size(other) - size(one) : 0)
      || one.dataset.place - other.dataset.place);
    of("topics").append(...topics);
  };
  for (const id of ["first", "second", "changed", "order"]) of(id).addEventListener("change", compare);

  let opened = [];
  addEventListener("beforeprint", () => {
    opened = all("details:not([open])");
    for (const box of opened) box.open = true;
  });
  addEventListener("afterprint", () => {
    for (const box of opened) box.open = false;
  });
})();
