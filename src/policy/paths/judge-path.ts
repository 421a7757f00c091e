/**
 * Owns the judgement of one read or write: where the path really leads (F7), what stands there, and what the
 * mode says about such a place (C9). Everything is in the facts; the disk is never asked.
 * Refuses what it cannot place: a path without an absolute real form, with a NUL, or longer than the system takes.
 */
import {
  type Because,
  because,
  isUnencodable,
  isUnprintable,
  type PathFacts,
  type PolicyWorld,
  type ReadEffect,
  secretReason,
  type WriteEffect,
} from "../../contract/index.ts";
import { allow, ask, at, close, type Finding, forbid, rehearse, worst } from "../finding.ts";
import type { Row } from "../mode-table.ts";
import { type Ground, hasDotDot, innermost, isInside, isInsideAny, type Place, stepsOut } from "./ground.ts";
import { isOrdinary } from "./ordinary.ts";
import { protectedReason, sensitiveReason } from "./protected.ts";
import { holdsSystem, isCommandDevice, isKernel, systemDirectory, systemReading } from "./system.ts";
import { windowsFinding } from "./windows.ts";

export interface PathContext {
  readonly world: PolicyWorld;
  readonly ground: Ground;
  readonly cells: Row;
  /** The effect belongs to a command, not to a file tool. */
  readonly command: boolean;
}

/** A path with what the ground says about it. */
interface Spot {
  readonly facts: PathFacts;
  readonly ground: Ground;
  readonly real: Place;
  readonly lexical: Place;
  readonly root: Place | undefined;
  /** Names below the root (or the whole path outside), as they are and as they were written. */
  readonly names: readonly Place[];
  readonly shown: string;
}

const maxPathBytes = { posix: 4095, win32: 32_000 } as const;

/** Trees where package managers and git hard-link their own stores: several names are normal there. */
const linkedTrees = new Set([
  "node_modules",
  ".git",
  ".pnpm-store",
  ".pnpm",
  ".yarn",
  ".venv",
  "venv",
  "site-packages",
  "target",
  "bazel-out",
]);

export function judgePath(effect: ReadEffect | WriteEffect, context: PathContext): Finding {
  if (isOrdinary(effect.path, context.ground, effect.kind === "read")) return judgeOrdinary(effect, context);
  const spot = locate(effect, context);
  if (!("real" in spot)) return spot;
  const { facts, ground } = spot;
  if (context.command && isHarmlessDevice(effect, ground))
    return allow("builtin:device", because("harmless_device", { path: facts.asked }));
  const spelling =
    ground.world.platform === "win32" ? windowsFinding(facts.asked, spot.root !== undefined, effect.kind === "write") : undefined;
  const placed = effect.kind === "read" ? judgeRead(effect, spot, context) : judgeWrite(effect, spot, context);
  const unclear = isUnprintable(facts.asked)
    ? ask("builtin:unprintable", because("unprintable", { path: JSON.stringify(facts.asked) }))
    : undefined;
  const written = spelling === undefined ? placed : worst(placed, spelling);
  return unclear === undefined ? written : worst(written, unclear);
}

/** Inside the workspace, and nothing more can be said about it. */
function judgeOrdinary(effect: ReadEffect | WriteEffect, { cells, command }: PathContext): Finding {
  const { asked } = effect.path;
  if (effect.kind === "read") return at(cells.readInside, "builtin:inside", because("inside", { path: asked }));
  const inside = writeInside(effect, asked, cells, command);
  return effect.unread ? worst(inside, unreadFinding(asked)) : inside;
}

function writeInside({ change }: WriteEffect, shown: string, cells: Row, command: boolean): Finding {
  return command
    ? at(cells.commandWrite, "builtin:command", because(`command_would_${change}`, { path: shown }))
    : at(cells.writeInside, "builtin:inside", because(`inside_${change}`, { path: shown }));
}

function unreadFinding(shown: string): Finding {
  return ask("builtin:unread", because("unread", { path: shown }));
}

function locate(effect: ReadEffect | WriteEffect, { world, ground, command }: PathContext): Spot | Finding {
  const { path: facts } = effect;
  const malformed = (why: "empty" | "nul" | "half" | "long" | "nowhere"): Finding =>
    forbid("builtin:malformed-path", because(`path_${why}`));
  if (facts.asked === "" || facts.spelled === "") return malformed("empty");
  if (facts.asked.includes("\0") || facts.spelled.includes("\0") || facts.real.includes("\0")) return malformed("nul");
  if (isUnencodable(facts.asked) || isUnencodable(facts.spelled)) return malformed("half");
  if (Buffer.byteLength(facts.spelled) > maxPathBytes[world.platform]) return malformed("long");
  // A command is judged by where the path leads; a file tool must not even be given such a path (S4).
  if (!command && stepsOut(facts.spelled, ground)) return forbid("builtin:dotdot", because("dotdot", { path: shorten(facts.asked) }));
  const real = ground.place(facts.real);
  const lexical = facts.real === facts.lexical ? real : ground.place(facts.lexical);
  if (!real || !lexical) {
    const spelling = world.platform === "win32" ? windowsFinding(facts.asked, false, true) : undefined;
    return spelling?.verdict === "deny" ? spelling : malformed("nowhere");
  }
  const root = innermost(real, ground.roots);
  if (!command && root === undefined && isInsideAny(lexical, ground.roots) && hasDotDot(facts.spelled, ground)) {
    return forbid("builtin:dotdot", because("dotdot_link", { path: shorten(facts.asked) }));
  }
  return {
    facts,
    ground,
    real,
    lexical,
    root,
    names: real === lexical ? [below(real, ground)] : [below(real, ground), below(lexical, ground)],
    shown: show(facts),
  };
}

