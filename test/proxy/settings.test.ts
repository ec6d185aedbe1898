import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readPaths, readServeSettings, type SETTINGS, unknownVariables } from "../../proxy/settings.ts";
import { runProxyCommand } from "../support/run-in-process.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

describe("readPaths", () => {
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
    const { home, snapshots, optouts } = readPaths(flags, environment);
    expect([home, snapshots, optouts]).toEqual(want);
  });

  it.each([
    { why: "home", flags: { home: "/s/home" }, says: "--home must not be in" },
    {
      why: "list of opt-outs",
      flags: { home: "/h", optouts: "/s/optouts.db" },
      says: "--optouts must not be in",
    },
  ])("refuses a $why that everybody may read", ({ flags, says }) => {
    expect(() => readPaths({ snapshots: "/s", ...flags }, {})).toThrow(says);
  });

  it.each([
    { why: "a bucket", given: "s3://bucket", isAddress: true },
    { why: "a prefix of a bucket", given: "s3://bucket/some/prefix", isAddress: true },
    { why: "a mirror", given: "https://mirror.example.org/published/", isAddress: true },
    { why: "a mirror on this machine", given: "http://127.0.0.1:8000", isAddress: true },
    { why: "a folder", given: "/srv/published", isAddress: false },
    { why: "a folder with an odd name", given: "s3:published", isAddress: false },
  ])("keeps a copy in the home of an address: $why", ({ given, isAddress }) => {
    const want = isAddress ? { snapshots: "/h/published", remote: given } : { snapshots: given };
    expect(readPaths({ home: "/h", snapshots: given }, {})).toMatchObject(want);
    expect(readPaths({}, { GOVDATA_PROXY_HOME: "/h", GOVDATA_SNAPSHOTS: given })).toMatchObject(want);
    expect("remote" in readPaths({ snapshots: given }, {})).toBe(isAddress);
  });

  it.each([
    { why: "no bucket", given: "s3://" },
    { why: "a prefix that leaves it", given: "s3://bucket/../other" },
    { why: "a mirror without a lock", given: "http://mirror.example.org" },
    { why: "a password", given: "https://user:hunter2@mirror.example.org" },
    { why: "a query", given: "https://mirror.example.org/?token=hunter2" },
  ])("refuses an address with $why, and does not repeat it", ({ given }) => {
    expect(() => readPaths({ snapshots: given }, {})).toThrow(
      expect.objectContaining({ code: "BAD_OPTION", message: expect.not.stringContaining("hunter2") }),
    );
  });
});

describe("readServeSettings", () => {
  it("has defaults that serve this machine alone", () => {
    expect(readServeSettings({}, {})).toEqual({
      host: "127.0.0.1",
      port: 8787,
      maxAgeMs: undefined,
      sequenceMin: 0,
      corsOrigins: new Set(),
      inFlightMax: 2000,
      connectionsMax: 900,
      logLevel: "info",
      admin: undefined,
      drainMs: 7000,
    });
  });

  it("reads every variable, and lets flags win", () => {
    const environment = {
      GOVDATA_PROXY_HOST: "::1",
      GOVDATA_PROXY_PORT: "1",
      GOVDATA_MAX_AGE_HOURS: "1.5",
      GOVDATA_MIN_SEQUENCE: "41",
      GOVDATA_CORS_ORIGINS: "https://a.example, http://localhost:3000",
      GOVDATA_IN_FLIGHT_MAX: "7",
      GOVDATA_PROXY_CONNECTIONS_MAX: "40",
      GOVDATA_LOG_LEVEL: "warn",
      GOVDATA_PROXY_ADMIN_HOST: "::1",
      GOVDATA_PROXY_ADMIN_PORT: "9100",
      GOVDATA_PROXY_DRAIN_SECONDS: "0",
    };
    expect(readServeSettings({ port: "0" }, environment)).toEqual({
      host: "::1",
      port: 0,
      maxAgeMs: 5_400_000,
      sequenceMin: 41,
      corsOrigins: new Set(["https://a.example", "http://localhost:3000"]),
      inFlightMax: 7,
      connectionsMax: 40,
      logLevel: "warn",
      admin: { host: "::1", port: 9100 },
      drainMs: 0,
    });
    expect(readServeSettings({ host: "0.0.0.0" }, environment).host).toBe("0.0.0.0");
    expect(readServeSettings({ adminPort: "0" }, {}).admin).toEqual({ host: "127.0.0.1", port: 0 });
  });

  it("names the flag where the flag was wrong", () => {
    expect(() => readServeSettings({ port: "x" }, {})).toThrow("--port is not");
    expect(() => readServeSettings({ host: "x y" }, {})).toThrow("--host is not");
    expect(() => readServeSettings({ adminPort: "x" }, {})).toThrow("--admin-port is not");
  });
});

