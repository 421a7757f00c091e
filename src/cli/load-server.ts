/** Loads the server, which is built apart from the command: no other command pays for it. */
export type Server = typeof import("../compose/serving/index.ts");

export async function loadServer(): Promise<Server> {
  return (await import("karyi/serve" as string)) as Server;
}