function judgeRead(effect: ReadEffect, spot: Spot, { cells, command }: PathContext): Finding {
  const { facts, ground, real, lexical, root, shown } = spot;
  const closed = closedPlace(effect, spot);
  if (closed) return closed;
  const system = systemDirectory(real, ground) ?? (isKernel(lexical, ground) ? systemDirectory(lexical, ground) : undefined);
  if (system !== undefined) {
    const reading = worstReading(systemReading(real, ground), spot);
    const where = { path: shown, directory: system };
    const hidden = secretAt(spot);
    if (reading === "never" || facts.kind === "device" || facts.kind === "socket")
      return forbid("builtin:system", because("system", where));
    if (reading === "closed") return close("builtin:system", because("system_closed", where));
    if (hidden !== undefined) return forbid("builtin:secret", because("outside_secret", { path: shown, why: hidden }));
    return allow("builtin:system", because("system_open", where));
  }
  if (facts.kind === "device") return forbid("builtin:device", because("device", { path: shown }));
  const secret = secretAt(spot);
  if (root === undefined && !isInsideAny(real, ground.temporary) && !isInsideAny(real, ground.gitDirectories)) {
    if (secret !== undefined) return forbid("builtin:secret", because("outside_secret", { path: shown, why: secret }));
    return at(cells.readOutside, "builtin:outside", because("outside", { path: shown }));
  }
  if (secret !== undefined) return ask("builtin:secret", because("secret_path", { path: shown, why: secret }), "named");
  // A link that could not be followed may lead anywhere; a file tool opens by handle and refuses, a command would follow it.
  if (facts.kind === "unreadable" && command) return ask("builtin:unresolved", because("unresolved", { path: shown }));
  if (isForeign(spot)) return ask("builtin:hard-link", because("hard_link_read", { path: shown }), "named");
  if (root === undefined && isInsideAny(real, ground.temporary))
    return allow("builtin:temporary", because("own_temporary", { path: shown }));
  return at(cells.readInside, "builtin:inside", because("inside", { path: shown }));
}

/** A link inside the kernel's trees must not lead past what the tree itself keeps closed. */
function worstReading(real: ReturnType<typeof systemReading>, { lexical, ground }: Spot): ReturnType<typeof systemReading> {
  if (!isKernel(lexical, ground)) return real;
  const written = systemReading(lexical, ground);
  return written === "never" || real === "never" ? "never" : written === "closed" ? "closed" : real;
}

function judgeWrite(effect: WriteEffect, spot: Spot, context: PathContext): Finding {
  const { facts, ground, real, lexical, root, shown } = spot;
  const guarded = firstOf(spot.names, (names) => protectedReason(names, effect.tree === true));
  if (guarded !== undefined) return forbid("builtin:protected", because("protected_write", { path: shown, why: guarded }));
  const closed = closedPlace(effect, spot);
  if (closed) return closed;
  const system = systemDirectory(real, ground) ?? (isKernel(lexical, ground) ? systemDirectory(lexical, ground) : undefined);
  if (system !== undefined) return forbid("builtin:system", because("system", { path: shown, directory: system }));
  if (facts.kind === "device") return forbid("builtin:device", because("device", { path: shown }));
  const isTemporary = root === undefined && isInsideAny(real, ground.temporary);
  if ((context.command || isInsideAny(real, ground.ownTemporary)) && isTemporary && facts.kind !== "unreadable")
    return allow("builtin:temporary", because("own_temporary", { path: shown }));
  if (root === undefined) {
    return forbid("builtin:outside", because("outside_write", { path: shown }));
  }
  if (facts.kind === "unreadable") return forbid("builtin:unresolved", because("unresolved_write", { path: shown }));
  return judgeInsideWrite(effect, spot, context);
}

