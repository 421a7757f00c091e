/** Holds a command until the test lets it go on: through the machine's loopback, since no file of a test is there for a confined command. */
import { createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

export interface TestGate {
  /** Bash text that waits. */
  readonly wait: string;
  open(): void;
}

export async function closedGate(): Promise<TestGate> {
  const waiting = new Set<Socket>();
  let isOpen = false;
  const server = createServer((socket) => {
    socket.on("error", () => {});
    if (isOpen) socket.end();
    else waiting.add(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const open = () => {
    isOpen = true;
    for (const socket of waiting) socket.end();
  };
  onTestFinished(() => {
    open();
    server.close();
  });
  const { port } = server.address() as { readonly port: number };
  return { wait: `node -e 'require("net").connect(${port}, "127.0.0.1").resume()'`, open };
}
