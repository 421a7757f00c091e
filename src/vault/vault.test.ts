import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, readdir, readFile, stat, symlink, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { ToolFailure } from "../contract/index.ts";
import { openVault, temporaryHome } from "./fixtures/open-vault.ts";
import { createMasker, type VaultPlace } from "./index.ts";

const place: VaultPlace = { workspace: "/work/project", sessionId: "s1" };
const home = () => temporaryHome(onTestFinished);

async function failureOf(work: Promise<unknown>): Promise<ToolFailure> {
  const failure = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(ToolFailure);
  return failure as ToolFailure;
}

describe("variables", () => {
  it("of the session come before those of the project, and those before global ones", async () => {
    const vault = openVault(await home());
    await vault.set({ name: "A", value: "global-value", scope: "global", note: "everywhere" }, place);
    await vault.set({ name: "B", value: "global-b-value", scope: "global" }, place);
    await vault.set({ name: "A", value: "project-value", scope: "project" }, place);
    await vault.set({ name: "A", value: "session-value", scope: "session" }, place);
    expect(await vault.list(place)).toEqual([
      { name: "A", scope: "session" },
      { name: "B", scope: "global" },
    ]);
    expect((await vault.get("A", place))?.value).toBe("session-value");
    expect((await vault.get("A", { workspace: "/work/project", sessionId: "s2" }))?.value).toBe("project-value");
    expect((await vault.get("A", { workspace: "/elsewhere" }))?.value).toBe("global-value");
    expect(await vault.remove("A", "session", place)).toBe(true);
    expect(await vault.remove("A", "session", place)).toBe(false);
    expect((await vault.get("A", place))?.value).toBe("project-value");
  });

  it("outlive the process, but for those of a session", async () => {
    const directory = await home();
    const vault = openVault(directory);
    await vault.set(
      { name: "KEPT", value: "kept-value-1", scope: "global", note: "n", tools: ["Bash"], hosts: ["API.Example.com"] },
      place,
    );
    await vault.set({ name: "GONE", value: "gone-value-1", scope: "session" }, place);
    expect(await openVault(directory).list(place)).toEqual([
      { name: "KEPT", scope: "global", note: "n", tools: ["Bash"], hosts: ["api.example.com"] },
    ]);
  });

  it("with a bad name, an empty value or a bad host are refused; short values are accepted with a warning", async () => {
    const vault = openVault(await home());
    for (const name of ["", "1A", "A-B", "A B", "É", "A".repeat(200)]) {
      expect((await failureOf(vault.set({ name, value: "long enough", scope: "global" }, place))).code).toBe("invalid_tool_input");
    }
    expect((await failureOf(vault.set({ name: "A", value: "", scope: "global" }, place))).code).toBe("invalid_tool_input");
    expect((await failureOf(vault.set({ name: "A", value: "x".repeat(9), scope: "global", hosts: ["*"] }, place))).code).toBe(
      "invalid_tool_input",
    );
    expect(await vault.set({ name: "A", value: "short", scope: "global" }, place)).toEqual([
      expect.stringContaining("fewer than 8 characters"),
    ]);
    expect(await vault.set({ name: "A", value: "long enough", scope: "global" }, place)).toEqual([]);
  });

  it("that were removed or replaced stay masked while the process lives", async () => {
    const vault = openVault(await home());
    const masker = createMasker(vault.secrets);
    await vault.set({ name: "A", value: "first-value-1", scope: "global" }, place);
    await vault.set({ name: "A", value: "second-value-2", scope: "global" }, place);
    expect(masker.mask("first-value-1 second-value-2")).toBe("$KARYI{A} $KARYI{A}");
    await vault.remove("A", "global", place);
    expect(masker.mask("first-value-1 second-value-2")).toBe("$KARYI{A} $KARYI{A}");
  });
});

