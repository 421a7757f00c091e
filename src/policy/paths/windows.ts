/**
 * Owns the spellings by which a Windows path means another file than it seems to: device namespaces, drive-relative
 * paths, streams, reserved names, short names, names that lose their trailing dots.
 * Refuses them rather than translating: a path that needs such a spelling is nobody's ordinary file.
 */
import { because, type ReasonCode } from "../../contract/index.ts";
import { ask, type Finding, forbid } from "../finding.ts";

const reserved = /^(?:con|prn|aux|nul|clock\$|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])$/i;

/** What is wrong with the way a path is written, if anything. `inside`: its real place is within a root. */
export function windowsFinding(asked: string, inside: boolean, writing: boolean): Finding | undefined {
  const slashed = asked.replaceAll("\\", "/");
  if (/^\/\/[.?](?:\/|$)/.test(slashed) || /^\/\?\?(?:\/|$)/.test(slashed)) return bad("windows_device");
  if (/^\/\/[^/]/.test(slashed) && !inside) return bad("windows_machine");
  if (/^[a-z]:(?!\/)/i.test(slashed)) return bad("windows_relative");
  if (/^\/(?!\/)/.test(slashed) && !/^\/(?:cygdrive\/)?[a-z](?:\/|$)/i.test(slashed) && !inside) return bad("windows_drive");
  const names = slashed.replace(/^[a-z]:/i, "").split("/");
  for (const name of names) {
    if (name === "" || name === "." || name === "..") continue;
    if (name.includes(":")) return bad("windows_stream");
    if (/[<>"|?*]/.test(name)) return bad("windows_letter");
    if (reserved.test((name.split(".")[0] ?? "").trimEnd())) return bad("windows_reserved");
    if (/^[. ]+$/.test(name)) return bad("windows_dots");
  }
  const short = names.some((name) => /~\d/.test(name));
  if (short && writing) return bad("windows_short_write");
  if (short) return ask("builtin:windows-name", because("windows_short"));
  if (names.some((name) => /[^.][. ]+$/.test(name))) return ask("builtin:windows-name", because("windows_drops"));
  return undefined;
}

function bad(why: Extract<ReasonCode, `windows_${string}`>): Finding {
  return forbid("builtin:windows-name", because(why));
}
