/** Logging in to HTTP servers, against a real authorization server on loopback. */
import { spawn } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { guardedServer } from "./support/authorization-server.ts";
import { karyi } from "./support/command.ts";
import { temporaryDirectory, testEngine } from "./support/engine.ts";
import { bin } from "./support/mcp.ts";

/** What a browser does with the link: it is logged in already, and comes straight back. */
async function browse(link: string): Promise<number> {
  const { headers } = await fetch(link, { redirect: "manual" });
  return (await fetch(headers.get("location") ?? "")).status;
}

async function engineFor(url: string, more: object = {}, home?: string) {
  const place = home ?? (await temporaryDirectory());
  await writeFile(join(place, "config.json"), JSON.stringify({ mcpServers: { docs: { type: "http", url, ...more } } }));
  const { engine } = await testEngine({ home: place });
  const session = await engine.openSession();
  const login = (show: (link: string) => unknown = browse) =>
    engine.servers?.login("docs", { show: async (link) => void (await show(link)), signal: new AbortController().signal });
  return { home: place, engine, login, call: () => session.call("mcp__docs__echo", { text: "hi" }) };
}

const needed = {
  status: "error",
  error: {
    code: "tool_error",
    message: "The MCP server 'docs' wants the person to log in: karyi mcp login docs",
    details: { reason: "login_needed", server: "docs" },
  },
};

async function filesOf(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => readFile(join(parentPath, name), "latin1"));
  return (await Promise.all(files)).join("\n");
}

