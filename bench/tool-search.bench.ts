/** How long a model waits for the tool search among 5,000 tools; the limit is the search that finds next to nothing. */
import { it } from "vitest";
import { z } from "zod";
import { defineTool, type Tool } from "../src/index.ts";
import { measure, record } from "./measure.ts";
import { benchPlace, smoke } from "./place.ts";

const verbs = [
  "Create",
  "Delete",
  "List",
  "Update",
  "Search",
  "Export",
  "Import",
  "Archive",
  "Share",
  "Rename",
  "Merge",
  "Close",
  "Assign",
];
const things = ["Invoice", "Customer", "Issue", "Branch", "Calendar", "Message", "Channel", "Document", "Sheet", "Database", "Deployment"];
const systems = ["Jira", "GitHub", "Slack", "Notion", "Stripe", "Salesforce", "Drive", "Linear", "Zendesk", "Shopify", "Airtable", "Figma"];
const count = smoke ? 200 : 5000;

const tools: readonly Tool[] = Array.from({ length: count }, (_, index) => {
  const verb = verbs[index % verbs.length] ?? "";
  const thing = things[Math.floor(index / verbs.length) % things.length] ?? "";
  const system = systems[Math.floor(index / (verbs.length * things.length)) % systems.length] ?? "";
  return defineTool({
    name: `${system}${verb}${thing}${index}`,
    description: `${verb}s a ${thing.toLowerCase()} in ${system}, with its fields, owner and labels; number ${index}.`,
    input: z.object({ id: z.string().describe(`Which ${thing.toLowerCase()}`) }),
    traits: { readOnly: true, searchHint: `${verb} ${thing} ${system}`.toLowerCase() },
    run: () => ({ output: "" }),
  });
});

const questions = [
  "send a message to a slack channel",
  "make a new invoice for a customer",
  "which issues are assigned to me in jira",
  "remove an old git branch",
  "put a meeting into the calendar",
  "export the sales table as a sheet",
  "roll out the new version",
  "找到客户的发票",
  "rename documnet in drive",
  "close the ticket that the customer opened yesterday",
];

const { session } = await benchPlace({ tools });
const cards = tools.map(({ name, description }) => `${name} ${description}`.toLowerCase());

it("a search among 5,000 tools takes under 2 ms", async () => {
  const answer = await measure({
    name: "tool search: a query among 5,000 tools over looking for its words in every text",
    limit() {
      for (const text of questions) {
        const words = text.split(" ");
        if (cards.filter((card) => words.every((word) => card.includes(word))).length > count) throw new Error("impossible");
      }
    },
    ours() {
      for (const text of questions) if (session.catalog.searchTools(text, 5).length === 0 && !smoke) throw new Error(`nothing for ${text}`);
    },
    pairs: 31,
  });
  const each = { ...answer, limitMs: answer.limitMs / questions.length, oursMs: answer.oursMs / questions.length };
  record({ ...each, target: `${each.oursMs.toFixed(2)} ms a query, target under 2 ms` });
});
