import { describe, expect, it } from "vitest";
import { noise, tokens } from "../fixtures/secrets.ts";
import type { Secret } from "./known-values.ts";
import { createMasker } from "./masker.ts";

function maskerFor(...secrets: readonly (readonly [name: string, value: string])[]) {
  const list: readonly Secret[] = secrets.map(([name, value]) => ({ name, value }));
  return createMasker(() => list);
}

const value = "S3cr3tEXAMPLE";
const masker = maskerFor(["TOKEN", value]);
const hex = Buffer.from(value).toString("hex");

describe("values of variables", () => {
  it.each([
    ["plain", value],
    ["in the middle of a word", `prefix${value}suffix`],
    ["base64", Buffer.from(value).toString("base64")],
    ["base64 without padding", Buffer.from(value).toString("base64url")],
    ["base64 one byte later", Buffer.from(`x${value}y`).toString("base64")],
    ["base64 two bytes later", Buffer.from(`xx${value}yy`).toString("base64")],
    [
      "base64 broken into lines",
      Buffer.from(noise(50) + value + noise(50))
        .toString("base64")
        .replace(/.{76}/g, "$&\n"),
    ],
    [
      "base64 of mail",
      Buffer.from(noise(44) + value + noise(50))
        .toString("base64")
        .replace(/.{64}/g, "$&\r\n"),
    ],
    ["hex", hex],
    ["hex in capitals", hex.toUpperCase()],
    ["hex in odd groups", `${hex.slice(0, 18)} ${hex.slice(18)}`],
    ["hex by bytes", hex.replace(/../g, "$& ")],
    ["hex with colons", hex.replace(/..(?!$)/g, "$&:")],
    ["hex as an array", `[${hex.replace(/../g, "0x$&, ")}]`],
    ["hex as escapes", hex.replace(/../g, "\\x$&")],
    ["hex over lines", hex.replace(/.{8}/g, "$&\n  ")],
    ["percent-encoded", hex.replace(/../g, "%$&")],
    ["percent-encoded in capitals", hex.toUpperCase().replace(/../g, "%$&")],
  ])("are masked: %s", (_, text) => {
    const masked = masker.mask(`before ${text} after`);
    expect(masked).toContain("$KARYI{TOKEN}");
    expect(masked.startsWith("before ")).toBe(true);
    expect(masked.endsWith(" after")).toBe(true);
    expect(masked).not.toContain(text);
  });

  it.each([
    ["JSON", (text: string) => JSON.stringify(text)],
    ["JSON in JSON", (text: string) => JSON.stringify(JSON.stringify(text))],
    ["JSON with escaped slashes", (text: string) => JSON.stringify(text).replaceAll("/", "\\/")],
    ["URL component", encodeURIComponent],
    ["form", (text: string) => new URLSearchParams({ v: text }).toString()],
    ["single quotes of a shell", (text: string) => `'${text.replaceAll("'", "'\\''")}'`],
    ["double quotes of a shell", (text: string) => `"${text.replace(/["$`\\]/g, "\\$&")}"`],
    ["backslashes of a shell", (text: string) => text.replace(/[^A-Za-z0-9]/g, "\\$&")],
    ["markup", (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")],
  ])("with every special character are masked in %s", (_, write) => {
    const special = `p "q' $(id) \`x\` \\ /é中 <&> %41+=!`;
    expect(maskerFor(["V", special]).mask(`<<${write(special)}>>`)).toContain("$KARYI{V}");
  });

  it("in base64 over lines of stderr are masked, whole and in pieces of any length", () => {
    const long = noise(24, 7);
    const encoded = Buffer.from(`${"a".repeat(45)}${long}${"b".repeat(60)}`).toString("base64");
    const lines = encoded.replace(/.{76}/g, "$&\n").replace(/^/gm, "[stderr] ");
    const halves = lines.split("\n").map((line) => line.slice(-12));
    const one = maskerFor(["LONG", long]);
    const whole = one.mask(lines);
    expect(whole).toContain("$KARYI{LONG}");
    expect(whole).not.toContain(halves[0]);
    for (let size = 1; size < 120; size += 7) {
      const stream = one.stream();
      let text = "";
      for (let at = 0; at < lines.length; at += size) text += stream.push(lines.slice(at, at + size));
      expect([size, text + stream.end()]).toEqual([size, whole]);
    }
  });

  it("of several lines are masked line by line too, as tools number them", () => {
    const lines = [noise(40, 1), noise(40, 2), noise(40, 3)];
    const masked = maskerFor(["KEY", lines.join("\n")]).mask(lines.map((line, index) => `     ${index + 1}\t${line}`).join("\n"));
    expect(masked).toBe("     1\t$KARYI{KEY}\n     2\t$KARYI{KEY}\n     3\t$KARYI{KEY}");
  });

  it("with blanks around them are masked without the blanks", () => {
    expect(maskerFor(["V", `${value}\n`]).mask(`x=${value};`)).toBe("x=$KARYI{V};");
  });

  it("that overlap are masked as one, under the leftmost name, so that no tail is left", () => {
    expect(maskerFor(["A", "abcdefghij"], ["B", "fghijklmno"]).mask("<abcdefghijklmno>")).toBe("<$KARYI{A}>");
    expect(maskerFor(["A", "abcdefgh"], ["B", "abcdefghij"]).mask("<abcdefghij>")).toBe("<$KARYI{B}>");
  });

  it("with fewer than 8 characters are masked as whole words only, below 4 not at all", () => {
    const short = maskerFor(["PIN", "h7nter2"], ["TINY", "abc"]);
    expect(short.mask("h7nter2 xh7nter2 h7nter2x 'h7nter2' abc")).toBe("$KARYI{PIN} xh7nter2 h7nter2x '$KARYI{PIN}' abc");
  });

  it("that read like a name leave placeholders as they are", () => {
    const odd = maskerFor(["KARYI", "PASSWORD"], ["PASSWORD", "KARYI"]);
    expect(odd.mask("PASSWORD $KARYI{PASSWORD} KARYI")).toBe("$KARYI{KARYI} $KARYI{PASSWORD} $KARYI{PASSWORD}");
    // Only what is in the list of names anyway may pass so.
    expect(maskerFor(["A", value]).mask(`$KARYI{${value}}`)).toBe("$KARYI{$KARYI{A}}");
  });

  it("are found again after the list changed", () => {
    let secrets: readonly Secret[] = [];
    const changing = createMasker(() => secrets);
    expect(changing.mask(value)).toBe(value);
    secrets = [{ name: "NEW", value }];
    expect(changing.mask(value)).toBe("$KARYI{NEW}");
  });

  it("placeholders in a text are never expanded", () => {
    expect(masker.mask("a page says $KARYI{TOKEN}")).toBe("a page says $KARYI{TOKEN}");
  });
});

