// The worker: it holds an instance of Rushlight and answers one request at a time.
//
// To the page: {id, answer, parts, took} for a request, {print} while it runs. A trap ends an instance; the next
// request gets a new one, in which the file that was open is opened again.
"use strict";

let compiled = null; // the WebAssembly.Module
let instance = null;
let opened = null; // the file that is open: {name, bytes}
let words = ""; // why the instance is about to trap

const encoder = new TextEncoder();
const decoder = new TextDecoder();

function text(pointer, length) {
  return decoder.decode(new Uint8Array(instance.exports.memory.buffer, pointer, length));
}

const imports = {
  page: {
    print: (pointer, length) => postMessage({ print: text(pointer, length) }),
    last_words: (pointer, length) => { words = text(pointer, length); },
  },
};

// Puts byte arrays into the instance, asks, and copies those of the answer out.
function exchange(request, parts) {
  const rushlight = instance.exports;
  for (const part of [encoder.encode(JSON.stringify(request)), ...parts]) {
    const bytes = part instanceof Uint8Array ? part : new Uint8Array(part);
    const at = rushlight.rushlight_put(bytes.length) >>> 0;
    new Uint8Array(rushlight.memory.buffer, at, bytes.length).set(bytes);
  }
  const count = rushlight.rushlight_ask();
  const answers = [];
  for (let i = 0; i < count; i++) {
    const at = rushlight.rushlight_answer(i) >>> 0;
    answers.push(new Uint8Array(rushlight.memory.buffer, at, rushlight.rushlight_length(i)).slice());
  }
  return { answer: JSON.parse(decoder.decode(answers[0])), parts: answers.slice(1) };
}

function ask(request, parts) {
  if (!instance) {
    instance = new WebAssembly.Instance(compiled, imports);
    if (opened && request.do !== "open") exchange({ do: "open", name: opened.name }, [opened.bytes]);
  }
  if (request.do === "open") opened = { name: request.name, bytes: parts[0] };
  return exchange(request, parts);
}

// What a trap means to people.
function why(error) {
  if (words) return words;
  if (error instanceof RangeError) return "the program nests more deeply than this browser's stack allows";
  if (/memory/.test(error.message)) return `not enough memory: ${error.message}`;
  return `Rushlight stopped: ${error.message}`;
}

onmessage = ({ data }) => {
  if (data.module) {
    compiled = data.module;
    opened = data.opened;
    return;
  }
  const start = performance.now();
  let outcome;
  try {
    outcome = ask(data.request, data.parts);
  } catch (error) {
    instance = null;
    outcome = { answer: { error: why(error), frames: [], restarted: true }, parts: [] };
    if (data.request.do === "open") opened = null;
    words = "";
  }
  const took = performance.now() - start;
  postMessage({ id: data.id, took, ...outcome }, outcome.parts.map((part) => part.buffer));
};
