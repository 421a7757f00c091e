/**
 * The agent that answers where no model is configured: scripts over real calls (demo-script.json), so that everything but thinking
 * can be tried. In a chat it changes nothing and asks for nothing; the tour works in a temporary workspace of its own.
 */
import { join } from "node:path";
import type { Json } from "../../contract/index.ts";
import { makeTemporaryDirectory, writeJsonFile, writeTextFile } from "../../host/index.ts";
import data from "./demo-script.json" with { type: "json" };

type DemoLanguage = "en" | "zh";

/** Further prompts of one session get the same answer; nobody plays longer. */
const furtherAnswers = 200;
/** A model that stands for a script of the same file. */
const scriptPrefix = "demo:";

/** Writes the script of a chat into the home and answers the model's name. */
export async function demoChat(home: string): Promise<string> {
  return writeScript(home, "chat", "en");
}

/** A fresh workspace for the tour, the model that plays it, and the words that begin it. */
export async function demoTour(
  home: string,
  language: DemoLanguage,
): Promise<{ readonly model: string; readonly workspace: string; readonly prompt: string }> {
  const { path: workspace } = await makeTemporaryDirectory("karyi-demo");
  for (const [name, text] of Object.entries(data.files)) await writeTextFile(join(workspace, name), text);
  for (const name of ["reader", "finder"] as const) await writeScript(home, name, language);
  return { model: await writeScript(home, "tour", language), workspace, prompt: data.prompt[language] };
}

async function writeScript(home: string, name: keyof typeof data.scripts, language: DemoLanguage): Promise<string> {
  const modelOf = (script: string) => `scripted/${join(home, "run", `demo-${script}-${language}.json`)}`;
  const later = Array.from({ length: furtherAnswers }, () => ({ text: data.later }));
  const turns = spoken([...data.scripts[name], ...later], language, modelOf);
  const model = modelOf(name);
  await writeJsonFile(model.slice("scripted/".length), turns);
  return model;
}

/** Texts in one language, and names of scripts as models. */
function spoken(value: Json, language: DemoLanguage, modelOf: (script: string) => string): Json {
  if (typeof value === "string") return value.startsWith(scriptPrefix) ? modelOf(value.slice(scriptPrefix.length)) : value;
  if (Array.isArray(value)) return value.map((one: Json) => spoken(one, language, modelOf));
  if (typeof value !== "object" || value === null) return value;
  const fields = value as { readonly [key: string]: Json };
  if (typeof fields.en === "string" && typeof fields.zh === "string") return fields[language] ?? "";
  return Object.fromEntries(Object.entries(fields).map(([key, one]) => [key, spoken(one, language, modelOf)]));
}
