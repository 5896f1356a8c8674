// The row as a person reads, sees or hears it.
const most_marked = 5;  // words of a row: more would be noise

// How much a word has to weigh to be marked, and how many may still be.
function marks_of(item) {
  const sizes = item.texts.flatMap(column => column.pieces ?? []).map(([, weight]) => Math.abs(weight)).filter(Boolean);
  return {least: sizes.sort((a, b) => b - a)[most_marked - 1] ?? 0, left: most_marked};
}

function marked_text(pieces, marks) {
  return make("p", {class: "text"}, ...pieces.map(([piece, weight]) =>
    weight === 0 || Math.abs(weight) < marks.least || marks.left-- <= 0 ? piece
      : make("mark", {class: weight > 0 ? "for" : "against"}, piece)));
}

function picture(column) {
  const image = make("img", {src: media_link(column.image), alt: column.file});
  image.addEventListener("error", () => image.replaceWith(make("p", {class: "soft broken"}, `This picture cannot be shown: ${column.file}`)));
  return image;
}

// The loudness of a sound over its length; nothing for sounds that are large or not understood.
async function draw_wave(link, canvas) {
  const longest = 20e6, bars = 300;
  try {
    const reply = await fetch(link, {headers: {"X-Sieve-Token": token}});
    if (!reply.ok || Number(reply.headers.get("Content-Length") ?? 0) > longest) return;
    const sound = await new OfflineAudioContext(1, 1, 44100).decodeAudioData(await reply.arrayBuffer());
    const samples = sound.getChannelData(0), pen = canvas.getContext("2d");
    const heights = Array.from({length: bars}, (_, k) => {
      let most = 0;
      for (let at = Math.floor(k * samples.length / bars); at < Math.floor((k + 1) * samples.length / bars); ++at)
        most = Math.max(most, Math.abs(samples[at]));
      return most;
    });
    const highest = Math.max(1e-6, ...heights);
    pen.fillStyle = getComputedStyle(canvas).color;
    heights.forEach((height, k) => {
      const size = Math.max(1, canvas.height * height / highest);
      pen.fillRect(k * canvas.width / bars, (canvas.height - size) / 2, canvas.width / bars * 0.7, size);
    });
    canvas.hidden = false;
  } catch { /* the player says what is wrong with the sound */ }
}

function sound(column) {
  const link = media_link(column.audio), canvas = make("canvas", {class: "wave", width: 900, height: 90, hidden: true, "aria-hidden": "true"});
  draw_wave(link, canvas);
  return [canvas, make("audio", {src: link, controls: true, "aria-label": column.file})];
}

// Short texts share a line.
const most_short = 60;
const is_short = column => Boolean(column.pieces) && column.pieces.reduce((sum, [piece]) => sum + piece.length, 0) <= most_short;

function show_column(column, alone, marks) {
  const box = make("div", {class: column.image ? "frame" : is_short(column) && !alone ? "short" : ""}, alone || column.image ? null : make("p", {class: "column"}, column.name));
  if (column.image) box.append(picture(column));
  else if (column.audio) box.append(...sound(column));
  else box.append(marked_text(column.pieces, marks));
  if (column.cut) box.append(make("p", {class: "soft"}, "… the rest is left out"));
  return box;
}

function show_features(features, blind = in_audit()) {
  const short = value => Number(value.toPrecision(3)).toString();
  const rows = features.map(one => make("tr", {}, make("th", {scope: "row"}, one.name),
    make("td", {}, short(one.value)),
    ...(blind ? [] : [make("td", {}, short(one.usual)),
      make("td", {class: one.weight > 0 ? "speaks-for" : "speaks-against"},
           one.weight > 0 ? "for it" : "against it")])));
  return make("table", {},
    make("thead", {}, make("tr", {}, ...(blind ? ["Feature", "here"] : ["Feature", "here", "usually", "speaks"]).map(name => make("th", {scope: "col"}, name)))),
    make("tbody", {}, ...rows));
}

// The one text of a row needs no name, whatever short ones stand beside it.
const is_only_text = (column, texts) => texts.length === 1 || (Boolean(column.pieces) && !is_short(column) && texts.every(one => one === column || is_short(one)));

// Pictures come first, and fill the card. What is there already stays: a picture does not flicker.
function show_columns(item) {
  const content = by_id("content"), texts = [...item.texts.filter(one => one.image), ...item.texts.filter(one => !one.image)];
  const photo = Boolean(texts[0]?.image), marks = marks_of(item);
  by_id("columns").classList.toggle("photo", photo);
  by_id("zoom-in").hidden = !photo;
  const seen = JSON.stringify([item.row, item.texts.map(one => one.pieces ? one.name : one.file)]);
  const kept = content.dataset.shown === seen ? [...content.children] : [];
  content.dataset.shown = seen;
  content.replaceChildren(...texts.map((column, k) => kept[k] && !column.pieces ? kept[k] : show_column(column, is_only_text(column, texts), marks)),
    ...(item.features.length ? [show_features(item.features)] : []));
}

function show_content(item) {
  show_columns(item);
  by_id("legend").hidden = !item.texts.some(column => column.pieces?.some(piece => piece[1] !== 0));
  by_id("legend-by").replaceChildren(...(of_whole_row() ? ["of ", name_element(item.label), ", "] : []),
    item.marked === "model" ? "as the model reads it" : "by how often it goes with the label");
  if (item.marked === "later") wait_for_marks(item);
}

// The model is asked beside the way: the text is there at once, the marks a moment later.
async function wait_for_marks(item) {
  const label = item.label, wanted = () => state.item === item && item.label === label;
  for (let pause = 60; wanted() && pause < 20000; pause *= 2) {
    await wait(pause);
    if (!wanted()) return;
    const {texts, marked} = await ask("/api/texts", {row: item.row, label});
    if (marked === "later" || !wanted()) continue;
    Object.assign(item, {texts, marked});
    show_content(item);
    return;
  }
}

function open_zoom() {
  const image = by_id("content").querySelector("img");
  if (!image) return;
  by_id("zoomed").src = image.src;
  by_id("zoomed").alt = image.alt;
  by_id("zoom").showModal();
}

// Keys of a sound; true if there is one to move.
function move_sound(key) {
  const audio = by_id("content").querySelector("audio");
  if (!audio) return false;
  if (key === " ") { if (audio.paused) audio.play(); else audio.pause(); }
  else audio.currentTime = Math.max(0, audio.currentTime + (key === "," ? -2 : 2));
  return true;
}
