/**
 * Which directories of an upper layer replace the lower one instead of adding to it. The mark is an extended attribute,
 * which Node cannot read; tar writes them into its headers, for all directories in one process.
 */
import { systemPath } from "../files/byte-name.ts";
import { program } from "../programs.ts";
import { outputOf } from "../spawn.ts";

const block = 512;
const opaque = /\.overlay\.opaque=y\n/;
const redirect = /\.overlay\.(redirect|metacopy)=/;

/** `directories` relative to `upper`; answers those that are opaque. */
export async function opaqueDirectories(upper: string, directories: readonly string[]): Promise<ReadonlySet<string>> {
  if (directories.length === 0) return new Set();
  const headers = readHeaders(await archive(upper, directories));
  if (headers.length !== directories.length) throw new Error("tar did not answer for every directory");
  if (headers.some((attributes) => redirect.test(attributes))) throw new Error("a directory of the layer leads elsewhere");
  return new Set(directories.filter((_, index) => opaque.test(headers[index] ?? "")));
}

function archive(upper: string, directories: readonly string[]): Promise<Buffer> {
  const tar = program("tar");
  if (tar === undefined) return Promise.reject(new Error("tar is not installed"));
  const args = ["-c", "-f", "-", "--format=posix", "--xattrs", "--xattrs-include=*", "--no-recursion", "--null", "--verbatim-files-from"];
  const names = Buffer.concat(directories.flatMap((path) => [Buffer.from("./"), Buffer.from(systemPath(path)), Buffer.of(0)]));
  // Each directory is answered by a few headers of `block` bytes.
  return outputOf(tar, [...args, "-T", "-"], { cwd: upper, env: { LC_ALL: "C" }, input: names, maxBytes: Number.POSITIVE_INFINITY });
}

/** The attributes of each entry, in the order they were asked for. */
function readHeaders(bytes: Buffer): readonly string[] {
  const entries: string[] = [];
  let attributes = "";
  for (let offset = 0; offset + block <= bytes.length; ) {
    const type = String.fromCharCode(bytes[offset + 156] ?? 0);
    if (bytes[offset] === 0) break;
    const size = Number.parseInt(bytes.toString("latin1", offset + 124, offset + 136), 8) || 0;
    offset += block;
    if (type === "x") attributes = bytes.toString("latin1", offset, offset + size);
    else {
      entries.push(attributes);
      attributes = "";
    }
    offset += Math.ceil(size / block) * block;
  }
  return entries;
}
