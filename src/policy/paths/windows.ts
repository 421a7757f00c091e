/**
 * Owns the spellings by which a Windows path means another file than it seems to: device namespaces, drive-relative
 * paths, streams, reserved names, short names, names that lose their trailing dots.
 * Refuses them rather than translating: a path that needs such a spelling is nobody's ordinary file.
 */
import { ask, type Finding, forbid } from "../finding.ts";

const reserved = /^(?:con|prn|aux|nul|clock\$|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])$/i;

/** What is wrong with the way a path is written, if anything. `inside`: its real place is within a root. */
export function windowsFinding(asked: string, inside: boolean, writing: boolean): Finding | undefined {
  const slashed = asked.replaceAll("\\", "/");
  if (/^\/\/[.?](?:\/|$)/.test(slashed) || /^\/\?\?(?:\/|$)/.test(slashed))
    return bad("it names a device, past the file system's own rules");
  if (/^\/\/[^/]/.test(slashed) && !inside) return bad("it is on another machine, which would learn who asks");
  if (/^[a-z]:(?!\/)/i.test(slashed)) return bad("it is relative to a drive's hidden current directory");
  if (/^\/(?!\/)/.test(slashed) && !/^\/(?:cygdrive\/)?[a-z](?:\/|$)/i.test(slashed) && !inside) return bad("it names no drive");
  const names = slashed.replace(/^[a-z]:/i, "").split("/");
  for (const name of names) {
    if (name === "" || name === "." || name === "..") continue;
    if (name.includes(":")) return bad("it names a stream hidden behind a file");
    if (/[<>"|?*]/.test(name)) return bad("it holds a character that no Windows name can have");
    if (reserved.test((name.split(".")[0] ?? "").trimEnd())) return bad("it is a reserved device name");
    if (/^[. ]+$/.test(name)) return bad("Windows reads these dots and spaces as another directory");
  }
  const short = names.some((name) => /~\d/.test(name));
  if (short && writing) return bad("a short name can be another name for a protected file");
  if (short) return ask("builtin:windows-name", "a short name can be another name for a secret file");
  if (names.some((name) => /[^.][. ]+$/.test(name)))
    return ask("builtin:windows-name", "Windows drops the dots and spaces at the end of a name");
  return undefined;
}

function bad(why: string): Finding {
  return forbid("builtin:windows-name", `the path is refused: ${why}`);
}
