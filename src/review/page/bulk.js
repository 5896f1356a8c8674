// A sweep: many decisions by a threshold, once some of them, drawn at random, were checked blind.
const bulk = {count: 0, asked: 0, rule: null};  // of the last look
const checking = {seed: 0, items: [], answers: [], batch: 0};  // answers: whether each was right

// The slider moves in log-odds: most of the mass lies at the ends.
const slider_share = () => { const share = 1 / (1 + Math.exp(-Number(by_id("bulk-threshold").value))); return Number(share.toPrecision(share > 0.5 ? 4 : 2)); };

const bulk_rule = () => ({
  action: by_id("bulk-action").value,
  rule_label: by_id("bulk-label").value || null,
  threshold: slider_share(),
});

function show_bins(bins, rule) {
  const highest = Math.max(1, ...bins), first = -bins.length / 2;
  by_id("bulk-chart").replaceChildren(...bins.map((count, place) => {
    const middle = 1 / (1 + Math.exp(-(first + place + 0.5)));
    const inside = rule.action === "remove" ? middle <= rule.threshold : middle >= rule.threshold;
    const bin = make("i", {class: inside ? "in" : ""});
    bin.style.height = `${100 * Math.sqrt(count / highest)}%`;
    return make("span", {}, make("small", {}, count ? number(count) : ""), bin);
  }));
  by_id("bulk-chart").setAttribute("aria-label", "How probabilities are spread, in steps of log-odds from 0.1 to 99.9 %: " + bins.join(", "));
}

const swept = {remove: ["removed", "right"], keep: ["kept", "wrong"], add: ["added", "wrong"]};

async function preview_bulk() {
  const rule = bulk_rule(), asked = ++bulk.asked;
  end_check();
  by_id("bulk-check").disabled = true;  // until it is known what it would do
  by_id("bulk-meaning").textContent = rule.action === "remove" ? "Probability at most" : "Probability at least";
  by_id("bulk-value").textContent = percent(rule.threshold);
  const answer = await ask("/api/preview", rule);
  if (asked !== bulk.asked) return;
  bulk.count = answer.count;
  bulk.rule = rule;
  show_bins(answer.bins, rule);
  by_id("bulk-effect").textContent = answer.count === 0 ? "No label would change."
    : `${plural(answer.count, "label", "labels")} would be ${swept[rule.action][0]}. ${answer.not_claimed}`;
  by_id("bulk-sample-title").hidden = answer.count === 0;
  by_id("bulk-sample-title").textContent = answer.count > answer.sample.length
    ? `${answer.sample.length} of them, from the surest to the threshold` : "These, the surest first";
  by_id("bulk-sample").replaceChildren(...answer.sample.map(one => row_line(one, true)));
  by_id("bulk-check").disabled = answer.count === 0;
  by_id("bulk-check").textContent = answer.count > 20 || answer.count === 0 ? "Check 20 first" : `Check ${answer.count === 1 ? "it" : `all ${number(answer.count)}`}`;
}

function end_check() {
  checking.items = [];
  show_rule(true);
  by_id("check").hidden = by_id("bulk-accept").hidden = by_id("check-undo").hidden = true;
  by_id("bulk-look").hidden = by_id("bulk-check").hidden = false;
  by_id("check-result").textContent = "";
}

async function begin_check() {
  const seed = crypto.getRandomValues(new Uint32Array(1))[0];
  const answer = await ask("/api/check", {...bulk.rule, seed});
  Object.assign(checking, {seed, items: answer.items, batch: answer.count, answers: []});
  by_id("bulk-look").hidden = by_id("bulk-check").hidden = true;
  show_check();
}

// A check is blind: neither the rule nor its threshold stands beside it.
function show_rule(shown) {
  for (const id of ["bulk-rule", "bulk-chart", "bulk-axis", "bulk-slider", "bulk-effect"]) by_id(id).hidden = !shown;
}

