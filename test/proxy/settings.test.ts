import { describe, expect, it } from "vitest";
import { readPlaces, readServeSettings, wholeNumber } from "../../proxy/settings.ts";

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
    };
    expect(readServeSettings({ port: "0" }, environment)).toEqual({
      host: "::1",
      port: 0,
      maxAgeMs: 5_400_000,
      corsOrigins: new Set(["https://a.example", "http://localhost:3000"]),
      inFlightMax: 7,
      logLevel: "warn",
    });
    expect(readServeSettings({ host: "0.0.0.0" }, environment).host).toBe("0.0.0.0");
  });

  it.each([
    {
      name: "GOVDATA_CORS_ORIGINS",
      values: ["*", "null", "a.example", "https://a.example/", "https://a.example/x"],
    },
    { name: "GOVDATA_MAX_AGE_HOURS", values: ["0", "-1", "1e3", "x", "9".repeat(400)] },
    { name: "GOVDATA_IN_FLIGHT_MAX", values: ["0", "1.5", "-1", "x"] },
    { name: "GOVDATA_PROXY_PORT", values: ["65536", "-1", "08787", "x"] },
    { name: "GOVDATA_LOG_LEVEL", values: ["debug!", "INFO"] },
  ])("refuses in $name: $values", ({ name, values }) => {
    for (const value of values) {
      const read = () => readServeSettings({}, { [name]: value });
      expect(read).toThrow(expect.objectContaining({ code: "USAGE" }));
    }
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