describe("at rest", () => {
  it("neither values nor names nor notes can be read, and only the owner reads the files", async () => {
    const directory = await home();
    await openVault(directory).set({ name: "CANARY_NAME", value: "canary-value-1", scope: "global", note: "canary-note" }, place);
    expect((await readdir(directory)).sort()).toEqual(["vault.enc", "vault.key"]);
    for (const file of await readdir(directory)) {
      expect((await stat(join(directory, file))).mode & 0o777).toBe(0o600);
      expect(await readFile(join(directory, file), "utf8")).not.toMatch(/canary/i);
    }
  });

  it("a file opened to others is closed again when it is read", async () => {
    const directory = await home();
    await openVault(directory).set({ name: "A", value: "value-of-a", scope: "global" }, place);
    await chmod(join(directory, "vault.key"), 0o644);
    await openVault(directory).list(place);
    expect((await stat(join(directory, "vault.key"))).mode & 0o777).toBe(0o600);
  });

  it("any change to the file is noticed, and nothing is overwritten", async () => {
    const directory = await home();
    const path = join(directory, "vault.enc");
    await openVault(directory).set({ name: "A", value: "value-of-a", scope: "global" }, place);
    const good = JSON.parse(await readFile(path, "utf8")) as Record<string, string> & { key: object };
    const flipped = (text = "") => `${text.startsWith("A") ? "B" : "A"}${text.slice(1)}`;
    const bad = [
      { ...good, data: flipped(good.data) },
      { ...good, nonce: flipped(good.nonce) },
      { ...good, tag: flipped(good.tag) },
      { ...good, data: "" },
      { ...good, version: 2 },
      { ...good, key: { ...good.key, place: "keychain" } },
      { ...good, key: { ...good.key, kdf: { name: "scrypt", salt: "", N: 2 ** 30, r: 8, p: 1 } } },
    ].map((file) => JSON.stringify(file));
    for (const text of [...bad, "", "{}", "null", "not json"]) {
      await writeFile(path, text);
      const vault = openVault(directory);
      expect((await failureOf(vault.list(place))).details).toEqual({ reason: "vault_damaged" });
      expect((await failureOf(vault.set({ name: "B", value: "value-of-b", scope: "global" }, place))).hint).toContain("karyi var reset");
      expect(await readFile(path, "utf8")).toBe(text);
    }
  });

  it("a link in place of the file is refused", async () => {
    const directory = await home();
    await openVault(directory).set({ name: "A", value: "value-of-a", scope: "global" }, place);
    await unlink(join(directory, "vault.key"));
    await symlink("/dev/zero", join(directory, "vault.key"));
    expect((await failureOf(openVault(directory).list(place))).details).toEqual({ reason: "vault_unreadable" });
  });
});

describe("keys", () => {
  it("a lost key is a clear error, nothing is overwritten, and after a reset values can be set anew", async () => {
    const directory = await home();
    await openVault(directory).set({ name: "A", value: "value-of-a", scope: "global" }, place);
    const sealed = await readFile(join(directory, "vault.enc"), "utf8");
    await unlink(join(directory, "vault.key"));
    const vault = openVault(directory);
    for (const work of [vault.list(place), vault.set({ name: "B", value: "value-of-b", scope: "global" }, place), vault.rekey()]) {
      const failure = await failureOf(work);
      expect(failure.details).toEqual({ reason: "vault_key_missing" });
      expect(failure.hint).toContain("karyi var reset");
    }
    expect(await readFile(join(directory, "vault.enc"), "utf8")).toBe(sealed);
    const aside = await vault.reset();
    expect(await readFile(aside ?? "", "utf8")).toBe(sealed);
    await vault.set({ name: "B", value: "value-of-b", scope: "global" }, place);
    expect(await openVault(directory).list(place)).toEqual([{ name: "B", scope: "global" }]);
  });

  it("a wrong key is told from a damaged file", async () => {
    const directory = await home();
    await openVault(directory).set({ name: "A", value: "value-of-a", scope: "global" }, place);
    await writeFile(join(directory, "vault.key"), "ab".repeat(32));
    expect((await failureOf(openVault(directory).list(place))).details).toEqual({ reason: "vault_key_wrong" });
    await writeFile(join(directory, "vault.key"), "rubbish");
    expect((await failureOf(openVault(directory).list(place))).details).toEqual({ reason: "vault_key_unreadable" });
  });

  it.each([
    ["hexadecimal", "0f".repeat(32)],
    ["base64", Buffer.alloc(32, 7).toString("base64")],
    ["a passphrase", "correct horse battery staple"],
  ])("given as %s opens the vault, and only that key does", async (_, given) => {
    const directory = await home();
    await openVault(directory, { given }).set({ name: "A", value: "value-of-a", scope: "global" }, place);
    expect(await readdir(directory)).toEqual(["vault.enc"]);
    expect((await openVault(directory, { given }).get("A", place))?.value).toBe("value-of-a");
    expect((await failureOf(openVault(directory, { given: "another passphrase" }).list(place))).details).toEqual({
      reason: "vault_key_wrong",
    });
    expect((await failureOf(openVault(directory).list(place))).details).toEqual({ reason: "vault_key_missing" });
  });

  it("are changed for all variables at once, to a new one and to a passphrase and back", async () => {
    const directory = await home();
    const vault = openVault(directory);
    await vault.set({ name: "A", value: "value-of-a", scope: "global" }, place);
    await vault.set({ name: "B", value: "value-of-b", scope: "project" }, place);
    const oldKey = await readFile(join(directory, "vault.key"), "utf8");
    expect(await vault.rekey()).toBe(2);
    expect(await readFile(join(directory, "vault.key"), "utf8")).not.toContain(oldKey.trim());
    expect(await openVault(directory).list(place)).toHaveLength(2);
    expect(await vault.rekey("a new passphrase")).toBe(2);
    expect(await vault.list(place)).toHaveLength(2);
    expect((await failureOf(openVault(directory).list(place))).details).toEqual({ reason: "vault_key_missing" });
    const withPassphrase = openVault(directory, { given: "a new passphrase" });
    expect(await withPassphrase.list(place)).toHaveLength(2);
    expect(await withPassphrase.rekey()).toBe(2);
    expect(await openVault(directory).list(place)).toHaveLength(2);
  });

  it("a change that stops half way leaves a vault that opens", async () => {
    const directory = await home();
    const vault = openVault(directory);
    await vault.set({ name: "A", value: "value-of-a", scope: "global" }, place);
    const key = (await readFile(join(directory, "vault.key"), "utf8")).trim();
    const sealed = await readFile(join(directory, "vault.enc"));
    await vault.rekey();
    const next = (await readFile(join(directory, "vault.key"), "utf8")).trim();
    const resealed = await readFile(join(directory, "vault.enc"));
    // The moments between its three writes.
    for (const [keys, file] of [
      [`${next}\n${key}\n`, sealed],
      [`${next}\n${key}\n`, resealed],
    ] as const) {
      await writeFile(join(directory, "vault.key"), keys);
      await writeFile(join(directory, "vault.enc"), file);
      expect((await openVault(directory).get("A", place))?.value).toBe("value-of-a");
    }
  });

  it("in a keychain are used where it works, and asked for there ever after", async () => {
    const directory = await home();
    const kept: string[] = [];
    const keychain = { works: async () => true, read: async () => kept.at(-1), write: async (text: string) => void kept.push(text) };
    await openVault(directory, { keychain }).set({ name: "A", value: "value-of-a", scope: "global" }, place);
    expect(await readdir(directory)).toEqual(["vault.enc"]);
    expect((await openVault(directory, { keychain }).get("A", place))?.value).toBe("value-of-a");
    expect((await failureOf(openVault(directory).list(place))).message).toContain("the keychain");
    const other = await home();
    await openVault(other, { keychain: { ...keychain, works: async () => false } }).set(
      { name: "A", value: "value-of-a", scope: "global" },
      place,
    );
    expect((await readdir(other)).sort()).toEqual(["vault.enc", "vault.key"]);
  });
});

