import { expect, it } from "vitest";
import { inWorld } from "./world-environment.ts";

const given = {
  PATH: "/bin",
  http_proxy: "http://127.0.0.1:1",
  HTTPS_PROXY: "http://127.0.0.1:1",
  npm_config_proxy: "x",
  PIP_RETRIES: "3",
};

it("without a network no proxy hides an attempt to leave, and nobody waits for a second try but who says so", () => {
  expect(inWorld(given, { isOffline: true, concealed: [] })).toEqual({
    ...{ PATH: "/bin", PIP_RETRIES: "3" },
    ...{ npm_config_fetch_retries: "0", CARGO_NET_RETRY: "0", UV_HTTP_RETRIES: "0" },
  });
  expect(inWorld(given, { isOffline: false, concealed: [] })).toEqual(given);
});

it("where files are hidden git knows them by size and time, unless it was told otherwise", () => {
  expect(inWorld({}, { isOffline: false, concealed: ["/w/.env"], environment: { A: "b" } })).toEqual({
    ...{ A: "b", GIT_CONFIG_COUNT: "2" },
    ...{ GIT_CONFIG_KEY_0: "core.checkStat", GIT_CONFIG_VALUE_0: "minimal" },
    ...{ GIT_CONFIG_KEY_1: "core.trustctime", GIT_CONFIG_VALUE_1: "false" },
  });
  expect(inWorld({ GIT_CONFIG_COUNT: "0" }, { isOffline: false, concealed: ["/w/.env"] })).toEqual({ GIT_CONFIG_COUNT: "0" });
});
