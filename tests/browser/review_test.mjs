// Reviews in a real browser, as a reviewer would do it. LABELSIEVE_SIEVE is the command. Set
// LABELSIEVE_SHOTS to a folder to keep pictures of the page.
import assert from "node:assert/strict";
import {execFileSync, spawn} from "node:child_process";
import {mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync} from "node:fs";
import {createRequire} from "node:module";
import {tmpdir} from "node:os";
import path from "node:path";
import {after, before, describe, test} from "node:test";
import {chromium} from "playwright-core";

const sieve = process.env.LABELSIEVE_SIEVE;
const shots = process.env.LABELSIEVE_SHOTS;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
let browser, folder;
const servers = new Set();  // a test that fails leaves its own behind

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
  writeFileSync(path.join(folder, "guidelines.md"), `# Guidelines\n\n## beach & sea\n\nTick it where there is **sand** or water.\n\n- A lake counts.\n- A pool does not. ${odd}\n\n## Mountain\n\nTick it from 500 m on.\n`);
}

const of_rows = ["rows.csv", "--annotations", "ticks.csv", "--text-column", "text"];
// These tests are about pages: they need a judge, not a good one.
const quick = ["--method", "mlp", "--set", "epochs=3,width=8,members=1,depth=1"];
const serve = (decisions, ...more) =>
  serve_verb("review", ...(more.length && !more[0].startsWith("--") ? [more.shift()] : of_rows), "--decisions", decisions,
             ...(more.some(one => ["--model", "--probabilities", "--method"].includes(one)) ? [] : quick), ...more);

