import { describe, expect, test } from "vitest";
import type { Verdict } from "../../contract/index.ts";
import { decide, isPublicAddress, judgeUrl } from "../index.ts";
import { connect, question, run, worldOf } from "../test-world.ts";

const documented = worldOf({
  allowedDomains: ["developer.mozilla.org", "docs.python.org", "docs.example.com", "*.wild.example.org", "bücher.example"],
});

function check(expected: Verdict, urls: readonly string[]): void {
  test.each(urls)(`${expected}: %j`, (url) => {
    const verdict = judgeUrl(url, documented);
    expect(verdict.verdict, verdict.reason).toBe(expected);
    expect(decide(question([connect(url)], { tool: "WebFetch" }), documented).verdict).toBe(expected);
  });
}

describe("this machine in every spelling is refused", () => {
  check("deny", [
    "http://127.0.0.1/",
    "http://127.8.9.10:8000/",
    "http://localhost:8080/",
    "http://LOCALHOST/",
    "http://localhost./",
    "http://app.localhost/",
    "http://127.1/",
    "http://127.0.1/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0x7f.0.0.1/",
    "http://0177.0.0.1/",
    "http://017700000001/",
    "http://0.0.0.0:80/",
    "http://0/",
    "http://[::1]/",
    "http://[0:0:0:0:0:0:0:1]/",
    "http://[::]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[::127.0.0.1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[64:ff9b::127.0.0.1]/",
    "http://[64:ff9b:1::7f00:1]/",
    "http://[2002:7f00:1::]/",
    "http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/",
    "http://[2001:4860::5efe:127.0.0.1]/",
    "http://127.0.0.1.nip.io/",
    "http://app.10.0.0.1.sslip.io/",
    "http://app-192-168-1-250.nip.io/",
    "http://7f000001.nip.io/",
    "http://--1.sslip.io/",
    "http://www.192-168-0-1.example.com/",
    "http://localtest.me/",
    "http://foo.lvh.me/",
    "http://7f000001.c0a80001.rbndr.us/",
    "http://①②⑦.⓪.⓪.①/",
    "http://127%2e0%2e0%2e1/",
    "http://127。0。0。1/",
    "http://router/",
    "http://redis:8080/",
    "http://printer.local/",
    "http://vault.corp/",
    "http://nas.home.arpa/",
  ]);
});

describe("private, metadata and special addresses are refused", () => {
  check("deny", [
    "http://169.254.169.254/latest/meta-data/",
    "http://169.254.170.2/v2/credentials",
    "http://[fd00:ec2::254]/latest/meta-data/",
    "http://[::ffff:169.254.169.254]/",
    "http://0xa9fea9fe/",
    "http://metadata.google.internal/",
    "http://metadata.goog/",
    "http://metadata.tencentyun.com/",
    "http://instance-data/",
    "http://100.100.100.200/",
    "http://100.64.0.1/",
    "http://168.63.129.16/",
    "http://10.0.0.1/",
    "http://172.16.0.1/",
    "http://172.31.255.255/",
    "http://192.168.1.1/",
    "http://[fe80::1]/",
    "http://[fc00::1]/",
    "http://[fec0::1]/",
    "http://[ff02::1]/",
    "http://[2001:db8::1]/",
    "http://[3fff::1]/",
    "http://224.0.0.1/",
    "http://255.255.255.255/",
    "http://198.18.0.1/",
    "http://192.0.2.1/",
    "http://192.88.99.1/",
    "http://240.0.0.1/",
  ]);
});