/** Values that are refused, in what words, and how the program ends: 2 by default, 1 where this machine is the reason. */
const BAD_VALUES: Readonly<
  Record<keyof typeof SETTINGS.table, { values: readonly string[]; code?: number; says: string } | string>
> = {
  GOVDATA_PROXY_HOME: { values: ["/dev/null/home"], code: 1, says: "/dev/null/home" },
  GOVDATA_SNAPSHOTS:
    "a folder without a version is no mistake: the first one may come later, and /readyz says no until then",
  GOVDATA_OPTOUTS: "a list that cannot be read withholds entities, /readyz says so, and the rest is served",
  GOVDATA_PROXY_HOST: {
    values: ["http://x", "a b", "127.0.0.1:80", "*", "a..b", "-a", "[::1]", "x".repeat(254)],
    says: "127.0.0.1, ::1, localhost",
  },
  GOVDATA_PROXY_PORT: { values: ["65536", "-1", "08787", "x", "80 "], says: "from 0 to 65535" },
  GOVDATA_PROXY_ADMIN_HOST: { values: ["a b", "127.0.0.1:9100"], says: "127.0.0.1, ::1, localhost" },
  GOVDATA_PROXY_ADMIN_PORT: { values: ["65536", "-1", "on", "9100/"], says: "from 0 to 65535" },
  GOVDATA_PROXY_CONNECTIONS_MAX: { values: ["7", "100001"], says: "from 8 to 100000" },
  GOVDATA_PROXY_DRAIN_SECONDS: { values: ["301", "-1", "1.5", "5s"], says: "from 0 to 300" },
  GOVDATA_QUOTA: { values: ["http://127.0.0.1:6379"], says: "redis://HOST:PORT/DATABASE" },
  GOVDATA_PEPPER: { values: ["short"], code: 1, says: "32 characters" },
  GOVDATA_MAX_AGE_HOURS: { values: ["0", "-1", "1e3", "x", "9".repeat(400)], says: "hours above 0" },
  GOVDATA_PUBLIC_KEY: { values: ["", "x", "ed25519:zz"], says: "sign-key" },
  GOVDATA_MIN_SEQUENCE: { values: ["0"], says: "from 1 to 999999999999999" },
  GOVDATA_CORS_ORIGINS: {
    values: ["*", "null", "a.example", "https://a.example/", "https://a.example/x"],
    says: "https://app.example.org",
  },
  GOVDATA_IN_FLIGHT_MAX: { values: ["0", "1.5", "-1", "x", "1000001"], says: "from 1 to 1000000" },
  GOVDATA_LOG_LEVEL: { values: ["debug!", "INFO"], says: "silent, error, warn, info" },
};

describe("starting with a mistake in", () => {
  const folder = temporaryFolder();

  it.each(Object.entries(BAD_VALUES))("%s", async (name, bad) => {
    if (typeof bad === "string") return;
    const { values, code = 2, says } = bad;
    for (const value of values) {
      const end = await runProxyCommand(["serve", "--snapshots", join(folder, "none")], {
        environment: { GOVDATA_PROXY_HOME: join(folder, "home"), GOVDATA_PROXY_PORT: "0", [name]: value },
        nowMs: () => 0,
      });
      expect(end, value).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(says) });
      expect(end.stderr, "no stack").not.toMatch(/\n\s+at /);
      if (code === 2) expect(end.stderr).toContain(name);
      if (code === 2 && value.length > 2) expect(end.stderr, "it is not repeated").not.toContain(value);
    }
  });
});

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
