// node pictures.mjs SIEVE FOLDER: opens pages of the command in Chromium and takes pictures of them.
import {spawn} from "node:child_process";
import {writeFileSync} from "node:fs";
import path from "node:path";
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
        if ((count + who) % 5 === 4) return;  // not asked
        const given = new Set((count * 7 + who) % 11 === 0 ? [] : [label]);
        if (who === 4 && label === "lake") given.add("sea");
        if ((count * 3 + who) % 17 === 0) given.add(Object.keys(places)[(count + who) % 4]);
        if (given.size === 0) annotations.push(`${id},${annotator},`);
        for (const one of given) annotations.push(`${id},${annotator},${one}`);
      });
    }
writeFileSync("photos.csv", rows.join("\n") + "\n");
writeFileSync("annotations.csv", annotations.join("\n") + "\n");

const server = spawn(sieve, ["open", "photos.csv", "--annotations", "annotations.csv", "--text-column", "text",
                             "--decisions", "decisions.db"]);
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
} finally {
  await browser.close();
  server.removeAllListeners("exit");
  server.kill("SIGINT");
}