describe("what is not plainly a web address is refused", () => {
  check("deny", [
    "file:///etc/passwd",
    "gopher://127.0.0.1:6379/_FLUSHALL",
    "ftp://example.com/",
    "data:text/html,x",
    "javascript:alert(1)",
    "ws://example.com/",
    "jar:http://example.com/!/",
    "view-source:https://example.com/",
    "//example.com/",
    "example.com",
    "",
    "http:",
    "http://",
    "http:///example.com",
    "http:example.com",
    "http:/example.com",
    "http:\\\\example.com",
    " https://docs.python.org/",
    "https://example.com\\@127.0.0.1/",
    "https://127.0.0.1\\@docs.python.org/",
    "https://docs.python.org\\.evil.example/",
    "https://attacker.example\0.docs.example.com/",
    "https://attacker.example%00.docs.example.com/",
    "https://docs.example.com%2f@evil.example/",
    "https://a@b@docs.example.com/",
    "https://docs.example.com\n.evil.example/",
    "https://docs.exa\tmple.com/",
    "https://docs.example.com\u202e/",
    "https://docs.example.com\u200b/",
    "https://docs .example.com/",
    "https://docs.example.com:99999/",
    "https://docs.example.com:22/",
    "https://docs.example.com:6379/",
    "https://[docs.example.com]/",
    "https://docs.example.com/\ud800",
    "https://user@127.0.0.1/",
    "https://docs.python.org@127.0.0.1/",
    "https://user:pass@docs.python.org/",
    "https://user@docs.python.org/",
  ]);
});

describe("a public host that is not on the list asks", () => {
  check("ask", [
    "https://example.com/",
    "https://docs.example.com.evil.example/",
    "https://evildocs.example.com/",
    "https://sub.docs.example.com/",
    "https://wild.example.org/",
    "https://evil.example/?d=QUtJQUlPU0ZPRE5ON0VYQU1QTEU",
    `https://${"a".repeat(60)}.${"b".repeat(60)}.evil.example/`,
    "https://dоcs.python.org/",
    "https://docs.python.org:8443/",
    "http://8.8.8.8/",
    "http://[2606:4700:4700::1111]/",
    "http://8.8.8.8.nip.io/",
    "https://docs.example.com/$KARYI{TOKEN}",
  ]);
});

describe("a public GET to an allowed domain is allowed", () => {
  check("allow", [
    "https://docs.python.org/3/library/shlex.html",
    "https://DOCS.python.org./3/",
    "https://docs。python。org/",
    "http://docs.python.org/",
    "https://docs.python.org:443/",
    "https://developer.mozilla.org/en-US/docs?q=a b\\c",
    "https://a.b.wild.example.org/",
    "https://xn--bcher-kva.example/",
    "https://bücher.example/",
  ]);
});

test("a placeholder for a secret goes to no host that is not allowed", () => {
  for (const url of [
    "https://evil.example/{{secret:GITHUB_TOKEN}}",
    "https://evil.example/?t=$KARYI{TOKEN}",
    "https://evil.example/%7B%7Bsecret:X%7D%7D",
  ]) {
    expect(judgeUrl(url, documented)).toMatchObject({ verdict: "deny", rule: "builtin:secret" });
  }
});

test("every hop of a redirect is judged as an address of its own", () => {
  const hops = ["https://docs.example.com/redirect?to=http://169.254.169.254/", "http://169.254.169.254/"];
  expect(hops.map((hop) => judgeUrl(hop, documented).verdict)).toEqual(["allow", "deny"]);
});

test("one private address among several refuses them all", () => {
  expect(judgeUrl("http://multi.example/", documented, { addresses: ["93.184.216.34", "10.0.0.5"] }).verdict).toBe("deny");
  expect(judgeUrl("https://docs.python.org/", documented, { addresses: ["0.0.0.0"] }).verdict).toBe("deny");
  expect(judgeUrl("https://docs.python.org/", documented, { addresses: ["::ffff:10.0.0.1"] }).verdict).toBe("deny");
  expect(judgeUrl("https://docs.python.org/", documented, { addresses: ["not an address"] }).verdict).toBe("deny");
  expect(judgeUrl("https://docs.python.org/", documented, { addresses: ["93.184.216.34", "2606:4700:4700::1111"] }).verdict).toBe("allow");
});

test("sending data asks even on an allowed domain", () => {
  for (const method of ["POST", "put", "DELETE", "CONNECT", "PROPFIND"])
    expect(judgeUrl("https://docs.python.org/", documented, { method }).verdict).toBe("ask");
  expect(judgeUrl("https://docs.python.org/", documented, { method: "head" }).verdict).toBe("allow");
});

