// Many decisions by a threshold, with a look at what it would do.
const bulk = {count: 0, asked: 0, rule: null};  // of the last look

const bulk_rule = () => ({
  action: by_id("bulk-action").value,
  rule_label: by_id("bulk-label").value || null,
  threshold: Number(by_id("bulk-threshold").value) / 100,
});

function show_bins(bins, rule) {
  const highest = Math.max(1, ...bins);
  by_id("bulk-chart").replaceChildren(...bins.map((count, place) => {
    const middle = (place + 0.5) / bins.length;
    const inside = rule.action === "remove" ? middle <= rule.threshold : middle >= rule.threshold;
    const bin = make("i", {class: inside ? "in" : ""});
    bin.style.height = `${100 * Math.sqrt(count / highest)}%`;
    return bin;
  }));
  by_id("bulk-chart").setAttribute("aria-label", "How probabilities are spread, from 0 to 100 %: " + bins.join(", "));
}

async function preview_bulk() {
  const rule = bulk_rule(), asked = ++bulk.asked;
  by_id("bulk-accept").disabled = true;  // until it is known what it would do
  by_id("bulk-meaning").textContent = rule.action === "remove" ? "Probability at most" : "Probability at least";
  by_id("bulk-value").textContent = percent(rule.threshold);
  const answer = await ask("/api/preview", rule);
  if (asked !== bulk.asked) return;
  bulk.count = answer.count;
  bulk.rule = rule;
  show_bins(answer.bins, rule);
  const verb = {remove: "removed", keep: "kept for good", add: "added"}[rule.action];
  by_id("bulk-effect").textContent = answer.count === 0 ? "No label would change."
    : `${plural(answer.count, "label", "labels")} would be ${verb}. ${answer.not_claimed}`;
  by_id("bulk-sample-title").hidden = answer.count === 0;
  by_id("bulk-sample-title").textContent = answer.count > answer.sample.length
    ? `${answer.sample.length} of them, from the surest to the threshold` : "These, the surest first";
  by_id("bulk-sample").replaceChildren(...answer.sample.map(one => row_line(one, true)));
  by_id("bulk-accept").disabled = answer.count === 0;
  by_id("bulk-accept").textContent = answer.count === 0 ? "Accept" : `Accept for ${plural(answer.count, "label", "labels")}`;
}

async function accept_bulk() {
  by_id("bulk-accept").disabled = true;
  try {
    const answer = await insist("/api/bulk", {...asking(), ...bulk.rule, expected: bulk.count});
    by_id("bulk").close();
    show(answer);
    say(`Decided ${plural(bulk.count, "label", "labels")}. Undo takes them back together.`);
  } catch (error) {
    await preview_bulk();
    by_id("bulk-effect").textContent = error.message + " Look again.";
  }
}

async function open_bulk() {
  const rule = by_id("bulk-action").value;
  if (rule !== "remove") by_id("bulk-threshold").value = 95;
  if (by_id("only-label").value) by_id("bulk-label").value = by_id("only-label").value;
  by_id("bulk").showModal();
  await preview_bulk();
}

by_id("bulk-action").addEventListener("change", () => {
  by_id("bulk-threshold").value = by_id("bulk-action").value === "remove" ? 5 : 95;
  preview_bulk();
});
for (const id of ["bulk-label", "bulk-threshold"]) by_id(id).addEventListener("input", preview_bulk);
by_id("bulk-accept").addEventListener("click", accept_bulk);
