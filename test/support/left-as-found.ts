/** Test files share a process, so each has to leave what is the process's own as it found it. */
import { afterAll, expect } from "vitest";

const found = { cwd: process.cwd(), env: { ...process.env } };

afterAll(() => {
  expect({ cwd: process.cwd(), env: { ...process.env } }).toEqual(found);
});
