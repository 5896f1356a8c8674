// Opens reports in a real browser and uses them as a reader would.
// LABELSIEVE_PAGES is the folder whose *.html are tested. Set LABELSIEVE_SHOTS to a folder to keep
// pictures of all pages.
import assert from "node:assert/strict";
import {mkdirSync, readdirSync, readFileSync} from "node:fs";
import {createRequire} from "node:module";
import path from "node:path";
import {after, before, describe, test} from "node:test";
import {pathToFileURL} from "node:url";
import {chromium} from "playwright-core";

const folder = process.env.LABELSIEVE_PAGES;
const shots = process.env.LABELSIEVE_SHOTS;
const pages = readdirSync(folder).filter(name => name.endsWith(".html"));
const widths = [360, 1280];
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
let browser;

// Opens a page and collects whatever goes wrong in it.
async function open(name, {width = 1280, colorScheme = "light"} = {}) {
  const page = await browser.newPage({viewport: {width, height: 900}, colorScheme});
  page.problems = [];
  page.on("console", message => page.problems.push(message.text()));
  page.on("pageerror", error => page.problems.push(String(error)));
  page.on("dialog", dialog => { page.problems.push("a dialog opened"); dialog.dismiss(); });
  page.on("request", request => {
    if (!request.url().startsWith("file:")) page.problems.push("asked for " + request.url());
  });
  await page.goto(pathToFileURL(path.join(folder, name)).href);
  return page;
}

// Elements that stick out of the window, but for those inside a frame that scrolls.
const overflowing = () => [...document.querySelectorAll("body *")].filter(element => {
  const box = element.getBoundingClientRect();
  const frame = element.closest(".scroll");
  return box.width > 0 && box.right > document.documentElement.clientWidth + 0.5 &&
         (!frame || frame === element);
}).map(element => element.outerHTML.slice(0, 120));

// Texts of a picture that its edges cut.
const cut_texts = () => [...document.querySelectorAll("figure svg text")].filter(text => {
  const box = text.getBoundingClientRect(), frame = text.ownerSVGElement.getBoundingClientRect();
  return box.width > 0 && (box.left < frame.left - 1 || box.right > frame.right + 1 ||
                           box.top < frame.top - 1 || box.bottom > frame.bottom + 1);
}).map(text => text.textContent);

const column = (page, table, index) => page.evaluate(([t, i]) =>
  [...document.querySelectorAll("table")[t].tBodies[0].rows].map(row => {
    const cell = row.cells[i];
    return cell.classList.contains("number") ? (cell.dataset.value ?? null) : cell.textContent;
  }), [table, index]);

const numbers_first = values => {
  const numbers = values.filter(value => value !== null).map(Number);
  assert.deepEqual(values.slice(numbers.length).filter(value => value !== null), [],
                   "empty cells come last");
  return numbers;
};