describe("a server that wants a login", () => {
  it("fails a call with what the person can do, and asks no browser", async () => {
    const guarded = await guardedServer();
    const { call } = await engineFor(guarded.url);
    expect(await call()).toMatchObject(needed);
    expect(guarded.grants).toEqual([]);
  });

  it("is used after karyi mcp login, in every process, until karyi mcp logout; nothing of it is in a file, a list or a result", async () => {
    const guarded = await guardedServer();
    const { home, engine, call } = await engineFor(guarded.url);
    const where = ["--home", home, "--workspace", engine.workspace];
    const command = spawn(process.execPath, [bin, "mcp", "login", "docs", ...where], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void command.kill());
    let told = "";
    const link = new Promise<string>((resolve) => {
      command.stdout.on("data", (chunk: Buffer) => {
        told += chunk;
        const found = /^ {2}(http\S+)$/m.exec(told)?.[1];
        if (found !== undefined) resolve(found);
      });
    });
    const ended = new Promise((resolve) => void command.once("exit", resolve));
    expect(await browse(await link)).toBe(200);
    expect(await ended).toBe(0);
    expect(told).toContain("Logged in to docs; tools: 1");
    const page = new URL(await link).searchParams;
    expect(page.get("code_challenge_method")).toBe("S256");
    expect(page.get("resource")).toBe(guarded.url);
    expect(page.get("scope")).toBe("read");
    expect(page.get("redirect_uri")).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);

    const { status, output } = await call();
    expect(status).toBe("ok");
    expect(output).toContain("hi by $KARYI{MCP_DOCS_ACCESS_TOKEN}");
    expect(await engine.vault.list({ workspace: engine.workspace })).toEqual([]);
    expect(await engine.vault.get("MCP_DOCS_ACCESS_TOKEN", { workspace: engine.workspace })).toBeUndefined();
    const kept = await filesOf(home);
    expect(guarded.secrets.length).toBeGreaterThan(3);
    for (const secret of guarded.secrets) {
      expect(kept).not.toContain(secret);
      expect(told + output).not.toContain(secret);
    }

    expect((await karyi(["mcp", "logout", "docs", ...where])).stdout).toContain("Forgot the login to docs.");
    expect(await call()).toMatchObject(needed);
    expect((await karyi(["mcp", "logout", "docs", ...where])).stdout).toContain("There was no login to docs.");
  });

  it("gets a renewed token when the old one is over, once for calls side by side, also when another process renewed it", async () => {
    const guarded = await guardedServer();
    const { home, login, call, engine } = await engineFor(guarded.url);
    await login();
    await call();
    const other = await engineFor(guarded.url, {}, home);
    expect((await other.call()).status).toBe("ok");
    guarded.expire();
    const grants = guarded.grants.length;
    const calls = await Promise.all([call(), call(), call()]);
    expect(calls.map(({ status }) => status)).toEqual(["ok", "ok", "ok"]);
    expect(guarded.grants.slice(grants).map((grant) => grant.get("grant_type"))).toEqual(["refresh_token"]);
    expect((await other.call()).status).toBe("ok");
    expect(guarded.grants).toHaveLength(grants + 1);
    guarded.revoke();
    expect(await call()).toMatchObject(needed);
    await login();
    expect((await call()).status).toBe("ok");
    expect(engine.servers?.usable()).toEqual(["docs"]);
  });

  it("may want more rights at a call: the next login asks for them too", async () => {
    const guarded = await guardedServer();
    const { login, call } = await engineFor(guarded.url);
    await login();
    guarded.demand("write");
    expect(await call()).toMatchObject(needed);
    const scopes: (string | null)[] = [];
    await login(async (link) => {
      scopes.push(new URL(link).searchParams.get("scope"));
      await browse(link);
    });
    expect(scopes).toEqual(["read write"]);
    expect((await call()).status).toBe("ok");
  });

  it("is let in by a client of the person's own, with no person, whose secret is only named and goes to no other issuer", async () => {
    const client = { id: "ours", secret: ["client", "secret", "of", "ours"].join("-") };
    const guarded = await guardedServer(client);
    const oauth = { grant: "client_credentials", clientId: client.id, clientSecret: "$KARYI{DOCS_SECRET}" };
    const { engine, call } = await engineFor(guarded.url, { oauth });
    await engine.vault.set({ name: "DOCS_SECRET", value: client.secret, scope: "global" }, { workspace: engine.workspace });
    expect((await call()).status).toBe("ok");
    expect(guarded.grants.map((grant) => grant.get("client_secret"))).toEqual([client.secret]);

    const stranger = await engineFor(guarded.url, { oauth: { ...oauth, issuer: "https://login.example.com" } });
    await stranger.engine.vault.set(
      { name: "DOCS_SECRET", value: client.secret, scope: "global" },
      { workspace: stranger.engine.workspace },
    );
    expect(await stranger.call()).toMatchObject({ error: { details: { reason: "login_failed" } } });
    expect(guarded.grants).toHaveLength(1);

    const clear = await engineFor(guarded.url, { oauth: { ...oauth, clientSecret: client.secret } });
    expect(await clear.call()).toMatchObject({ status: "error" });
    await expect(clear.engine.servers?.learn("docs")).rejects.toThrow(/clientSecret: name the secret/);
  });
});

describe("a browser that comes back", () => {
  it("is believed only with the state of this login, and only from the issuer that was asked", async () => {
    const guarded = await guardedServer();
    const { login } = await engineFor(guarded.url);
    await login(async (link) => {
      const back = new URL(new URL(link).searchParams.get("redirect_uri") ?? "");
      back.search = "code=stolen&state=guessed";
      expect((await fetch(back)).status).toBe(400);
      expect(await browse(link)).toBe(200);
    });
    expect(guarded.grants).toHaveLength(1);
    guarded.say("https://evil.example.com");
    await expect(login()).rejects.toMatchObject({ details: { reason: "login_failed", server: "docs" } });
    expect(guarded.grants).toHaveLength(1);
  });

  it("with a refusal ends the login, and with it the listener", async () => {
    const guarded = await guardedServer();
    const { login, call } = await engineFor(guarded.url);
    let address = "";
    const refused = login(async (link) => {
      const { searchParams } = new URL(link);
      address = searchParams.get("redirect_uri") ?? "";
      await fetch(`${address}?${new URLSearchParams({ error: "access_denied", state: searchParams.get("state") ?? "" })}`);
    });
    await expect(refused).rejects.toThrow("The login to the MCP server 'docs' failed: access_denied");
    await expect(fetch(address)).rejects.toThrow();
    expect(await call()).toMatchObject(needed);
  });
});
