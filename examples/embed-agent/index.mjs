// An agent inside a program of your own: node examples/embed-agent/index.mjs "What is here?" [PROVIDER/MODEL]
import { createEngine } from "karyi";

const [prompt = "What is here?", model] = process.argv.slice(2);
const engine = await createEngine({ workspace: ".", approve: async (card) => (card.tool === "Write" ? "once" : "deny") });
try {
  const session = await engine.openSession({ id: `example-${Date.now()}` });
  for await (const event of session.run(prompt, model === undefined ? {} : { model })) {
    if (event.type === "text_delta") process.stdout.write(event.body.text);
    if (event.type === "tool_result") console.log(`\n[${event.body.tool}: ${event.body.status}]`);
    if (event.type === "run_end") console.log(`\n[${event.body.status}, ${event.body.rounds} rounds]`);
  }
} finally {
  await engine.close();
}
