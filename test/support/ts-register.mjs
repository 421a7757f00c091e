// Lets a child process of a test run TypeScript sources directly: node --import <this> file.ts
import { register } from "node:module";

register("./ts-hooks.mjs", import.meta.url);
