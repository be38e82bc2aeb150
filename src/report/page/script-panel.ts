/** Opens what governs a tool or a phase beside the page; a part of its script. */
export const PANEL_SCRIPT = `
var panel = byId("panel");
var panelOpener = null;

function choose(pack, selector) {
  document.querySelectorAll(".machine .chosen").forEach(function (part) { part.classList.remove("chosen"); });
  if (selector !== null) {
    packOf(pack).querySelectorAll(".machine " + selector).forEach(function (part) { part.classList.add("chosen"); });
    centre(packOf(pack), ".chosen");
  }
}

function copyOf(card) {
  var copy = card.querySelector(".card-body").cloneNode(true);
  copy.querySelectorAll("[id]").forEach(function (part) { part.removeAttribute("id"); });
  // The panel has its own heading level, so those of its content are adjusted.
  copy.querySelectorAll("h4").forEach(function (heading) { heading.replaceWith(element("h3", heading.textContent)); });
  return copy;
}

function openPanel(pack, kind, number, opener) {
  var card = byId("p" + pack + kind + number);
  if (card === null) return;
  var isTool = kind === "t";
  var parts = [];
  var badges = element("p", "", "facts");
  card.querySelectorAll(":scope > summary .badge").forEach(function (badge) { badges.append(badge.cloneNode(true)); });
  parts.push(badges, copyOf(card));
  var common = byId("p" + pack + "common");
  if (isTool && common !== null) parts.push(element("h3", "Rules for every tool"), copyOf(common));
  panel.querySelector("h2").replaceChildren(element("code", card.querySelector("h3").textContent));
  panel.querySelector(".panel-body").replaceChildren.apply(panel.querySelector(".panel-body"), parts);
  panel.dataset.pack = pack;
  panel.hidden = false;
  panel.scrollTop = 0;
  document.body.classList.add("has-panel");
  choose(pack, isTool ? 'a[data-tool="' + number + '"]' : '[data-box="' + number + '"]');
  if (!panel.contains(opener)) panelOpener = opener;
  panel.querySelector("h2").focus({ preventScroll: true });
}

function closePanel(goesBack) {
  if (panel.hidden) return;
  panel.hidden = true;
  document.body.classList.remove("has-panel");
  choose(0, null);
  if (goesBack && panelOpener !== null && panelOpener.isConnected) panelOpener.focus();
  panelOpener = null;
}
`;
