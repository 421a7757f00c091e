/**
 * Tokens that can be told by their prefix: issued by services for programs, long, and worth nothing to a reader.
 * Each rule is narrow enough that hashes, UUIDs, integrity strings, images and minified code pass unchanged.
 */
import { alnum, type CharClass, dotted, endOfRun, hexDigits, isIn, swallowClass, upperAlnum, urlSafe, word } from "../mask/char-class.ts";
import { type Findings, rank, type Window } from "../mask/findings.ts";

/** How base64 of a JSON object begins. */
const payloadStart = "eyJ";

interface TokenRule {
  readonly prefix: string;
  readonly body: CharClass;
  /** Characters after the prefix: at least, or with `exact` neither more nor fewer. */
  readonly length: number;
  readonly exact?: boolean;
  /** Of small letters only it is a word: a digit or a capital must be among the first `length` characters. */
  readonly varied?: boolean;
  readonly label: string;
}

function rules(label: string, prefixes: readonly string[], body: CharClass, length: number, more: Partial<TokenRule> = {}): TokenRule[] {
  return prefixes.map((prefix) => ({ prefix, body, length, label: `[masked:${label}]`, ...more }));
}

const all: readonly TokenRule[] = [
  ...rules("aws-access-key-id", ["AKIA", "ASIA", "ABIA", "ACCA"], upperAlnum, 16, { exact: true }),
  ...rules("github-token", ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], alnum, 20),
  ...rules("github-token", ["github_pat_"], word, 14),
  ...rules("gitlab-token", ["glpat-", "gldt-", "glrt-", "glptt-", "glcbt-", "glsoat-", "glft-", "glagent-"], dotted, 15),
  ...rules("slack-token", ["xoxa-", "xoxb-", "xoxc-", "xoxd-", "xoxe-", "xoxe.", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xapp-"], dotted, 15),
  ...rules("stripe-key", ["sk_live_", "sk_test_", "rk_live_", "rk_test_"], alnum, 12),
  ...rules("stripe-key", ["whsec_"], alnum, 24),
  ...rules("google-api-key", ["AIza"], urlSafe, 30),
  ...rules("google-token", ["ya29."], dotted, 24),
  ...rules("google-token", ["GOCSPX-"], urlSafe, 20),
  ...rules("anthropic-key", ["sk-ant-"], urlSafe, 20),
  ...rules("openai-key", ["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-or-v1-"], urlSafe, 20),
  ...rules("openai-key", ["sk-"], alnum, 24, { varied: true }),
  ...rules("npm-token", ["npm_"], alnum, 30),
  ...rules("pypi-token", ["pypi-AgE"], urlSafe, 20),
  ...rules("huggingface-token", ["hf_"], alnum, 30),
  ...rules("docker-token", ["dckr_pat_", "dckr_oat_"], urlSafe, 20),
  ...rules("digitalocean-token", ["dop_v1_", "doo_v1_", "dor_v1_"], hexDigits, 64),
  ...rules("shopify-token", ["shpat_", "shpca_", "shppa_", "shpss_"], hexDigits, 32),
  ...rules("sendgrid-key", ["SG."], dotted, 40, { varied: true }),
  ...rules("atlassian-token", ["ATATT3", "ATCTT3"], urlSafe, 60),
  ...rules("groq-key", ["gsk_"], alnum, 40),
  ...rules("xai-key", ["xai-"], alnum, 60),
  ...rules("linear-key", ["lin_api_"], alnum, 32),
  ...rules("figma-token", ["figd_"], urlSafe, 36),
  ...rules("supabase-key", ["sbp_"], hexDigits, 40),
  ...rules("databricks-token", ["dapi"], hexDigits, 32),
  ...rules("age-key", ["AGE-SECRET-KEY-1"], upperAlnum, 58),
];

const byFirst = new Map<number, TokenRule[]>();
for (const rule of all) {
  const first = rule.prefix.charCodeAt(0);
  byFirst.set(
    first,
    [...(byFirst.get(first) ?? []), rule].sort((a, b) => b.prefix.length - a.prefix.length),
  );
}
/** The first two characters of every prefix: nearly all words are left alone after one look. */
const openings = new Uint8Array(1 << 14);
for (const prefix of [...all.map((rule) => rule.prefix), payloadStart]) openings[(prefix.charCodeAt(0) << 7) | prefix.charCodeAt(1)] = 1;
const longestPrefix = Math.max(...all.map(({ prefix }) => prefix.length));

/** What a byte is to a run of tokens: no part of it, a mark between words, or part of a word. */
const inRun = new Uint8Array(256);
const wordKind = 2;
for (let code = 0; code < 128; code++) inRun[code] = alnum[code] === 1 ? wordKind : (dotted[code] ?? 0);

const shortestHeader = 16;
/** No token is shorter, so every run worth a look covers a multiple of this. */
const probeEvery = Math.min(shortestHeader + 4, ...all.map(({ prefix, length }) => prefix.length + length));

export function findTokens(window: Window, findings: Findings): void {
  const { text, bytes, from, final } = window;
  const { length } = text;
  let at = Math.min(from + probeEvery - 1, length);
  let searched = from;
  while (at < length) {
    if (inRun[bytes[at] as number] === 0) {
      at += probeEvery;
      continue;
    }
    let start = at;
    while (start > searched && inRun[bytes[start - 1] as number] !== 0) start -= 1;
    let gap = start + probeEvery - 1;
    if (gap >= length) break;
    while (gap > at && inRun[bytes[gap] as number] !== 0) gap -= 1;
    // Most words are left alone here: whatever lies before the gap is too short.
    searched = gap > at ? gap : searchRun(window, start, findings);
    at = searched + probeEvery;
  }
  if (final || searched === length) return;
  let start = length;
  while (start > searched && inRun[bytes[start - 1] as number] !== 0) start -= 1;
  searchRun(window, start, findings);
}

/** Tokens begin words. Answers where the run ends. */
function searchRun(window: Window, start: number, findings: Findings): number {
  const { bytes, text } = window;
  const length = text.length;
  let before = start === 0 ? 0 : inRun[bytes[start - 1] as number];
  let at = start;
  for (; at < length; at++) {
    const byte = bytes[at] as number;
    const kind = inRun[byte];
    if (kind === 0) break;
    if (before !== wordKind || (at < start + 3 && isEscaped(bytes, at))) {
      if (openings[((byte & 127) << 7) | ((bytes[at + 1] as number) & 127)] === 1 || at + 1 === length) searchAt(window, at, findings);
    }
    before = kind;
  }
  return at;
}

/** What stands in front is an escape (`\n`, `%20`), not the rest of a word. */
function isEscaped(bytes: Uint8Array, at: number): boolean {
  return (at > 1 && bytes[at - 2] === 0x5c) || (at > 2 && bytes[at - 3] === 0x25);
}

function searchAt(window: Window, at: number, findings: Findings): void {
  const { text } = window;
  const first = text.charCodeAt(at);
  if (first === 0x65 && webToken(window, at, findings)) return;
  for (const rule of byFirst.get(first) ?? []) if (judge(window, at, rule, findings)) return;
  if (!window.final && text.length - at < longestPrefix) holdPrefix(text, at, findings);
}

/** The text ends within a prefix. */
function holdPrefix(text: string, at: number, findings: Findings): void {
  const rest = text.slice(at);
  for (const { prefix } of byFirst.get(text.charCodeAt(at)) ?? []) {
    if (rest.length < prefix.length && prefix.startsWith(rest)) findings.hold(at);
  }
}

function judge(window: Window, at: number, rule: TokenRule, findings: Findings): boolean {
  const { text, final } = window;
  if (!text.startsWith(rule.prefix, at)) return false;
  const body = at + rule.prefix.length;
  const enough = body + rule.length;
  let end = body;
  while (end < enough && end < text.length && isIn(rule.body, text.charCodeAt(end))) end += 1;
  if (end < enough) {
    if (end === text.length && !final) findings.hold(at);
    return false;
  }
  if (rule.varied && !/[A-Z0-9]/.test(text.slice(body, enough))) return false;
  if (!rule.exact) {
    findings.addSwallowed(window, { start: at, label: rule.label, rank: rank.token }, enough, swallowClass(rule.body));
    return true;
  }
  if (enough === text.length && !final) findings.hold(at);
  else if (enough < text.length && isIn(rule.body === upperAlnum ? alnum : rule.body, text.charCodeAt(enough))) return false;
  findings.add({ start: at, end: enough, label: rule.label, rank: rank.token });
  return true;
}

const shortestPart = 4;
const longestPart = 4096;

/** JSON Web Tokens: a header and a payload that are base64 of JSON (`eyJ` is `{"`), or five parts when encrypted. */
function webToken(window: Window, at: number, findings: Findings): boolean {
  const { text, final } = window;
  const undecided = (from: number) => {
    if (from >= text.length && !final) findings.hold(at);
    return false;
  };
  if (!text.startsWith(payloadStart, at))
    return text.length - at < payloadStart.length && payloadStart.startsWith(text.slice(at)) && undecided(text.length);
  const headerEnd = endOfRun(text, at, urlSafe, at + longestPart);
  if (headerEnd - at < shortestHeader) return undecided(headerEnd);
  if (text[headerEnd] !== ".") return undecided(headerEnd);
  const payload = headerEnd + 1;
  if (!text.startsWith(payloadStart, payload)) {
    if (payloadStart.startsWith(text.slice(payload, payload + payloadStart.length)) && payload + payloadStart.length > text.length) {
      return undecided(text.length);
    }
    const secondEnd = endOfRun(text, payload, urlSafe, payload + longestPart);
    if (text[secondEnd] !== "." || secondEnd - payload < shortestPart) return undecided(secondEnd);
  }
  findings.addSwallowed(window, { start: at, label: "[masked:jwt]", rank: rank.token }, payload, swallowClass(dotted));
  return true;
}
