/**
 * The key of the vault: 32 random bytes in a file or the keychain, the same given as `KARYI_VAULT_KEY`, or a passphrase.
 * The vault's file says which key it needs by an id that tells nothing about the key, so a wrong key is told from a damaged file.
 */
import { createHmac, hkdfSync, randomBytes, scrypt } from "node:crypto";
import { keyMissing, keyUnreadable, keyWrong } from "./failures.ts";

/** Where a key is kept; the text is one key a line, in hexadecimal, the newest first. */
interface KeyStore {
  read(): Promise<string | undefined>;
  write(text: string): Promise<void>;
}

interface Keychain extends KeyStore {
  /** False where there is none, or it does not answer. */
  works(): Promise<boolean>;
}

export interface KeySource {
  /** `KARYI_VAULT_KEY`, or what a person typed: 32 bytes in hexadecimal or base64, anything else is a passphrase. */
  readonly given?: string;
  readonly file: KeyStore;
  readonly keychain?: Keychain;
}

type KeyPlace = "file" | "keychain" | "given";

export interface KeyHeader {
  readonly place: KeyPlace;
  readonly id: string;
  readonly kdf?: Kdf;
}

export interface Kdf {
  readonly name: "scrypt";
  readonly salt: string;
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

export interface VaultKey {
  readonly header: KeyHeader;
  readonly bytes: Buffer;
}

const keyBytes = 32;
const placeNames: Readonly<Record<KeyPlace, string>> = {
  file: "the file vault.key",
  keychain: "the keychain",
  given: "KARYI_VAULT_KEY",
};

/** For the file format: whether a header asks for an amount of work that is meant. */
export function isSaneKdf({ N, r, p }: Kdf): boolean {
  return Number.isInteger(N) && N >= 1 << 14 && N <= 1 << 20 && r >= 1 && r <= 16 && p >= 1 && p <= 16 && (N & (N - 1)) === 0;
}

export async function newKey(source: KeySource): Promise<VaultKey> {
  if (source.given !== undefined) return givenKey(source.given);
  const place: KeyPlace = source.keychain !== undefined && (await source.keychain.works()) ? "keychain" : "file";
  return storedKey(source, place);
}

export async function givenKey(text: string): Promise<VaultKey> {
  const raw = rawKey(text);
  if (raw !== undefined) return { header: { place: "given", id: idOf(raw) }, bytes: raw };
  const kdf: Kdf = { name: "scrypt", salt: randomBytes(16).toString("base64"), N: 1 << 15, r: 8, p: 3 };
  const bytes = await derive(text, kdf);
  return { header: { place: "given", id: idOf(bytes), kdf }, bytes };
}

/** The key that is kept there, made now if there is none. */
async function storedKey(source: KeySource, place: "file" | "keychain"): Promise<VaultKey> {
  const store = storeAt(source, place);
  const kept = store === undefined ? [] : await keysIn(store, place);
  const bytes = kept[0] ?? randomBytes(keyBytes);
  if (kept.length === 0) await store?.write(`${bytes.toString("hex")}\n`);
  return { header: { place, id: idOf(bytes) }, bytes };
}

/** A new key beside those that are kept, until `forgetOldKeys`: whichever moment a crash picks, the vault's key is there. */
export async function addKey(source: KeySource, place: "file" | "keychain"): Promise<VaultKey> {
  const store = storeAt(source, place);
  const bytes = randomBytes(keyBytes);
  if (store !== undefined) {
    const kept = await keysIn(store, place);
    await store.write(`${[bytes, ...kept].map((key) => key.toString("hex")).join("\n")}\n`);
  }
  return { header: { place, id: idOf(bytes) }, bytes };
}

export async function forgetOldKeys(source: KeySource, key: VaultKey): Promise<void> {
  if (key.header.place === "given") return;
  await storeAt(source, key.header.place)?.write(`${key.bytes.toString("hex")}\n`);
}

/** The key a vault was sealed with. A key that does not fit is an error, never a reason to begin anew. */
export async function findKey(source: KeySource, header: KeyHeader): Promise<VaultKey> {
  let tried = false;
  if (source.given !== undefined) {
    tried = true;
    const bytes = header.kdf === undefined ? rawKey(source.given) : await derive(source.given, header.kdf);
    if (bytes !== undefined && idOf(bytes) === header.id) return { header, bytes };
  }
  for (const place of header.place === "keychain" ? (["keychain", "file"] as const) : (["file", "keychain"] as const)) {
    const store = storeAt(source, place);
    if (store === undefined || (place === "keychain" && header.place !== "keychain")) continue;
    const keys = await keysIn(store, place);
    tried ||= keys.length > 0 && place === header.place;
    const fits = keys.find((bytes) => idOf(bytes) === header.id);
    if (fits !== undefined) return { header, bytes: fits };
  }
  throw tried ? keyWrong(placeNames[header.place]) : keyMissing(placeNames[header.place]);
}

function storeAt(source: KeySource, place: "file" | "keychain"): KeyStore | undefined {
  return place === "file" ? source.file : source.keychain;
}

async function keysIn(store: KeyStore, place: "file" | "keychain"): Promise<Buffer[]> {
  const lines = ((await store.read()) ?? "").split(/\s+/).filter((line) => line !== "");
  return lines.map((line) => {
    const key = rawKey(line);
    if (key === undefined) throw keyUnreadable(placeNames[place]);
    return key;
  });
}

function rawKey(text: string): Buffer | undefined {
  const trimmed = text.trim();
  if (/^[0-9a-fA-F]{64}$/.test(trimmed)) return Buffer.from(trimmed, "hex");
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(trimmed)) return undefined;
  const bytes = Buffer.from(trimmed, "base64");
  return bytes.length === keyBytes ? bytes : undefined;
}

function derive(passphrase: string, { salt, N, r, p }: Kdf): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { N, r, p, maxmem: 256 * N * r };
    scrypt(passphrase.normalize("NFC"), Buffer.from(salt, "base64"), keyBytes, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}

function idOf(key: Buffer): string {
  return createHmac("sha256", key).update("karyi vault key id").digest("hex").slice(0, 16);
}

/** The key itself never encrypts anything. */
export function sealingKey({ bytes }: VaultKey): Buffer {
  return Buffer.from(hkdfSync("sha256", bytes, Buffer.alloc(0), "karyi vault v1", keyBytes));
}
