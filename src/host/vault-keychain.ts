/**
 * The keychain of the desktop as a place for the vault's key: `secret-tool` on Linux, `security` on macOS.
 * The key travels by stdin, never in arguments. A keychain that does not answer in time counts as absent.
 */
import { createHash, randomBytes } from "node:crypto";
import { outputOf } from "./spawn.ts";

export interface KeychainOptions {
  /** Keys of different homes are kept apart. */
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform?: NodeJS.Platform;
}

const answerMs = 3_000;

interface Commands {
  lookUp(account: string): readonly string[];
  store(account: string, text: string): { readonly command: readonly string[]; readonly stdin: string };
  clear(account: string): readonly string[];
}

const secretTool: Commands = {
  lookUp: (account) => ["secret-tool", "lookup", "service", "karyi", "account", account],
  store: (account, text) => ({
    command: ["secret-tool", "store", "--label=Karyi vault", "service", "karyi", "account", account],
    stdin: text,
  }),
  clear: (account) => ["secret-tool", "clear", "service", "karyi", "account", account],
};

const security: Commands = {
  lookUp: (account) => ["security", "find-generic-password", "-s", "karyi", "-a", account, "-w"],
  // In its interactive form the command itself comes by stdin; account and text are hexadecimal.
  store: (account, text) => ({ command: ["security", "-i"], stdin: `add-generic-password -U -s karyi -a ${account} -w ${text}\n` }),
  clear: (account) => ["security", "delete-generic-password", "-s", "karyi", "-a", account],
};

/** The shape of the vault room's `Keychain`; `undefined` where the platform has none. */
export function createKeychain({ home, env, platform = process.platform }: KeychainOptions) {
  const commands = platform === "darwin" ? security : platform === "linux" ? secretTool : undefined;
  // Without a session bus secret-tool has nobody to talk to.
  if (commands === undefined || (platform === "linux" && !env.DBUS_SESSION_BUS_ADDRESS)) return undefined;
  const account = createHash("sha256").update(home).digest("hex").slice(0, 24);
  const get = async (name: string) => {
    const answer = await run(commands.lookUp(name), "", env);
    return answer === undefined || answer.trim() === "" ? undefined : answer.trim().replaceAll(".", "\n");
  };
  const put = async (name: string, text: string) => {
    const { command, stdin } = commands.store(name, text.trim().replaceAll(/\s+/g, "."));
    return (await run(command, stdin, env)) !== undefined;
  };
  return {
    read: () => get(account),
    async write(text: string): Promise<void> {
      if (!(await put(account, text))) throw new Error("The keychain did not take the vault's key.");
    },
    /** Puts a random text in and looks whether it comes back. */
    async works(): Promise<boolean> {
      const probe = `${account}probe`;
      const text = randomBytes(8).toString("hex");
      const works = (await put(probe, text)) && (await get(probe)) === text;
      if (works) await run(commands.clear(probe), "", env);
      return works;
    },
  };
}

/** What the command printed; `undefined` when it is not there, failed, or did not answer. */
function run([program = "", ...args]: readonly string[], input: string, env: KeychainOptions["env"]): Promise<string | undefined> {
  return outputOf(program, args, { env, input, timeoutMs: answerMs }).then(String, () => undefined);
}