function show_check() {
  const place = checking.answers.length, item = checking.items[place], count = checking.items.length;
  by_id("check").hidden = !item;
  by_id("check-undo").hidden = place === 0;
  by_id("check-result").textContent = "";
  if (!item) return end_of_checks();
  show_rule(false);
  by_id("bulk-accept").hidden = true;
  by_id("check-title").textContent = `Number ${number(place + 1)} of ${number(count)}, drawn at random`;
  by_id("check-dots").replaceChildren(...checking.items.map((_, k) => make("i", {class: k < place ? "y" : ""})));
  by_id("check-content").replaceChildren(...item.texts.map(column => show_column(column, is_only_text(column, item.texts), marks_of(item))),
    ...(item.features.length ? [show_features(item.features, true)] : []));
  by_id("check-question").replaceChildren("Is ", make("strong", {}, label_name(item.label)), " right here?");
  by_id("check-title").focus();
  mark_shown();
}

const check_with = right => working(async () => {
  const item = checking.items[checking.answers.length];
  if (!item) return;
  await insist("/api/decide", {...asking(), row: item.row, checked: checking.seed, choices: [{label: item.label, answer: right ? "yes" : "no"}]});
  checking.answers.push(right);
  await show_check();
});

// Back to the last check; an earlier decision than the first check stays.
const undo_check = () => working(async () => {
  if (!checking.items.length || !checking.answers.length) return;
  await insist("/api/undo", asking());
  checking.answers.pop();
  await show_check();
});

async function end_of_checks() {
  const checks = checking.items.length, rest = checking.batch - checks, [done, bad] = swept[bulk.rule.action];
  show_rule(true);
  const mistakes = checking.answers.filter(right => right === (bulk.rule.action === "remove")).length;
  by_id("bulk-accept").hidden = true;
  const claim = rest === 0 ? null : (await ask("/api/checked", {seed: checking.seed, mistakes})).claim;
  if (!checking.items.length) return;  // ended meanwhile
  by_id("check-result").textContent = claim ? `${bad === "right" ? "Right" : "Wrong"} among the ${done} labels: ${claim.text}.`
    : `All ${number(checks)} are checked and saved.`;
  by_id("bulk-accept").hidden = rest === 0;
  by_id("bulk-accept").disabled = false;
  by_id("bulk-accept").textContent = `${{remove: "Remove", keep: "Keep", add: "Add"}[bulk.rule.action]} the other ${number(rest)}`;
  if (rest > 0) by_id("bulk-accept").focus();
}

async function accept_bulk() {
  by_id("bulk-accept").disabled = true;
  const rest = checking.batch - checking.items.length;
  try {
    const answer = await insist("/api/bulk", {...asking(), ...bulk.rule, expected: rest, checked: checking.seed});
    by_id("bulk").close();
    show(answer);
    say(`Decided ${plural(rest, "label", "labels")}. Undo takes them back together.`);
  } catch (error) {
    await preview_bulk();
    by_id("bulk-effect").textContent = error.message + " Look again.";
  }
}

async function open_bulk() {
  set_usual_threshold();
  if (by_id("only-label").value) by_id("bulk-label").value = by_id("only-label").value;
  by_id("bulk").showModal();
  await preview_bulk();
}

const set_usual_threshold = () => { by_id("bulk-threshold").value = by_id("bulk-action").value === "remove" ? -3 : 3; };

by_id("bulk-action").addEventListener("change", () => { set_usual_threshold(); preview_bulk(); });
for (const id of ["bulk-label", "bulk-threshold"]) by_id(id).addEventListener("input", preview_bulk);
by_id("bulk-check").addEventListener("click", begin_check);
by_id("bulk-accept").addEventListener("click", accept_bulk);
by_id("check-yes").addEventListener("click", () => check_with(true));
by_id("check-no").addEventListener("click", () => check_with(false));
by_id("check-undo").addEventListener("click", undo_check);

// The keys of the cards, with what they mean in a check.
const check_actions = {yes: {decides: true, run: () => check_with(true)}, no: {decides: true, run: () => check_with(false)}, undo: {run: undo_check}};
by_id("bulk").addEventListener("keydown", event => {
  if (!checking.items.length || !own.single || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select")) return;
  const id = actions.find(one => key_of(one) === event.key.toLowerCase())?.id;
  if (!(id in check_actions) || (id !== "undo" && by_id("check").hidden)) return;
  event.preventDefault();
  run_by_key(check_actions[id], event, words => { by_id("check-result").textContent = words; });
});
// What was checked is decided: the next card is another.
by_id("bulk").addEventListener("close", () => { if (checking.answers.length > 0) next_item(); checking.answers = []; });