// A server and the link it printed.
async function serve_verb(...words) {
  const child = spawn(sieve, words, {cwd: folder});
  servers.add(child);
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

async function open(link, {width = 1280, height = 900, colorScheme = "light", name = "Rita", more = {}, view = "order=suspicion&unit=cell"} = {}) {
  const page = await (await browser.newContext({viewport: {width, height}, colorScheme, ...more})).newPage();
  page.problems = [];
  page.on("console", message => page.problems.push(message.text()));
  page.on("pageerror", error => page.problems.push(String(error)));
  page.on("dialog", dialog => { page.problems.push("a dialog opened"); dialog.dismiss(); });
  page.on("request", request => {
    if (new URL(request.url()).origin !== new URL(link).origin) page.problems.push("asked for " + request.url());
  });
  await page.goto(view === null ? link : `${link}#review?${view}`);
  if (name) {
    await page.locator("#who[open]").waitFor();
    await page.keyboard.type(name);
    await page.keyboard.press("Enter");
    await page.locator("#question:not(:empty)").waitFor();
  }
  return page;
}

// Does something and waits until the server has answered and the page shows it.
async function answered(page, end, act) {
  const answer = page.waitForResponse(response => response.url().includes(end));
  await act();
  await (await answer).finished();
  await page.locator("body:not([data-busy=true])").waitFor();
  await page.evaluate(() => new Promise(requestAnimationFrame));
}
// Nobody presses a key at the moment a card appears: as if it had been read for a while.
const read = page => page.evaluate(() => { document.body.dataset.shown = "-1000"; });
const press = async (page, key, end = "/api/") => {
  await read(page);
  await answered(page, end, () => page.keyboard.press(key));
};
const tap = (page, id, end = "/api/") => answered(page, end, () => page.locator(id).tap());

// A tenth of a second of silence.
function wav() {
  const rate = 8000, samples = rate / 10, file = Buffer.alloc(44 + samples, 128);
  file.write("RIFF", 0), file.writeUInt32LE(36 + samples, 4), file.write("WAVEfmt ", 8);
  file.writeUInt32LE(16, 16), file.writeUInt16LE(1, 20), file.writeUInt16LE(1, 22);
  file.writeUInt32LE(rate, 24), file.writeUInt32LE(rate, 28), file.writeUInt16LE(1, 32), file.writeUInt16LE(8, 34);
  file.write("data", 36), file.writeUInt32LE(samples, 40);
  return file;
}

const where = page => page.locator("#where").textContent();
const question = page => page.locator("#question").textContent();
const count = async page => Number((await page.locator("#decided b, #state b").first().textContent()).match(/\d+/)[0]);
function decisions_of(db, ticks = "ticks.csv") {
  const list = path.join(folder, `${db}.jsonl`);
  rmSync(list, {force: true});
  execFileSync(sieve, ["review", "export", "rows.csv", "--annotations", ticks, "--text-column", "text",
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
    for (const server of servers) server.kill("SIGKILL");
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

  test("a whole row is one decision", async () => {
    const server = await serve("rows.db", "--guidelines", "guidelines.md");
    const page = await open(server.link, {view: null});
    assert.match(await where(page), /number 1 of 60$/);
    assert.match(await question(page), /^(Check .*|No label is in doubt here)\.$/);
    for (const id of ["#yes", "#no"]) assert.ok(await page.locator(id).isHidden(), "a whole row is accepted, not denied");
    const rows = page.locator("#labels .lab"), first = rows.first();
    assert.match(await first.locator(".dots").textContent(), /^[0-3] of [1-3]$/);
    assert.match(await first.locator(".p").textContent(), /\d+\s%$/);
    assert.match(await page.locator("#people-title").textContent(), /^\d of [1-3] ticked /);
    // A number belongs to a label; what a person switched is in ink.
    const key = await first.locator("kbd").textContent(), name = await first.locator(".n").textContent();
    assert.equal(name, labels[Number(key) - 1]);
    const before = await first.getAttribute("aria-checked");
    await page.keyboard.press(key);
    assert.notEqual(await first.getAttribute("aria-checked"), before);
    assert.equal(await first.locator(".box.ink, .box.no").count(), 1);
    assert.match(await page.locator("#accept").textContent(), /^Accept /);
    // The evidence follows the label.
    if (await rows.count() > 1) {
      await answered(page, "/api/item", () => page.keyboard.press("ArrowDown"));
      const second = await rows.nth(1).locator(".n").textContent();
      await page.waitForFunction(name => document.getElementById("people-title").textContent.endsWith(name), second);
    }
    const [row, on] = [(await where(page)).split(" ")[0], await first.getAttribute("aria-checked")];
    await press(page, "Enter", "decide");
    const decided = decisions_of("rows.db");
    assert.equal(decided.find(one => one.label === name).decision, on === "true" ? 1 : 0);
    assert.ok(decided.every(one => one.item === row));
    assert.match(await page.locator("#strip li").first().textContent(), new RegExp(`^✓ .*${row}$`));
    await press(page, "u", "undo");
    assert.equal((await where(page)).split(" ")[0], row);
    assert.deepEqual(decisions_of("rows.db"), []);
    // A row that is skipped does not come again.
    await press(page, "s", "decide");
    assert.notEqual((await where(page)).split(" ")[0], row);
    for (let k = 0; k < 70 && await page.locator("#done").isHidden(); ++k) await press(page, "Enter", "decide");
    assert.ok(await page.locator("#done").isVisible());
    assert.ok(decisions_of("rows.db").every(one => one.item !== row));
    assert.deepEqual(page.problems, []);
    await page.context().close();
    await server.kill("SIGTERM");
  });

  test("rows are found by what they say, and a link shows the same", async () => {
    const server = await serve("found.db", "--guidelines", "guidelines.md");
    const page = await open(server.link, {view: null});
    await page.keyboard.press("f");
    await answered(page, "/api/next", () => page.locator("#search").fill("MOUNTAIN snow"));
    assert.match(await where(page), /number 1 of 10$/);
    assert.match(await page.locator("#content").textContent(), /Snow on the mountain/);
    await answered(page, "/api/next", () => page.locator("#only-label").selectOption({label: "mountain"}));
    await page.keyboard.press("Escape");
    assert.match(await page.locator("#view-words").textContent(), /“MOUNTAIN snow”, mountain/);
    assert.match(await page.locator("#guideline").textContent(), /^Tick it from 500 m on\.$/);
    const [link, here] = [page.url(), await where(page)];
    assert.match(link, /text=MOUNTAIN.snow.*label=mountain/);
    await page.reload();
    await page.locator("#question:not(:empty)").waitFor();
    assert.equal(await where(page), here);
    const other = await open(link.split("#")[0], {view: link.split("?").at(-1), name: null, more: {storageState: await page.context().storageState()}});
    await other.locator("#question:not(:empty)").waitFor();
    assert.equal(await other.locator("#search").inputValue(), "MOUNTAIN snow");
    await other.context().close();
    // Notes and what was decided can be looked through.
    await page.keyboard.press("m");
    await page.keyboard.type("look again");
    await page.keyboard.press("Enter");
    await press(page, "Enter", "decide");
    await page.keyboard.press("f");
    await answered(page, "/api/next", () => page.locator("#clear-view").click());
    await answered(page, "/api/next", () => page.locator("#state-choice").selectOption("noted"));
    assert.match(await where(page), /number 1 of 1$/);
    assert.match(await page.locator("#verdicts").textContent(), /look again/);
    await answered(page, "/api/next", () => page.locator("#search").fill("no such words"));
    assert.ok(await page.locator("#done").isVisible());
    assert.deepEqual(page.problems, []);
    await page.context().close();
    await server.kill("SIGTERM");
  });

  test("one press is one decision", async () => {
    const server = await serve("presses.db");
    const page = await open(server.link);
    // A key that is held: the browser repeats it.
    const reply = page.waitForResponse(response => response.url().includes("decide"));
    await read(page);
    await page.keyboard.down("n");
    for (let k = 0; k < 30; ++k) await page.keyboard.down("n");
    await page.keyboard.up("n");
    await (await reply).finished();
    await page.locator("body:not([data-busy=true])").waitFor();
    assert.equal(await count(page), 1);
    // A second key on a card that nobody can have read.
    await page.evaluate(() => { document.body.dataset.shown = String(performance.now() + 60000); });
    await page.keyboard.press("y");
    assert.equal(await page.locator("#said").textContent(), "Too fast, not counted.");
    // A key for a dropdown chooses there.
    await read(page);
    await page.keyboard.press("f");
    await page.locator("#kind").focus();
    await page.keyboard.press("n");
    await page.keyboard.press("y");
    await page.locator("#question").focus();
    await press(page, "y", "decide");
    assert.equal(await count(page), 2);
    assert.equal(decisions_of("presses.db").length, 2);
    // What was decided stands below, newest first, and opens its row.
    assert.equal(await page.locator("#strip li").count(), 2);
    assert.match(await page.locator("#strip li").first().textContent(), /^✓ /);
    for (let k = 0; k < 6; ++k) await press(page, "n", "decide");
    assert.equal(await page.locator("#strip li").count(), 5);
    assert.match(await page.locator("#pace").textContent(), / · \d+ of \d+ · (< 1|[\d.]+) s each · .* left$/);
    await answered(page, "/api/item", () => page.locator("#strip button").first().click());
    assert.match(await page.locator("#verdicts").textContent(), /Rita said no/);
    await press(page, "u", "undo");
    assert.equal(await page.locator("#strip li").count(), 4);
    assert.equal(await page.locator("#said").textContent(), "Undone.");
    assert.ok(await page.locator("#said").isVisible());
    assert.deepEqual(page.problems, []);
    await page.context().close();
    await server.kill("SIGTERM");
  });

  test("keys of one's own, none at all, and the view outlive a reload", async () => {
    const server = await serve("own-keys.db");
    const page = await open(server.link);
    await page.keyboard.press("?");
    await page.getByRole("button", {name: /it is not right/}).click();
    await page.keyboard.press("u");
    assert.match(await page.locator("#keys-said").textContent(), /^u is taken/);
    await page.getByRole("button", {name: /it is not right/}).click();
    await page.keyboard.press("x");
    await page.keyboard.press("Escape");
    assert.equal(await page.locator("#no kbd").textContent(), "x");
    await press(page, "x", "decide");
    await page.keyboard.press("f");
    await answered(page, "/api/next", () => page.locator("#order").selectOption("label"));
    await page.reload();
    await page.locator("#question:not(:empty)").waitFor();
    assert.equal(await page.locator("#order").inputValue(), "label");
    assert.equal(await page.locator("#unit").inputValue(), "cell");
    await page.keyboard.press("n");
    await press(page, "x", "decide");
    assert.equal(await count(page), 2);
    await page.keyboard.press("?");
    await page.locator("#single-keys").uncheck();
    await page.keyboard.press("Escape");
    await read(page);
    for (const key of ["x", "y", "u", "1", "?"]) await page.keyboard.press(key);
    assert.equal(await count(page), 2);
    assert.ok(await page.locator("#keys").isHidden());
    assert.ok(await page.locator("#no kbd").isHidden());
    await answered(page, "decide", () => page.locator("#yes").click());
    assert.equal(await count(page), 3);
    assert.deepEqual(page.problems, []);
    await page.context().close();
    await server.kill("SIGTERM");
  });

  test("five answers against what is almost certain bring a warning", async () => {
    const lines = ["id,label,probability"];
    for (let i = 0; i < 60; ++i) for (const label of labels) lines.push(`row-${i},${label},0.999`);
    writeFileSync(path.join(folder, "sure.csv"), lines.join("\n") + "\n");
    const server = await serve("against.db", "--probabilities", "sure.csv");
    const page = await open(server.link);
    for (let k = 0; k < 4; ++k) await press(page, "n", "decide");
    assert.ok(await page.locator("#against").isHidden());
    await press(page, "n", "decide");
    assert.ok(await page.locator("#against").isVisible());
    await page.locator("#against-right").click();
    assert.ok(await page.locator("#against").isHidden());
    await press(page, "y", "decide");
    for (let k = 0; k < 4; ++k) await press(page, "n", "decide");
    assert.ok(await page.locator("#against").isHidden(), "an answer that agrees begins the count anew");
    assert.deepEqual(page.problems, []);
    await page.context().close();
    await server.kill("SIGTERM");
  });

  test("a bulk action is undone after the server was killed", async () => {
    let server = await serve("bulk.db");
    let page = await open(server.link);
    await page.keyboard.press("?");
    await page.getByRole("button", {name: "Change the key n"}).click();
    await page.keyboard.press("x");
    await page.keyboard.press("Escape");
    await page.keyboard.press("b");
    await page.locator("#bulk-effect:not(:empty)").waitFor();
    await page.locator("#bulk-threshold").focus();
    for (let k = 0; k < 15; ++k) await page.keyboard.press("ArrowRight");
    await page.locator("#bulk-check:not([disabled])").waitFor();
    const effect = await page.locator("#bulk-effect").textContent();
    assert.match(effect, /^\d+ labels? would be removed\. Nothing is claimed about mistakes among them/);
    assert.ok(await page.locator("#bulk-sample li").count() <= 10);
    assert.ok(await page.locator("#bulk-accept").isHidden(), "nothing is removed before some were checked");
    const all = Number(effect.match(/\d+/)[0]);
    assert.ok(all > 20, `only ${all}`);
    await answered(page, "/api/check", () => page.locator("#bulk-check").click());
    // The keys of the cards, with the same care: one press, one decision, and a way back.
    const title = () => page.locator("#check-title").textContent();
    await page.evaluate(() => { document.body.dataset.shown = String(performance.now() + 60000); });
    await page.keyboard.press("x");
    assert.equal(await page.locator("#check-result").textContent(), "Too fast, not counted.");
    await press(page, "y", "decide");
    assert.match(await title(), /^Number 2 of 20,/);
    await press(page, "u", "undo");
    assert.match(await title(), /^Number 1 of 20,/);
    assert.ok(await page.locator("#check-undo").isHidden());
    assert.equal(await page.locator("#check-no kbd").textContent(), "x");
    for (let k = 0; k < 20; ++k) {
      assert.match(await page.locator("#check-title").textContent(), new RegExp(`^Number ${k + 1} of 20,`));
      assert.equal(await page.locator("#check mark").count(), 0, "a check is blind");
      await press(page, k === 7 ? "y" : "x", "decide");
    }
    await page.locator("#bulk-accept").waitFor();
    assert.match(await page.locator("#check-result").textContent(), /^Right among the removed labels: audited 5 % \(\d+ to \d+\), 20 decisions\.$/);
    assert.equal(await page.locator("#bulk-accept").textContent(), `Remove the other ${all - 20}`);
    await answered(page, "/api/bulk", () => page.locator("#bulk-accept").click());
    await page.locator("#bulk").waitFor({state: "hidden"});
    await page.context().close();
    await server.kill("SIGKILL");
    const removed = decisions_of("bulk.db").filter(one => one.rule);
    assert.equal(removed.length, all - 20);
    assert.ok(removed.every(one => one.decision === 0));
    server = await serve("bulk.db");
    page = await open(server.link);
    await press(page, "u", "undo");
    assert.match(await page.locator("#said").textContent(), new RegExp(`Undone: ${removed.length} label`));
    const checked = decisions_of("bulk.db");
    assert.deepEqual([checked.length, checked.filter(one => one.decision === 1).length], [20, 1], "what was checked stays decided");
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
    await read(page);
    await page.keyboard.press("n");
    await page.locator("#banner:not([hidden])").waitFor();
    assert.match(await page.locator("#banner").textContent(), /No connection/);
    assert.equal(decisions_of("killed.db").length, 5);
    await page.context().close();
  });

  // A table of many rows, for reviews that go on for long.
  function write_many(rows) {
    const all = ["id,text"], ticks = ["item,person,label"];
    for (let i = 0; i < rows; ++i) {
      all.push(`row-${i},"${sayings[i % 4]} number ${i}"`);
      ["Ann", "Bob", "Cem"].forEach((person, who) => {
        ticks.push(`row-${i},${person},${labels[(i + (i * 7 + who) % 3) % 2]}`);
        if ((i + who) % 4 === 0) ticks.push(`row-${i},${person},mountain`);
      });
    }
    writeFileSync(path.join(folder, "many.csv"), all.join("\n") + "\n");
    writeFileSync(path.join(folder, "many-ticks.csv"), ticks.join("\n") + "\n");
  }
  const of_many = ["many.csv", "--annotations", "many-ticks.csv", "--text-column", "text"];
  const stored = db => JSON.parse(execFileSync(sieve, ["review", "export", ...of_many, "--decisions", db, "--list", `${db}.jsonl`, "--force", "--json", "--quiet"], {cwd: folder}));
  const stored_rows = db => new Set(readFileSync(path.join(folder, `${db}.jsonl`), "utf8").split("\n").filter(Boolean).map(line => JSON.parse(line).item));

  // LABELSIEVE_DECISIONS and LABELSIEVE_KILLS: how many; the usual test makes a few.
  const many_decisions = Number(process.env.LABELSIEVE_DECISIONS ?? 40), many_kills = Number(process.env.LABELSIEVE_KILLS ?? 3);

  test(`${many_decisions} rows are decided in a row, each once`, async () => {
    write_many(many_decisions + 20);
    const server = await serve_verb("review", ...of_many, "--decisions", "many.db");
    const page = await open(server.link, {view: "unit=row"});
    const sent = [];
    page.on("request", request => { if (request.url().includes("/api/decide")) sent.push(request.postDataJSON()); });
    for (let k = 0; k < many_decisions; ++k) {
      if (k % 3 === 1) { await read(page); await page.keyboard.press("n"); }  // the label at hand is not right
      await press(page, "Enter", "decide");
    }
    assert.equal(sent.length, many_decisions);
    assert.equal(new Set(sent.map(one => one.row)).size, many_decisions, "no row came twice");
    const cells = sent.reduce((sum, one) => sum + one.choices.length, 0);
    assert.deepEqual(page.problems, []);
    await page.reload();
    await page.locator("#question:not(:empty)").waitFor();
    await page.context().close();
    await server.kill("SIGTERM");
    const {decisions, cells: decided} = stored("many.db");
    assert.deepEqual([decisions, decided], [cells, cells]);
  });

  test(`killed at ${many_kills} moments, nothing that was acknowledged is lost, and nothing counts twice`, async () => {
    write_many(8 * many_kills + 20);
    const acknowledged = new Set(), sent = new Set();
    for (let k = 0; k < many_kills; ++k) {
      const server = await serve_verb("review", ...of_many, "--decisions", "kills.db");
      const page = await open(server.link, {view: "unit=row"});
      page.on("request", request => { if (request.url().includes("/api/decide")) sent.add(`row-${request.postDataJSON().row}`); });
      page.on("response", response => {
        if (response.url().includes("/api/decide") && response.ok()) acknowledged.add(`row-${response.request().postDataJSON().row}`);
      });
      for (let n = 0; n < k % 4; ++n) await press(page, "Enter", "decide");
      await read(page);
      // In the middle of a decision: before it is sent, on its way, on the disk, or on its way back.
      const pressed = page.keyboard.press("Enter");
      await new Promise(later => setTimeout(later, k % 12));
      await server.kill("SIGKILL");
      await pressed;
      await page.context().close();
      const {decisions, cells} = stored("kills.db");
      assert.equal(decisions, cells, "no label is decided twice");
      const rows = stored_rows("kills.db");
      assert.deepEqual([...acknowledged].filter(row => !rows.has(row)), [], "what was acknowledged is there");
      assert.deepEqual([...rows].filter(row => !sent.has(row)), [], "what is there was sent");
    }
  });

  test("the page says when the file of decisions is gone, and goes on when it is back", async () => {
    const server = await serve("moved.db");
    const page = await open(server.link);
    await press(page, "y", "decide");
    renameSync(path.join(folder, "moved.db"), path.join(folder, "aside.db"));
    await page.keyboard.press("m");
    await page.keyboard.type("a note that stays");
    await page.keyboard.press("Enter");
    const asked = await question(page);
    await press(page, "n", "decide");
    await page.locator("#banner:not([hidden])").waitFor();
    assert.match(await page.locator("#banner").textContent(), /not saved/);
    assert.equal(await question(page), asked);
    renameSync(path.join(folder, "aside.db"), path.join(folder, "moved.db"));
    await press(page, "n", "decide");
    await page.locator("#banner[hidden]").waitFor({state: "attached"});
    const notes = decisions_of("moved.db").map(cell => cell.note);
    assert.equal(notes.length, 2);
    assert.ok(notes.includes("a note that stays"));
    await page.context().close();
    await server.kill("SIGTERM");
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
    const server = await serve("pictures.db", "pictures.csv", "--annotations", "ticks.csv", "--text-column", "text", "--media", "media");
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

  test("pictures that the ids of a folder name are shown without a flag", async () => {
    const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    mkdirSync(path.join(folder, "album/img"), {recursive: true});
    const names = Array.from({length: 12}, (_, i) => `img/${i}.png`);
    for (const name of names.slice(1)) writeFileSync(path.join(folder, "album", name), Buffer.from(pixel, "base64"));
    writeFileSync(path.join(folder, "album/img/0.png"), "no picture");
    writeFileSync(path.join(folder, "album/photos.csv"), ["photo,place", ...names.map((name, i) => `${name},place ${i % 3}`)].join("\n") + "\n");
    writeFileSync(path.join(folder, "album/ticks.csv"), ["photo,worker,label", ...names.flatMap((name, i) => [0, 1, 2].map(w => `${name},w${w},${["sea", "hill"][(i + (i * w) % 5) % 2]}`))].join("\n") + "\n");
    const server = await serve_verb("open", "album");
    const page = await open(server.link, {view: null, name: null});
    await page.getByRole("button", {name: "Start"}).click();
    await page.locator("#who[open]").waitFor();
    await page.keyboard.type("Rita");
    await page.keyboard.press("Enter");
    await page.locator("#screens a[href='#review']").click();
    await page.locator("#question:not(:empty)").waitFor();
    let broken = 0;
    for (let k = 0; k < 12 && await page.locator("#done").isHidden(); ++k) {
      if ((await where(page)).startsWith("img/0.png")) {
        await page.locator("#content .broken", {hasText: "This picture cannot be shown: img/0.png"}).waitFor();
        ++broken;
      } else await page.waitForFunction(() => document.querySelector("#content img")?.naturalWidth === 1);
      await press(page, "Enter", "decide");
    }
    assert.equal(broken, 1);
    assert.deepEqual(page.problems, []);
    await page.context().close();
    await server.kill("SIGTERM");
  });

  test("sounds can be heard that lie under the folder", async () => {
    mkdirSync(path.join(folder, "sounds"));
    writeFileSync(path.join(folder, "sounds/bird.wav"), wav());
    const rows = Array.from({length: 60}, (_, i) => `row-${i},bird.wav,text ${i}`);
    writeFileSync(path.join(folder, "sounds.csv"), ["id,sound,text", ...rows].join("\n") + "\n");
    const server = await serve("sounds.db", "sounds.csv", "--annotations", "ticks.csv", "--text-column", "text", "--media", "sounds");
    const page = await open(server.link);
    await page.waitForFunction(() => document.querySelector("#content audio")?.readyState >= 1);
    const [seconds, label] = await page.locator("#content audio").evaluate(audio => [audio.duration, audio.getAttribute("aria-label")]);
    assert.ok(Math.abs(seconds - 0.1) < 0.02, `${seconds} s`);
    assert.equal(label, "bird.wav");
    await page.locator("#content audio").focus();
    await page.keyboard.press("y");
    assert.equal(await count(page), 0, "keys of the player are its own");
    assert.deepEqual(page.problems, []);
    await page.context().close();
    await server.kill("SIGTERM");
  });

  test("words are marked as the model reads them", async () => {
    const fit = ["--text-column", "text", "--method", "mlp", "--set", "epochs=600,members=1,depth=1,width=16"];
    execFileSync(sieve, ["train", "rows.csv", "--annotations", "ticks.csv", ...fit, "--out", "texts.model", "--quiet"], {cwd: folder, stdio: "ignore"});
    const server = await serve("words.db", "--model", "texts.model");
    const page = await open(server.link);
    await page.keyboard.press("f");
    await answered(page, "/api/next", () => page.locator("#only-label").selectOption({label: "mountain"}));
    await answered(page, "/api/next", () => page.locator("#order").selectOption("label"));
    await page.keyboard.press("Escape");
    let strongest = "";
    for (let k = 0; k < 12 && strongest === ""; ++k) {
      await page.waitForFunction(() => document.getElementById("question").textContent.includes("mountain"));
      if (/steep mountain/.test(await page.locator("#content").textContent())) {
        await page.locator("#content mark.for").first().waitFor();
        strongest = (await page.locator("#content mark.for").allTextContents()).join(" ");
      }
      await press(page, "y", "decide");
    }
    assert.match(strongest, /mountain|steep|path|clouds/);
    assert.match(await page.locator("#legend-by").textContent(), /model/);
    assert.deepEqual(page.problems, []);
    await page.context().close();
    await server.kill("SIGTERM");
  });

  test("a view chosen while the page still works is shown after it", async () => {
    const server = await serve("views.db");
    const page = await open(server.link);
    await page.keyboard.press("f");
    let release;
    const held = new Promise(go => { release = go; });
    await page.route("**/api/next", async route => { await held; await route.continue(); }, {times: 1});
    await page.locator("#only-label").selectOption({label: "mountain"});
    await page.locator("#only-label").selectOption({label: "beach & sea"});
    await answered(page, "/api/next", release);
    await page.waitForFunction(() => document.getElementById("question").textContent.includes("beach & sea"));
    assert.deepEqual(page.problems, []);
    await page.context().close();
    await server.kill("SIGTERM");
  });

  test("over TLS, with a certificate of one's own", async () => {
    execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out", "cert.pem",
      "-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"], {cwd: folder, stdio: "ignore"});
    const server = await serve("tls.db", "rows.csv", "--annotations", "ticks.csv", "--text-column", "text", "--tls-cert", "cert.pem", "--tls-key", "key.pem");
    assert.match(server.link, /^https:\/\/127\.0\.0\.1:/);
    await assert.rejects(fetch(server.link.replace("https:", "http:")), "plain HTTP is not answered");
    await assert.rejects(fetch(server.link), "nobody vouches for the certificate");
    const page = await open(server.link, {more: {ignoreHTTPSErrors: true}});
    await press(page, "y", "decide");
    assert.equal(await count(page), 1);
    assert.deepEqual(page.problems, []);
    await page.context().close();
    await server.kill("SIGTERM");
    assert.equal(decisions_of("tls.db").length, 1);
  });

  test("a review by touch", async () => {
    const server = await serve("touch.db");
    const page = await open(server.link, {width: 360, height: 740, more: {hasTouch: true, isMobile: true}});
    const first = await question(page);
    await tap(page, "#no", "decide");
    assert.equal(await count(page), 1);
    await tap(page, "#undo", "undo");
    assert.equal(await question(page), first);
    await page.locator("#add-note").tap();
    await page.locator("#note").fill("by touch");
    await tap(page, "#yes", "decide");
    await tap(page, "#skip", "decide");
    await tap(page, "#labels button:not([aria-current]) >> nth=0", "/api/item");
    assert.ok(await page.locator("#view-box").isHidden(), "the row comes first");
    await page.locator("#open-queue").tap();
    await page.locator("#option-5 b").waitFor();
    await tap(page, "#option-5", "/api/at");
    assert.match(await where(page), /number 6 /);
    await tap(page, "#switch-unit", "/api/item");
    const label = page.locator("#labels button").first(), before = await label.getAttribute("aria-checked");
    await label.tap();
    assert.notEqual(await label.getAttribute("aria-checked"), before);
    await tap(page, "#accept", "decide");
    for (const id of ["#accept", "#skip", "#undo", "#add-note", "#open-queue", "#open-bulk", "#labels button"]) {
      const box = await page.locator(id).first().boundingBox();
      assert.ok(box.height >= 44, `${id} is ${box.height} px high: too small for a finger`);
    }
    assert.equal(decisions_of("touch.db").find(one => one.note)?.note, "by touch");
    assert.deepEqual(page.problems, []);
    await page.context().close();
    await server.kill("SIGTERM");
  });

  test("hundreds of labels are found by typing", async () => {
    const names = Array.from({length: 400}, (_, k) => `species ${String(k).padStart(3, "0")} ${["oak", "elm", "ash", "fir"][k % 4]}`);
    const ticks = ["item,person,label"];
    for (let i = 0; i < 60; ++i) for (let k = 0; k < 7; ++k) ticks.push(`row-${i},person-${k % 3},${names[(i * 7 + k) % 400]}`);
    writeFileSync(path.join(folder, "species.csv"), ticks.join("\n") + "\n");
    const server = await serve("species.db", "rows.csv", "--annotations", "species.csv", "--text-column", "text");
    const page = await open(server.link);
    await page.keyboard.press("/");
    await page.keyboard.type("37");
    assert.ok(await page.locator("#pick-list li").count() <= 50);
    await page.keyboard.type("3");
    assert.deepEqual(await page.locator("#pick-list li").allTextContents(), ["species 373 elm"]);
    await press(page, "Enter", "/api/item");
    assert.match(await question(page), /species 373 elm/);
    await press(page, "y", "decide");
    // Arrows choose among several, and a row takes labels that nobody ticked.
    await press(page, "o", "/api/item");
    const rows = page.locator("#labels .lab"), had = await rows.locator(".n").allTextContents();
    await page.keyboard.press("/");
    await page.keyboard.type("FIR");
    let chosen;
    do {
      await page.keyboard.press("ArrowDown");
      chosen = await page.locator("#pick-list [aria-selected=true]").textContent();
    } while (had.includes(chosen));
    await page.keyboard.press("Enter");
    assert.equal(await rows.count(), had.length + 1);
    const added = page.locator("#labels .lab", {hasText: chosen});
    assert.equal(await added.getAttribute("aria-checked"), "true");
    assert.equal(await added.locator(".box.ink").count(), 1, "a person's decision is in ink");
    await press(page, "Enter", "decide");
    assert.ok(decisions_of("species.db", "species.csv").some(one => one.label === chosen && one.decision === 1));
    await page.keyboard.press("/");
    await page.keyboard.type("no such label");
    assert.equal(await page.locator("#pick-list li").count(), 0);
    await page.keyboard.press("Enter");
    await page.locator("#pick").waitFor({state: "hidden"});
    assert.deepEqual(page.problems, []);
    await page.context().close();
    await server.kill("SIGTERM");
  });

  test("two decide the same labels on request, see each other's notes, and how far they agree", async () => {
    const server = await serve("overlap.db", "--overlap", "2");
    const [rita, sam] = [await open(server.link, {name: "Rita"}), await open(server.link, {name: "Sam"})];
    const asked = async page => [await where(page), await question(page)];
    // As the list names it: the order is learnt anew after each of the first decisions.
    const first = `${await sam.locator("#question strong").textContent()} · ${(await where(sam)).split(" · ")[0]}`;
    for (let k = 0; k < 4; ++k) {
      assert.deepEqual(await asked(rita), await asked(sam), "the same question for both");
      if (k === 0) {
        await rita.keyboard.press("m");
        await rita.keyboard.type("not in the picture");
        await rita.keyboard.press("Enter");
      }
      await press(rita, "n", "decide");
      await press(sam, k ? "n" : "y", "decide");
    }
    await sam.keyboard.press("p");
    await sam.locator("#progress[open]").waitFor();
    assert.match(await sam.locator("#progress-people").textContent(), /agree 75\s% of the time \(4 labels\)/);
    await sam.keyboard.press("Escape");
    await sam.keyboard.press("l");
    await sam.locator("#option-0 b").waitFor();
    await answered(sam, "/api/at", () => sam.locator("#queue-list").getByText(first, {exact: true}).click());
    assert.match(await sam.locator("#verdicts").textContent(), /Rita said no: not in the picture.*Sam said yes/s);
    for (let k = 0; k < 4; ++k) await press(rita, "u", "undo");
    assert.equal(await rita.locator("#note").inputValue(), "not in the picture", "undo gives the note back");
    assert.deepEqual([...rita.problems, ...sam.problems], []);
    await rita.context().close();
    await sam.context().close();
    await server.kill("SIGTERM");
  });

  test("says when enough is enough", async () => {
    const doubted = await serve("enough.db", "--stop-at", "0.5");
    const guess = await open(doubted.link);
    assert.match(await guess.locator("#state").textContent(), /still wrong: guess \d+ % \(\d+ to \d+\)( · a few random ones may show that it is enough)?$/);
    await guess.context().close();
    await doubted.kill("SIGTERM");
    const audit = await serve_verb("audit", ...of_rows, "--decisions", "enough.db", "--budget", "20", "--ask-about", "labels", "--twice", "0");
    const asked = await open(audit.link);
    for (let k = 0; k < 20; ++k) await press(asked, "y", "decide");
    await asked.context().close();
    await audit.kill("SIGTERM");
    const server = await serve("enough.db", "--stop-at", "0.5");
    const page = await open(server.link);
    assert.match(await page.locator("#state").textContent(), /that is enough/);
    await page.keyboard.press("p");
    await page.locator("#progress[open]").waitFor();
    assert.match(await page.locator("#progress-words").textContent(), /That is enough: the goal was 50\s%/);
    assert.deepEqual(page.problems, []);
    await page.context().close();
    await server.kill("SIGTERM");
  });

  test("an audit of whole rows asks about one label after the other", async () => {
    const server = await serve_verb("audit", ...of_rows, "--decisions", "rows.db", "--budget", "5", "--ask-about", "rows", "--twice", "0");
    const page = await open(server.link);
    const row = async () => (await where(page)).split(" · ")[0];
    const first = await row(), asked = new Set();
    for (let k = 0; k < labels.length; ++k) {
      assert.equal(await row(), first);
      assert.match(await page.locator("#claim").textContent(), /^Nothing yet: decide the first row, label by label\.$/);
      asked.add(await question(page));
      await press(page, "n", "decide");
    }
    assert.equal(asked.size, labels.length);
    assert.notEqual(await row(), first);
    assert.match(await page.locator("#claim").textContent(), /^\d+ points wide now\. At 60 decisions: about \d+\.$/);
    while (await page.locator("#work").isVisible()) await press(page, "n", "decide");
    await page.locator("#done-claims tr").first().waitFor();
    assert.match(await page.locator("#done-claims").textContent(), /^Rows without an error.*5 decisions$/s);
    assert.deepEqual(page.problems, []);
    await page.context().close();
    await server.kill("SIGTERM");
  });

  test("an audit is blind, and shows its claim with its path", async () => {
    const server = await serve_verb("audit", ...of_rows, "--decisions", "audit.db", "--budget", "20");
    const page = await open(server.link);
    for (const id of ["view-box", "open-view", "open-queue", "open-bulk", "switch-unit", "accept", "facts", "labels", "people-box", "similar-box"])
      assert.ok(await page.locator(`#${id}`).isHidden(), id);
    assert.equal(await page.locator("mark:visible").count(), 0);
    assert.match(await question(page), /^Is .* right here\?$/);
    assert.match(await where(page), /question 1 of 20/);
    assert.match(await page.locator("#state").textContent(), /nothing is proved yet/);
    for (const key of ["l", "b", "o", "f", "1", "Enter", "ArrowRight", "ArrowDown"]) await page.keyboard.press(key);
    assert.equal(await page.locator("dialog[open]").count(), 0);
    assert.match(await where(page), /question 1 of 20/);
    for (let k = 0; k < 12; ++k) await press(page, k % 3 ? "n" : "y", "decide");
    await press(page, "s", "decide");
    assert.equal(await count(page), 13);
    // How wide the range is, and not where it lies, unless somebody asks.
    assert.match(await page.locator("#claim").textContent(), /^\d+ points wide now\. At 60 decisions: about \d+\.$/);
    assert.doesNotMatch(await page.locator("body").innerText(), /audited/);
    await page.keyboard.press("p");
    await page.locator("#progress[open] svg polygon.band").waitFor();
    assert.match(await page.locator("#progress-chart").textContent(), /Wrong labels.*audited \d+ % \(\d+ to \d+\), \d+ decisions/s);
    await page.keyboard.press("Escape");
    if (shots) await page.screenshot({path: path.join(shots, "audit.png")});
    const before = await where(page);
    await press(page, "y", "decide");
    await press(page, "u", "undo");
    assert.equal(await where(page), before);
    await page.evaluate(axe);
    const found = await page.evaluate(() => globalThis.axe.run());
    assert.deepEqual(found.violations.map(one => one.id), []);
    await page.context().close();
    await server.kill("SIGKILL");

    const again = await serve_verb("audit", ...of_rows, "--decisions", "audit.db", "--budget", "20");
    const later = await open(again.link);
    assert.equal(await where(later), before, "it goes on where it stopped");
    for (let k = 0; k < 7; ++k) await press(later, "y", "decide");
    assert.match(await where(later), /asked again/);
    while (await later.locator("#work").isVisible()) await press(later, "y", "decide");
    await later.locator("#done-claims tr").first().waitFor();
    assert.match(await later.locator("#done-claims").textContent(), /Wrong labels.*audited.*Recall.*audited/s);
    if (shots) await later.screenshot({path: path.join(shots, "audit-end.png")});
    assert.deepEqual([...page.problems, ...later.problems], []);
    await later.context().close();
    await again.kill("SIGTERM");

    const review = await serve("audit.db");
    const header = await open(review.link);
    assert.match(await header.locator("#state").textContent(), /still wrong: audited/, "the review knows the audit");
    await header.context().close();
    await review.kill("SIGTERM");
  });

  test("a workspace, from a folder to a certificate", async () => {
    const home = path.join(folder, "space");
    mkdirSync(home);
    for (const name of ["rows.csv", "ticks.csv"]) writeFileSync(path.join(home, name), readFileSync(path.join(folder, name)));
    const began = () => serve_verb("open", "space", "--text-column", "text", ...quick);
    let server = await began();
    let page = await open(server.link, {view: null, name: null});
    // The data first, then the start.
    await page.locator("#screen h1", {hasText: "Two files, one data set."}).waitFor();
    assert.match(await page.locator(".first-rows").textContent(), /Waves, sand and a long beach/);
    assert.match(await page.locator(".same code").textContent(), /^sieve clean space\/rows\.csv --annotations space\/ticks\.csv --text-column text --method mlp --set epochs=3,width=8,members=1,depth=1$/);
    assert.match(await page.locator(".hero").textContent(), /60 rows, 3 annotators, \d+ annotations, 4 labels/);
    assert.deepEqual(await page.locator(".roles select").evaluateAll(all => all.map(one => `${one.getAttribute("aria-label")}: ${one.value}`)),
      ["Role of id: id", "Role of text: text", "Role of item: id", "Role of person: annotator", "Role of label: labels", "What rows.csv holds: rows", "What ticks.csv holds: annotations"]);
    await page.getByRole("button", {name: "Start"}).click();
    await page.locator("#who[open]").waitFor();
    await page.keyboard.type("Rita");
    await page.keyboard.press("Enter");
    const screen = async name => {
      await page.locator(`#screens a[href="#${name}"]`).click();
      await page.locator(`#screens a[href="#${name}"][aria-current]`).waitFor();
    };
    await page.locator("#screen h1").waitFor();
    assert.match(await page.locator("#screen h1").textContent(), /labels may be wrong\.$/);
    assert.match(await page.locator("#screen").textContent(), /guess \d+ % \(.*Fix .* first\..*may add the most wrong ticks\..*Same as.*sieve clean space\/rows\.csv --annotations space\/ticks\.csv --text-column text --method mlp --set epochs=3/s);
    // Blind questions, then cards, in one file.
    await page.getByRole("link", {name: "Audit", exact: true}).click();
    await page.locator("body.blind #question:not(:empty)").waitFor();
    assert.ok(await page.locator("#labels").isHidden());
    for (let k = 0; k < 6; ++k) await press(page, k % 3 ? "y" : "n", "decide");
    assert.match(await page.locator("#claim").textContent(), /points wide now/);
    await page.getByRole("link", {name: "Uncertain"}).click();
    await page.locator("body:not(.blind) #labels .lab").first().waitFor();
    await press(page, "Enter", "decide");
    await press(page, "Enter", "decide");
    await press(page, "u", "undo");
    assert.match(await page.locator("#state").textContent(), /still wrong: audited/);
    await screen("annotators");
    await page.locator("#screen tbody tr").first().waitFor();
    assert.equal(await page.locator("#screen tbody tr").count(), 3);
    await page.getByRole("link", {name: "Bob <i>Builder</i>", exact: true}).click();
    await page.locator("h1", {hasText: "Feedback for Bob <i>Builder</i>"}).waitFor();
    await page.goBack();
    await page.locator("#screen tbody tr").first().waitFor();
    // Closed, and opened again.
    await page.context().close();
    await server.kill("SIGKILL");
    server = await began();
    page = await open(server.link, {view: null, name: null});
    await page.locator("#who[open]").waitFor();
    await page.keyboard.type("Rita");
    await page.keyboard.press("Enter");
    await page.locator("#screen .next-step").waitFor();
    assert.match(await page.locator("#screen").textContent(), /Audit: 6 of 120/);
    await screen("export");
    await page.locator("#export-name").waitFor();
    const effects = [];
    for (const way of ["drop", "keep", "machine"]) {
      await page.locator(`input[value=${way}]`).check();
      effects.push(await page.locator("#preview-words").textContent());
    }
    assert.match(effects[0], /left out\.$/);
    assert.match(effects[1], /^\d+ labels kept, \d+ removed, \d+ added; \d+ of 60 rows change\.$/);
    assert.ok(Number(effects[2].match(/(\d+) removed/)[1]) > 0, "the machine removes labels");
    assert.ok(await page.locator(".changed-rows del").count() > 0);
    await page.getByRole("button", {name: "Export"}).click();
    await page.locator("#export-said", {hasText: "Written: space/labels.csv, 60 rows"}).waitFor();
    await page.getByRole("button", {name: "Export"}).click();
    await page.locator("#export-said", {hasText: "labels.csv exists. It was not changed"}).waitFor();
    await page.locator("#export-name").fill("../elsewhere.csv");
    await page.getByRole("button", {name: "Export"}).click();
    await page.locator("#export-said", {hasText: "without a folder"}).waitFor();
    await page.locator("#export-name").fill("labels.csv");
    await page.getByRole("button", {name: "Write certificate"}).click();
    await page.locator("#export-said", {hasText: "Written: space/labels-certificate.json"}).waitFor();
    // What was just written can be audited, and the page says so.
    await page.locator("#export-name").fill("again.csv");
    await page.getByRole("button", {name: "Export"}).click();
    await page.locator("#export-said", {hasText: "Written: space/again.csv"}).waitFor();
    await page.getByRole("button", {name: "Audit these labels"}).click();
    await page.locator("body.blind #state", {hasText: "0 of 120 answered, of the labels that Export wrote"}).waitFor();
    await press(page, "y", "decide");
    await screen("export");
    await page.locator("#screen", {hasText: "1 blind decision proves about the labels that Export wrote, cleaned by the machine"}).waitFor();
    await page.getByRole("button", {name: "Audit the labels as they came"}).click();
    await page.locator("body.blind #state", {hasText: "6 of 120 answered, of the labels as they came"}).waitFor();
    assert.deepEqual(page.problems.filter(one => !/status of 40[09]/.test(one)), [], "but for the two that were refused");
    await page.context().close();
    await server.kill("SIGTERM");
    assert.equal(readFileSync(path.join(home, "labels.csv"), "utf8").trim().split("\n").length, 61);
    execFileSync(sieve, ["audit", "verify", "labels-certificate.json", "rows.csv", "--annotations", "ticks.csv", "--text-column", "text"], {cwd: home, stdio: "ignore"});
  });

  // Nothing is said on the command line: what is unclear is asked on the page.
  test("a folder of raw exports, where files and a column are unclear, to labels and a certificate", async () => {
    const home = path.join(folder, "raw");
    mkdirSync(home);
    const codes = text => text.split("\n").filter(Boolean).map((line, i) => `${line},${i ? `x${i}y` : "code"}`).join("\n") + "\n";
    writeFileSync(path.join(home, "rows.csv"), codes(readFileSync(path.join(folder, "rows.csv"), "utf8")));
    writeFileSync(path.join(home, "ticks.csv"), readFileSync(path.join(folder, "ticks.csv")));
    writeFileSync(path.join(home, "expert.csv"), "id,label,right\nrow-1,mountain,1\n");
    writeFileSync(path.join(home, "pilot.csv"), "item,worker,labels,comment\nrow-1,w1,mountain,none\n");
    let server = await serve_verb("open", "raw");
    let page = await open(server.link, {view: null, name: null});
    const begin = page.getByRole("button", {name: "Start"});
    const settled = () => page.locator(".hero").waitFor();
    await page.locator("h1", {hasText: "Something is unclear."}).waitFor();
    assert.ok(await begin.isDisabled());
    await answered(page, "/api/data", () => page.getByRole("button", {name: "ticks.csv"}).click());
    await settled();
    await answered(page, "/api/data", () => page.getByRole("button", {name: "rows.csv"}).click());
    await page.locator(".trouble", {hasText: "code"}).waitFor();
    assert.ok(await begin.isDisabled(), "a column of codes is asked about");
    await answered(page, "/api/data", () => page.getByLabel("Role of code").selectOption("ignore"));
    await page.locator("h1", {hasText: "Two files, one data set."}).waitFor();
    assert.match(await page.locator(".same code").textContent(), /^sieve clean raw\/rows\.csv --annotations raw\/ticks\.csv --roles raw\/workspace\.roles\.toml$/);
    // A role that cannot be read is refused, and nothing has changed.
    await answered(page, "/api/data", () => page.getByLabel("Role of text").selectOption("number"));
    await page.locator("[role=alert]", {hasText: "'text' cannot be read as 'number'"}).waitFor();
    assert.equal(await page.getByLabel("Role of text").inputValue(), "text");
    await begin.click();
    await page.locator("#who[open]").waitFor();
    await page.keyboard.type("Rita");
    await page.keyboard.press("Enter");
    await page.locator("#screen .next-step").waitFor();
    await page.getByRole("link", {name: "Audit", exact: true}).click();
    await page.locator("body.blind #question:not(:empty)").waitFor();
    for (let k = 0; k < 3; ++k) await press(page, "y", "decide");
    await page.locator("#lane-list a", {hasText: "Uncertain"}).click();
    await page.locator("body:not(.blind) #labels .lab").first().waitFor();
    await press(page, "Enter", "decide");
    await page.locator(`#screens a[href="#export"]`).click();
    await page.locator("#export-name").waitFor();
    await page.getByRole("button", {name: "Export", exact: true}).click();
    await page.locator("#export-said", {hasText: "Written: raw/labels.csv, 60 rows"}).waitFor();
    await page.getByRole("button", {name: "Write certificate"}).click();
    await page.locator("#export-said", {hasText: "labels-certificate.json"}).waitFor();
    await page.locator("#export-layout").selectOption("annotations");
    const commands = page.locator("#screen .same code");
    assert.match(await commands.first().textContent(), /^sieve audit raw\/rows\.csv .*--labels raw\/labels\.csv --decisions raw\/labels\.csv\.audit\.db$/);
    assert.match(await commands.last().textContent(), /--undecided keep --annotations-out annotations-reviewed\.csv$/);
    await page.getByRole("button", {name: "Export", exact: true}).click();
    await page.locator("#export-said", {hasText: "Written: raw/annotations-reviewed.csv"}).waitFor();
    assert.deepEqual(page.problems.filter(one => !/status of 40[09]/.test(one)), []);
    await page.context().close();
    await server.kill("SIGTERM");
    // The columns that the rows had, to the letter, and a column for each label.
    const lines = name => readFileSync(path.join(home, name), "utf8").trim().split("\n");
    assert.match(lines("labels.csv")[0], /^id,text,code,"?label:/);
    assert.ok(lines("labels.csv")[2].startsWith(lines("rows.csv")[2] + ","));
    assert.deepEqual(lines("annotations-reviewed.csv").slice(0, lines("ticks.csv").length), lines("ticks.csv"));
    assert.ok(lines("annotations-reviewed.csv").some(line => line.includes(",Rita,")));
    execFileSync(sieve, ["audit", "verify", "labels-certificate.json", "rows.csv", "--annotations", "ticks.csv", "--roles", "workspace.roles.toml"], {cwd: home, stdio: "ignore"});
    // Opened again, what was said still counts, and the new files are left out.
    server = await serve_verb("open", "raw");
    page = await open(server.link, {view: null, name: null});
    await page.locator("#who[open]").waitFor();
    await page.keyboard.type("Rita");
    await page.keyboard.press("Enter");
    await page.locator("#screens a[href='#data']").click();
    await page.locator("h1", {hasText: "Two files, one data set."}).waitFor();
    assert.equal(await page.getByLabel("What labels.csv holds").inputValue(), "left out");
    assert.equal(await page.getByLabel("Role of code").inputValue(), "ignore");
    assert.deepEqual(page.problems, []);
    await page.context().close();
    await server.kill("SIGTERM");
  });

  for (const [width, height] of [[360, 740], [1280, 900], [1920, 1080], [640, 400]]) for (const colorScheme of ["light", "dark"])
    test(`axe finds nothing on the screens at ${width} px, ${colorScheme}`, async () => {
      const server = await serve_verb("open", ...of_rows, ...quick, "--decisions", `screens-${width}-${colorScheme}.db`);
      const page = await open(server.link, {width, height, colorScheme, view: null, name: null});
      await page.locator(".first-rows").waitFor();
      await page.evaluate(axe);
      assert.deepEqual((await page.evaluate(() => window.axe.run(document))).violations.map(one => [one.id, one.nodes.map(node => node.html)]), []);
      await page.getByRole("button", {name: "Start"}).click();
      await page.locator("#who[open]").waitFor();
      await page.keyboard.type("Rita");
      await page.keyboard.press("Enter");
      for (const [name, part] of [["data", ".first-rows"], ["overview", ".next-step"], ["annotators", "tbody tr"], ["annotators?who=1", "h1"], ["export", "#export-name"]]) {
        await page.evaluate(to => { location.hash = to; }, name);
        await page.locator(`#screen ${part}`).first().waitFor();
        await page.evaluate(axe);
        const found = await page.evaluate(() => window.axe.run(document));
        assert.deepEqual(found.violations.map(one => [name, one.id, one.nodes.map(node => node.html)]), []);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.ok(wide <= 0, `${name} is ${wide} px too wide`);
        if (shots) await page.screenshot({path: path.join(shots, `screen-${name.replace("?", "-")}-${width}-${colorScheme}.png`)});
      }
      assert.deepEqual(page.problems, []);
      await page.context().close();
      await server.kill("SIGTERM");
    });

  test("a hundred thousand suspects scroll and answer at once", async () => {
    execFileSync(sieve, ["synth", "--rows", "20000", "--features", "4", "--labels", "12", "--noise", "3", "--out", "large.csv",
                         "--annotations", "large-ticks.csv", "--quiet"], {cwd: folder});
    const server = await serve("large.db", "large.csv", "--annotations", "large-ticks.csv");
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
      // A message after the frame comes when it is painted.
      const painted = new MessageChannel();
      painted.port1.onmessage = event => window.times.push(performance.now() - event.data);
      new MutationObserver(() => requestAnimationFrame(() => painted.port2.postMessage(pressed)))
        .observe(document.getElementById("where"), {childList: true, characterData: true, subtree: true});
    });
    const measure = async (what, keys) => {
      await page.evaluate(() => { window.times.length = 0; });
      for (let k = 0; k < 60; ++k) await press(page, keys[k % keys.length], "decide");
      await page.waitForFunction(() => window.times.length >= 60);
      const times = (await page.evaluate(() => window.times)).sort((a, b) => a - b);
      const [median, late] = [times[Math.floor(times.length / 2)], times[Math.floor(times.length * 0.95)]];
      console.log(`# key to the next ${what} painted, among ${total}: median ${median.toFixed(1)} ms, 95 % below ${late.toFixed(1)} ms`);
    };
    await measure("label", ["n", "y"]);
    await answered(page, "/api/", () => page.keyboard.press("o"));
    await page.locator("#labels .lab").first().waitFor();
    await measure("row", ["Enter"]);
    await page.context().close();
    await server.kill("SIGTERM");
  });

  // 640 x 400 is what a screen of 1280 x 800 has at a zoom of 200 %.
  for (const [width, height] of [[360, 740], [1280, 900], [1920, 1080], [640, 400]]) for (const colorScheme of ["light", "dark"])
    test(`axe finds nothing and nothing overflows at ${width} px, ${colorScheme}`, async () => {
      const server = await serve(`axe-${width}-${colorScheme}.db`, "--stop-at", "0.02", "--guidelines", "guidelines.md");
      const page = await open(server.link, {width, height, colorScheme, name: null, view: null});
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
      await look("row");
      if (height === 400) await page.locator("#labels .lab").first().waitFor();
      for (const id of ["#content", "#labels .lab", "#accept"]) {
        const box = await page.locator(id).first().boundingBox();
        assert.ok(height !== 400 || box.y + Math.min(box.height, 36) <= height, `${id} begins at ${box.y} px: out of sight`);
      }
      for (let k = 0; k < 7; ++k) await press(page, "Enter", "decide");
      await press(page, "o", "/api/item");
      for (let k = 0; k < 3; ++k) await press(page, k % 3 ? "n" : "y", "decide");
      await look("one");
      await page.keyboard.press("f");
      await page.locator("#view-box").waitFor();
      await look("filter");
      await page.keyboard.press("Escape");
      for (const [key, id] of [["?", "keys"], ["/", "pick"], ["l", "queue"], ["b", "bulk"], ["p", "progress"]]) {
        await page.keyboard.press(key);
        await page.locator(`#${id}[open]`).waitFor();
        if (id === "queue") await page.locator("#queue-list b").first().waitFor();
        if (id === "bulk") {
          await page.locator("#bulk-effect:not(:empty)").waitFor();
          await page.locator("#bulk-threshold").fill("3");
          await page.locator("#bulk-check:not([disabled])").waitFor();
        }
        await look(id);
        if (id === "bulk") {
          await answered(page, "/api/check", () => page.locator("#bulk-check").click());
          await press(page, "y", "decide");
          await look("check");
        }
        await page.keyboard.press("Escape");
      }
      await read(page);
      await page.getByRole("link", {name: "Conflicts"}).click();
      await page.locator("#done:visible, #question:not(:empty):visible").first().waitFor();
      await look("conflicts");
      assert.deepEqual(page.problems, []);
      await page.context().close();
      await server.kill("SIGTERM");
    });
});
