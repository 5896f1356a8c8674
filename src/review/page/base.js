// Everything that comes from the data becomes text, never markup.
const by_id = id => document.getElementById(id);
const token = new URLSearchParams(location.search).get("token") ?? "";

function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "class") element.className = value;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter(child => child !== null && child !== undefined));
  return element;
}

const percent = share => {
  if (share === null || share === undefined) return "?";
  if (share > 0 && share < 0.0005) return "<\u00a00.1\u00a0%";
  if (share < 1 && share > 0.9995) return ">\u00a099.9\u00a0%";
  return Number((share * 100).toFixed(share < 0.1 || share > 0.99 ? 1 : 0)) + "\u00a0%";
};
const number = value => value.toLocaleString("en");
const plural = (count, one, many) => `${number(count)} ${count === 1 ? one : many}`;
// A number alone says little.
const row_title = id => /^\d+$/.test(id) ? `row ${id}` : id;
// `shown`: the eyes need it as well, because nothing else on the page says so.
const say = (text, shown = true) => {
  by_id("said").textContent = text;
  by_id("said").classList.toggle("unseen", !shown);
};
const new_nonce = () => Array.from(crypto.getRandomValues(new Uint8Array(12)),
                                   byte => byte.toString(16).padStart(2, "0")).join("");
// What this browser was given to keep; nothing where it is no JSON.
function recall(key) {
  try { return JSON.parse(localStorage.getItem(key)); } catch { return null; }
}
const wait = ms => new Promise(done => setTimeout(done, ms));

// What the page knows. `info` never changes; `item` is before the reviewer, `row` has which of its
// labels are on, and `touched` those that this reviewer switched.
const state = {info: null, item: null, reviewer: "", busy: false, again: false, from: 0, row: new Map(), touched: new Set(), total: 0, done: 0, left: null, screen: "", lane: "review", counts: null};

function banner(text) {
  by_id("banner").textContent = text ?? "";
  by_id("banner").hidden = !text;
}

class Refused extends Error {}

async function ask(path, fields, post = false) {
  const given = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  const link = post ? path : path + "?" + new URLSearchParams(given.map(([k, v]) => [k, String(v)]));
  const reply = await fetch(link, {
    method: post ? "POST" : "GET",
    headers: {"X-Sieve-Token": token, ...(post && {"Content-Type": "application/json"})},
    body: post ? JSON.stringify(Object.fromEntries(given)) : undefined,
    cache: "no-store",
  });
  if (reply.ok) return reply.json();
  if (reply.status === 403) throw new Refused("This page is out of date: open the link that sieve printed last.");
  let message = "";
  try { message = (await reply.json()).error; } catch { message = `error ${reply.status}`; }
  const refused = new Refused(message);
  refused.status = reply.status;
  throw refused;
}

// Asks until there is an answer: what was sent is named by a nonce, so that it counts once.
async function insist(path, fields) {
  const sent = {...fields, nonce: new_nonce()};
  for (let pause = 250; ; pause = Math.min(2 * pause, 4000)) {
    try {
      const answer = await ask(path, sent, true);
      banner();
      return answer;
    } catch (error) {
      if (error instanceof Refused) throw error;
      banner("No connection to sieve. What you decided is sent again as soon as there is one.");
      await wait(pause);
    }
  }
}
