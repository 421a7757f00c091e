import { expect, it } from "vitest";
import { parsedUrl } from "./parsed-url.ts";

it("a name outside ASCII is read however often others were read before", () => {
  let read = 0;
  for (let round = 0; round < 1_000_000; round += 1) if (parsedUrl(`https://example.com/${round % 7}`) !== undefined) read += 1;
  expect([read, parsedUrl("https://bücher.example/")?.hostname, parsedUrl("no address")]).toEqual([
    1_000_000,
    "xn--bcher-kva.example",
    undefined,
  ]);
});
