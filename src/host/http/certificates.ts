/** Certificates that a company adds to those every machine trusts. */
import { readFileSync } from "node:fs";
import tls from "node:tls";

/** Certificates of a company, beside those that Node brings: an own list replaces that one, so both are in it. */
export function companyCertificates(env: Readonly<Record<string, string | undefined>>): readonly string[] | undefined {
  const files = [env.SSL_CERT_FILE, env.NODE_EXTRA_CA_CERTS].filter((file) => file !== undefined && file !== "");
  if (files.length === 0) return undefined;
  const read = files.flatMap((file) => {
    try {
      return [readFileSync(file as string, "utf8")];
    } catch {
      return [];
    }
  });
  return read.length === 0 ? undefined : [...tls.rootCertificates, ...read];
}
