"use strict";
(() => {
  const about = JSON.parse(document.body.dataset.about);
  const highest = Number(document.body.dataset.highest);
  const sections = [...document.querySelectorAll(".query")];
  const panel = document.querySelector("aside");
  const by = (id) => document.getElementById(id);
  const store = `sidelight ${about.sha256} ${about.grader.prompt} ${about.grader.model}`;
  let chosen = null;
  let verdicts = {};

  const rowOf = (cell) => cell.parentElement;
  const column = (cell) => [...rowOf(cell).querySelectorAll(".cell")].indexOf(cell);
  const header = (cell) => cell.closest("table").querySelectorAll("th.item")[column(cell)];
  const given = (cell) => (cell.dataset.grade === "" ? null : Number(cell.dataset.grade));
  const keyOf = (cell) => JSON.stringify([
    cell.closest(".query").dataset.query, rowOf(cell).dataset.passage, header(cell).dataset.item,
  ]);

  // A browser may refuse a page from a file its memory; what was said then lasts until it closes.
  const remember = () => {
    try { localStorage.setItem(store, JSON.stringify(verdicts)); } catch { /* see above */ }
  };
  const recall = () => {
    try { return JSON.parse(localStorage.getItem(store)) ?? {}; } catch { return {}; }
  };

  const mark = (cell) => {
    const grade = verdicts[keyOf(cell)];
    const said = cell.querySelector(".verdict");
    if (grade === undefined) {
      delete cell.dataset.verdict;
      said.textContent = "";
    } else {
      cell.dataset.verdict = grade === given(cell) ? "accepted" : "corrected";
      said.textContent = grade === given(cell) ? "accepted" : `corrected to ${grade}`;
    }
  };

  const report = () => {
    const checked = Object.keys(verdicts).length;
    const accepted = document.querySelectorAll("[data-verdict=accepted]").length;
    by("progress").textContent = checked
      ? `${checked} checked: ${accepted} accepted, ${checked - accepted} corrected.`
      : "Nothing is checked yet.";
    by("save").disabled = !checked;
  };

  const choose = (cell, focus = true) => {
    if (!cell) return;
    if (chosen) chosen.tabIndex = -1;
    chosen = cell;
    cell.tabIndex = 0;
    by("asked").textContent = header(cell).textContent;
    by("answered").textContent = cell.querySelector(".answer").textContent;
    by("accept").disabled = given(cell) === null;
    panel.hidden = false;
    if (focus) {
      cell.focus({ preventScroll: true });
      cell.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
  };

  const decide = (grade) => {
    if (!chosen) return;
    if (grade === undefined) delete verdicts[keyOf(chosen)];
    else if (grade === null) return;
    else verdicts[keyOf(chosen)] = grade;
    mark(chosen);
    report();
    remember();
  };

  const beside = (down, right) => {
    const rows = [...chosen.closest("tbody").rows];
    const row = rows[Math.min(rows.length - 1, Math.max(0, rows.indexOf(rowOf(chosen)) + down))];
    const cells = row.querySelectorAll(".cell");
    return cells[Math.min(cells.length - 1, Math.max(0, column(chosen) + right))];
  };

  const sort = (head) => {
    const table = head.closest("table");
    const body = table.tBodies[0];
    const key = head.dataset.key;
    const falls = head.getAttribute("aria-sort") !== "descending" && key !== "place";
    const rises = key === "place" && head.getAttribute("aria-sort") === "ascending";
    const value = (row) => {
      if (key === "place") return Number(row.dataset.place);
      const text = key === "best" || key === "judged"
        ? row.querySelector(`.${key}`).textContent
        : row.querySelectorAll(".cell")[key].dataset.grade;
      return text === "" || Number.isNaN(Number(text)) ? -1 : Number(text);
    };
    const rows = [...body.rows].map((row) => [value(row), Number(row.dataset.place), row]);
    const way = falls || rises ? -1 : 1;
    rows.sort((one, other) => way * (one[0] - other[0]) || one[1] - other[1]);
    body.append(...rows.map((one) => one[2]));
    for (const other of table.querySelectorAll("th[aria-sort]")) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", way < 0 ? "descending" : "ascending");
  };

  const show = (id) => {
    for (const section of sections) section.hidden = section.id !== id;
    choose(by(id).querySelector(".cell"), false);
  };

  const save = () => {
    const said = Object.entries(verdicts).map(([key, grade]) => {
      const [query_id, passage_id, item_id] = JSON.parse(key);
      return { query_id, passage_id, item_id, grade };
    });
    const file = new Blob([`${JSON.stringify({ ...about, verdicts: said }, null, 1)}\n`], {
      type: "application/json",
    });
    const link = document.createElement("a");
    link.href = URL.createObjectURL(file);
    link.download = "corrections.json";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };

  const step = {
    ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1],
    PageDown: [10, 0], PageUp: [-10, 0], Home: [0, -9999], End: [0, 9999],
  };
  document.addEventListener("keydown", (event) => {
    const cell = event.target.closest?.(".cell");
    if (!cell || event.ctrlKey || event.metaKey || event.altKey) return;
    choose(cell);
    const key = event.key.toLowerCase();
    if (step[event.key]) choose(beside(...step[event.key]));
    else if (/^[0-9]$/.test(key) && Number(key) <= highest) decide(Number(key));
    else if (key === "enter" || key === "a") {
      decide(given(cell));
      choose(beside(1, 0));
    } else if (key === "backspace" || key === "delete") decide(undefined);
    else if (key === "s") {
      sort(header(cell));
      choose(cell);
    } else return;
    event.preventDefault();
  });
  document.addEventListener("click", (event) => {
    const cell = event.target.closest?.(".cell");
    const head = event.target.closest?.("thead th");
    if (cell) choose(cell);
    else if (head && event.target.closest("button")) sort(head);
  });
  document.addEventListener("focusin", (event) => {
    const cell = event.target.closest?.(".cell");
    if (cell && cell !== chosen) choose(cell, false);
  });
  by("accept").addEventListener("click", () => decide(given(chosen)));
  by("undo").addEventListener("click", () => decide(undefined));
  for (const button of panel.querySelectorAll(".correct")) {
    button.addEventListener("click", () => decide(Number(button.value)));
  }
  by("save").addEventListener("click", save);
  by("query")?.addEventListener("change", (event) => show(event.target.value));

  for (const section of sections) {
    section.querySelectorAll("tbody tr").forEach((row, place) => { row.dataset.place = place; });
  }
  verdicts = recall();
  if (Object.keys(verdicts).length) document.querySelectorAll(".cell").forEach(mark);
  report();
  show(sections[0].id);
})();
