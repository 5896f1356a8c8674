// Models in ONNX Runtime: the same scores and probabilities to 1e-5, and the same labels or classes, as
// the models themselves.
import assert from "node:assert";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";
import ort from "onnxruntime-node";

const folder = process.env.LABELSIEVE_MODELS;

// The numbers of the feature columns, row by row; a gap is NaN.
function features(file) {
  const [header, ...lines] = fs.readFileSync(file, "utf8").trimEnd().split("\n");
  const used = header.split(",").map((name) => !/^(label|candidate|truth):|^id$/.test(name));
  const rows = lines.map((line) => line.split(",").filter((_, k) => used[k])
    .map((cell) => (cell === "" || cell === "NA" ? NaN : Number(cell))));
  return { rows, columns: used.filter(Boolean).length };
}

const answers = (file) => fs.readFileSync(file, "utf8").trimEnd().split("\n").map(JSON.parse);

function run(session, rows, columns) {
  const numbers = Float32Array.from(rows.flat());
  return session.run({ features: new ort.Tensor("float32", numbers, [rows.length, columns]) });
}

// The probabilities that a table has beside its labels.
function probabilities(file) {
  const [header, ...lines] = fs.readFileSync(file, "utf8").trimEnd().split("\n");
  const first = header.split(",").findIndex((name) => name.startsWith("probability:"));
  return lines.map((line) => line.split(",").slice(first).map(Number));
}

const largest = (found, wanted) =>
  wanted.flat().reduce((most, one, k) => Math.max(most, Math.abs(one - found[k])), 0);

for (const file of fs.readdirSync(folder).filter((name) => /^classes-.*\.onnx$/.test(name))) {
  test(`${file} says the classes of its classifier`, async () => {
    const base = path.join(folder, path.basename(file, ".onnx"));
    const session = await ort.InferenceSession.create(base + ".onnx");
    const wanted = JSON.parse(fs.readFileSync(base + ".json", "utf8"));
    const found = await run(session, wanted.rows, wanted.rows[0].length);
    assert.deepEqual([...found.label.data], wanted.labels);
    const apart = largest(found.probabilities.data, wanted.probabilities);
    console.log(`${file}: largest difference ${apart.toExponential(1)}`);
    assert.ok(apart <= 1e-5, `largest difference ${apart}`);
  });
}

for (const file of fs.readdirSync(folder).filter((name) => /^(?!classes-).*\.onnx$/.test(name))) {
  const base = path.join(folder, path.basename(file, ".onnx"));
  test(`${file} says what its model says`, async () => {
    const session = await ort.InferenceSession.create(base + ".onnx");
    const { rows, columns } = features(base + ".csv");
    const { scores, labels, probabilities: found } = await run(session, rows, columns);
    const wanted = answers(base + ".scores.jsonl"), decided = answers(base + ".decisions.jsonl");
    const names = Object.keys(wanted[0].scores);
    assert.deepEqual(scores.dims, [rows.length, names.length]);
    assert.deepEqual(labels.dims, [rows.length, names.length]);
    assert.equal(labels.type, "int64");
    let apart = 0;
    for (let i = 0; i < rows.length; ++i) {
      names.forEach((name, k) => {
        const at = i * names.length + k;
        const score = scores.data[at];
        assert.ok(Number.isFinite(score));
        apart = Math.max(apart, Math.abs(score - wanted[i].scores[name]));
        const on = decided[i].labels.includes(name);
        assert.equal(labels.data[at], on ? 1n : 0n, `row ${i}, ${name}`);
      });
    }
    apart = Math.max(apart, largest(found.data, probabilities(base + ".table.csv")));
    console.log(`${file}: largest difference ${apart.toExponential(1)}`);
    assert.ok(apart <= 1e-5, `largest difference ${apart}`);
  });

  test(`${file} takes one row`, async () => {
    const session = await ort.InferenceSession.create(base + ".onnx");
    const { rows, columns } = features(base + ".csv");
    const all = await run(session, rows, columns), one = await run(session, [rows[5]], columns);
    const labels = one.scores.dims[1];
    for (let k = 0; k < labels; ++k)
      assert.ok(Math.abs(one.scores.data[k] - all.scores.data[5 * labels + k]) <= 1e-6);
  });
}
