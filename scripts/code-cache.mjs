// Leaves V8's compiled form of the command beside its bundle: runs one real call in a throw-away place and saves
// what was compiled for it. `bin/karyi.js` says when the form is used. A part of the build.
import { createHash } from "node:crypto";
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const place = mkdtempSync(join(tmpdir(), "karyi-build-"));
writeFileSync(join(place, "a.txt"), "a\n");
process.argv.splice(2, Infinity, "call", "Read", '{"file_path":"a.txt"}', "--workspace", place, "--home", join(place, "home"), "--json");

process.on("exit", (code) => {
  rmSync(place, { recursive: true, force: true });
  if (code !== 0) return;
  const form = `${fileURLToPath(new URL("../dist/command.cjs.v8", import.meta.url))}`;
  const hash = createHash("sha256").update(command.source).digest();
  writeFileSync(`${form}.new`, Buffer.concat([hash, command.script.createCachedData()]));
  renameSync(`${form}.new`, form);
});

const command = createRequire(import.meta.url)("../bin/karyi.js");
