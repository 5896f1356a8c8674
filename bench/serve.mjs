// METHOD.onnx on the rows of crowd.csv: the largest difference from METHOD.jsonl, and the time of one
// row. Usage: serve.mjs METHOD
import fs from "node:fs";
import ort from "onnxruntime-node";

const method = process.argv[2];
const [header, ...lines] = fs.readFileSync("crowd.csv", "utf8").trimEnd().split("\n");
const used = header.split(",").map((name) => !/^(label|candidate|truth):|^id$/.test(name));
const rows = lines.map((line) => line.split(",").filter((_, k) => used[k]).map(Number));
const wanted = fs.readFileSync(method + ".jsonl", "utf8").trimEnd().split("\n")
  .map((line) => Object.values(JSON.parse(line).scores));
const session = await ort.InferenceSession.create(method + ".onnx",
  { intraOpNumThreads: 1, interOpNumThreads: 1 });
const tensor = (list) =>
  new ort.Tensor("float32", Float32Array.from(list.flat()), [list.length, rows[0].length]);

const { scores } = await session.run({ features: tensor(rows) });
let apart = 0;
wanted.flat().forEach((score, i) => (apart = Math.max(apart, Math.abs(score - scores.data[i]))));

const times = [];
for (const row of rows) {
  const begin = process.hrtime.bigint();
  await session.run({ features: tensor([row]) });
  times.push(Number(process.hrtime.bigint() - begin) / 1e3);
}
times.sort((a, b) => a - b);
console.log(JSON.stringify({ apart, microseconds: times[times.length >> 1] }));