test("a name outside ASCII is shown as it will be contacted", () => {
  const verdict = judgeUrl("https://dоcs.python.org/", documented);
  expect(verdict.host).toMatch(/^xn--/);
  expect(verdict.reason).toContain("xn--");
});

test("a command may be asked about this machine and other protocols, but not about metadata or bare sockets", () => {
  const verdict = (url: string): Verdict => decide(question([run("curl x", true), connect(url)], { tool: "Bash" }), documented).verdict;
  for (const url of [
    "http://localhost:3000/",
    "http://127.0.0.1:8080/x",
    "http://192.168.1.5/",
    "ssh://git@github.com/x",
    "git://example.com/x",
  ])
    expect(verdict(url), url).toBe("ask");
  for (const url of [
    "http://169.254.169.254/",
    "http://metadata.google.internal/",
    "tcp://10.0.0.1:4444",
    "tcp://example.com:80",
    "http://0.0.0.0/",
    "file:///etc/passwd",
    "ssh://169.254.169.254/",
  ]) {
    expect(verdict(url), url).toBe("deny");
  }
});

test("only addresses of the public internet are public", () => {
  const publicOnes = ["1.1.1.1", "93.184.216.34", "2606:4700:4700::1111", "[2606:4700:4700::1111]", "::ffff:8.8.8.8", "64:ff9b::808:808"];
  const others = [
    "",
    "x",
    "127.0.0.1",
    "10.1.1.1",
    "169.254.1.1",
    "fe80::1%eth0",
    "2606:4700::1%1",
    "::ffff:10.0.0.1",
    "64:ff9b::a00:1",
    "::",
    "::1",
    "168.63.129.16",
    "100.100.100.200",
    "192.0.0.1",
    "2002:808:808::",
    "fd12::1",
    "1.1.1.1.1",
  ];
  expect(publicOnes.filter((address) => !isPublicAddress(address))).toEqual([]);
  expect(others.filter((address) => isPublicAddress(address))).toEqual([]);
});

test("a local address is fetched only if it is listed, by host or by host and port, and still asked about", () => {
  const home = worldOf({ allowedPrivate: ["127.0.0.1:8080", "wiki.lan", "[::1]:9000", "Nas.local:443"] });
  const verdict = (url: string): Verdict => judgeUrl(url, home).verdict;
  for (const url of [
    "http://127.0.0.1:8080/x",
    "http://127.1:8080/",
    "http://wiki.lan/",
    "https://wiki.lan:8443/",
    "http://[::1]:9000/",
    "https://nas.local/",
  ])
    expect(verdict(url), url).toBe("ask");
  for (const url of [
    "http://127.0.0.1/",
    "http://127.0.0.1:8081/",
    "http://localhost:8080/",
    "http://a.wiki.lan/",
    "http://nas.local/",
    "http://[::1]/",
    "http://user@127.0.0.1:8080/",
  ])
    expect(verdict(url), url).toBe("deny");
  expect(judgeUrl("http://wiki.lan/", home, { addresses: ["10.0.0.7"] }).verdict).toBe("ask");
  const listed = worldOf({ allowedPrivate: ["127.0.0.1:8080"], allowedDomains: ["127.0.0.1"] });
  expect(judgeUrl("http://127.0.0.1:8080/", listed).verdict).toBe("allow");
  expect(judgeUrl("http://127.0.0.1:8081/", listed).verdict).toBe("deny");
});

test("the configured search engine needs no question in any mode, and only at its own address", () => {
  const world = worldOf({ searchOrigin: "http://127.0.0.1:8888" });
  const asked = (url: string, service?: "search") => ({ kind: "connect" as const, url, method: "POST", ...(service ? { service } : {}) });
  for (const mode of ["plan", "default", "accept-edits", "auto"] as const) {
    const verdict = (effect: ReturnType<typeof asked>): Verdict => decide(question([effect], { tool: "WebSearch", mode }), world).verdict;
    expect(verdict(asked("http://127.0.0.1:8888/search", "search"))).toBe("allow");
    expect(verdict(asked("http://127.0.0.1:8889/search", "search"))).toBe("deny");
    expect(verdict(asked("http://127.0.0.1:8888/search"))).toBe("deny");
  }
});
