/** Steps through a trace over the drawing; a part of the page's script. */
export const PLAYER_SCRIPT = String.raw`
var playing = null;

// A run of the workflow has no pack.
function playerOf(pack) { return byId((pack === null ? "workflow" : "p" + pack) + "player"); }
function stageOf(pack) { return playerOf(pack).closest(".section"); }

function stepOf(trace, at) { return data.steps[trace.steps[at]]; }

function markDrawing(pack, step) {
  var machine = stageOf(pack).querySelector(".machine");
  if (machine === null) return;
  machine.querySelectorAll(".current,.called,.walked").forEach(function (part) {
    part.classList.remove("current", "called", "walked");
  });
  if (step === null) return;
  if (step.to !== null) mark(machine, '[data-box="' + step.to + '"]', "current");
  if (step.tool !== null) mark(machine, 'a[data-tool="' + step.tool + '"]', "called");
  if (step.from !== null && step.from !== step.to) {
    mark(machine, '[data-from="' + step.from + '"][data-to="' + step.to + '"]', "walked");
  }
  centre(stageOf(pack), ".current");
}

function mark(machine, selector, name) {
  machine.querySelectorAll(selector).forEach(function (part) { part.classList.add(name); });
}

function phaseName(pack, number) {
  if (pack === null || number === null) return null;
  var card = byId("p" + pack + "f" + number);
  return card === null ? null : card.querySelector("h3").textContent;
}

var VERDICTS = { allow: ["good", "allowed"], approval: ["warn", "allowed after approval"], block: ["bad", "refused"], waits: ["warn", "waits for an approval"], event: ["plain", "event"] };

function verdictBadge(step) { return element("span", VERDICTS[step.verdict][1], "badge " + VERDICTS[step.verdict][0]); }

function stepDetails(pack, step) {
  var head = element("p", "");
  head.append(element("strong", step.title), " ", verdictBadge(step));
  var list = element("dl", "");
  var facts = step.facts.slice();
  var from = phaseName(pack, step.from);
  var to = phaseName(pack, step.to);
  if (to !== null) facts.push(["Phase", from === to || from === null ? to + " (unchanged)" : from + " \u2192 " + to]);
  facts.forEach(function (fact) {
    var isValue = fact[0] === "Arguments" || fact[0] === "Answer";
    list.append(element("dt", fact[0]), element("dd", fact[1], isValue ? "" : "words"));
  });
  return [head, list];
}

function showStep(at) {
  var trace = playing.trace;
  var step = stepOf(trace, at);
  if (step === undefined) return;
  playing.at = at;
  var player = playerOf(trace.pack);
  player.querySelector(".player-count").textContent = "Step " + (at + 1) + " of " + trace.steps.length;
  player.querySelector(".player-step").replaceChildren.apply(player.querySelector(".player-step"), stepDetails(trace.pack, step));
  player.querySelectorAll(".player-steps button").forEach(function (button, index) {
    if (index !== at) { button.removeAttribute("aria-current"); return; }
    button.setAttribute("aria-current", "step");
    var list = button.closest(".player-steps");
    list.scrollTop = button.offsetTop - list.clientHeight / 2;
  });
  var isLast = at === trace.steps.length - 1;
  player.querySelectorAll("[data-player]").forEach(function (button) {
    var isIdle = { previous: at === 0, next: isLast, last: isLast }[button.dataset.player] === true;
    // Not disabled, or the focus would be lost at the end of a trace.
    button.setAttribute("aria-disabled", String(isIdle));
  });
  markDrawing(trace.pack, step);
}

function openPlayer(number, opener) {
  if (playing !== null) closePlayer(false);
  var trace = data.traces[number];
  if (window.matchMedia("(max-width:999px)").matches) closePanel(false);
  if (trace.pack !== null) showPack(trace.pack);
  playing = { trace: trace, at: 0, opener: opener };
  var player = playerOf(trace.pack);
  player.hidden = false;
  player.querySelector(".player-title").textContent = trace.title;
  player.querySelector(".player-setting").textContent = trace.setting;
  var steps = trace.steps.map(function (number, index) {
    var step = stepOf(trace, index);
    var item = element("li", "");
    var button = element("button", step.title);
    button.type = "button";
    button.dataset.step = index;
    if (["block", "approval", "waits"].includes(step.verdict)) button.append(" ", verdictBadge(step));
    item.append(button);
    return item;
  });
  player.querySelector(".player-steps").replaceChildren.apply(player.querySelector(".player-steps"), steps);
  var stage = stageOf(trace.pack);
  stage.open = true;
  document.body.classList.add("playing");
  stage.scrollIntoView({ block: "start" });
  showStep(0);
  player.querySelector(".player-title").focus({ preventScroll: true });
}

function closePlayer(goesBack) {
  if (playing === null) return;
  var opener = playing.opener;
  markDrawing(playing.trace.pack, null);
  playerOf(playing.trace.pack).hidden = true;
  playing = null;
  document.body.classList.remove("playing");
  if (goesBack && opener !== null && opener.isConnected) { opener.scrollIntoView({ block: "center" }); opener.focus({ preventScroll: true }); }
}

function playerAction(name) {
  if (name === "close") closePlayer(true);
  else if (name === "last") showStep(playing.trace.steps.length - 1);
  else showStep(playing.at + (name === "next" ? 1 : -1));
}
`;
