import { FILTER_SCRIPT } from "./script-filter.js";
import { PANEL_SCRIPT } from "./script-panel.js";
import { PLAYER_SCRIPT } from "./script-player.js";

const EVENTS_SCRIPT = `
function isDark() {
  var theme = document.documentElement.dataset.theme;
  return theme === undefined ? window.matchMedia("(prefers-color-scheme:dark)").matches : theme === "dark";
}

var themeButton = document.querySelector("[data-theme-switch]");
themeButton.setAttribute("aria-pressed", String(isDark()));

// A link in the workflow may be to a pack that is not shown.
function openFrom(target, kind, number) {
  var pack = packAt(target);
  if (Number(pack) !== shownPack) showPack(Number(pack));
  openPanel(pack, kind, number, target);
}

function packAt(target) {
  if (panel.contains(target)) return panel.dataset.pack;
  var pack = target.closest("[data-pack]");
  return pack === null ? "0" : pack.dataset.pack;
}

var ACTIONS = [
  ["[data-trace]", function (target) { openPlayer(Number(target.dataset.trace), target); }],
  ["[data-player]", function (target) { playerAction(target.dataset.player); }],
  ["[data-step]", function (target) { showStep(Number(target.dataset.step)); }],
  ["[data-panel]", function () { closePanel(true); }],
  ["[data-switch]", function (target) { closePlayer(false); closePanel(false); showPack(Number(target.dataset.switch)); }],
  ["a[data-go]", function (target) { closePlayer(false); closePanel(false); showPack(Number(target.dataset.go)); }],
  ["[data-theme-switch]", function (target) {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    target.setAttribute("aria-pressed", String(isDark()));
  }],
  ["[data-fit]", function (target) {
    var isFit = target.parentElement.querySelector(".canvas").classList.toggle("fit");
    target.setAttribute("aria-pressed", String(isFit));
  }],
  ["[data-section]", function (target, event) { event.preventDefault(); showSection(target.dataset.section); }],
  ["[data-fold]", function (target) { foldAll(target.getAttribute("aria-pressed") === "false"); }],
  ["a[data-tool]", function (target, event) { event.preventDefault(); openFrom(target, "t", target.dataset.tool); }],
  ["a[data-phase]", function (target, event) { event.preventDefault(); openFrom(target, "f", target.dataset.phase); }],
];

document.addEventListener("click", function (event) {
  if (event.ctrlKey || event.metaKey) return;
  ACTIONS.some(function (action) {
    var target = event.target.closest(action[0]);
    if (target !== null) action[1](target, event);
    return target !== null;
  });
});

document.addEventListener("keydown", function (event) {
  if (event.key === "Escape") {
    if (!panel.hidden) closePanel(true);
    else closePlayer(true);
  }
  if (event.key === " " && event.target.closest("a[data-tool],a[data-phase]") !== null) {
    event.preventDefault();
    event.target.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
  }
  var isTaken = event.altKey || event.ctrlKey || event.metaKey || event.target.matches("input,select,.canvas,.scroll");
  if (playing === null || isTaken) return;
  if (event.key === "ArrowRight") { event.preventDefault(); playerAction("next"); }
  if (event.key === "ArrowLeft") { event.preventDefault(); playerAction("previous"); }
});

var fitting = new ResizeObserver(function (entries) {
  entries.forEach(function (entry) {
    var button = entry.target.parentElement.querySelector("[data-fit]");
    var machine = entry.target.querySelector(".machine");
    button.hidden = button.getAttribute("aria-pressed") === "false" && Number(machine.getAttribute("width")) <= entry.target.clientWidth;
  });
});
document.querySelectorAll(".canvas").forEach(function (canvas) { fitting.observe(canvas); });

function showSection(id) {
  var part = byId(id);
  part.open = true;
  part.scrollIntoView({ block: "start" });
  part.querySelector("summary").focus({ preventScroll: true });
}

function foldAll(isFolded) {
  document.querySelectorAll(".section").forEach(function (part) {
    if (isFolded) part.wasOpen = part.open;
    part.open = !isFolded && part.wasOpen !== false;
  });
  document.querySelectorAll("[data-fold]").forEach(function (button) { button.setAttribute("aria-pressed", String(isFolded)); });
}

// A link to a pack, a tool, a phase or a part of the page shows it, also from another page.
function followHash() {
  var whole = /^#p(\\d+)$/.exec(location.hash);
  if (whole !== null && packOf(whole[1]) !== null) showPack(Number(whole[1]));
  var found = /^#p(\\d+)([tf])(\\d+)$/.exec(location.hash);
  if (found !== null && packOf(found[1]) !== null) { showPack(Number(found[1])); openPanel(found[1], found[2], found[3], null); }
  var part = byId(location.hash.slice(1));
  if (part !== null && part.matches(".section")) part.open = true;
}
window.addEventListener("hashchange", followHash);

// A style alone cannot unfold what is folded in every browser.
var folded = [];
function unfold(isPrinting) {
  if (isPrinting) {
    folded = folded.concat(Array.from(document.querySelectorAll("details:not([open])")));
    document.querySelectorAll(".pack").forEach(function (pack) { pack.hidden = false; });
    folded.forEach(function (part) { part.open = true; });
  } else {
    folded.forEach(function (part) { part.open = false; });
    folded = [];
    showPack(shownPack);
  }
}
window.matchMedia("print").addEventListener("change", function (event) { unfold(event.matches); });
`;

/** The script of the page. It inserts all text as text, so that no name of a pack is ever markup. */
export const SCRIPT = `
(function () {
"use strict";
var data = JSON.parse(document.getElementById("data").textContent);
var shownPack = 0;

function byId(id) { return document.getElementById(id); }
function packOf(pack) { return byId("p" + pack); }

function element(name, text, className) {
  var made = document.createElement(name);
  made.textContent = text;
  if (className !== undefined && className !== "") made.className = className;
  return made;
}

function centre(place, selector) {
  var canvas = place.querySelector(".canvas");
  var part = canvas === null ? null : canvas.querySelector(selector);
  if (part === null) return;
  var box = part.getBoundingClientRect();
  var frame = canvas.getBoundingClientRect();
  canvas.scrollLeft += box.left + box.width / 2 - frame.left - frame.width / 2;
  canvas.scrollTop += box.top + box.height / 2 - frame.top - frame.height / 2;
}

function showPack(number) {
  shownPack = number;
  document.querySelectorAll(".pack").forEach(function (pack) { pack.hidden = Number(pack.dataset.pack) !== number; });
  document.querySelectorAll("[data-switch]").forEach(function (button) {
    button.setAttribute("aria-pressed", String(Number(button.dataset.switch) === number));
  });
}
${PANEL_SCRIPT}${PLAYER_SCRIPT}${FILTER_SCRIPT}${EVENTS_SCRIPT}
showPack(0);
followHash();
})();
`;
