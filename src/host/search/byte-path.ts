/**
 * Paths as byte strings: one character a byte. A name that is not UTF-8 survives a walk and can be opened again;
 * for the ASCII names of almost every tree the byte string is the ordinary string, so nothing is converted.
 */

import { nameOfBytes, systemPath } from "../files/byte-name.ts";

const beyondAscii = /[\x80-\xff]/;

/** The byte string of a path as people read it. */
export function toBytePath(path: string): string {
  const system = systemPath(path);
  return (typeof system === "string" ? Buffer.from(system, "utf8") : system).toString("latin1");
}

/** What people and models read; bytes that are not UTF-8 are spelled so that the file port knows them again. */
export function toDisplay(bytePath: string): string {
  return beyondAscii.test(bytePath) ? nameOfBytes(Buffer.from(bytePath, "latin1")) : bytePath;
}

/** What the file system takes. */
export function toSystemPath(bytePath: string): string | Buffer {
  return beyondAscii.test(bytePath) ? Buffer.from(bytePath, "latin1") : bytePath;
}

export function joinBytes(directory: string, name: string): string {
  return directory.endsWith("/") ? directory + name : `${directory}/${name}`;
}

/** The directory above; of `/` it is `undefined`. */
export function parentOf(bytePath: string): string | undefined {
  const at = bytePath.lastIndexOf("/");
  if (at < 0 || bytePath === "/") return undefined;
  return at === 0 ? "/" : bytePath.slice(0, at);
}

/** Below `directory`, relative to it. */
export function relativeTo(directory: string, bytePath: string): string {
  return bytePath.slice(directory.endsWith("/") ? directory.length : directory.length + 1);
}

export function baseName(bytePath: string): string {
  return bytePath.slice(bytePath.lastIndexOf("/") + 1);
}