describe("reports", () => {
  before(async () => {
    assert.ok(pages.length > 0, `no pages in ${folder}`);
    browser = await chromium.launch({
      executablePath: process.env.LABELSIEVE_CHROMIUM || "/usr/bin/chromium",
      args: process.getuid() === 0 ? ["--no-sandbox"] : [],
    });
  });
  after(() => browser?.close());

  for (const name of pages) describe(name, () => {
    for (const width of widths) for (const colorScheme of ["light", "dark"])
      test(`nothing overflows and nothing complains at ${width} px, ${colorScheme}`, async () => {
        const page = await open(name, {width, colorScheme});
        await page.evaluate(() => document.querySelectorAll("details").forEach(d => d.open = true));
        assert.deepEqual(await page.evaluate(overflowing), []);
        assert.deepEqual(await page.evaluate(cut_texts), []);
        await page.evaluate(axe);
        const found = await page.evaluate(() => window.axe.run(document));
        assert.deepEqual(found.violations.map(one => [one.id, one.nodes.map(node => node.html)]), []);
        if (shots) {
          mkdirSync(shots, {recursive: true});
          const file = `${path.basename(name, ".html")}-${width}-${colorScheme}.png`;
          await page.screenshot({path: path.join(shots, file), fullPage: true});
        }
        assert.deepEqual(page.problems, []);
        await page.close();
      });

    test("the page says first what it found, and shows every row of its tables", async () => {
      const page = await open(name, {width: 1280});
      const seen = await page.evaluate(() => ({
        first: document.querySelector("main > :not(header, nav)")?.className ?? "",
        cut: [...document.querySelectorAll(".scroll")].filter(frame => frame.scrollHeight > frame.clientHeight + 1).length,
        narrow: [...document.querySelectorAll("section > .table")].filter(table => table.clientWidth < 0.9 * document.querySelector("main").clientWidth - 100).length,
      }));
      assert.deepEqual([seen.cut, seen.narrow], [0, 0]);
      if (name !== "agreement.html") assert.equal(seen.first, "headlines");
      await page.close();
    });

    test("a dark screen gets light text on a dark ground", async () => {
      const lightness = async colorScheme => {
        const page = await open(name, {colorScheme});
        const style = await page.evaluate(() => {
          const body = getComputedStyle(document.body);
          return [body.color, body.backgroundColor];
        });
        await page.close();
        return style.map(colour => Number(colour.match(/\d+/)[0]));
      };
      const [darkText, darkGround] = await lightness("dark");
      const [lightText, lightGround] = await lightness("light");
      assert.ok(darkText > 180 && darkGround < 60);
      assert.ok(lightText < 60 && lightGround > 180);
    });

    test("every figure has a text alternative with values", async () => {
      const page = await open(name);
      const texts = await page.evaluate(() => [...document.querySelectorAll("figure svg")].map(
        svg => [svg.getAttribute("role"), svg.getAttribute("aria-label")]));
      assert.ok(texts.length > 0);
      for (const [role, label] of texts) {
        assert.equal(role, "img");
        assert.match(label ?? "", /\w{3}.*(\d|no values)/);
      }
      await page.close();
    });

    test("every column of every table sorts both ways", async () => {
      const page = await open(name);
      await page.evaluate(() => document.querySelectorAll("details").forEach(d => d.open = true));
      const tables = await page.locator("table").count();
      assert.ok(tables > 0);
      for (let t = 0; t < tables; ++t) {
        const titles = page.locator("table").nth(t).locator("thead th");
        for (let c = 0; c < await titles.count(); ++c) {
          const numeric = (await titles.nth(c).getAttribute("class") ?? "").includes("number");
          const orders = [];
          for (let press = 0; press < 2; ++press) {
            await titles.nth(c).locator("button").click();
            orders.push([await titles.nth(c).getAttribute("aria-sort"), await column(page, t, c)]);
          }
          assert.deepEqual(orders.map(order => order[0]).sort(), ["ascending", "descending"]);
          for (const [direction, values] of orders) {
            const sign = direction === "ascending" ? 1 : -1;
            const sorted = numeric ? numbers_first(values) : values;
            const before = (a, b) => numeric ? a - b
                                             : a.localeCompare(b, undefined, {numeric: true});
            for (let i = 1; i < sorted.length; ++i)
              assert.ok(sign * before(sorted[i - 1], sorted[i]) <= 0, `table ${t}, column ${c}`);
          }
        }
      }
      assert.deepEqual(page.problems, []);
      await page.close();
    });

    test("a point under the pointer shows its value", async () => {
      const page = await open(name);
      const marks = page.locator("figure svg [data-tip], figure svg [data-tips]");
      const first = marks.first();
      await first.scrollIntoViewIfNeeded();
      // The event of that scroll comes with the next frame and hides the tip, rightly: let it pass.
      await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
      const point = await first.evaluate(mark => {
        const local = mark.points ? mark.points[0] : (() => {
          const box = mark.getBBox();
          return new DOMPoint(box.x + box.width / 2, box.y + box.height / 2);
        })();
        const place = new DOMPoint(local.x, local.y).matrixTransform(mark.ownerSVGElement.getScreenCTM());
        return [place.x, place.y];
      });
      assert.ok(await page.locator("#tip").isHidden());
      await page.mouse.move(...point);
      await page.locator("#tip").waitFor({state: "visible"});
      assert.match(await page.locator("#tip").textContent(), /\d/);
      await page.mouse.move(1, 1);
      await page.locator("#tip").waitFor({state: "hidden"});
      await page.close();
    });
  });
});
