// Reviews in a real browser, as a reviewer would do it. LABELSIEVE_SIEVE is the command. Set
// LABELSIEVE_SHOTS to a folder to keep pictures of the page.
import assert from "node:assert/strict";
import {execFileSync, spawn} from "node:child_process";
import {mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from "node:fs";
import {createRequire} from "node:module";
import {tmpdir} from "node:os";
import path from "node:path";
import {after, before, describe, test} from "node:test";
import {chromium} from "playwright-core";

const sieve = process.env.LABELSIEVE_SIEVE;
const shots = process.env.LABELSIEVE_SHOTS;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
let browser, folder;

// What a row says and who ticked what; names and texts want to be markup.
const odd = "<script>window.hacked = 1</script><img src=x onerror=\"window.hacked = 2\">";
const labels = ["beach & sea", "mountain", "city<b>bold</b>", "תווית"];
const sayings = ["Waves, sand and a long beach in the evening sun", "A steep mountain path above the clouds",
                 "Busy streets, trams and tall houses of the city", "Snow on the mountain, and a frozen lake",
                 `A postcard ${odd} from the beach`, "The city at night, seen from the river"];

function write_data() {
  const quoted = text => `"${text.replaceAll("\"", "\"\"")}"`;
  const rows = ["id,text"], ticks = ["item,person,label"];
  for (let i = 0; i < 60; ++i) {
    const kind = i % sayings.length;
    rows.push(`row-${i},${quoted(`${sayings[kind]}. Number ${i}.`)}`);
    const right = ["beach & sea", "mountain", "city<b>bold</b>", "mountain", "beach & sea", "city<b>bold</b>"][kind];
    ["Ann", "Bob <i>Builder</i>", "Cem"].forEach((person, who) => {
      if ((i + who) % 9 !== 0) ticks.push(`row-${i},${quoted(person)},${quoted(right)}`);
      if ((i + who) % 5 === 0) ticks.push(`row-${i},${quoted(person)},${quoted(labels[(i + who) % 4])}`);
    });
  }
  writeFileSync(path.join(folder, "rows.csv"), rows.join("\n") + "\n");
  writeFileSync(path.join(folder, "ticks.csv"), ticks.join("\n") + "\n");
}

// A server and the link it printed.
async function serve(decisions, ...more) {
  const data = more.length && !more[0].startsWith("--") ? [more.shift()] : ["rows.csv", "--ticks", "ticks.csv", "--text-column", "text"];
  const child = spawn(sieve, ["review", ...data, "--decisions", decisions, ...more], {cwd: folder});
  let out = "", err = "";
  child.stderr.on("data", part => { err += part; });
  const link = await new Promise((found, failed) => {
    child.stdout.on("data", part => {
      out += part;
      const line = out.match(/open (http\S+)/);
      if (line) found(line[1]);
    });
    child.on("exit", code => failed(new Error(`sieve ended with ${code}: ${err}`)));
  });
  const kill = signal => new Promise(gone => { child.removeAllListeners("exit"); child.on("exit", gone); child.kill(signal); });
  return {link, kill};
}

async function open(link, {width = 1280, height = 900, colorScheme = "light", name = "Rita", context} = {}) {
  const page = await (context ?? await browser.newContext({viewport: {width, height}, colorScheme})).newPage();
  page.problems = [];
  page.on("console", message => page.problems.push(message.text()));
  page.on("pageerror", error => page.problems.push(String(error)));
  page.on("dialog", dialog => { page.problems.push("a dialog opened"); dialog.dismiss(); });
  page.on("request", request => {
    if (new URL(request.url()).origin !== new URL(link).origin) page.problems.push("asked for " + request.url());
  });
  await page.goto(link);
  if (name) {
    await page.locator("#who[open]").waitFor();
    await page.keyboard.type(name);
    await page.keyboard.press("Enter");
    await page.locator("#question:not(:empty)").waitFor();
  }
  return page;
}

// Presses a key and waits until the server has answered.
async function press(page, key, end = "/api/") {
  const answered = page.waitForResponse(response => response.url().includes(end));
  await page.keyboard.press(key);
  await (await answered).finished();
  await page.evaluate(() => new Promise(requestAnimationFrame));
}

const where = page => page.locator("#where").textContent();
const question = page => page.locator("#question").textContent();
const count = async page => Number((await page.locator("#state b").textContent()).match(/\d+/)[0]);
function decisions_of(db) {
  const list = path.join(folder, `${db}.jsonl`);
  rmSync(list, {force: true});
  execFileSync(sieve, ["review", "export", "rows.csv", "--ticks", "ticks.csv", "--text-column", "text",
                       "--decisions", db, "--list", list, "--quiet"], {cwd: folder});
  return readFileSync(list, "utf8").split("\n").filter(Boolean).map(line => JSON.parse(line));
}

describe("the review page", () => {
  before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), "sieve-review-"));
    write_data();
    browser = await chromium.launch({
      executablePath: process.env.LABELSIEVE_CHROMIUM || "/usr/bin/chromium",
      args: process.getuid() === 0 ? ["--no-sandbox"] : [],
    });
  });
  after(async () => {
    await browser?.close();
    rmSync(folder, {recursive: true, force: true});
  });

  test("a whole review by keyboard", async () => {
    const server = await serve("keyboard.db");
    const page = await open(server.link);
    const first = [await where(page), await question(page)];
    await press(page, "n", "decide");
    assert.equal(await count(page), 1);
    await press(page, "u", "undo");
    assert.equal(await question(page), first[1]);
    assert.equal(await count(page), 0);
    await page.keyboard.press("m");
    await page.keyboard.type("a note with y, n and <b>");
    await page.keyboard.press("Enter");
    await press(page, "n", "decide");
    await press(page, "s", "decide");
    const here = await where(page);
    await press(page, "ArrowRight", "/api/at");
    assert.notEqual(await where(page), here);
    await press(page, "ArrowLeft", "/api/at");
    await page.keyboard.press("?");
    assert.ok(await page.locator("#keys[open]").isVisible());
    await page.keyboard.press("y");
    assert.equal(await count(page), 1, "keys do nothing while a dialog is open");
    await page.keyboard.press("Escape");
    // Any label of the row, by some letters of it.
    await page.keyboard.press("/");
    await page.keyboard.type("bold");
    await press(page, "Enter", "/api/item");
    assert.match(await question(page), /city<b>bold<\/b>/);
    await press(page, "y", "decide");
    // All labels of a row: numbers switch them.
    await page.keyboard.press("r");
    assert.equal(await question(page), "Which labels are right?");
    const state = await page.locator("#labels button").first().getAttribute("aria-checked");
    await page.keyboard.press("1");
    assert.notEqual(await page.locator("#labels button").first().getAttribute("aria-checked"), state);
    await press(page, "y", "decide");
    await page.keyboard.press("r");
    // To the end.
    for (let left = 0; left < 500 && await page.locator("#done").isHidden(); ++left)
      await press(page, left % 3 ? "y" : "n", "decide");
    assert.ok(await page.locator("#done").isVisible());
    const decided = decisions_of("keyboard.db");
    const cells = await page.evaluate(async () => (await (await fetch("/api/start",
      {headers: {"X-Sieve-Token": new URLSearchParams(location.search).get("token")}})).json()).cells);
    assert.ok(decided.length >= cells - 1, "all but the one that was skipped");
    assert.equal(decided.find(one => one.note)?.note, "a note with y, n and <b>");
    assert.ok(decided.every(one => one.reviewer === "Rita"));
    assert.deepEqual(page.problems, []);
    await page.context().close();
    await server.kill("SIGTERM");
  });

  test("a bulk action is undone after the server was killed", async () => {
    let server = await serve("bulk.db");
    let page = await open(server.link);
    await page.keyboard.press("b");
    await page.locator("#bulk-accept:not([disabled])").waitFor();
    await page.locator("#bulk-threshold").focus();
    for (let k = 0; k < 25; ++k) await page.keyboard.press("ArrowRight");
    await page.waitForFunction(() => /would be removed/.test(document.getElementById("bulk-effect").textContent));
    const effect = await page.locator("#bulk-effect").textContent();
    assert.match(effect, /^\d+ labels? would be removed; about \d+ of them wrongly\.$/);
    assert.ok(await page.locator("#bulk-sample li").count() <= 10);
    await page.locator("#bulk-accept").focus();
    await press(page, "Enter", "/api/bulk");
    await page.locator("#bulk").waitFor({state: "hidden"});
    await page.context().close();
    await server.kill("SIGKILL");
    const removed = decisions_of("bulk.db");
    assert.ok(removed.length > 0 && removed.every(one => one.decision === 0 && one.rule));
    server = await serve("bulk.db");
    page = await open(server.link);
    await press(page, "u", "undo");
    assert.match(await page.locator("#said").textContent(), new RegExp(`Undone: ${removed.length} label`));
    assert.deepEqual(decisions_of("bulk.db"), []);
    assert.deepEqual(page.problems, []);
    await page.context().close();
    await server.kill("SIGTERM");
  });

  test("two reviewers never have the same row before them", async () => {
    const server = await serve("two.db");
    const [rita, sam] = [await open(server.link, {name: "Rita"}), await open(server.link, {name: "Sam"})];
    const row = async page => (await where(page)).split(" ·")[0];
    for (let k = 0; k < 8; ++k) {
      assert.notEqual(await row(rita), await row(sam));
      await Promise.all([press(rita, "y", "decide"), press(sam, "n", "decide")]);
    }
    await rita.keyboard.press("p");
    await rita.locator("#progress[open] svg").waitFor();
    assert.match(await rita.locator("#progress-people").textContent(), /Rita 8 decisions.*Sam 8 decisions/s);
    const cells = decisions_of("two.db");
    assert.equal(cells.length, 16);
    assert.deepEqual([...rita.problems, ...sam.problems], []);
    await rita.context().close();
    await sam.context().close();
    await server.kill("SIGTERM");
  });

  test("a killed server keeps what it acknowledged, and the page says that it is gone", async () => {
    const server = await serve("killed.db");
    const page = await open(server.link);
    for (let k = 0; k < 5; ++k) await press(page, "y", "decide");
    await server.kill("SIGKILL");
    await page.keyboard.press("n");
    await page.locator("#banner:not([hidden])").waitFor();
    assert.match(await page.locator("#banner").textContent(), /No connection/);
    assert.equal(decisions_of("killed.db").length, 5);
    await page.context().close();
  });

  test("markup in names, texts and notes is text", async () => {
    const server = await serve("odd.db");
    const page = await open(server.link, {name: "<img src=x onerror=alert(1)>"});
    let seen = false;
    for (let k = 0; k < 12; ++k) {
      seen ||= (await page.locator("#content").textContent()).includes("<script>window.hacked");
      await page.keyboard.press("m");
      await page.keyboard.type("<svg onload=alert(2)>");
      await page.keyboard.press("Enter");
      await press(page, "y", "decide");
      await press(page, "u", "undo");
      await press(page, "y", "decide");
    }
    await page.keyboard.press("l");
    await page.locator("#queue-list [role=option]").first().waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("p");
    await page.locator("#progress[open]").waitFor();
    assert.ok(seen);
    assert.equal(await page.evaluate(() => window.hacked), undefined);
    assert.deepEqual(page.problems, []);
    await page.context().close();
    await server.kill("SIGTERM");
  });

  test("pictures are shown that lie under the folder, and no others", async () => {
    const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    mkdirSync(path.join(folder, "media"));
    for (const name of ["media/inside.png", "outside.png"]) writeFileSync(path.join(folder, name), Buffer.from(pixel, "base64"));
    const rows = Array.from({length: 60}, (_, i) => `row-${i},${i % 2 ? "inside.png" : "../outside.png"},text ${i}`);
    writeFileSync(path.join(folder, "pictures.csv"), ["id,picture,text", ...rows].join("\n") + "\n");
    const server = await serve("pictures.db", "pictures.csv", "--ticks", "ticks.csv", "--text-column", "text", "--media", "media");
    const page = await open(server.link);
    const seen = new Set();
    for (let k = 0; k < 30 && seen.size < 2; ++k) {
      const odd_row = Number((await where(page)).match(/row-(\d+)/)[1]) % 2 === 1;
      seen.add(odd_row);
      assert.equal(await page.locator("#content img").count(), odd_row ? 1 : 0);
      if (odd_row) await page.waitForFunction(() => document.querySelector("#content img").naturalWidth === 1);
      else assert.match(await page.locator("#content").textContent(), /outside\.png/);
      await press(page, "y", "decide");
    }
    assert.equal(seen.size, 2);
    assert.deepEqual(page.problems, []);
    await page.context().close();
    await server.kill("SIGTERM");
  });

  test("a hundred thousand suspects scroll and answer at once", async () => {
    execFileSync(sieve, ["synth", "--rows", "20000", "--features", "4", "--labels", "12", "--noise", "3", "--out", "large.csv",
                         "--ticks", "large-ticks.csv", "--quiet"], {cwd: folder});
    const server = await serve("large.db", "large.csv", "--ticks", "large-ticks.csv");
    const page = await open(server.link);
    await page.keyboard.press("l");
    await page.locator("#option-0 b").waitFor();
    const total = Number((await page.locator("#queue-size").textContent()).replaceAll(",", "").match(/\d+/)[0]);
    assert.ok(total >= 100000, `only ${total}`);
    await page.keyboard.press("End");
    await page.locator(`#option-${total - 1} b`).waitFor();
    assert.ok(await page.locator("#queue-list [role=option]").count() < 60, "only what can be seen is there");
    await page.keyboard.press("Home");
    await page.locator("#option-0 b").waitFor();
    await page.keyboard.press("Escape");
    await page.evaluate(() => {
      window.times = [];
      let pressed = 0;
      addEventListener("keydown", () => { pressed = performance.now(); }, true);
      new MutationObserver(() => window.times.push(performance.now() - pressed))
        .observe(document.getElementById("where"), {childList: true, characterData: true, subtree: true});
    });
    for (let k = 0; k < 60; ++k) await press(page, k % 2 ? "y" : "n", "decide");
    const times = (await page.evaluate(() => window.times)).sort((a, b) => a - b);
    const [median, late] = [times[Math.floor(times.length / 2)], times[Math.floor(times.length * 0.95)]];
    console.log(`# key to next item among ${total}: median ${median.toFixed(1)} ms, 95 % below ${late.toFixed(1)} ms`);
    assert.ok(median < 50, `median ${median} ms`);
    await page.context().close();
    await server.kill("SIGTERM");
  });

  for (const width of [360, 1280]) for (const colorScheme of ["light", "dark"])
    test(`axe finds nothing and nothing overflows at ${width} px, ${colorScheme}`, async () => {
      const server = await serve(`axe-${width}-${colorScheme}.db`, "--stop-at", "0.02");
      const page = await open(server.link, {width, height: width === 360 ? 740 : 900, colorScheme, name: null});
      const look = async name => {
        await page.evaluate(axe);
        const found = await page.evaluate(() => window.axe.run(document));
        assert.deepEqual(found.violations.map(one => [name, one.id, one.nodes.map(node => node.html)]), []);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.ok(wide <= 0, `${name} is ${wide} px too wide`);
        if (!shots) return;
        mkdirSync(shots, {recursive: true});
        await page.screenshot({path: path.join(shots, `review-${name}-${width}-${colorScheme}.png`)});
      };
      await page.locator("#who[open]").waitFor();
      await look("who");
      await page.keyboard.type("Rita");
      await page.keyboard.press("Enter");
      await page.locator("#question:not(:empty)").waitFor();
      await look("one");
      for (let k = 0; k < 22; ++k) await press(page, k % 3 ? "n" : "y", "decide");
      await page.keyboard.press("r");
      await look("row");
      await page.keyboard.press("r");
      for (const [key, id] of [["?", "keys"], ["/", "pick"], ["l", "queue"], ["b", "bulk"], ["p", "progress"]]) {
        await page.keyboard.press(key);
        await page.locator(`#${id}[open]`).waitFor();
        if (id === "queue") await page.locator("#queue-list b").first().waitFor();
        if (id === "bulk") await page.locator("#bulk-effect:not(:empty)").waitFor();
        await look(id);
        await page.keyboard.press("Escape");
      }
      assert.deepEqual(page.problems, []);
      await page.context().close();
      await server.kill("SIGTERM");
    });
});
