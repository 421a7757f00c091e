#!/usr/bin/env node
/**
 * Starts the command. Most of the time of a short call would go into compiling the bundle, so the build leaves
 * V8's compiled form beside it. It is used only for exactly this bundle (its hash) and this V8 (V8 checks itself);
 * in every other case the bundle is compiled as usual.
 */
const { createHash } = require("node:crypto");
const { readFileSync } = require("node:fs");
const { createRequire } = require("node:module");
const { dirname, join } = require("node:path");
const { pathToFileURL } = require("node:url");
const { Script } = require("node:vm");

// Whoever only asks for the version, often to see whether Karyi is there, waits for no engine.
if (process.argv.length === 3 && ["-v", "--version"].includes(process.argv[2])) {
  console.log(require("../package.json").version);
  process.exit();
}

const filename = join(__dirname, "..", "dist", "command.cjs");
const source = readFileSync(filename);
// The build writes one function, in ASCII, for which this needs no decoding.
const script = new Script(source.latin1Slice(), { filename, cachedData: compiledForm() });
// A script from a compiled form cannot import by itself, so it is given the means.
// Its own parts that are built apart (`karyi/serve`) are found from where it lies.
const importModule = (specifier) =>
  import(specifier.startsWith("karyi/") ? pathToFileURL(createRequire(filename).resolve(specifier)).href : specifier);
function run() {
  const bundle = { exports: {} };
  script.runInThisContext()(bundle.exports, createRequire(filename), bundle, filename, dirname(filename), importModule);
}
run();

// `scripts/code-cache.mjs` takes the compiled form after some runs, when it holds the functions that they need.
module.exports = { script, source, run };

function compiledForm() {
  let saved;
  try {
    saved = readFileSync(`${filename}.v8`);
  } catch {
    return undefined;
  }
  const belongs = saved.subarray(0, 32).equals(createHash("sha256").update(source).digest());
  return belongs ? saved.subarray(32) : undefined;
}
