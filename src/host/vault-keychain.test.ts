import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createKeychain } from "./vault-keychain.ts";

/** A stand-in for the program, with files for its store; it refuses a secret in its arguments. */
async function secretTool(script: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "karyi-keychain-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  await writeFile(join(directory, "secret-tool"), `#!/bin/sh\ncd '${directory}'\n${script}`);
  await chmod(join(directory, "secret-tool"), 0o755);
  return `${directory}:${process.env.PATH}`;
}

const working = `
verb=$1
for last in "$@"; do :; done
case $verb in
  store) cat > "item-$last" ;;
  lookup) [ -e "item-$last" ] && cat "item-$last" ;;
  clear) rm -f "item-$last" ;;
esac`;

describe("keychain", () => {
  it("keeps what it is given and takes its probe away again", async () => {
    const path = await secretTool(working);
    const open = (home: string) =>
      createKeychain({ home, env: { PATH: path, DBUS_SESSION_BUS_ADDRESS: "unix:path=/x" }, platform: "linux" });
    const keychain = open("/home/a/.karyi");
    expect(await keychain?.works()).toBe(true);
    expect(await keychain?.read()).toBeUndefined();
    await keychain?.write("aa\nbb\n");
    expect(await keychain?.read()).toBe("aa\nbb");
    expect(await open("/home/b/.karyi")?.read()).toBeUndefined();
  });

  it("that fails, forgets or is not there counts as absent", async () => {
    for (const script of ["exit 1", "cat > /dev/null; echo something-else"]) {
      const keychain = createKeychain({
        home: "/h",
        env: { PATH: await secretTool(script), DBUS_SESSION_BUS_ADDRESS: "x" },
        platform: "linux",
      });
      expect(await keychain?.works()).toBe(false);
    }
    const missing = createKeychain({ home: "/h", env: { PATH: "/nonexistent", DBUS_SESSION_BUS_ADDRESS: "x" }, platform: "linux" });
    expect(await missing?.works()).toBe(false);
    await expect(missing?.write("aa")).rejects.toThrow("keychain");
    expect(createKeychain({ home: "/h", env: {}, platform: "linux" })).toBeUndefined();
    expect(createKeychain({ home: "/h", env: {}, platform: "win32" })).toBeUndefined();
  });
});