describe("several at once", () => {
  const child = (directory: string, prefix: string, count: number) =>
    spawn(
      process.execPath,
      [
        "--import",
        join(import.meta.dirname, "../../test/support/ts-register.mjs"),
        join(import.meta.dirname, "vault.child.ts"),
        directory,
        prefix,
        String(count),
      ],
      { stdio: ["ignore", "pipe", "inherit"] },
    );

  it("two processes and this one lose no variable of each other", async () => {
    const directory = await home();
    const count = process.env.KARYI_FULL === "1" ? 100 : 15;
    const children = ["FIRST", "SECOND"].map((prefix) => child(directory, prefix, count));
    await Promise.all(children.map((process) => once(process.stdout, "data")));
    const vault = openVault(directory);
    await Promise.all(
      Array.from({ length: count }, (_, index) => vault.set({ name: `OWN_${index}`, value: `own-value-${index}`, scope: "global" }, place)),
    );
    const codes = await Promise.all(
      children.map(async (process) => (process.exitCode === null ? (await once(process, "exit"))[0] : process.exitCode)),
    );
    expect(codes).toEqual([0, 0]);
    expect(await vault.list(place)).toHaveLength(3 * count);
    expect((await readdir(directory)).sort()).toEqual(["vault.enc", "vault.key"]);
  });

  it("a process that was killed while it held the lock keeps nobody out", async () => {
    const directory = await home();
    const killed = child(directory, "KILLED", 10_000);
    await once(killed.stdout, "data");
    killed.kill("SIGKILL");
    await once(killed, "exit");
    const vault = openVault(directory);
    await vault.set({ name: "AFTER", value: "value-after", scope: "global" }, place);
    expect((await vault.list(place)).map(({ name }) => name)).toContain("AFTER");
    expect((await vault.list(place)).map(({ name }) => name)).toContain("KILLED_0");
  });

  it("a lock of a dead process is taken over", async () => {
    const directory = await home();
    const dead = spawn(process.execPath, ["-e", "0"]);
    await once(dead, "exit");
    await writeFile(join(directory, "vault.lock"), JSON.stringify({ id: "x", pid: dead.pid, startToken: "linux-gone" }));
    await openVault(directory).set({ name: "A", value: "value-of-a", scope: "global" }, place);
    expect((await readdir(directory)).sort()).toEqual(["vault.enc", "vault.key"]);
  });
});