function judgeInsideWrite(effect: WriteEffect, spot: Spot, { cells, command }: PathContext): Finding {
  const { ground, real, shown } = spot;
  const holdsRoot = ground.roots.some((root) => isInside(root, real));
  if (holdsRoot && (effect.change === "delete" || effect.change === "link"))
    return forbid("builtin:protected", because("workspace_itself", { path: shown }));
  const findings: [Finding, ...Finding[]] = [writeInside(effect, shown, cells, command)];
  // The rehearsal of a command shows exactly how such a file would change; nothing of it counts before somebody saw that.
  const doubt = command && cells.command === "rehearse" ? rehearse : ask;
  const secret = secretAt(spot);
  if (secret !== undefined) findings.push(ask("builtin:secret", because("secret_path", { path: shown, why: secret }), "named"));
  const sensitive = firstOf(spot.names, sensitiveReason);
  if (sensitive !== undefined)
    findings.push(doubt("builtin:sensitive", because("sensitive_write", { path: shown, why: sensitive }), "named"));
  // Where nobody is asked, what a command turned out to change is judged file by file before it counts.
  if (holdsRoot && effect.tree && !(command && cells.command === "allow"))
    findings.push(doubt("builtin:sensitive", because("reaches_git", { path: shown }), "named"));
  if (effect.change !== "delete" && (spot.facts.hardLinks ?? 1) > 1) {
    findings.push(doubt("builtin:hard-link", because("hard_link_write", { path: shown }), "named"));
  }
  if (effect.unread) findings.push(unreadFinding(shown));
  return worst(...findings);
}

/** Karyi's own home, and a recursive reach into what is closed file by file. */
function closedPlace(effect: ReadEffect | WriteEffect, { real, lexical, ground, shown, root }: Spot): Finding | undefined {
  const isKaryis = (place: Place): boolean =>
    ground.karyiHomes.some((home) => isInside(place, home) && !(root !== undefined && root.length > home.length && isInside(root, home)));
  if ((isKaryis(real) && !isInsideAny(real, ground.ownTemporary)) || isKaryis(lexical)) {
    return forbid("builtin:protected", because(`karyi_${effect.kind}`, { path: shown }));
  }
  if (isHomeStore(real, ground) || isHomeStore(lexical, ground))
    return forbid("builtin:secret", because("person_credentials", { path: shown }));
  // Where only names are told, nothing of what is closed is opened.
  if (effect.kind === "read" && effect.namesOnly === true && root === undefined) return undefined;
  if (!effect.tree || root !== undefined)
    return reachesHome(effect, real, ground) ? ask("builtin:secret", because("includes_home", { path: shown })) : undefined;
  const homes = [ground.userHome, ...ground.karyiHomes].filter((home) => home !== undefined);
  const reaches = homes.some((home) => isInside(home, real)) || holdsSystem(real, ground);
  return reaches ? forbid("builtin:secret", because("includes_home_or_system", { path: shown })) : undefined;
}

/** A home that is itself the workspace, looked through as a whole. */
function reachesHome(effect: ReadEffect | WriteEffect, place: Place, { userHome }: Ground): boolean {
  return effect.tree === true && userHome !== undefined && isInside(userHome, place);
}

/** Credentials of the person's home stay closed even when the whole home is the workspace; a workspace within such a store is meant. */
function isHomeStore(place: Place, ground: Ground): boolean {
  const { userHome, roots } = ground;
  if (userHome === undefined || !isInside(place, userHome)) return false;
  if (roots.some((root) => root.length > userHome.length && isInside(place, root))) return false;
  const names = place.slice(userHome.length);
  return (
    names.length > 0 &&
    /^(?:\.(?:ssh|gnupg|aws|azure|oci|kube|password-store)|library)$/i.test(names[0] ?? "") &&
    secretReason(names) !== undefined
  );
}

function isForeign({ facts, names }: Spot): boolean {
  return facts.kind === "file" && (facts.hardLinks ?? 1) > 1 && !names.some((place) => place.some((name) => linkedTrees.has(name)));
}

function isHarmlessDevice(effect: ReadEffect | WriteEffect, ground: Ground): boolean {
  const writesThrough = effect.kind === "read" || effect.change === "modify" || effect.change === "create";
  return writesThrough && !effect.tree && isCommandDevice(effect.path.spelled, effect.kind === "write", ground);
}

/** Below the innermost root, so that where a person keeps the workspace says nothing about what is in it. */
function below(place: Place, ground: Ground): Place {
  const root = innermost(place, ground.owned);
  return root === undefined ? place : place.slice(root.length);
}

function secretAt({ names, facts }: Spot): Because | undefined {
  return firstOf(names, (place) => secretReason(place, facts.kind === "directory"));
}

function firstOf(places: readonly Place[], reason: (names: Place) => Because | undefined): Because | undefined {
  for (const place of places) {
    const found = reason(place);
    if (found !== undefined) return found;
  }
  return undefined;
}

function show(facts: PathFacts): string {
  const asked = shorten(facts.asked);
  return facts.real === facts.lexical ? asked : `${asked} (which leads to ${shorten(facts.real)})`;
}

function shorten(path: string): string {
  const printable = isUnprintable(path) ? JSON.stringify(path) : path;
  return printable.length > 200 ? `${printable.slice(0, 120)}…${printable.slice(-60)}` : printable;
}
