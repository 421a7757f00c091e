/**
 * Sessions as a user sees them: theirs and no other's. Every lookup goes through here, so that what belongs to
 * somebody else is not found, whatever the route.
 */
import { type Mode, modes, type SessionHandle, type SessionRecord } from "../contract/index.ts";
import { type Caller, may } from "./auth/scopes.ts";
import type { GatewayOptions } from "./ports.ts";
import { lacksScope, notFound, Problem } from "./problem.ts";
import { wireSessionId } from "./wire/convert.ts";

export interface NewSession {
  readonly id?: string | undefined;
  readonly workspace?: string | undefined;
  readonly mode?: Mode | undefined;
}

/** Of sessions that only serve to explain. */
const explainChannel = "explain";

export class Sessions {
  readonly #options: GatewayOptions;

  constructor(options: GatewayOptions) {
    this.#options = options;
  }

  /** The same id of the same user opens the same session again. What `demand` refuses is neither made nor opened. */
  async create(
    caller: Caller,
    { id, workspace, mode }: NewSession,
    demand: (workspace: string) => Promise<void> = async () => {},
  ): Promise<{ readonly handle: SessionHandle; readonly created: boolean }> {
    const { engine, desk, newId } = this.#options;
    const externalId = id ?? newId();
    const known = id === undefined ? undefined : await this.find(caller, id);
    if (known !== undefined) {
      await demand(known.workspace);
      return { handle: await desk.handle(known), created: false };
    }
    if (this.#widens({ workspace, mode }) && !may(caller, "approve")) throw lacksScope("approve");
    await demand(workspace ?? engine.workspace);
    const handle = await engine.openSession({
      id: externalId,
      owner: caller.user,
      channel: "local",
      approvals: "record",
      ...(workspace === undefined ? {} : { workspace }),
      ...(mode === undefined ? {} : { mode }),
    });
    return { handle, created: true };
  }

  /** Another folder, or a mode that asks less, is a decision about what may be read and done unasked. */
  #widens({ workspace, mode }: NewSession): boolean {
    const { engine, desk } = this.#options;
    const isElsewhere = workspace !== undefined && workspace !== engine.workspace;
    return isElsewhere || (mode !== undefined && modes.indexOf(mode) > modes.indexOf(desk.defaultMode));
  }

  /** By the name its user gave it, or by its own id. */
  async find(caller: Caller, wireId: string): Promise<SessionRecord | undefined> {
    const { desk } = this.#options;
    const named = await desk.sessionByKey({ owner: caller.user, channel: "local", externalId: wireId });
    const record = named ?? (await desk.session(wireId));
    return record?.key.owner === caller.user && wireSessionId(record) === wireId ? record : undefined;
  }

  async get(caller: Caller, wireId: string): Promise<SessionRecord> {
    const record = await this.find(caller, wireId);
    if (record === undefined) throw notFound("There is no such session.");
    return record;
  }

  async open(caller: Caller, wireId: string): Promise<SessionHandle> {
    return this.#options.desk.handle(await this.get(caller, wireId));
  }

  async list(caller: Caller): Promise<readonly SessionRecord[]> {
    return (await this.#options.desk.sessionsOf(caller.user)).filter(({ key }) => key.channel !== explainChannel);
  }

  /** A session of the caller that nobody sees: what would happen to a call is explained in it. */
  async forExplaining(caller: Caller): Promise<SessionHandle> {
    return this.#options.engine.openSession({ owner: caller.user, channel: explainChannel });
  }

  async fork(caller: Caller, source: SessionRecord, id: string | undefined): Promise<SessionRecord> {
    const externalId = id ?? this.#options.newId();
    if (await this.find(caller, externalId)) {
      throw new Problem(409, "conflict", "There is a session of this id already.", { details: { reason: "session_exists" } });
    }
    return this.#options.desk.forkSession(source, { owner: caller.user, channel: "local", externalId });
  }
}