describe("streams", () => {
  it("hand out at once what no later text can change", () => {
    const stream = masker.stream();
    expect(stream.push("Continue? (y/n) ")).toBe("Continue? (y/n) ");
    expect(stream.push("Password: ")).toBe("Password: ");
    expect(stream.push("\n....")).toBe("\n....");
    expect(stream.push("now S3cr")).toBe("now ");
    expect(stream.push("3tEXAMPL")).toBe("");
    expect(stream.push("E!")).toBe("$KARYI{TOKEN}!");
    expect(stream.end()).toBe("");
  });

  it("hand out the held rest at the end", () => {
    const stream = masker.stream();
    expect(stream.push("x S3cr") + stream.end()).toBe("x S3cr");
  });

  it("never hand out half a character", () => {
    const stream = masker.stream();
    const pieces = [..."a😀b".split(""), ""].map((unit) => (unit === "" ? stream.end() : stream.push(unit)));
    expect(pieces).toEqual(["a", "", "😀", "b", ""]);
  });

  it("hold back a bounded number of characters, however long a secret goes on", () => {
    const stream = masker.stream();
    const [, token = ""] = tokens.find(([kind]) => kind === "jwt") ?? [];
    let out = stream.push(`-----BEGIN PRIVATE KEY-----\n`);
    for (let line = 0; line < 2000; line++) out += stream.push(`${noise(64, line + 1)}\n`);
    expect(out).toBe("-----BEGIN PRIVATE KEY-----\n[masked:private-key]");
    out = stream.push("-----END PRIVATE KEY-----\n");
    expect(out).toBe("\n-----END PRIVATE KEY-----\n");
    out = stream.push(token);
    for (let more = 0; more < 2000; more++) out += stream.push(noise(64, more + 1));
    expect(out).toBe("[masked:jwt]");
    expect(stream.push(" end") + stream.end()).toBe(" end");
  });
});

describe("maskJson", () => {
  it("masks texts and names deep in a structure and keeps its form", () => {
    const input = { a: [1, null, true, `x${value}`], [value]: { b: value }, big: 12345678901 };
    expect(masker.maskJson(input)).toEqual({
      a: [1, null, true, "x$KARYI{TOKEN}"],
      "$KARYI{TOKEN}": { b: "$KARYI{TOKEN}" },
      big: 12345678901,
    });
  });

  it("hands back the same object where there is nothing to mask", () => {
    const input = { a: [{ b: "c" }], d: new Uint8Array(3), e: new Date(0) };
    expect(masker.maskJson(input)).toBe(input);
  });

  it("masks a number that is a value, and a field by its name", () => {
    expect(maskerFor(["PIN", "1234567890"]).maskJson({ n: 1234567890 })).toEqual({ n: "$KARYI{PIN}" });
    expect(masker.maskJson({ dbPassword: "hunter2-x", password: "string" })).toEqual({
      dbPassword: "[masked:password]",
      password: "string",
    });
  });

  it("survives cycles, great depth, and names that are masked alike", () => {
    const cyclic: Record<string, unknown> = { value };
    cyclic.self = cyclic;
    expect(masker.maskJson(cyclic)).toEqual({ value: "$KARYI{TOKEN}", self: "[circular]" });
    let deep: unknown = value;
    for (let level = 0; level < 100_000; level++) deep = [deep];
    let masked: unknown = masker.maskJson(deep);
    while (Array.isArray(masked)) [masked] = masked;
    expect(masked).toBe("$KARYI{TOKEN}");
    const shared = { value };
    expect(masker.maskJson([shared, shared])).toEqual([{ value: "$KARYI{TOKEN}" }, { value: "$KARYI{TOKEN}" }]);
    expect(masker.maskJson({ [value]: 1, [hex]: 2, ["__proto__"]: value })).toEqual(
      Object.fromEntries([
        ["$KARYI{TOKEN}", 1],
        ["$KARYI{TOKEN} (2)", 2],
        ["__proto__", "$KARYI{TOKEN}"],
      ]),
    );
  });

  it("without shapes leaves what must be run again as it is, but for values", () => {
    const [, token = ""] = tokens[0] ?? [];
    expect(masker.valuesOnly.maskJson({ content: token, other: value, password: "hunter2-x" })).toEqual({
      content: token,
      other: "$KARYI{TOKEN}",
      password: "hunter2-x",
    });
  });
});
