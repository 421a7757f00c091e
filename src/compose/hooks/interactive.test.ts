import { expect, it } from "vitest";
import { interactiveStart } from "./interactive.ts";

it.each(["bash", "/bin/sh", "sh -i", "python3", "env python3.12 -i x.py", "node", "less a.txt", "cd sub && psql", "sqlite3 x.db", "vi a"])(
  "goes on taking orders: %s",
  (command) => expect(interactiveStart(command)).toContain("goes on taking orders"),
);

it.each([
  "ls",
  "bash x.sh",
  "sh -c 'ls'",
  "python3 x.py",
  "python3 -c 1",
  "python3 -m http.server",
  "node -e 0",
  "sh < x.sh",
  "cat a | less",
])("does what it says and ends: %s", (command) => expect(interactiveStart(command)).toBeUndefined());
