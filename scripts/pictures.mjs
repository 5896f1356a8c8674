// node pictures.mjs SIEVE FOLDER: opens pages of the command in Chromium and takes pictures of them.
import {execFileSync, spawn} from "node:child_process";
import {mkdirSync, writeFileSync} from "node:fs";
import path from "node:path";
import {pathToFileURL} from "node:url";
import {chromium} from "playwright-core";

const [sieve, folder] = process.argv.slice(2);

// Captions with labels that five annotators gave: each overlooks some, and one takes water for sea.
const places = {
  sea: ["Waves roll onto the long beach", "A sailing boat leaves the harbour", "Gulls over the cliffs at high tide"],
  mountain: ["A steep path above the clouds", "Snow on the summit in June", "The hut below the glacier"],
  city: ["Trams and tall houses in the rain", "Market stalls on the old square", "Traffic lights in the evening rush"],
  lake: ["A rowing boat on still water", "Morning mist over the lake", "Anglers on the wooden jetty"],
};
const moods = ["at sunrise", "in the evening sun", "before the storm", "on a quiet Sunday", "in autumn", "after the rain"];
const annotators = ["amber", "birch", "cedar", "dune", "elm"];
const rows = ["id,text"], annotations = ["id,annotator,label"];
let count = 0;
for (const [label, captions] of Object.entries(places))
  for (const caption of captions)
    for (const mood of moods) {
      const id = `photo-${String(++count).padStart(3, "0")}`;
      rows.push(`${id},"${caption} ${mood}."`);
      annotators.forEach((annotator, who) => {
        if ((count + who) % 5 > 2) return;  // not asked
        const given = new Set((count * 7 + who * 3) % 8 === 0 ? [] : [label]);
        if (who === 4 && label === "lake") given.add("sea");
        if ((count * 3 + who * 5) % 9 === 0) given.add(Object.keys(places)[(count + who) % 4]);
        if (given.size === 0) annotations.push(`${id},${annotator},`);
        for (const one of given) annotations.push(`${id},${annotator},${one}`);
      });
    }
mkdirSync("photos");
writeFileSync("photos/photos.csv", rows.join("\n") + "\n");
writeFileSync("photos/annotations.csv", annotations.join("\n") + "\n");

const server = spawn(sieve, ["open", "photos"]);
let said = "";
server.stderr.on("data", part => { said += part; });
const link = await new Promise((found, failed) => {
  let out = "";
  server.stdout.on("data", part => {
    out += part;
    const line = out.match(/open (http\S+)/);
    if (line) found(line[1]);
  });
  server.on("exit", code => failed(new Error(`sieve ended with ${code}: ${said}`)));
});
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]});
try {
  const page = await (await browser.newContext({viewport: {width: 1280, height: 640}})).newPage();
  await page.goto(link);
  await page.getByRole("button", {name: "Start"}).click();
  await page.locator("#who[open]").waitFor();
  await page.keyboard.type("Robin");
  await page.keyboard.press("Enter");
  await page.locator("#screen .next-step").waitFor();
  await page.screenshot({path: path.join(folder, "overview.png")});
  await page.locator("#screens a[href='#review']").click();
  await page.locator("#question:not(:empty)").waitFor();
  await page.screenshot({path: path.join(folder, "review.png")});
  const data = ["photos/photos.csv", "--annotations", "photos/annotations.csv"], quiet = {stdio: "ignore"};
  execFileSync(sieve, ["train", ...data, "--text-column", "text", "--out", "photos.model"], quiet);
  execFileSync(sieve, ["report", "--model", "photos.model", "--data", ...data, "--out", "report.html"], quiet);
  await page.goto(pathToFileURL("report.html").href);
  await page.setViewportSize({width: 1280, height: 860});
  await page.screenshot({path: path.join(folder, "report.png")});
} finally {
  await browser.close();
  server.removeAllListeners("exit");
  server.kill("SIGINT");
}
