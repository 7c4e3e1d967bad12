const byId = (id) => document.getElementById(id);
// This browser's own investigations, the last one first; the server lists nobody's.
const HISTORY = "sidelight.investigations";
const past = () => {
  try { return JSON.parse(localStorage.getItem(HISTORY)) ?? []; } catch { return []; }
};
const keep = (list) => {
  try { localStorage.setItem(HISTORY, JSON.stringify(list.slice(0, 50))); } catch { /* it forgets */ }
};
const STATES = {
  waiting: (progress) => (progress.ahead === 0 ? "Waiting: it is next." : `Waiting: ${progress.ahead} before it.`),
  running: () => "Working…",
  done: () => "Done.",
  failed: (progress) => `It ended without a result. ${progress.message}`,
  cancelled: () => "Cancelled.",
};
const stateOf = (progress) => STATES[progress.state](progress);
const messageOf = (content) => (
  typeof content.detail === "string" ? content.detail : content.detail[0].msg
);
