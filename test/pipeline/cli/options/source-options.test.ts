import { describe, expect, it } from "vitest";
import { fetchOptionsOf, type SourceFlags } from "../../../../pipeline/cli/options/source-options.ts";

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
    { why: "a hub without a place", flags: { source: "governor,snapshot-hub" }, says: "needs --from" },
    { why: "an empty place", flags: { source: "archive", from: "" }, says: "needs --from" },
    { why: "one place for two", flags: { source: "archive,snapshot-hub", from: HUB }, says: "both need" },
    { why: "a rate for a disk", flags: { source: "archive", from: "a", rps: "2" }, says: "no use for --rps" },
    {
      why: "since for a disk",
      flags: { source: "archive", from: "a", since: "2026-01-01" },
      says: "--since",
    },
  ])("refuses $why", ({ flags, says }) => {
    expect(() => read(flags)).toThrow(says);
  });

  it("takes an option that one of the sources has a use for", () => {
    expect(read({ source: "snapshot-hub,governor", from: HUB, since: "2026-01-01" })).toMatchObject({
      sinceMs: Date.parse("2026-01-01T00:00:00.000Z"),
    });
  });
});
