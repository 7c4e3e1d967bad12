"use strict";
(() => {
  const topics = [...document.querySelectorAll(".topic")];
  const links = [...document.querySelectorAll(".contents a")];

  // One article at a time; a search in the page still finds the others.
  const show = (topic) => {
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
    target.scrollIntoView();
  };

  const unitOf = (node) => node.closest?.(".unit");

  // A card opens where the source says what the sentence says.
  for (const name of ["focusin", "mouseover"]) {
    document.addEventListener(name, (event) => {
      const card = event.target.closest?.("a.sentence")?.parentElement.querySelector(".card");
      const said = card?.querySelector("mark");
      if (said) card.scrollTop = said.offsetTop - card.clientHeight / 2;
      if (card && event.target.matches(":focus-visible")) card.scrollIntoView({ block: "nearest" });
    });
  }

  if (topics.length) show(topics[0]);
  follow();
  addEventListener("hashchange", follow);
  for (const topic of topics) topic.addEventListener("beforematch", () => show(topic));

  // On a narrow screen the report comes before the article's text.
  if (matchMedia("(max-width: 60rem)").matches) {
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

  // Paper has no way to open anything.
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll(".sources details:not([open]), .story > details:not([open])")];
    for (const box of opened) box.open = true;
  });
  addEventListener("afterprint", () => {
    for (const box of opened) box.open = false;
  });
})();
