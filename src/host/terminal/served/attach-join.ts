/** The near end of a connection to a terminal: says hello, hears who is there, and says in plain words why not. */
import { createConnection } from "node:net";
import { dirname } from "node:path";
import { ToolFailure } from "../../../contract/index.ts";
import { readToken, withShortPath } from "./attach-place.ts";
import {
  decodeJson,
  encodeJson,
  FrameReader,
  type FrameType,
  type Hello,
  type Purpose,
  protocolVersion,
  type Welcome,
} from "./attach-protocol.ts";

const answerMs = 15_000;

export interface JoinedTerminal {
  readonly welcome: Welcome;
  /** Resolves when the connection has ended, whoever ended it. */
  readonly closed: Promise<void>;
  send(frame: Buffer): void;
  /** Whether the connection keeps this process alive. */
  keepAlive(wanted: boolean): void;
  end(): void;
}

/** `undefined`: nobody serves this terminal. */
export async function joinTerminal(
  path: string,
  purpose: Purpose,
  onFrame: (type: FrameType, payload: Buffer) => void = () => {},
): Promise<JoinedTerminal | undefined> {
  const token = readToken(dirname(path));
  if (token === undefined) return undefined;
  return withShortPath(path, (short) => greet(short, { version: protocolVersion, token, purpose }, onFrame));
}

function greet(path: string, hello: Hello, onFrame: (type: FrameType, payload: Buffer) => void): Promise<JoinedTerminal | undefined> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(path);
    const reader = new FrameReader();
    let welcomed = false;
    let isGone = () => {};
    const closed = new Promise<void>((ended) => {
      isGone = ended;
    });
    const late = setTimeout(() => fail("silent"), answerMs);
    const fail = (why: Why, cause?: unknown) => {
      welcomed = true;
      socket.destroy();
      reject(notJoined(why, cause));
    };
    socket.on("connect", () => socket.write(encodeJson("hello", hello)));
    socket.on("data", (chunk) => {
      const understood = reader.push(chunk, (type, payload) => {
        if (welcomed) return onFrame(type, payload);
        const welcome = type === "welcome" ? decodeJson<Welcome>(payload) : undefined;
        if (!welcome) return fail("stranger");
        if (welcome.refused) return fail(welcome.refused);
        welcomed = true;
        clearTimeout(late);
        reader.trust();
        resolve({
          welcome,
          closed,
          send: (frame) => {
            if (socket.writable) socket.write(frame);
          },
          keepAlive: (wanted) => (wanted ? socket.ref() : socket.unref()),
          end: () => socket.end(),
        });
      });
      if (!understood) socket.destroy();
    });
    socket.on("error", (error: NodeJS.ErrnoException) => {
      if (!welcomed && error.code === "EACCES") fail("unreachable", error);
    });
    socket.on("close", () => {
      clearTimeout(late);
      // Refused, or gone before it could answer: nobody is there.
      if (!welcomed) resolve(undefined);
      isGone();
    });
  });
}

type Why = NonNullable<Welcome["refused"]> | "silent" | "stranger" | "unreachable";

const endIt = "End it with `karyi attach --close`, then call again: a new terminal goes on in the same directory with the same variables.";

const reasons: Readonly<Record<Why, readonly [message: string, hint: string]>> = {
  version: ["The live terminal of this session was started by another version of Karyi.", endIt],
  token: ["The live terminal of this session does not accept this home's token.", endIt],
  silent: [
    "The process that holds the live terminal of this session does not answer.",
    "It may be stopped: look for karyi-terminal with ps.",
  ],
  stranger: ["What listens at the terminal's socket is not Karyi.", "Remove the socket, then call again."],
  unreachable: ["The live terminal cannot be reached.", "Its socket belongs to somebody else."],
};

function notJoined(why: Why, cause: unknown): ToolFailure {
  const [message, hint] = reasons[why];
  return new ToolFailure("tool_error", message, { hint, details: { reason: `terminal_${why}` }, cause });
}
