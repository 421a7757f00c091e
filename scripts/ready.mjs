// Makes the tree ready to run: installs when node_modules does not match the lock file, builds when a
// source is newer than the build. Needs nothing but Node and npm, and costs next to nothing when all is well.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const at = (...parts) => join(root, ...parts);

const [major] = process.versions.node.split(".").map(Number);
if (major < 20) fail(`Karyi needs Node 20 or newer; this is ${process.version}.`);

const lockHash = createHash("sha256")
  .update(readFileSync(at("package-lock.json")))
  .digest("hex");
const stamp = at("node_modules", ".karyi-lock");
if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== lockHash) {
  run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], "Installing dependencies…");
  writeFileSync(stamp, lockHash);
}

const built = at("dist", ".built");
const inputs = ["src", "package.json", "package-lock.json", "tsconfig.json", "tsdown.config.ts"];
if (!existsSync(built) || newest(inputs) > statSync(built).mtimeMs) {
  run(process.execPath, [at("scripts", "build.mjs"), "--quiet"], "Building…");
  writeFileSync(built, "");
}

const consoleBuilt = at("dist", "console", "index.html");
const consoleInputs = ["console", "src/contract", "package.json", "package-lock.json"];
if (!existsSync(consoleBuilt) || newest(consoleInputs) > statSync(consoleBuilt).mtimeMs) {
  run(
    process.execPath,
    [at("node_modules", "vite", "bin", "vite.js"), "build", "--config", at("console", "vite.config.ts"), "--logLevel", "warn"],
    "Building the console…",
  );
}

function newest(paths) {
  let latest = 0;
  const visit = (path) => {
    const stat = statSync(path);
    if (stat.isDirectory()) for (const name of readdirSync(path)) visit(join(path, name));
    else if (!path.endsWith(".test.ts")) latest = Math.max(latest, stat.mtimeMs);
  };
  for (const path of paths) visit(at(path));
  return latest;
}

function run(command, args, message) {
  process.stderr.write(`${message}\n`);
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ["ignore", 2, 2], shell: process.platform === "win32" });
  if (error || status !== 0) fail(`${command} failed${error ? `: ${error.message}` : ` with ${status}`}.`);
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
