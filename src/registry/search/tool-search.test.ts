import { describe, expect, it } from "vitest";
import { type Case, casesOf, catalogueTools, importedTool } from "../fixtures/catalogue.ts";
import { okapiBm25 } from "../fixtures/okapi.ts";
import * as heldOut from "../fixtures/search-held-out.ts";
import * as tuned from "../fixtures/search-queries.ts";
import * as moreTuned from "../fixtures/search-queries-more.ts";
import { ToolRegistry } from "../index.ts";
import { stem, words } from "./search-words.ts";
import { ToolSearchIndex } from "./tool-search-index.ts";

const tools = catalogueTools();
const registry = new ToolRegistry(tools);

function namesFor(query: string, limit = 5): readonly string[] {
  return registry.search(query, limit).map(({ name }) => name);
}

function recall(cases: readonly Case[], limit = 5, search = namesFor): number {
  const found = cases.filter(({ query, right }) => search(query, limit).some((name) => right.includes(name)));
  return found.length / cases.length;
}

const okapi = okapiBm25(tools);

describe("the measure", () => {
  it("is a catalogue of at least 500 tools of at least 25 fields with labels that exist", () => {
    const names = new Set(registry.names());
    expect(names.size).toBeGreaterThan(500);
    expect(new Set(registry.names().map((name) => name.split("__")[1])).size).toBeGreaterThan(25);
    const labels = [tuned, moreTuned, heldOut]
      .flatMap((tables) => Object.values<string>(tables))
      .flatMap(casesOf)
      .flatMap(({ right }) => right);
    expect(labels.filter((label) => !names.has(label))).toEqual([]);
  });
});

describe("the tool search", () => {
  const questions = [tuned.firstQueries, tuned.secondQueries, moreTuned.thirdQueries, moreTuned.tradesQueries].flatMap(casesOf);

  it("is ahead of Okapi BM25 by 4 points on whole requests that avoid the words of the tool", () => {
    expect(questions.length).toBeGreaterThan(500);
    expect(recall(questions) - recall(questions, 5, okapi)).toBeGreaterThanOrEqual(0.04);
  });

  it("is ahead of Okapi BM25 by 4 points on what models type, and not behind it on other requests", () => {
    const asModels = casesOf(heldOut.asModels);
    expect(recall(asModels) - recall(asModels, 5, okapi)).toBeGreaterThan(0.0399);
    const others = [heldOut.asPeople, heldOut.askew].flatMap(casesOf);
    expect(recall(others)).toBeGreaterThanOrEqual(recall(others, 5, okapi));
  });

  it("understands Chinese questions and misspelled words", () => {
    expect(recall(casesOf(tuned.chineseQueries))).toBeGreaterThan(0.9);
    expect(recall(casesOf(tuned.misspelledQueries))).toBe(1);
  });

  it("finds tools described in Chinese, by Chinese and by English", () => {
    const chinese = new ToolRegistry([
      importedTool("a", "查询火车票余票"),
      importedTool("b", "发送电子邮件"),
      importedTool("c", "播放音乐"),
    ]);
    expect(chinese.search("余票", 1).map(({ name }) => name)).toEqual(["a"]);
    expect(chinese.search("send an email", 1).map(({ name }) => name)).toEqual(["b"]);
    expect(chinese.search("我想听歌曲", 1).map(({ name }) => name)).toEqual(["c"]);
  });

  it("puts what is asked for by its name first", () => {
    for (const tool of tools.filter((_, at) => at % 20 === 0)) expect(namesFor(tool.name)[0]).toBe(tool.name);
    expect(namesFor("create_issue", 2).every((name) => name.endsWith("__create_issue"))).toBe(true);
    expect(namesFor("jira create ticket")[0]).toBe("mcp__jira__create_ticket");
  });

  it("keeps ties in the order of registration and gives the same answer twice", () => {
    const same = new ToolRegistry(["x_one", "x_two", "x_three"].map((name) => importedTool(name, "Does the frobnication.")));
    expect(same.search("frobnication", 3).map(({ name }) => name)).toEqual(["x_one", "x_two", "x_three"]);
    expect(namesFor("send a message")).toEqual(namesFor("send a message"));
  });

  it("answers nothing to nothing, and survives any text", () => {
    for (const query of ["", "   ", "the", "?!", "\u0000", "zzzzqqqq"]) expect(namesFor(query)).toEqual([]);
    for (const query of ["x".repeat(1_000_000), "constructor __proto__ toString", "\ud800", "a ".repeat(100_000)])
      expect(namesFor(query).length).toBeLessThan(6);
  });

  it("grows with the catalogue instead of starting again", () => {
    const growing = new ToolRegistry(tools);
    growing.search("anything at all", 1);
    growing.register(importedTool("mcp__bakery__proof_sourdough", "Tells how long a sourdough must rise"));
    expect(growing.search("sourdough", 1).map(({ name }) => name)).toEqual(["mcp__bakery__proof_sourdough"]);
  });

  it("costs less than twenty times as much on ten times the tools", () => {
    const many = (count: number) => {
      const index = new ToolSearchIndex();
      for (let at = 0; at < count; at++) {
        const tool = tools[at % tools.length];
        if (tool !== undefined) index.add(importedTool(`${tool.name}_${at}`, `${tool.description} ${at}`));
      }
      return index;
    };
    const [small, large] = [many(500), many(5_000)];
    const questions = casesOf(tuned.firstQueries).map(({ query }) => query);
    const time = (index: ToolSearchIndex) => {
      const { user } = process.cpuUsage();
      for (const question of questions) index.search(question, 5);
      return process.cpuUsage().user - user;
    };
    const ratios = Array.from({ length: 5 }, () => {
      const small1 = time(small);
      return time(large) / Math.max(1, small1);
    });
    expect(ratios.sort((a, b) => a - b)[2]).toBeLessThan(20);
  });
});

describe("words", () => {
  it("are the same for every way to write a name", () => {
    for (const name of ["createIssue", "create_issue", "CreateIssue", "create-issue", "create.issue", "CREATE_ISSUE"])
      expect(words(name)).toEqual(["create", "issue"]);
    expect(words("HTTPServer2 getURLList")).toEqual(["http", "server2", "get", "url", "list"]);
    expect(words("Café 12 naïve")).toEqual(["cafe", "naive"]);
  });

  it("have one stem in all their forms", () => {
    for (const forms of [
      "create creates created creating",
      "translate translation translating",
      "file files",
      "delete deleting deletion",
      "run running runs",
      "write writing writes",
      "reply replies replying",
      "plan plans planning planned",
      "notify notification notifies",
    ])
      expect(new Set(forms.split(" ").map(stem)).size, forms).toBe(1);
    expect(stem("plane")).not.toBe(stem("plan"));
    expect(stem("server")).not.toBe(stem("serve"));
  });
});
