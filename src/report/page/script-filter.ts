/** Filters a pack by a search text; a part of the page's script. */
export const FILTER_SCRIPT = String.raw`
// Long numbers are shown in groups, and found with and without the commas.
function searched(text) { return text.toLowerCase().replace(/(\d),(?=\d{3})/g, "$1"); }

function matches(row, words, effect, phase) {
  if (row.found === undefined) row.found = searched(row.textContent);
  if (effect !== "" && !(" " + row.dataset.effects + " ").includes(" " + effect + " ")) return false;
  var phases = " " + row.dataset.phases + " ";
  if (phase !== "" && phases !== " * " && !phases.includes(" " + phase + " ")) return false;
  return words.every(function (word) { return row.found.includes(word); });
}

function filterPack(form) {
  var pack = form.closest(".pack");
  var value = function (name) { var field = form.querySelector('[data-filter="' + name + '"]'); return field === null ? "" : field.value; };
  var words = searched(value("text")).split(/\s+/).filter(Boolean);
  var effect = value("effect");
  var phase = value("phase");
  var isIdle = words.length === 0 && effect === "" && phase === "";
  pack.querySelectorAll("[data-row]").forEach(function (row) { row.hidden = !isIdle && !matches(row, words, effect, phase); });
  pack.querySelectorAll(".group").forEach(function (group) {
    if (group.wasOpen === undefined) group.wasOpen = group.open;
    group.hidden = group.querySelector("[data-row]:not([hidden])") === null;
    group.open = isIdle ? group.wasOpen : true;
    if (isIdle) group.wasOpen = undefined;
  });
  pack.querySelectorAll(".empty").forEach(function (note) {
    note.hidden = isIdle || note.parentElement.querySelector("[data-row]:not([hidden])") !== null;
  });
  var shown = pack.querySelectorAll("tr[data-name]:not([hidden])").length;
  form.querySelector(".matches").textContent = isIdle ? "" : shown + " of " + pack.querySelectorAll("tr[data-name]").length + " tools";
}

document.querySelectorAll(".toolbar").forEach(function (form) {
  form.addEventListener("input", function () { filterPack(form); });
  form.addEventListener("submit", function (event) { event.preventDefault(); });
});
`;
