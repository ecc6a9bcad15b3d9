// The page: what is open, and its views. Everything that computes is in the worker.
"use strict";

// Small things ---------------------------------------------------------------------------------------------------------

const $ = (id) => document.getElementById(id);

// An element with properties (functions are listeners) and children; text is never markup.
function el(name, properties = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const element = document.createElement(tag || "div");
  if (classes.length) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(properties)) {
    if (typeof value === "function") element.addEventListener(key, value);
    else if (key in element) element[key] = value;
    else element.setAttribute(key, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

const human = (bytes) =>
  bytes < 1e3 ? `${bytes} bytes` : bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} KB` : `${(bytes / 1e6).toFixed(1)} MB`;
const counted = (count, one, many = `${one}s`) => `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
const milliseconds = (ms) => (ms < 10 ? `${ms.toFixed(2)} ms` : ms < 1e4 ? `${ms.toFixed(0)} ms` : `${(ms / 1e3).toFixed(1)} s`);

function bytesOf(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

const payload = (id) => $(id).textContent.trim();

// The worker -----------------------------------------------------------------------------------------------------------

const engine = {
  module: null, worker: null, waiting: new Map(), next: 1, opened: null, print: () => {},

  async start() {
    const packed = new Blob([bytesOf(payload("rushlight-module"))]).stream();
    const bytes = await new Response(packed.pipeThrough(new DecompressionStream("deflate"))).arrayBuffer();
    this.module = await WebAssembly.compile(bytes);
    this.spawn();
  },

  spawn() {
    const source = URL.createObjectURL(new Blob([payload("rushlight-worker")], { type: "text/javascript" }));
    this.worker = new Worker(source);
    this.worker.onmessage = ({ data }) => {
      if (data.print !== undefined) return this.print(data.print);
      const waiting = this.waiting.get(data.id);
      this.waiting.delete(data.id);
      busy();
      if (waiting) waiting(data);
    };
    this.worker.postMessage({ module: this.module, opened: this.opened });
  },

  // Answers come as {answer, parts, took}; what went wrong is answer.error.
  ask(request, parts = []) {
    const id = this.next++;
    return new Promise((resolve) => {
      this.waiting.set(id, resolve);
      this.worker.postMessage({ id, request, parts });
      busy();
    });
  },

  // Ends whatever runs: the worker goes, and a new one opens the file again when it is next asked.
  stop(why) {
    this.worker.terminate();
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    this.spawn();
    busy();
    for (const resolve of waiting) resolve({ answer: { error: why, frames: [] }, parts: [], took: 0 });
  },
};

let since = 0;
function busy() {
  const runs = engine.waiting.size > 0;
  if (runs && !since) since = performance.now();
  if (!runs) since = 0;
  $("state").textContent = runs ? "working …" : "ready";
  document.body.classList.toggle("busy", runs);
  if (!runs) $("stop").hidden = true;
}

setInterval(() => {
  if (!since) return;
  const seconds = (performance.now() - since) / 1e3;
  $("stop").hidden = seconds < 0.4;
  if (seconds > limit) engine.stop(`stopped after ${limit} s`);
}, 200);

let limit = 60; // seconds that a request may take

// Views ----------------------------------------------------------------------------------------------------------------

const VIEWS = [
  ["start", "Start"],
  ["model", "Model"],
  ["run", "Run"],
  ["code", "Code"],
  ["graph", "Graph"],
  ["source", "Source"],
];
let model = null; // what the open archive is, as the worker told
let current = null; // the form that runs its methods

function show(view) {
  for (const [name] of VIEWS) $(`view-${name}`).hidden = name !== view;
  for (const tab of $("tabs").children) tab.setAttribute("aria-selected", tab.dataset.view === view);
  document.body.dataset.view = view;
  if (view === "code") code.load();
  if (view === "graph") graph.load();
  if (view === "source") source.load();
}

function tabs() {
  $("tabs").replaceChildren(
    ...VIEWS.filter(([name]) => model || name === "start" || name === "source").map(([name, label]) =>
      el("button", { role: "tab", "data-view": name, textContent: label, click: () => show(name) }),
    ),
  );
}

async function open(name, buffer) {
  const bytes = new Uint8Array(buffer);
  if (/\.py$/i.test(name)) {
    source.text = new TextDecoder().decode(bytes);
    source.loaded = false;
    return show("source");
  }
  engine.opened = { name, bytes };
  const { answer, took } = await engine.ask({ do: "open", name }, [bytes]);
  model = answer.methods ? answer : null;
  if (!model) engine.opened = null;
  code.loaded = graph.loaded = false;
  $("file").textContent = name;
  document.title = model ? `${name} – Rushlight` : "Rushlight";
  tabs();
  overview($("view-model"), answer, took);
  if (model) current = runner($("view-run"), model.methods, (method) => ({ method }), model);
  show("model");
}

const MOST_ROWS = 1000;

// What a file is.
function overview(view, told, took) {
  if (told.error) return view.replaceChildren(el("h1", {}, "This file cannot be opened"), el("pre.error", {}, told.error));
  const heading = el("div.heading", {}, el("h1", {}, told.name), el("p", {}, `${human(told.bytes)} · ${told.kind}`));
  if (!told.loadable) {
    return view.replaceChildren(heading, el("p.note", {}, told.advice ?? "Rushlight runs TorchScript archives only."));
  }
  const forward = told.methods.find((method) => method.name === "forward") ?? told.methods[0];
  const facts = [
    [told.parameters.toLocaleString("en"), "parameters"],
    [told.modules.length, told.modules.length === 1 ? "module" : "modules"],
    [Object.values(told.operators).reduce((a, b) => a + b, 0), "calls of operators"],
    [told.version, "format version"],
    [milliseconds(took), "to open"],
  ];
  const table = (head, rows) => [
    el("table", {}, el("thead", {}, el("tr", {}, head.map((text) => el("th", {}, text)))), el("tbody", {}, rows.slice(0, MOST_ROWS))),
    rows.length > MOST_ROWS ? el("p.soft", {}, `and ${counted(rows.length - MOST_ROWS, "more row")}`) : null,
  ];
  const row = (...cells) => el("tr", {}, cells.map((cell) => el("td", {}, cell)));
  const tensors = told.modules.flatMap((module) =>
    module.tensors.map((tensor) => [[module.path, tensor.name].filter(Boolean).join("."), tensor]),
  );
  const part = (title, ...content) => el("article", {}, el("h2", {}, title), ...content.flat());
  view.replaceChildren(
    ...[
      heading,
      told.unfit ? el("p.note.bad", {}, `It can be looked at but not run: ${told.unfit}`) : null,
      told.missing.length
        ? el("p.note.bad", {}, `Missing here, and an error once it is reached: ${told.missing.join("; ")}`)
        : null,
      el("div.facts", {}, facts.map(([number, what]) => el("div", {}, el("b", {}, String(number)), what))),
      el("div.row", {}, forward ? el("button.strong", { click: () => show("run") }, `Run ${forward.name}`) : null,
        el("button", { click: () => show("graph") }, "See its graph"),
        el("button", { click: () => show("code") }, "Read its code")),
      part("Methods", told.methods.map((method) => el("pre.schema", {}, paint(method.schema)))),
      told.inputs.some((input) => input.shape)
        ? part("Inputs of forward", table(["name", "takes", "for"],
            told.inputs.map((input) => row(input.name, input.shape ? `${input.dtype} ${input.shape}` : input.type, input.layer ?? ""))))
        : null,
      told.fixed.length ? part("Fixed in the code", el("ul", {}, told.fixed.map((text) => el("li", {}, text)))) : null,
      part("Modules", table(["path", "class", "tensors"],
        told.modules.map((module) => row(module.path || "(root)", module.class, String(module.tensors.length || ""))))),
      part("Tensors", table(["name", "kind", "dtype", "shape"],
        tensors.map(([path, tensor]) => row(path, tensor.kind, tensor.dtype, `(${tensor.shape.join(", ")})`)))),
      part("Operators", el("p.chips", {}, Object.entries(told.operators).map(([name, count]) =>
        el("span", {}, name, count > 1 ? el("b", {}, ` ×${count}`) : null)))),
      told.extra_files.length
        ? part("Extra files", table(["name", "size"], told.extra_files.map((file) => row(file.name, human(file.bytes)))))
        : null,
    ].filter(Boolean),
  );
}

// Code -----------------------------------------------------------------------------------------------------------------

const TOKENS = new RegExp(
  [
    /(?<comment>#[^\n]*)/,
    /(?<string>[rbf]?(?:"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?))/,
    /(?<keyword>\b(?:and|as|assert|break|class|continue|def|del|elif|else|False|for|from|global|if|import|in|is|lambda|None|not|or|pass|raise|return|self|True|try|while|with|yield)\b)/,
    /(?<number>\b\d[\w.]*)/,
    /(?<type>\b(?:Tensor|int|float|bool|str|complex|List|Dict|Tuple|Optional|Any|Union|Final|Device)\b)/,
    /(?<word>[A-Za-z_]\w*)/,
  ].map((part) => part.source).join("|"),
  "g",
);

// Python text as a list of coloured pieces.
function paint(text) {
  const out = [];
  let last = 0;
  for (const match of text.matchAll(TOKENS)) {
    const kind = Object.entries(match.groups).find(([, found]) => found !== undefined)[0];
    if (kind === "word") continue;
    out.push(text.slice(last, match.index), el(`span.${kind}`, {}, match[0]));
    last = match.index + match[0].length;
  }
  out.push(text.slice(last));
  return out.filter((piece) => piece !== "");
}

const numbers = (text) => el("pre.numbers", { ariaHidden: true }, text.split("\n").map((_, i) => i + 1).join("\n"));

const code = {
  loaded: false,
  async load() {
    if (this.loaded) return;
    this.loaded = true;
    const view = $("view-code");
    const { answer } = await engine.ask({ do: "code" });
    if (answer.error) return view.replaceChildren(el("pre.error", {}, answer.error));
    const list = el("nav.files", { ariaLabel: "Files" });
    const sheet = el("div.sheet");
    const pick = (file, button) => {
      for (const other of list.children) other.setAttribute("aria-current", other === button);
      const text = file.text.trimEnd();
      sheet.replaceChildren(numbers(text), el("pre.code", {}, paint(text)));
      sheet.scrollTop = 0;
    };
    for (const file of answer.files) {
      const name = file.name.replace(/^code\//, "");
      const steps = name.split(/(?<=\/)/).flatMap((step) => [step, el("wbr")]);
      const button = el("button", { title: file.name, click: () => pick(file, button) }, steps);
      list.append(button);
    }
    view.replaceChildren(list, sheet);
    if (answer.files.length) pick(answer.files[0], list.firstChild);
  },
};

// Graph ----------------------------------------------------------------------------------------------------------------

const graph = {
  loaded: false, method: "", inlined: true, all: false, words: false,
  async load() {
    if (this.loaded) return;
    this.loaded = true;
    const view = $("view-graph");
    if (!model.methods.some((method) => method.name === this.method)) {
      this.method = (model.methods.find((method) => method.name === "forward") ?? model.methods[0])?.name ?? "";
    }
    const again = () => { this.loaded = false; this.load(); };
    const check = (label, key) =>
      el("label", {}, el("input", { type: "checkbox", checked: this[key], change: (e) => { this[key] = e.target.checked; again(); } }), label);
    const methods = el("select", { ariaLabel: "Method", change: (e) => { this.method = e.target.value; again(); } },
      model.methods.map((method) => el("option", { selected: method.name === this.method }, method.name)));
    const note = el("span.soft");
    const place = el("div.canvas", {}, el("p.soft", {}, "drawing …"));
    view.replaceChildren(
      el("div.bar", {}, methods, check("inline calls", "inlined"), check("draw checks, too", "all"), check("in words", "words"), note),
      place,
    );
    const { answer, took } = await engine.ask({
      do: "graph", method: this.method, inlined: this.inlined, all: this.all, form: this.words ? "words" : "html",
    });
    note.textContent = [answer.left_out, milliseconds(took)].filter(Boolean).join(" · ");
    if (answer.error) return place.replaceChildren(el("pre.error", {}, answer.error));
    if (this.words) return place.replaceChildren(el("pre.words", {}, answer.text));
    // A page of its own, which may run its script and reaches nothing else.
    place.replaceChildren(el("iframe", { title: "Graph", sandbox: "allow-scripts", srcdoc: answer.text }));
  },
};

// Arguments ------------------------------------------------------------------------------------------------------------

const PROPOSALS = [
  [/^Tensor$/, "torch.rand(1, 3, 224, 224)"],
  [/^(Union\[int, float\]|number)$/, "1"],
  [/^int$/, "1"],
  [/^float$/, "1.0"],
  [/^bool$/, "True"],
  [/^str$/, "''"],
  [/^List\[int\]$/, "[1, 2, 3]"],
  [/^List\[Tensor\]$/, "[torch.rand(3)]"],
  [/^Optional/, "None"],
];

// An expression to begin with: of the sizes that the first layer tells, where it does.
function proposal(argument, input) {
  if (argument.default !== null) return "";
  if (input?.shape) {
    const sizes = [...input.shape.matchAll(/\.\.\.|\w+/g)].map(([size]) =>
      size === "batch" || size === "..." ? "1" : size === "height" || size === "width" ? "224" : /^\d+$/.test(size) ? size : "100");
    const below = /indices below (\d+)/.exec(input.shape);
    if (below) return `torch.randint(0, ${below[1]}, (1, 8))`;
    return `torch.rand(${sizes.join(", ")})`;
  }
  return PROPOSALS.find(([type]) => type.test(argument.type))?.[1] ?? "";
}

const field = (label, control) => el("label.field", {}, label, control);
const select = (options, value, properties = {}) =>
  el("select", properties, options.map(([key, label]) => el("option", { value: key, selected: key === value }, label)));

// A way to give an argument: {element, value()}, where value is {text} or {shape, part}.
const WAYS = {
  expression: {
    label: "expression",
    make(argument, input) {
      const box = el("input.mono", {
        type: "text", spellcheck: false, autocomplete: "off", value: proposal(argument, input),
        ariaLabel: argument.name,
        placeholder: argument.default !== null ? `${argument.default} (default)` : "a TorchScript expression",
      });
      return { element: box, value: async () => (box.value.trim() ? { text: box.value } : null) };
    },
  },
  image: {
    label: "picture", tensor: true,
    make(argument, input, again) {
      let bitmap = null;
      const thumb = el("canvas.thumb", { width: 96, height: 96 });
      const said = el("span.soft", {}, "drop a picture here or choose one");
      const channels = /\(batch, (\d)/.exec(input?.shape ?? "")?.[1];
      const colours = select([["auto", "its colours"], ["1", "grey"], ["3", "RGB"]], ["1", "3"].includes(channels) ? channels : "auto");
      const size = el("input.mono", { type: "text", size: 9, placeholder: "its size", ariaLabel: "Size" });
      const range = select([["unit", "0 … 1"], ["byte", "0 … 255"], ["imagenet", "ImageNet mean and deviation"]], "unit");
      const batch = el("input", { type: "checkbox", checked: /^\(batch/.test(input?.shape ?? "") });
      const take = async (file) => {
        bitmap = await createImageBitmap(file, { premultiplyAlpha: "none", colorSpaceConversion: "none" });
        said.textContent = `${file.name ?? "picture"}, ${bitmap.width} × ${bitmap.height}`;
        const scale = Math.min(96 / bitmap.width, 96 / bitmap.height);
        thumb.width = Math.max(1, bitmap.width * scale);
        thumb.height = Math.max(1, bitmap.height * scale);
        thumb.getContext("2d").drawImage(bitmap, 0, 0, thumb.width, thumb.height);
        again();
      };
      const picker = el("input", { type: "file", accept: "image/*", hidden: true, change: () => picker.files[0] && take(picker.files[0]) });
      const element = el("div.way", {
        dragover: (e) => { e.preventDefault(); e.stopPropagation(); },
        drop: (e) => { e.preventDefault(); e.stopPropagation(); document.body.classList.remove("dropping"); if (e.dataTransfer.files[0]) take(e.dataTransfer.files[0]); },
      },
        el("button.picture", { type: "button", ariaLabel: "Choose a picture", click: () => picker.click() }, thumb), picker,
        el("div.options", {}, said, field("channels", colours), field("size", size), field("numbers", range), field("batch of one", batch)));
      const value = async () => {
        if (!bitmap) throw new Error(`${argument.name}: choose a picture first`);
        const [width, height] = /^\s*\d+\D+\d+\s*$/.test(size.value) ? size.value.match(/\d+/g).map(Number) : [bitmap.width, bitmap.height];
        return pixels(bitmap, width, height, colours.value, range.value, batch.checked);
      };
      return { element, value, take };
    },
  },
  drawing: {
    label: "drawing", tensor: true,
    make(argument, input, again) {
      const pad = el("canvas.pad", { width: 224, height: 224 });
      const brush = pad.getContext("2d");
      const clear = () => { brush.fillStyle = "#fff"; brush.fillRect(0, 0, 224, 224); };
      clear();
      let last = null;
      const at = (e) => { const box = pad.getBoundingClientRect(); return [((e.clientX - box.left) * 224) / box.width, ((e.clientY - box.top) * 224) / box.height]; };
      pad.addEventListener("pointerdown", (e) => { last = at(e); pad.setPointerCapture(e.pointerId); });
      pad.addEventListener("pointermove", (e) => {
        if (!last) return;
        const next = at(e);
        Object.assign(brush, { strokeStyle: "#000", lineWidth: 18, lineCap: "round" });
        brush.beginPath(); brush.moveTo(...last); brush.lineTo(...next); brush.stroke();
        last = next;
      });
      pad.addEventListener("pointerup", () => { last = null; again(); });
      const size = el("input.mono", { type: "text", size: 9, value: "28 x 28", ariaLabel: "Size" });
      const batch = el("input", { type: "checkbox", checked: /^\(batch/.test(input?.shape ?? "") });
      const element = el("div.way", {}, pad, el("div.options", {}, el("span.soft", {}, "draw with the mouse or a finger"),
        field("size", size), field("batch of one", batch), el("button", { type: "button", click: clear }, "Clear")));
      const value = async () => {
        const [width, height] = (size.value.match(/\d+/g) ?? [28, 28]).map(Number);
        return pixels(pad, width, height ?? width, "1", "unit", batch.checked);
      };
      return { element, value };
    },
  },
  sound: {
    label: "sound", tensor: true,
    make(argument, input, again) {
      let samples = null;
      let recording = null;
      const said = el("span.soft", {}, "choose a file or record");
      const rate = el("input.mono", { type: "number", value: 16000, min: 8000, max: 192000, ariaLabel: "Rate" });
      const shape = select([["row", "(1, samples)"], ["flat", "(samples)"]], "row");
      const take = async (file) => {
        const context = new OfflineAudioContext(1, 1, Number(rate.value));
        samples = mono(await context.decodeAudioData(await file.arrayBuffer()));
        said.textContent = `${file.name}, ${(samples.length / rate.value).toFixed(2)} s`;
        again();
      };
      const picker = el("input", { type: "file", accept: "audio/*", hidden: true, change: () => picker.files[0] && take(picker.files[0]) });
      const record = el("button", { type: "button" }, "● Record");
      record.addEventListener("click", async () => {
        if (recording) {
          recording.stop();
          samples = join(recording.pieces);
          recording = null;
          record.textContent = "● Record";
          said.textContent = `recorded ${(samples.length / rate.value).toFixed(2)} s`;
          return again();
        }
        try {
          const pieces = [];
          recording = await microphone(Number(rate.value), (piece) => pieces.push(piece));
          recording.pieces = pieces;
          record.textContent = "■ End";
          said.textContent = "listening …";
        } catch (error) {
          said.textContent = `no microphone: ${error.message}`;
        }
      });
      const element = el("div.way", {}, el("div.options", {}, said,
        el("div.row", {}, el("button", { type: "button", click: () => picker.click() }, "Choose a file"), record), picker,
        field("samples per second", rate), field("shape", shape)));
      const value = async () => {
        if (!samples) throw new Error(`${argument.name}: choose or record a sound first`);
        return { shape: shape.value === "row" ? [1, samples.length] : [samples.length], numbers: samples };
      };
      return { element, value, take };
    },
  },
  live: {
    label: "microphone, live", tensor: true, live: true,
    make(argument) {
      const rate = el("input.mono", { type: "number", value: 16000, ariaLabel: "Rate" });
      const frame = el("input.mono", { type: "number", value: 512, ariaLabel: "Samples per call" });
      const element = el("div.way", {}, el("div.options", {}, el("span.soft", {}, "calls the method for every piece of sound"),
        field("samples per second", rate), field("samples per call", frame)));
      return { element, value: async () => null, name: argument.name, rate: () => Number(rate.value), frame: () => Number(frame.value) };
    },
  },
};

// A picture as numbers: (channels, height, width).
function pixels(picture, width, height, colours, range, batch) {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.imageSmoothingQuality = "high";
  context.drawImage(picture, 0, 0, width, height);
  const { data } = context.getImageData(0, 0, width, height);
  const area = width * height;
  let channels = Number(colours);
  if (colours === "auto") {
    channels = 1;
    for (let i = 0; i < 4 * area && channels === 1; i += 4) {
      if (data[i] !== data[i + 1] || data[i] !== data[i + 2]) channels = 3;
    }
  }
  const [means, deviations] = range === "imagenet"
    ? [[0.485, 0.456, 0.406], [0.229, 0.224, 0.225]]
    : [[0, 0, 0], Array(3).fill(range === "byte" ? 1 / 255 : 1)];
  const out = new Float32Array(channels * area);
  for (let c = 0; c < channels; c++) {
    for (let i = 0; i < area; i++) {
      const [r, g, b] = [data[4 * i], data[4 * i + 1], data[4 * i + 2]];
      const byte = channels === 1 ? (r === g && g === b ? r : 0.299 * r + 0.587 * g + 0.114 * b) : data[4 * i + c];
      out[c * area + i] = (byte / 255 - means[c]) / deviations[c];
    }
  }
  return { shape: [...(batch ? [1] : []), channels, height, width], numbers: out };
}

function mono(buffer) {
  const out = new Float32Array(buffer.length);
  for (let c = 0; c < buffer.numberOfChannels; c++) {
    const channel = buffer.getChannelData(c);
    for (let i = 0; i < out.length; i++) out[i] += channel[i] / buffer.numberOfChannels;
  }
  return out;
}

function join(pieces) {
  const out = new Float32Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) { out.set(piece, at); at += piece.length; }
  return out;
}

// Hands out what the microphone hears, at a rate. (Every browser has this node, and it needs no file of its own.)
async function microphone(rate, take) {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  const context = new AudioContext({ sampleRate: rate });
  const node = context.createScriptProcessor(1024, 1, 1);
  node.onaudioprocess = (event) => take(event.inputBuffer.getChannelData(0).slice());
  context.createMediaStreamSource(stream).connect(node);
  node.connect(context.destination);
  return {
    stop() {
      node.disconnect();
      context.close();
      for (const track of stream.getTracks()) track.stop();
    },
  };
}

// Running --------------------------------------------------------------------------------------------------------------

// The form that calls one of some functions. `target` makes the fields of the request that say which.
function runner(view, functions, target, about) {
  let ways = [];
  let live = null;
  const form = el("form.arguments", { submit: (e) => { e.preventDefault(); run(); } });
  const output = el("div.output", { ariaLive: "polite" });
  const go = el("button.strong", { type: "submit" }, "Run");
  const pick = el("select", { ariaLabel: "Function", change: () => build() }, functions.map((f) => el("option", {}, f.name)));
  const forward = functions.findIndex((f) => f.name === "forward");
  if (forward > 0) pick.selectedIndex = forward;
  const schema = el("pre.schema");

  function build() {
    stop();
    const chosen = functions[pick.selectedIndex];
    form.replaceChildren();
    ways = [];
    if (!chosen) return;
    schema.replaceChildren(...paint(chosen.schema));
    for (const argument of chosen.arguments) {
      const input = chosen.name === "forward" ? about?.inputs?.find((i) => i.name === argument.name) : null;
      const place = el("div.place");
      const known = Object.entries(WAYS).filter(([, way]) => !way.tensor || /^(Optional\[)?Tensor/.test(argument.type));
      const entry = { argument, way: null, kind: "expression" };
      const choose = (kind) => {
        entry.kind = kind;
        entry.way = WAYS[kind].make(argument, input, () => run());
        place.replaceChildren(entry.way.element);
      };
      entry.choose = choose;
      const kinds = known.length > 1
        ? select(known.map(([key, way]) => [key, way.label]), "expression", { ariaLabel: `How to give ${argument.name}`, change: (e) => choose(e.target.value) })
        : null;
      entry.select = (kind) => { if (kinds) kinds.value = kind; choose(kind); };
      choose("expression");
      ways.push(entry);
      form.append(el("div.argument", {}, el("div.name", {}, el("b", {}, argument.name), el("code", {}, argument.type), kinds), place));
    }
    form.append(el("div.row", {}, go));
  }

  // The arguments as a request takes them, without those that sound is to come for.
  async function given() {
    const [named, parts] = [[], []];
    for (const { argument, way } of ways) {
      const value = await way.value();
      if (!value) continue;
      if (value.text !== undefined) named.push({ name: argument.name, text: value.text });
      else {
        named.push({ name: argument.name, shape: value.shape, part: parts.length });
        parts.push(new Uint8Array(value.numbers.buffer));
      }
    }
    return [named, parts];
  }

  const request = (named) => ({ do: "run", ...target(functions[pick.selectedIndex].name), arguments: named });

  async function run() {
    if (live) return stop();
    const sound = ways.find(({ kind }) => WAYS[kind].live);
    if (sound) return listen(sound.way);
    const printed = el("pre.printed", { hidden: true });
    output.replaceChildren(printed);
    engine.print = (text) => {
      printed.hidden = false;
      if (printed.textContent.length < 1e5) printed.append(text);
    };
    try {
      const [named, parts] = await given();
      const { answer, parts: numbers, took } = await engine.ask(request(named), parts);
      output.replaceChildren(printed, ...outcome(answer, numbers, took, about));
    } catch (error) {
      output.replaceChildren(el("pre.error", {}, error.message));
    }
  }

  // Calls the method for every piece of sound.
  async function listen(way) {
    const [named, parts] = await given();
    const length = way.frame();
    const chart = trace();
    const note = el("p.soft");
    output.replaceChildren(chart.element, note);
    let rest = new Float32Array(0);
    const queue = [];
    let running = false;
    let lost = 0;
    let took = 0;
    let calls = 0;
    const drain = async () => {
      if (running) return;
      running = true;
      while (queue.length && live) {
        const piece = queue.shift();
        const all = [...named, { name: way.name, shape: [1, length], part: parts.length }];
        const told = await engine.ask(request(all), [...parts, new Uint8Array(piece.buffer)]);
        if (told.answer.error) {
          stop();
          output.replaceChildren(...outcome(told.answer, [], 0));
          break;
        }
        calls++;
        took += told.took;
        const first = told.answer.tensors[0];
        if (first?.part !== undefined) chart.add(new Float32Array(told.parts[first.part].buffer)[0]);
        const each = took / calls;
        note.textContent = `${calls} calls, ${milliseconds(each)} each: ${(length / way.rate() / (each / 1e3)).toFixed(0)} times real time` +
          (lost ? `; ${lost} pieces were left out` : "");
      }
      running = false;
    };
    go.textContent = "End";
    live = { stop() {} };
    try {
      const heard = await microphone(way.rate(), (piece) => {
        rest = join([rest, piece]);
        while (rest.length >= length) {
          if (queue.length < 50) queue.push(rest.slice(0, length));
          else lost++;
          rest = rest.slice(length);
        }
        drain();
      });
      live = heard;
    } catch (error) {
      stop();
      output.replaceChildren(el("pre.error", {}, `no microphone: ${error.message}`));
    }
  }

  function stop() {
    live?.stop();
    live = null;
    go.textContent = "Run";
  }

  build();
  view.replaceChildren(
    el("div.bench", {},
      el("div", {}, el("div.bar", {}, pick, el("label.field", {}, "stop after",
        select([["10", "10 s"], ["60", "60 s"], ["600", "10 min"]], String(limit), { change: (e) => { limit = Number(e.target.value); } }))), schema, form),
      output),
  );
  return { run, ways: () => ways };
}

// What a call gave.
function outcome(answer, parts, took, about) {
  if (answer.error) {
    const where = answer.frames.map(({ function: name, at, origin }) => {
      const place = origin ?? at;
      return place ? `in ${name}, ${place.file}:${place.line}` : `in ${name}`;
    });
    return [el("pre.error", {}, answer.error), where.length ? el("p.soft", {}, where.reverse().join(" ← ")) : null,
      answer.restarted ? el("p.soft", {}, "The file has been opened again.") : null].filter(Boolean);
  }
  const drawn = answer.tensors.filter((tensor) => tensor.part !== undefined).map((tensor) => {
    const picture = drawing(new Float32Array(parts[tensor.part].buffer), tensor.shape, about?.classes);
    return picture && el("figure", {}, tensor.path ? el("figcaption", {}, tensor.path) : null, picture);
  });
  return [el("p.took", {}, `${answer.type} in ${milliseconds(took)}`), ...drawn.filter(Boolean), el("pre.result", {}, answer.text)];
}

// A tensor as bars, a picture or a line; null where none would say much.
function drawing(values, shape, classes) {
  const sizes = shape.filter((size, i) => size !== 1 || i >= shape.length - 2);
  const long = shape.filter((size) => size !== 1);
  if (values.some((value) => !Number.isFinite(value))) return null;
  if (long.length === 1 && long[0] <= 64) return bars(values, classes?.length === values.length ? classes : null);
  if (long.length === 1) return line(values);
  const [height, width] = sizes.slice(-2);
  const channels = sizes.length === 2 ? 1 : sizes.length === 3 ? sizes[0] : 0;
  if (![1, 3].includes(channels) || height < 4 || width < 4 || height > 2048 || width > 2048) return null;
  const [least, most] = extremes(values);
  const scale = least >= 0 && most <= 1 ? [0, 255] : [least, 255 / (most - least || 1)];
  const canvas = el("canvas.image", { width, height });
  const context = canvas.getContext("2d");
  const image = context.createImageData(width, height);
  for (let i = 0; i < width * height; i++) {
    for (let c = 0; c < 3; c++) image.data[4 * i + c] = (values[(channels === 3 ? c : 0) * width * height + i] - scale[0]) * scale[1];
    image.data[4 * i + 3] = 255;
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

function extremes(values) {
  let [least, most] = [Infinity, -Infinity];
  for (const value of values) { least = Math.min(least, value); most = Math.max(most, value); }
  return [least, most];
}

function bars(values, classes) {
  const [least, most] = extremes(values);
  const [low, high] = [Math.min(0, least), Math.max(0, most)];
  const span = high - low || 1;
  const best = values.indexOf(most);
  return el("div.bars", {}, [...values].map((value, i) =>
    el(i === best ? "div.best" : "div", {}, el("span", {}, classes ? classes[i] : String(i)),
      el("i", {}, el("b", { style: `left:${((Math.min(0, value) - low) / span) * 100}%;width:${(Math.abs(value) / span) * 100}%` })),
      el("span", {}, value.toPrecision(4)))));
}

function line(values) {
  const [least, most] = extremes(values);
  const points = [];
  const steps = Math.min(values.length, 1200);
  for (let i = 0; i < steps; i++) {
    const value = values[Math.floor((i * values.length) / steps)];
    points.push(`${((i / steps) * 600).toFixed(1)},${(118 - ((value - least) / (most - least || 1)) * 116).toFixed(1)}`);
  }
  const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  picture.setAttribute("viewBox", "0 0 600 120");
  picture.setAttribute("class", "line");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "polyline");
  path.setAttribute("points", points.join(" "));
  picture.append(path);
  return el("div", {}, picture, el("p.soft", {}, `${values.length} numbers from ${least.toPrecision(4)} to ${most.toPrecision(4)}`));
}

// A line that grows to the right.
function trace() {
  const canvas = el("canvas.trace", { width: 900, height: 220 });
  const values = [];
  const add = (value) => {
    values.push(value);
    if (values.length > 450) values.shift();
    const context = canvas.getContext("2d");
    const style = getComputedStyle(canvas);
    context.clearRect(0, 0, 900, 220);
    const most = Math.max(1, ...values);
    context.fillStyle = style.getPropertyValue("--accent");
    values.forEach((v, i) => context.fillRect(2 * i, 220 - Math.max(0, (v / most) * 216), 2, Math.max(1, (v / most) * 216)));
    context.fillStyle = style.getPropertyValue("--ink");
    context.font = "28px system-ui";
    context.fillText(value.toFixed(3), 12, 36);
  };
  return { element: canvas, add };
}

// Source ---------------------------------------------------------------------------------------------------------------

const FIRST = `import torch
from torch import Tensor
from typing import List, Tuple

def primes(n: int) -> List[int]:
    found: List[int] = []
    for i in range(2, n):
        is_prime = True
        for p in found:
            if p * p > i:
                break
            if i % p == 0:
                is_prime = False
                break
        if is_prime:
            found.append(i)
    return found

def mandelbrot(size: int = 240, steps: int = 60) -> Tensor:
    y, x = torch.meshgrid(torch.linspace(-1.2, 1.2, size), torch.linspace(-2.1, 0.6, size))
    a, b = torch.zeros_like(x), torch.zeros_like(y)
    inside = torch.zeros_like(x)
    for _ in range(steps):
        a, b = a * a - b * b + x, 2 * a * b + y
        inside += (a * a + b * b < 4).float()
        a, b = a.clamp(-10, 10), b.clamp(-10, 10)
    return 1 - inside / steps
`;

const source = {
  text: FIRST, loaded: false, functions: "", timer: 0, told: null,

  load() {
    if (this.loaded) return;
    this.loaded = true;
    this.area = el("textarea", { spellcheck: false, wrap: "off", ariaLabel: "Source", value: this.text, autocomplete: "off" });
    this.lines = el("pre.numbers", { ariaHidden: true });
    this.paper = el("pre.paper", { ariaHidden: true });
    this.marks = el("pre.marks", { ariaHidden: true });
    this.problems = el("div.problems", { ariaLive: "polite" });
    this.bench = el("div.panel");
    this.status = el("span.soft");
    this.area.addEventListener("input", () => this.changed());
    this.area.addEventListener("scroll", () => this.scroll());
    this.area.addEventListener("keydown", (e) => this.key(e));
    $("view-source").replaceChildren(
      el("div.split", {},
        el("div.left", {},
          el("div.bar", {}, this.status, el("span.gap"), el("button", { click: () => this.save() }, "Save as .pt")),
          el("div.editor", {}, this.lines, el("div.stack", {}, this.marks, this.paper, this.area)),
          this.problems),
        this.bench));
    this.changed(0);
  },

  changed(wait = 150) {
    this.text = this.area.value;
    this.lines.textContent = this.text.split("\n").map((_, i) => i + 1).join("\n");
    this.paper.replaceChildren(...paint(this.text), "\n");
    this.marks.replaceChildren();
    this.scroll();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.check(), wait);
  },

  scroll() {
    const { scrollLeft, scrollTop } = this.area;
    for (const layer of [this.paper, this.marks]) layer.style.transform = `translate(${-scrollLeft}px, ${-scrollTop}px)`;
    this.lines.style.transform = `translateY(${-scrollTop}px)`;
  },

  key(e) {
    if (e.key === "Tab" && !e.shiftKey) {
      e.preventDefault();
      document.execCommand("insertText", false, "    ");
    } else if (e.key === "Enter" && !e.ctrlKey) {
      const before = this.text.slice(0, this.area.selectionStart);
      const own = before.slice(before.lastIndexOf("\n") + 1);
      const indent = /^ */.exec(own)[0] + (/:\s*$/.test(own) ? "    " : "");
      e.preventDefault();
      document.execCommand("insertText", false, `\n${indent}`);
    }
  },

  // Where a place (lines from 1, columns of characters from 1) is in the text.
  offset(line, column) {
    const lines = this.text.split("\n");
    const before = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
    return before + [...(lines[line - 1] ?? "")].slice(0, column - 1).join("").length;
  },

  async check() {
    const text = this.text;
    const { answer, took } = await engine.ask({ do: "check", source: text });
    if (text !== this.text) return;
    this.told = answer;
    if (answer.error) {
      this.status.textContent = "";
      return this.problems.replaceChildren(el("pre.error", {}, answer.error));
    }
    const count = answer.problems.length;
    this.status.textContent = count ? counted(count, "problem") : `${counted(answer.functions.length, "function")}, no problems`;
    this.status.title = `checked in ${milliseconds(took)}`;
    this.status.className = count ? "bad" : "good";
    this.mark(answer.problems);
    this.problems.replaceChildren(...answer.problems.map((problem) => this.problem(problem)));
    if (!count) {
      const schemas = JSON.stringify(answer.functions.map((f) => f.schema));
      if (schemas !== this.functions) {
        this.functions = schemas;
        this.runner = runner(this.bench, answer.functions, (name) => ({ source: this.text, function: name }), null);
      }
    }
  },

  mark(problems) {
    const ranges = problems.filter((p) => p.place).map(({ place }) => {
      const start = this.offset(place.line, place.column);
      return [start, Math.max(start + 1, this.offset(place.end_line, place.end_column))];
    });
    ranges.sort((a, b) => a[0] - b[0]);
    const pieces = [];
    let last = 0;
    for (const [start, end] of ranges) {
      if (start < last) continue;
      pieces.push(this.text.slice(last, start), el("u", {}, this.text.slice(start, end) || " "));
      last = end;
    }
    this.marks.replaceChildren(...pieces, this.text.slice(last), "\n");
  },

  problem({ message, place, hint, fix }) {
    const go = () => {
      if (!place) return;
      this.area.focus();
      this.area.setSelectionRange(this.offset(place.line, place.column), this.offset(place.end_line, place.end_column));
    };
    const mend = () => {
      const { line, column, end_line, end_column } = fix.place;
      this.area.focus();
      this.area.setSelectionRange(this.offset(line, column), this.offset(end_line, end_column));
      document.execCommand("insertText", false, fix.text);
    };
    return el("div.problem", { click: go },
      el("div", {}, el("b", {}, place ? `line ${place.line}` : "source"), ` ${message}`),
      hint ? el("div.soft", {}, hint, fix ? el("button", { click: (e) => { e.stopPropagation(); mend(); } }, "Mend it") : null) : null);
  },

  async save() {
    const { answer, parts } = await engine.ask({ do: "compile", source: this.text });
    if (answer.error) return this.problems.replaceChildren(el("pre.error", {}, answer.error));
    const link = el("a", { href: URL.createObjectURL(new Blob([parts[answer.part]])), download: "source.pt" });
    link.click();
    URL.revokeObjectURL(link.href);
  },
};

// Beginning ------------------------------------------------------------------------------------------------------------

function examples() {
  const card = (title, text, click) => el("button.card", { click }, el("b", {}, title), el("span", {}, text));
  $("examples").replaceChildren(
    card("Digits", "A small network that recognises a digit: open it with a picture of a seven, or draw one.", async () => {
      await open("digits.pt", bytesOf(payload("example-digits")).buffer);
      show("run");
      await useImage(new File([bytesOf(payload("example-seven"))], "seven.png", { type: "image/png" }));
    }),
    card("Write TorchScript", "An editor that tells of every problem while you type, runs functions, and saves them as a model.", () => show("source")),
  );
}

// Gives the first tensor of the method that is shown a picture, and runs it.
async function useImage(file) {
  const taker = current?.ways().find(({ argument }) => /Tensor/.test(argument.type));
  if (!taker) return;
  taker.select("image");
  await taker.way.take(file);
}

function drops() {
  const choose = () => $("picker").click();
  $("pick").addEventListener("click", choose);
  $("drop").addEventListener("click", choose);
  $("stop").addEventListener("click", () => engine.stop("stopped"));
  $("picker").addEventListener("change", () => {
    const [file] = $("picker").files;
    if (file) take(file);
    $("picker").value = "";
  });
  document.querySelector(".brand").addEventListener("click", (e) => { e.preventDefault(); show("start"); });
  addEventListener("dragover", (e) => { e.preventDefault(); document.body.classList.add("dropping"); });
  addEventListener("dragleave", (e) => { if (!e.relatedTarget) document.body.classList.remove("dropping"); });
  addEventListener("drop", (e) => {
    e.preventDefault();
    document.body.classList.remove("dropping");
    const [file] = e.dataTransfer?.files ?? [];
    if (file) take(file);
  });
}

// A picture goes to the method that is shown, everything else is opened.
async function take(file) {
  if (model && /^image\//.test(file.type)) {
    show("run");
    return useImage(file);
  }
  await open(file.name, await file.arrayBuffer());
}

async function begin() {
  drops();
  tabs();
  examples();
  show("start");
  try {
    const start = performance.now();
    await engine.start();
    busy();
    document.body.dataset.ready = Math.round(performance.now() - start);
  } catch (error) {
    $("state").textContent = "";
    $("view-start").prepend(el("p.note.bad", {}, `Rushlight does not run in this browser: ${error.message}. It needs WebAssembly with SIMD.`));
  }
}

begin();
