// One of a crowd: adds its own lines to files that all share, and now and then runs a captured command over its own marks.
// crowd.child.mjs WORKSPACE HOME NAME MS FILES; says in JSON which edits were acknowledged.
import { createEngine } from "../dist/index.js";

const [workspace, home, name, ms, files] = process.argv.slice(2);
const engine = await createEngine({
  workspace,
  home,
  mode: "accept-edits",
  approve: async () => "once",
  config: { lockTimeoutMs: 600_000 },
});
const session = await engine.openSession({ id: name });
const end = Date.now() + Number(ms);
const acknowledged = [];
const refusals = {};
// On a slow machine the time may be over before anything got through: each goes on until one change of either kind did.
const isProof = () => acknowledged.some(({ files }) => files === "all") && acknowledged.some(({ files }) => files !== "all");
for (let round = 0; Date.now() < end || !isProof(); round++) {
  const file = `f${round % Number(files)}.txt`;
  const mark = `${name}-${round}`;
  await session.call("Read", { file_path: file });
  const result =
    round % 5 === 4
      ? await session.call("Bash", { command: `for f in f*.txt; do sed -i 's/^end$/${mark}\\nend/' $f; done` })
      : await session.call("Edit", { file_path: file, old_string: "end\n", new_string: `${mark}\nend\n` });
  if (result.status === "ok") acknowledged.push({ mark, files: round % 5 === 4 ? "all" : file });
  else {
    const reason = result.error?.details?.reason ?? result.output;
    refusals[reason] = (refusals[reason] ?? 0) + 1;
  }
}
await engine.close();
process.stdout.write(JSON.stringify({ acknowledged, refusals }));
