import { describe, expect, it } from "vitest";
import { harmless, noise, pem, tokens } from "../fixtures/secrets.ts";
import { createMasker } from "../mask/masker.ts";

const { mask, valuesOnly } = createMasker(() => []);

describe("tokens", () => {
  it.each(tokens)("%s is masked in any surroundings", (kind, token) => {
    const label = `[masked:${kind}]`;
    expect(mask(`tool stdout: ${token}`)).toBe(`tool stdout: ${label}`);
    expect(mask(`"${token}"`)).toBe(`"${label}"`);
    expect(mask(`x=${token}\ny`)).toBe(`x=${label}\ny`);
    expect(mask(JSON.stringify(`a\n${token}\n`))).toContain(label);
    expect(mask(`https://example.com/?q=a%20${token}&b`)).toBe(`https://example.com/?q=a%20${label}&b`);
    expect(valuesOnly.mask(token)).toBe(token);
  });

  it("need their length", () => {
    for (const text of [
      `AK${"IA"}IOSFODNN7EXAMPL`,
      `AK${"IA"}IOSFODNN7EXAMPLE1`,
      `gh${"p_"}short`,
      `AI${"za"}${noise(25)}`,
      "eyJhbGciOiJIUzI1NiJ9",
      "sk-short",
    ]) {
      expect(mask(text)).toBe(text);
    }
  });
});

describe("assignments", () => {
  it.each([
    ["DB_PASSWORD=EXAMPLE-hunter2", "DB_PASSWORD=[masked:password]"],
    ["export PGPASSWORD=hunter2\nnext", "export PGPASSWORD=[masked:password]\nnext"],
    [`AWS_SECRET_ACCESS_KEY=${noise(40)}`, "AWS_SECRET_ACCESS_KEY=[masked:key]"],
    [`{"SecretAccessKey": "${noise(40)}"}`, '{"SecretAccessKey": "[masked:key]"}'],
    [`{\\"apiKey\\": \\"${noise(30)}\\"}`, '{\\"apiKey\\": \\"[masked:key]\\"}'],
    ["aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\n", "aws_secret_access_key = [masked:key]\n"],
    ["password: hunter2abc\nuser: x", "password: [masked:password]\nuser: x"],
    ["'client_secret' => 'a1b2c3d4e5'", "'client_secret' => '[masked:secret]'"],
    [`https://example.com/cb?access_token=${noise(20)}&state=1`, "https://example.com/cb?access_token=[masked:token]&state=1"],
    [`//registry.example.com/:_authToken=${noise(36)}`, "//registry.example.com/:_authToken=[masked:token]"],
    [`x-api-key: ${noise(32)}\n`, "x-api-key: [masked:key]\n"],
    ["tool --password=s3cr3t-val run", "tool --password=[masked:password] run"],
    [`SECRET=${noise(2000)} x`, "SECRET=[masked:secret] x"],
  ])("%s", (text, masked) => {
    expect(mask(text)).toBe(masked);
    expect(mask(masked)).toBe(masked);
  });

  it("headers and addresses lose their credentials", () => {
    expect(mask("Authorization: Basic dXNlcjpwYXNz")).toBe("Authorization: Basic [masked:authorization]");
    expect(mask(`-H 'authorization: Bearer ${noise(30)}'`)).toBe("-H 'authorization: Bearer [masked:authorization]'");
    expect(mask("https://user:pass@host/x")).toBe("https://user:[masked:url-credential]@host/x");
    expect(mask("postgres://app:p%40ss@db:5432/x")).toBe("postgres://app:[masked:url-credential]@db:5432/x");
    expect(mask(`https://${noise(40)}@example.com/r.git`)).toBe("https://[masked:url-credential]@example.com/r.git");
  });
});

describe("private keys", () => {
  it.each([
    ["plain", pem()],
    ["of OpenSSH", pem("OPENSSH PRIVATE KEY")],
    ["of PGP", pem("PGP PRIVATE KEY BLOCK").replace("-----\n", "-----\nVersion: GnuPG v2\n\n")],
    ["encrypted", pem().replace("-----\n", "-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123456789ABCDEF\n\n")],
    ["with carriage returns", pem().replaceAll("\n", "\r\n")],
    ["escaped", JSON.stringify(pem())],
    ["indented", pem().replaceAll("\n", "\n    ")],
    ["numbered", pem().replaceAll("\n", "\n    12\t")],
    ["in a diff", pem().replaceAll("\n", "\n+")],
    ["in one line", pem().replace("-----\n", "----- ")],
    ["without its end", pem().replace(/\n-----END.*/, "")],
  ])("%s are masked whole", (_, text) => {
    const masked = mask(`before\n${text}\nafter that`);
    expect(masked).toContain("[masked:private-key]");
    expect(masked.endsWith("\nafter that")).toBe(true);
    for (let index = 0; index < 5; index++) expect(masked).not.toContain(noise(64, 30 + index).slice(10, 30));
  });
});

describe("few false alarms", () => {
  it.each(harmless)("passes unchanged: %s", (text) => {
    expect(mask(text)).toBe(text);
  });
});
