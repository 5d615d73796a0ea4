// The live table: reads /api/watch with fetch, since EventSource cannot send a token.
// Text from the fleet only ever becomes textContent.

const rows = document.getElementById("rows");
const summary = document.getElementById("summary");
const empty = document.getElementById("empty");
const access = document.getElementById("access");
const problems = document.getElementById("problems");
const tokenKey = "muster.token";

const endpoints = new Map();
let lastId;
let connected = false;
let drawn = true;

access.addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem(tokenKey, document.getElementById("token").value);
  access.hidden = true;
  follow();
});

follow();
explain();

/** Watches for ever, resuming where the last stream ended; asks for a token when one is needed. */
async function follow() {
  for (;;) {
    const answer = await open().catch(() => undefined);
    if (answer?.status === 401) {
      say("a token is needed");
      access.hidden = false;
      return;
    }
    if (answer?.ok) await read(answer.body).catch(() => undefined);
    connected = false;
    redraw();
    await new Promise((resolve) => setTimeout(resolve, 1000 + Math.random() * 1000));
  }
}

function open() {
  const token = sessionStorage.getItem(tokenKey);
  return fetch("api/watch", {
    cache: "no-store",
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(lastId && { "last-event-id": lastId }),
    },
  });
}

async function read(body) {
  connected = true;
  let rest = "";
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const events = (rest + text).split("\n\n");
    rest = events.pop();
    for (const event of events) apply(parse(event));
    redraw();
  }
}

function parse(block) {
  const event = { type: "", id: "", data: "" };
  for (const line of block.split("\n")) {
    const at = line.indexOf(": ");
    const field = line.slice(0, at);
    if (field === "event") event.type = line.slice(at + 2);
    else if (field in event) event[field] += line.slice(at + 2);
  }
  return event;
}

function apply({ type, id, data }) {
  if (type === "") return;
  const change = JSON.parse(data);
  lastId = id;
  if (type === "delete") endpoints.delete(change.id);
  if (type === "upsert") endpoints.set(change.endpoint.id, change.endpoint);
  if (type !== "snapshot") return;
  endpoints.clear();
  for (const endpoint of change.endpoints) endpoints.set(endpoint.id, endpoint);
}

/** Why discoveries wait for their source, or have lost it: asked for while there is something to explain. */
async function explain() {
  for (;;) {
    const troubled = endpoints.size === 0 || [...endpoints.values()].some(isDegraded);
    showProblems(troubled ? await openProblems().catch(() => []) : []);
    await new Promise((resolve) => setTimeout(resolve, 2000));
  }
}

async function openProblems() {
  const { discoveries } = await (await fetch("readyz", { cache: "no-store" })).json();
  return discoveries
    .filter(({ error }) => error)
    .map(({ plugin, state, error }) => `${plugin} is ${state}: ${error.message} (${error.code})`);
}

function showProblems(texts) {
  problems.hidden = texts.length === 0;
  if (texts.join("\n") === [...problems.children].map((item) => item.textContent).join("\n"))
    return;
  problems.replaceChildren(
    ...texts.map((text) => {
      const item = document.createElement("li");
      item.textContent = text;
      return item;
    }),
  );
}

function isDegraded({ freshness }) {
  return freshness.degraded;
}

/** At most one redraw a frame, however many changes come. */
function redraw() {
  if (!drawn) return;
  drawn = false;
  requestAnimationFrame(() => {
    drawn = true;
    draw();
  });
}

function draw() {
  const sorted = [...endpoints.values()].sort((a, b) => a.id.localeCompare(b.id));
  rows.replaceChildren(...sorted.map(row));
  empty.hidden = sorted.length > 0 || !connected;
  const fresh = sorted.filter((endpoint) => endpoint.freshness.state === "fresh").length;
  say(`${connected ? "" : "reconnecting… "}${fresh} fresh of ${sorted.length} endpoints`);
}

function say(text) {
  if (summary.textContent !== text) summary.textContent = text;
}

function row({ id, metadata, metrics, attributes, freshness }) {
  const tr = document.createElement("tr");
  const key = cell(id, "id");
  key.append(small(metadata.metricsHost));
  const state = freshness.degraded ? `${freshness.state}, degraded` : freshness.state;
  const why = freshness.errorCode ? ` (${freshness.errorCode})` : "";
  tr.append(
    key,
    cell(state + why, freshness.degraded ? "stale" : freshness.state),
    cell(attributes.engine?.engine ?? "–", "", "engine"),
    cell(modelText(attributes), "model", "model"),
    cell(metrics.waitingQueueSize ?? "–", "number", "waiting"),
    cell(metrics.runningRequestsSize ?? "–", "number", "running"),
    kvCell(metrics.kvCacheUsagePercent),
    cell(loraText(attributes), "lora", "LoRA"),
  );
  return tr;
}

function cell(text, className = "", name = "") {
  const td = document.createElement("td");
  td.textContent = String(text);
  if (className) td.className = className;
  if (name) td.dataset.name = name;
  return td;
}

function small(text) {
  const element = document.createElement("small");
  element.textContent = text;
  return element;
}

function kvCell(usage) {
  if (usage === null) return cell("–", "", "KV");
  const td = cell("", "", "KV");
  const meter = document.createElement("meter");
  Object.assign(meter, { min: 0, max: 1, high: 0.8, optimum: 0.2, value: usage });
  td.append(meter, ` ${(usage * 100).toFixed(0)} %`);
  return td;
}

function modelText({ engine, "registered-models": registered }) {
  const names = registered?.models.map(({ name }) => name) ?? [];
  return names.join(", ") || (engine?.modelName ?? "–");
}

/** What runs; where nothing says so, what is registered. */
function loraText({ lora, "registered-models": registered }) {
  const names = registered?.adapters.map(({ name }) => name).join(", ");
  if (!lora) return names || "–";
  const waiting = lora.waiting.length > 0 ? `, waiting ${lora.waiting.join(", ")}` : "";
  return (lora.active.join(", ") || "none active") + waiting;
}
