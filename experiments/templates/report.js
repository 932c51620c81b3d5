"use strict";
// Lists the games of the page, and shows one of them on a board. What the data mean: experiments/report_games.py.
const $ = id => document.getElementById(id);
const data = JSON.parse($("data").textContent);
const blocks = [...document.querySelectorAll("script.block")];
const GAMES_PER_BLOCK = {{ games_per_block }};
const ROWS = 50;  // shown at a time
const PLAYERS = ["South", "North"];
const RESULTS = {1: "1-0", 0: "½-½", [-1]: "0-1"};
const [NUMBER, GAME, SOUTH, NORTH, OUTCOME, MARGIN, PLIES, TERMINATION, FAULT] = [0, 1, 2, 3, 4, 5, 6, 7, 8];

function element(name, text = "", attributes = {}) {
  const made = document.createElement(name);
  made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

// The table of games.

const filters = $("filters").elements;
let found = [], listed = 0;

function nameResults() {
  const chosen = filters.result.value;
  const ofPlayer = filters.player.value !== "";
  const names = ofPlayer ? ["won", "drawn", "lost"] : ["South won", "drawn", "North won"];
  filters.result.replaceChildren(element("option", "any", {value: ""}), ...[1, 0, -1].map((outcome, i) => element("option", names[i], {value: outcome})));
  filters.result.value = chosen;
}

function matches(row) {
  const player = filters.player.value, result = filters.result.value;
  if (player !== "" && row[SOUTH] !== +player && row[NORTH] !== +player) return false;
  if (filters.game.value !== "" && row[GAME] !== +filters.game.value) return false;
  if (filters.termination.value !== "" && row[TERMINATION] !== +filters.termination.value) return false;
  const outcome = player !== "" && row[NORTH] === +player ? -row[OUTCOME] : row[OUTCOME];
  return result === "" || outcome === +result;
}

function list() {
  found = data.table.map((row, index) => index).filter(index => matches(data.table[index]));
  $("table").tBodies[0].replaceChildren();
  listed = 0;
  $("found").textContent = `${found.length.toLocaleString("en")} game${found.length === 1 ? "" : "s"}`;
  listMore();
}

function listMore() {
  const rows = found.slice(listed, listed + ROWS).map(index => {
    const row = data.table[index], line = element("tr"), opener = element("td");
    opener.append(element("button", row[NUMBER], {type: "button", "aria-label": `Open game ${row[NUMBER]}`}));
    const cells = [[data.games[row[GAME]], "text"], [data.engines[row[SOUTH]], "text"], [data.engines[row[NORTH]], "text"],
      [RESULTS[row[OUTCOME]], ""], [row[MARGIN] ?? "", ""], [row[PLIES], ""], [data.terminations[row[TERMINATION]], "text"]];
    line.append(opener, ...cells.map(([text, kind]) => element("td", text, {class: kind})));
    if (row[FAULT] !== null) line.title = row[FAULT];
    line.addEventListener("click", () => open(index));
    return line;
  });
  $("table").tBodies[0].append(...rows);
  listed += rows.length;
  $("more").hidden = listed >= found.length;
}

$("filters").addEventListener("change", () => { nameResults(); list(); });
$("filters").addEventListener("submit", event => event.preventDefault());
$("more").addEventListener("click", listMore);

// One game.

let shown = null;  // {index, end, plies}
let ply = 0;

async function unpack(index) {
  const packed = Uint8Array.from(atob(blocks[Math.floor(index / GAMES_PER_BLOCK)].textContent), letter => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return (await new Response(stream).json())[index % GAMES_PER_BLOCK];
}

async function open(index, first = 0) {
  const row = data.table[index];
  shown = {index, ...await unpack(index)};
  $("viewer-title").textContent = `Game ${row[NUMBER]}: ${data.engines[row[SOUTH]]} – ${data.engines[row[NORTH]]}, ${RESULTS[row[OUTCOME]]} (${data.games[row[GAME]]})`;
  $("board").innerHTML = data.boards[row[GAME]];
  $("slider").max = shown.plies.length - 1;
  let round = 0, number = 0;
  $("moves").replaceChildren(...shown.plies.map(([move], at) => {
    const isStart = move === null, item = element("li"), button = element("button", "", {type: "button"});
    round += isStart;
    number += !isStart;
    item.className = isStart ? "start" : PLAYERS[mover(at)].toLowerCase();
    button.append(isStart ? (round > 1 ? `round ${round}` : "start") : element("small", number), isStart ? "" : ` ${move}`);
    button.addEventListener("click", () => show(at));
    item.append(button);
    return item;
  }));
  if (!$("viewer").open) $("viewer").showModal();
  $("viewer-title").focus();
  show(first);
}

const mover = at => shown.plies[at - 1][1].split(" ")[1] === "S" ? 0 : 1;

function caption(at) {
  const [move, position, remark] = shown.plies[at];
  const words = [`Ply ${at} of ${shown.plies.length - 1}.`];
  if (move !== null) words.push(`${PLAYERS[mover(at)]} played ${move}.`);
  if (at === shown.plies.length - 1) words.push(shown.end);
  else words.push(`${PLAYERS[position.split(" ")[1] === "S" ? 0 : 1]} to move.`, remark);
  return words.join(" ");
}

function show(at) {
  ply = Math.max(0, Math.min(shown.plies.length - 1, at));
  const [, position, , hand, last] = shown.plies[ply];
  draw($("board").firstElementChild, position, hand, last, ply === shown.plies.length - 1);
  $("caption").textContent = caption(ply);
  $("position").textContent = position;
  $("slider").value = ply;
  $("slider").setAttribute("aria-valuetext", `ply ${ply}`);
  $("first").disabled = $("back").disabled = ply === 0;
  $("last").disabled = $("forward").disabled = ply === shown.plies.length - 1;
  const list = $("moves"), current = list.children[ply];
  list.querySelector("[aria-current]")?.removeAttribute("aria-current");
  current.firstElementChild.setAttribute("aria-current", "true");
  if (current.offsetTop < list.scrollTop || current.offsetTop + current.offsetHeight > list.scrollTop + list.clientHeight) {
    list.scrollTop = current.offsetTop - list.clientHeight / 2;
  }
  history.replaceState(null, "", `#game=${data.table[shown.index][NUMBER]}&ply=${ply}`);
}

// Brings a drawing to a position; its parts are described in mancala_ai/svg.py.
function draw(board, position, hand, last, isOver) {
  const [text, side, captured] = position.split(" ");
  const rows = text.split("/").map(row => row.split(","));
  const toMove = side === "S" ? 0 : 1;
  rows.flat().forEach((pit, number) => {
    const group = board.querySelector(`[data-pit="${number}"]`), seeds = parseInt(pit) || 0;
    group.classList.toggle("nki", pit.endsWith("*"));
    group.classList.toggle("closed", pit === "x");
    group.classList.toggle("last", number === last);
    group.querySelector(".seeds").innerHTML = data.seeds[seeds] ?? `<text y="8">${seeds}</text>`;
    group.querySelector(".count").textContent = pit;
  });
  const sum = half => half.flat().reduce((all, pit) => all + (parseInt(pit) || 0), 0);
  const scored = /^\d+-\d+$/.test(captured ?? "");
  const totals = scored ? captured.split("-") : [sum(rows.slice(rows.length / 2)), sum(rows.slice(0, rows.length / 2))];
  for (const player of [0, 1]) {
    const group = board.querySelector(`[data-player="${player}"]`);
    group.classList.toggle("to-move", player === toMove && !isOver);
    group.querySelector(".total").textContent = `${scored ? "captured" : "seeds"} ${totals[player]}`;
    group.querySelector(".hand").textContent = hand && player === toMove ? `${hand} in hand` : "";
  }
  const title = `${data.games[data.table[shown.index][GAME]]}: ${caption(ply)}`;
  board.setAttribute("aria-label", title);
  board.querySelector("title").textContent = title;
  board.querySelector("desc").textContent = position;
}

const STEPS = {first: () => 0, back: () => ply - 1, forward: () => ply + 1, last: () => shown.plies.length - 1};
for (const [name, to] of Object.entries(STEPS)) $(name).addEventListener("click", () => show(to()));
$("slider").addEventListener("input", () => show(+$("slider").value));
$("close").addEventListener("click", () => $("viewer").close());
$("viewer").addEventListener("close", () => history.replaceState(null, "", "#games"));
document.addEventListener("keydown", event => {
  if (!$("viewer").open) return;
  const name = {Home: "first", ArrowLeft: "back", ArrowRight: "forward", End: "last"}[event.key];
  if (!name || event.target === $("slider") || event.altKey || event.ctrlKey || event.metaKey) return;  // a slider knows these keys
  event.preventDefault();
  show(STEPS[name]());
});

nameResults();
list();
const linked = location.hash.match(/^#game=(\d+)(?:&ply=(\d+))?$/);
const linkedIndex = linked ? data.table.findIndex(row => row[NUMBER] === +linked[1]) : -1;
if (linkedIndex >= 0) open(linkedIndex, +(linked[2] ?? 0));
