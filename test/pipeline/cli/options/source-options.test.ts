import "../../../support/no-public-hub.ts";
import { describe, expect, it } from "vitest";
import {
  fetchOptionsOf,
  type SourceFlags,
  sourcesOfVariables,
} from "../../../../pipeline/cli/options/source-options.ts";

const HUB = "https://hub.example/graphql";
const read = (flags: SourceFlags) => fetchOptionsOf(flags, [], {});

describe("--source", () => {
  it.each([
    { source: "archive", from: "./archive", sources: ["archive"] },
    { source: "snapshot-hub", from: HUB, sources: ["snapshot-hub"] },
    { source: "governor", from: undefined, sources: ["governor"] },
    { source: "governor, snapshot-hub", from: HUB, sources: ["snapshot-hub", "governor"] },
    { source: "governor,governor", from: undefined, sources: ["governor"] },
    { source: "archive,governor", from: "./archive", sources: ["archive", "governor"] },
  ])("$source is read as $sources", ({ source, from, sources }) => {
    expect(read({ source, ...(from === undefined ? {} : { from }) })).toMatchObject({ sources });
  });

  it.each<{ why: string; flags: SourceFlags; says: string }>([
    { why: "a source nobody knows", flags: { source: "hub", from: HUB }, says: "--source" },
    { why: "nothing", flags: { source: "", from: HUB }, says: "--source" },
    { why: "an archive without a place", flags: { source: "governor,archive" }, says: "needs --from" },
    { why: "an empty hub", flags: { source: "snapshot-hub", from: "" }, says: "needs --from" },
    { why: "an empty place", flags: { source: "archive", from: "" }, says: "needs --from" },
    { why: "one place for two", flags: { source: "archive,snapshot-hub", from: HUB }, says: "both need" },
    {
      why: "since for a disk",
      flags: { source: "archive", from: "a", since: "2026-01-01" },
      says: "--since",
    },
  ])("refuses $why", ({ flags, says }) => {
    expect(() => read(flags)).toThrow(says);
  });

  it("uses an option that one of the sources has a use for", () => {
    expect(read({ source: "snapshot-hub,governor", from: HUB, since: "2026-01-01" })).toMatchObject({
      sinceMs: Date.parse("2026-01-01T00:00:00.000Z"),
    });
  });
});

describe("--from", () => {
  const PUBLIC = "https://hub.snapshot.org/graphql";
  it.each<{ why: string; flags: SourceFlags; sources: unknown; from: unknown }>([
    { why: "neither it nor --source", flags: {}, sources: undefined, from: PUBLIC },
    { why: "a hub", flags: { from: HUB, rps: "2" }, sources: undefined, from: HUB },
    { why: "a folder", flags: { from: "https" }, sources: ["archive"], from: "https" },
    { why: "a hub without it", flags: { source: "snapshot-hub" }, sources: ["snapshot-hub"], from: PUBLIC },
    { why: "no use for it", flags: { source: "governor" }, sources: ["governor"], from: undefined },
  ])("decides what is read: $why", ({ flags, sources, from }) => {
    const options = read(flags);
    expect([options.sources, options.from]).toEqual([sources, from]);
  });

  it("of a folder excludes options of live sources", () => {
    expect(read({ since: "2026-01-01", record: "./new" }).recordDirectory).toBe("./new");
    expect(() => read({ from: "./archive", rps: "2" })).toThrow("--source archive does not use --rps");
  });

  it.each([
    { variables: {}, isNamed: false },
    { variables: { GOVDATA_HOME: "home", GOVDATA_RPC_x: "node" }, isNamed: false },
    { variables: { GOVDATA_RPC_1: "http://node.example" }, isNamed: true },
    { variables: { GOVDATA_FROM: HUB }, isNamed: true },
  ])("the variables $variables name a source: $isNamed", ({ variables, isNamed }) => {
    expect(sourcesOfVariables(variables) !== undefined).toBe(isNamed);
  });
});

describe("variables", () => {
  const hub: SourceFlags = { source: "snapshot-hub", from: HUB };
  const variables = { GOVDATA_RPS: "2", GOVDATA_CONCURRENCY: "3", GOVDATA_SINCE: "2026-01-01" };

  it("replace options that are not given", () => {
    const day = Date.parse("2026-01-01T00:00:00.000Z");
    expect(fetchOptionsOf(hub, [], variables)).toMatchObject({
      pace: { requestsPerMinute: 120, concurrencyMax: 3 },
      sinceMs: day,
    });
    const given = fetchOptionsOf({ ...hub, rps: "0.5" }, [], variables);
    expect(given.pace).toEqual({ requestsPerMinute: 30, concurrencyMax: 3 });
  });

  it("that are empty count as unset, a key too", () => {
    const empty = { GOVDATA_RPS: "", GOVDATA_CONCURRENCY: "", GOVDATA_SINCE: "", GOVDATA_HUB_KEY: "" };
    expect(fetchOptionsOf(hub, [], empty)).toMatchObject({
      pace: { requestsPerMinute: undefined, concurrencyMax: undefined },
      sinceMs: undefined,
      hubKey: undefined,
    });
  });

  it("are refused by name if invalid, and ignored by a source without a use for them", () => {
    for (const [name, value] of [
      ["GOVDATA_RPS", "0"],
      ["GOVDATA_CONCURRENCY", "65"],
      ["GOVDATA_SINCE", "soon"],
    ] as const)
      expect(() => fetchOptionsOf(hub, [], { [name]: value })).toThrow(name);
    expect(fetchOptionsOf({ source: "archive", from: "a" }, [], variables).sources).toEqual(["archive"]);
  });
});
