/** Test files share a process, so each has to leave what is the process's own as it found it. */
import { afterAll, expect } from "vitest";

/** The library behind sharp sets VIPSHOME once it is loaded, and leaves it. */
const state = () => ({ cwd: process.cwd(), env: { ...process.env, VIPSHOME: undefined } });

const found = state();

afterAll(() => {
  expect(state()).toEqual(found);
});
