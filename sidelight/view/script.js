"use strict";
(() => {
  const topics = [...document.querySelectorAll(".topic")];
  const links = [...document.querySelectorAll(".contents a")];

  // One article at a time; a search in the page still finds the others.
  let shown = topics[0];
  const show = (topic) => {
    shown = topic;
    for (const one of topics) {
      if (one === topic) one.removeAttribute("hidden");
      else one.setAttribute("hidden", "until-found");
    }
    for (const link of links) {
      if (link.hash === `#${topic.id}`) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  };

  const follow = () => {
    const target = document.getElementById(location.hash.slice(1));
    if (!target) return;
    const topic = target.closest(".topic");
    if (topic) show(topic);
    for (let box = target.closest("details"); box; box = box.parentElement.closest("details")) {
      box.open = true;
    }
    target.querySelector(":scope > details")?.setAttribute("open", "");
    if (topic === target) document.querySelector(".contents details")?.removeAttribute("open");
    const said = target.matches(".sources li") && target.querySelector("mark");
    (said || target).scrollIntoView({ block: said || target.matches(".unit") ? "center" : "start" });
  };

  const unitOf = (node) => node.closest?.(".unit");

  // A card lies where there is room for it, and opens where the source says what the sentence
  // says; on a narrow screen the style sheet puts it at the foot.
  const narrow = matchMedia("(max-width: 60rem)");
  const place = (card) => {
    const unit = unitOf(card);
    card.classList.remove("above");
    card.style.bottom = card.style.maxHeight = "";
    const lines = unit.querySelector(".sentence").getClientRects();
    const room = [lines[0].top, innerHeight - lines[lines.length - 1].bottom];
    if (!narrow.matches && lines.length) {
      const above = room[1] < Math.min(card.scrollHeight, 260) && room[0] > room[1];
      card.style.maxHeight = `${Math.max(120, Math.min(416, room[above ? 0 : 1] - 16))}px`;
      if (above) {
        const prose = card.offsetParent.getBoundingClientRect();
        card.classList.add("above");
        card.style.bottom = `${prose.bottom - lines[0].top + 4}px`;
      }
    }
    const said = card.querySelector("mark");
    if (said) card.scrollTop = said.offsetTop - Math.max(0, (card.clientHeight - said.offsetHeight) / 2);
  };
  for (const name of ["focusin", "mouseover"]) {
    document.addEventListener(name, (event) => {
      const card = event.target.closest?.("a.sentence")?.parentElement.querySelector(".card");
      if (card) place(card);
    });
  }

  if (topics.length) show(topics[0]);
  follow();
  addEventListener("hashchange", follow);
  for (const topic of topics) topic.addEventListener("beforematch", () => show(topic));

  // On a narrow screen the report comes before the article's text.
  if (narrow.matches) {
    for (const story of document.querySelectorAll(".story > details")) story.open = false;
  }

  // A click or tap pins the card; Enter follows the link to the sources.
  document.addEventListener("click", (event) => {
    const sentence = event.target.closest("a.sentence");
    for (const unit of document.querySelectorAll(".unit.pinned")) {
      if (!unit.contains(event.target)) unit.classList.remove("pinned");
    }
    if (sentence && event.detail > 0) {
      event.preventDefault();
      const pinned = unitOf(sentence).classList.toggle("pinned");
      unitOf(sentence).classList.toggle("dismissed", !pinned);
      const card = unitOf(sentence).querySelector(".card");
      if (pinned && card && narrow.matches) {
        // The foot of the screen must not hide the sentence that was tapped.
        const hidden = sentence.getBoundingClientRect().bottom - card.getBoundingClientRect().top;
        if (hidden > 0) scrollBy(0, hidden + 16);
      }
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const unit of document.querySelectorAll(".unit:hover, .unit:focus-within, .unit.pinned")) {
      if (unit.querySelector(".card:focus-within")) unit.querySelector("a.sentence").focus();
      unit.classList.remove("pinned");
      unit.classList.add("dismissed");
    }
  });
  for (const name of ["focusout", "mouseout"]) {
    document.addEventListener(name, (event) => {
      const unit = unitOf(event.target);
      if (unit && !unit.contains(event.relatedTarget)) unit.classList.remove("dismissed");
    });
  }

  // Topics are filtered and sorted in the list of contents.
  const list = document.querySelector(".contents ol");
  const filter = document.getElementById("filter");
  const sort = document.getElementById("sort");
  const sift = () => {
    const wanted = filter.value.trim().toLowerCase();
    const key = sort.value;
    const items = [...list.children];
    for (const item of items) item.hidden = !item.textContent.toLowerCase().includes(wanted);
    const value = (item) => item.dataset[key] ?? "";
    items.sort((one, other) => (
      key === "title" || key === "host"
        ? value(one).localeCompare(value(other))
        : key === "place" ? value(one) - value(other) : value(other) - value(one)
    ) || one.dataset.place - other.dataset.place);
    list.append(...items);
    const count = items.filter((item) => !item.hidden).length;
    document.getElementById("shown").textContent = wanted ? `${count} of ${items.length}` : "";
  };
  if (filter) {
    document.querySelector(".sifting").hidden = false;
    filter.addEventListener("input", sift);
    sort.addEventListener("change", sift);
  }

  // Paper has no way to open anything.
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll(".sources details:not([open]), .story > details:not([open])")];
    for (const box of opened) box.open = true;
    for (const topic of topics) topic.removeAttribute("hidden");
  });
  addEventListener("afterprint", () => {
    for (const box of opened) box.open = false;
    show(shown);
  });
})();
