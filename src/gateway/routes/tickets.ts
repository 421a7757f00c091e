/** `/tickets`: addresses for frames and downloads of the console, which cannot send a header. Each works once. */
import { z } from "@hono/zod-openapi";
import { Tickets } from "../auth/tickets.ts";
import { invalid, notFound } from "../problem.ts";
import type { GatewayEnv } from "../router.ts";
import type { Routes } from "./context.ts";

const prefix = "/api/v1";
const ticketSchema = z.object({ url: z.string(), expires_at: z.string() }).openapi("Ticket");

/** Answers what a path answers, with the headers of the request that brought the ticket. */
type Fetch = (path: string, headers: Headers, env: GatewayEnv["Bindings"]) => Response | Promise<Response>;

export function addTicketRoutes({ router, now, isStillAllowed }: Routes, fetch: Fetch): void {
  const tickets = new Tickets(now);

  router.add(
    {
      method: "post",
      path: "/tickets",
      operationId: "makeTicket",
      summary: "An address that answers what `path` answers to this caller, once, within a minute: for frames and downloads.",
      scope: "read",
      body: z.strictObject({ path: z.string().min(1).max(4000) }).openapi("TicketRequest"),
      answers: { 201: { description: "The address.", schema: ticketSchema } },
    },
    ({ caller, body }) => {
      const wanted = localPath(body.path);
      if (wanted === undefined || !router.takesTicket(wanted.pathname)) {
        throw invalid("There are tickets for the page of an artifact and the export of a session alone.", { path: body.path });
      }
      const { code, until } = tickets.make({ caller, path: `${wanted.pathname}${wanted.search}` });
      return { status: 201, body: { url: `${prefix}/tickets/${code}`, expires_at: new Date(until).toISOString() } };
    },
  );

  router.add(
    {
      method: "get",
      path: "/tickets/{ticket}",
      operationId: "useTicket",
      summary: "What the ticket was made for.",
      scope: "open",
      params: z.object({ ticket: z.string().min(1).max(200) }),
      answers: { 200: { description: "As the path itself answers.", contentType: "*/*", schema: z.unknown() } },
    },
    async ({ params, header, env }) => {
      const ticket = tickets.take(params.ticket);
      if (ticket === undefined || !(await isStillAllowed(ticket.caller))) throw notFound("This ticket was used already, or is too old.");
      const headers = new Headers({ host: header("host") ?? "" });
      return fetch(ticket.path, headers, Object.assign(env, { ticketHolder: ticket.caller }));
    },
  );
}

/** A path below `/api/v1`, as a browser would ask for it. */
function localPath(path: string): URL | undefined {
  try {
    const url = new URL(`http://local${prefix}${path}`);
    return path.startsWith("/") ? url : undefined;
  } catch {
    return undefined;
  }
}
