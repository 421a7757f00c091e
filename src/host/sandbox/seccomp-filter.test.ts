import { describe, expect, it } from "vitest";
import type { NetworkAccess } from "../../contract/index.ts";
import { program } from "../programs.ts";
import { capturingHere, makeWorld } from "./fixtures/world.ts";
import { seccompFilter } from "./seccomp-filter.ts";

const here = await capturingHere();
const filtered = here.includes("E2");
const hasPerl = program("perl") !== undefined;
const canTry = filtered && hasPerl && process.arch === "x64";
const why = canTry ? "" : ` (skipped: ${filtered ? "needs perl on x64" : "tier E2 does not hold here"})`;

/** Numbers of x64. */
const calls = {
  mount: 165,
  unshare: 272,
  keyctl: 250,
  bpf: 321,
  perf_event_open: 298,
  userfaultfd: 323,
  open_tree: 428,
  io_uring_setup: 425,
  clone3: 435,
  getpid: 39,
};

async function inside(command: string, network: NetworkAccess, tier: "E0" | "E2" = "E2"): Promise<string> {
  const world = makeWorld({ seed: "", only: [tier] });
  let text = "";
  try {
    await world.processes.rehearse(
      {
        command,
        cwd: world.workspace,
        env: {},
        timeoutMs: 20_000,
        signal: new AbortController().signal,
        onOutput: (_, chunk) => {
          text += Buffer.from(chunk).toString("utf8");
        },
      },
      network,
    );
  } finally {
    world.close();
  }
  return text;
}

describe("the filter", () => {
  it("is whole instructions for every machine it knows, and nothing for others", () => {
    for (const architecture of ["x64", "arm64"]) expect((seccompFilter("internet", { architecture })?.length ?? 1) % 8).toBe(0);
    expect(seccompFilter("internet", { architecture: "s390x" })).toBeUndefined();
  });

  it.skipIf(!canTry)(`refuses what leads to other namespaces, keys and kernel interfaces${why}`, async () => {
    const script = Object.entries(calls)
      .map(([name, number]) => `$! = 0; syscall(${number}, 0, 0, 0, 0, 0); printf("%s %d\\n", "${name}", $!);`)
      .join(" ");
    const text = await inside(`perl -e '${script}'`, "none");
    expect(
      Object.fromEntries(
        text
          .trim()
          .split("\n")
          .map((line) => line.split(" ")),
      ),
    ).toEqual({
      ...Object.fromEntries(Object.keys(calls).map((name) => [name, "1"])),
      io_uring_setup: "38",
      clone3: "38",
      getpid: "0",
    });
  });

  it.skipIf(!canTry)(`without a network there are no Unix sockets, and pairs of them still work${why}`, async () => {
    const script =
      'use Socket; for (AF_UNIX, AF_INET) { print socket(my $s, $_, SOCK_STREAM, 0) ? "yes " : "no "; } print socketpair(my $a, my $b, AF_UNIX, SOCK_STREAM, 0) ? "pair" : "none";';
    expect(await inside(`perl -e '${script}'`, "none")).toBe("no yes pair");
    expect(await inside(`perl -e '${script}'`, "loopback")).toBe("yes yes pair");
  });

  for (const tier of ["E0", "E2"] as const) {
    const can = here.includes(tier) && hasPerl && process.arch === "x64";
    const reason = can ? "" : ` (skipped: needs tier ${tier}, perl and x64)`;
    it.skipIf(!can)(`${tier}: no family of sockets but what a network namespace holds${reason}`, async () => {
      // What a kernel does not know it answers otherwise than what the filter refuses.
      const script = 'for (1..45) { $! = 0; socket(my $s, $_, 2, 0) or $! != 1 or next; print "$_ " }';
      const allowed = async (network: NetworkAccess) => (await inside(`perl -e '${script}'`, network, tier)).trim();
      // Where nothing of the machine is there, Unix sockets lead to nobody outside.
      const offline = tier === "E0" ? "1 2 10 16" : "2 10 16";
      expect([await allowed("none"), await allowed("loopback")]).toEqual([offline, "1 2 10 16"]);
    });
  }
});
