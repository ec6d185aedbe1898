import { describe, expect, it } from "vitest";
import { readPlaces, readServeSettings, unknownVariables, wholeNumber } from "../../proxy/settings.ts";

describe("readPlaces", () => {
  it.each([
    {
      why: "defaults",
      flags: {},
      environment: {},
      want: [".govdata/proxy", "snapshots/published", ".govdata/optouts.db"],
    },
    {
      why: "environment",
      flags: {},
      environment: { GOVDATA_PROXY_HOME: "/h", GOVDATA_SNAPSHOTS: "/s", GOVDATA_OPTOUTS: "/o" },
      want: ["/h", "/s", "/o"],
    },
    {
      why: "flags win",
      flags: { home: "/flag", snapshots: "/too", optouts: "/and" },
      environment: { GOVDATA_PROXY_HOME: "/h", GOVDATA_SNAPSHOTS: "/s", GOVDATA_OPTOUTS: "/o" },
      want: ["/flag", "/too", "/and"],
    },
    {
      why: "empty variables count as not set",
      flags: {},
      environment: { GOVDATA_PROXY_HOME: "", GOVDATA_SNAPSHOTS: "", GOVDATA_OPTOUTS: "" },
      want: [".govdata/proxy", "snapshots/published", ".govdata/optouts.db"],
    },
  ])("$why", ({ flags, environment, want }) => {
    const { home, snapshots, optouts } = readPlaces(flags, environment);
    expect([home, snapshots, optouts]).toEqual(want);
  });
});

describe("readServeSettings", () => {
  it("has defaults that serve this machine alone", () => {
    expect(readServeSettings({}, {})).toEqual({
      host: "127.0.0.1",
      port: 8787,
      maxAgeMs: undefined,
      corsOrigins: new Set(),
      inFlightMax: 2000,
      logLevel: "info",
      admin: undefined,
      drainMs: 6000,
    });
  });

  it("reads every variable, and lets flags win", () => {
    const environment = {
      GOVDATA_PROXY_HOST: "::1",
      GOVDATA_PROXY_PORT: "1",
      GOVDATA_MAX_AGE_HOURS: "1.5",
      GOVDATA_CORS_ORIGINS: "https://a.example, http://localhost:3000",
      GOVDATA_IN_FLIGHT_MAX: "7",
      GOVDATA_LOG_LEVEL: "warn",
      GOVDATA_PROXY_ADMIN_HOST: "::1",
      GOVDATA_PROXY_ADMIN_PORT: "9100",
      GOVDATA_PROXY_DRAIN_SECONDS: "0",
    };
    expect(readServeSettings({ port: "0" }, environment)).toEqual({
      host: "::1",
      port: 0,
      maxAgeMs: 5_400_000,
      corsOrigins: new Set(["https://a.example", "http://localhost:3000"]),
      inFlightMax: 7,
      logLevel: "warn",
      admin: { host: "::1", port: 9100 },
      drainMs: 0,
    });
    expect(readServeSettings({ host: "0.0.0.0" }, environment).host).toBe("0.0.0.0");
    expect(readServeSettings({ adminPort: "0" }, {}).admin).toEqual({ host: "127.0.0.1", port: 0 });
  });

  it.each([
    {
      name: "GOVDATA_CORS_ORIGINS",
      values: ["*", "null", "a.example", "https://a.example/", "https://a.example/x"],
      allowed: "https://app.example.org",
    },
    {
      name: "GOVDATA_MAX_AGE_HOURS",
      values: ["0", "-1", "1e3", "x", "9".repeat(400)],
      allowed: "hours above 0",
    },
    {
      name: "GOVDATA_IN_FLIGHT_MAX",
      values: ["0", "1.5", "-1", "x", "1000001"],
      allowed: "from 1 to 1000000",
    },
    { name: "GOVDATA_PROXY_PORT", values: ["65536", "-1", "08787", "x", "80 "], allowed: "from 0 to 65535" },
    {
      name: "GOVDATA_PROXY_HOST",
      values: ["http://x", "a b", "127.0.0.1:80", "*", "a..b", "-a", "[::1]", "x".repeat(254)],
      allowed: "127.0.0.1, ::1, localhost",
    },
    { name: "GOVDATA_PROXY_ADMIN_PORT", values: ["65536", "-1", "on", "9100/"], allowed: "from 0 to 65535" },
    { name: "GOVDATA_PROXY_ADMIN_HOST", values: ["http://x", "127.0.0.1:9100"], allowed: "127.0.0.1" },
    { name: "GOVDATA_PROXY_DRAIN_SECONDS", values: ["301", "-1", "1.5", "5s"], allowed: "from 0 to 300" },
    { name: "GOVDATA_LOG_LEVEL", values: ["debug!", "INFO"], allowed: "silent, error, warn, info" },
    { name: "GOVDATA_PUBLIC_KEY", values: ["", "x", "ed25519:zz"], allowed: "sign-key" },
  ])("refuses in $name: $values", ({ name, values, allowed }) => {
    for (const value of values) {
      const read = () => readServeSettings({}, { [name]: value });
      expect(read, value).toThrow(expect.objectContaining({ code: "USAGE" }));
      const { message, hint } = thrownBy(read);
      expect(`${message}\n${hint}`).toContain(name);
      expect(`${message}\n${hint}`).toContain(allowed);
      if (value.length > 2)
        expect(`${message}\n${hint}`, "what was given is not repeated").not.toContain(value);
    }
  });

  it("names the flag where the flag was wrong", () => {
    expect(() => readServeSettings({ port: "x" }, {})).toThrow("--port is not");
    expect(() => readServeSettings({ host: "x y" }, {})).toThrow("--host is not");
    expect(() => readServeSettings({ adminPort: "x" }, {})).toThrow("--admin-port is not");
  });
});

function thrownBy(read: () => unknown): { readonly message: string; readonly hint: string } {
  try {
    read();
  } catch (error) {
    return error as { message: string; hint: string };
  }
  throw new Error("nothing was thrown");
}

describe("unknownVariables", () => {
  it.each([
    { why: "known ones", names: ["GOVDATA_PROXY_PORT", "GOVDATA_PROXY_HOME"], want: [] },
    { why: "a slip", names: ["GOVDATA_PROXY_PROT", "GOVDATA_PROXY_HOST"], want: ["GOVDATA_PROXY_PROT"] },
    { why: "another program's", names: ["GOVDATA_HOME", "PATH", "GOVDATA_RPC_1"], want: [] },
    { why: "what every object has", names: ["GOVDATA_PROXY_toString"], want: ["GOVDATA_PROXY_toString"] },
  ])("$why", ({ names, want }) => {
    expect(unknownVariables(Object.fromEntries(names.map((name) => [name, "1"])))).toEqual(want);
  });
});

describe("wholeNumber", () => {
  it.each([
    { text: "1", want: 1 },
    { text: "10", want: 10 },
    { text: "0", want: undefined },
    { text: "11", want: undefined },
    { text: "", want: undefined },
    { text: "01", want: undefined },
    { text: "1.0", want: undefined },
    { text: " 1", want: undefined },
    { text: "99999999999999999999", want: undefined },
  ])("'$text' within 1 to 10: $want", ({ text, want }) => {
    const read = () => wholeNumber(text, { name: "n", min: 1, max: 10 });
    if (want === undefined) expect(read).toThrow("n is not a whole number");
    else expect(read()).toBe(want);
  });
});
