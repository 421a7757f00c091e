/**
 * The vault on disk: a JSON header that says which key it needs, and everything else sealed with AES-256-GCM, names and
 * notes too. The header is authenticated with it; any change to the file is noticed.
 */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { damaged } from "./failures.ts";
import { isSaneKdf, type KeyHeader, sealingKey, type VaultKey } from "./key.ts";
import { isVariableName, type Stored } from "./variables.ts";

const format = "karyi-vault";
const version = 1;

interface SealedFile {
  readonly format: typeof format;
  readonly version: typeof version;
  readonly key: KeyHeader;
  readonly nonce: string;
  readonly tag: string;
  readonly data: string;
}

export function seal(variables: readonly Stored[], key: VaultKey): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", sealingKey(key), nonce);
  cipher.setAAD(authenticated(key.header));
  const data = Buffer.concat([cipher.update(JSON.stringify({ variables }), "utf8"), cipher.final()]);
  const file: SealedFile = {
    format,
    version,
    key: key.header,
    nonce: nonce.toString("base64"),
    tag: cipher.getAuthTag().toString("base64"),
    data: data.toString("base64"),
  };
  return Buffer.from(`${JSON.stringify(file, null, 2)}\n`);
}

/** Reads the header without the key. */
export function parseSealed(bytes: Uint8Array): SealedFile {
  let file: Partial<SealedFile>;
  try {
    file = JSON.parse(Buffer.from(bytes).toString("utf8")) as Partial<SealedFile>;
  } catch {
    throw damaged("its file is not what Karyi writes");
  }
  if (file?.format !== format) throw damaged("its file is not what Karyi writes");
  if (file.version !== version) throw damaged(`its file has version ${String(file.version)}, and this Karyi reads version ${version}`);
  const { key, nonce, tag, data } = file;
  const isText = [key?.id, key?.place, nonce, tag, data].every((part) => typeof part === "string");
  if (!isText || !key || (key.kdf !== undefined && !isSaneKdf(key.kdf))) throw damaged("its header was changed");
  return file as SealedFile;
}

export function unseal(file: SealedFile, key: VaultKey): Stored[] {
  let text: string;
  try {
    const decipher = createDecipheriv("aes-256-gcm", sealingKey(key), Buffer.from(file.nonce, "base64"), { authTagLength: 16 });
    decipher.setAAD(authenticated(file.key));
    decipher.setAuthTag(Buffer.from(file.tag, "base64"));
    text = Buffer.concat([decipher.update(Buffer.from(file.data, "base64")), decipher.final()]).toString("utf8");
  } catch {
    throw damaged("its file was changed or damaged");
  }
  const { variables } = JSON.parse(text) as { readonly variables: readonly Stored[] };
  return variables.filter(({ name, value }) => isVariableName(name) && typeof value === "string");
}

function authenticated({ place, id, kdf }: KeyHeader): Buffer {
  return Buffer.from(JSON.stringify([format, version, place, id, kdf === undefined ? null : [kdf.name, kdf.salt, kdf.N, kdf.r, kdf.p]]));
}
