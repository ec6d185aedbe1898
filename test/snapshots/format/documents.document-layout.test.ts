import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { identifyFile } from "../../../snapshots/format/documents.ts";
import { PATHS } from "../../../snapshots/format/paths.ts";

const spaceId = fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,99}$/);

describe("identifyFile", () => {
  it.each([
    { path: "daos.json", want: { kind: "daos", id: "", date: "" } },
    { path: "daos/a.eth.json", want: { kind: "dao", id: "a.eth", date: "" } },
    { path: "daos/json.json", want: { kind: "dao", id: "json", date: "" } },
    { path: "delegates/a/latest.json", want: { kind: "latestListing", id: "a", date: "" } },
    { path: "delegates/a/2026-03-31.json", want: { kind: "datedListing", id: "a", date: "2026-03-31" } },
    { path: "graph/a.eth.json", want: { kind: "graph", id: "a.eth", date: "" } },
    { path: "run.json", want: { kind: "run", id: "", date: "" } },
    { path: "datapackage.json", want: { kind: "dataPackage", id: "", date: "" } },
    { path: "delegates/a/all.csv", want: { kind: "wholeListing", id: "a", date: "" } },
    { path: "proposals/a.eth.ndjson", want: { kind: "proposals", id: "a.eth", date: "" } },
    { path: "delegates/a/some.csv", want: undefined },
    { path: "delegates/a/latest.json.json", want: undefined },
    { path: "delegates/a/b/latest.json", want: undefined },
    { path: "daos/a/b.json", want: undefined },
    { path: "x/daos.json", want: undefined },
    { path: "index.sqlite", want: undefined },
    { path: "", want: undefined },
  ])("$path", ({ path, want }) => {
    expect(identifyFile(path)).toEqual(want);
  });

  it("is the way back from every path that is made of an id", () => {
    fc.assert(
      fc.property(spaceId, (id) => {
        expect(identifyFile(PATHS.dao(id))).toEqual({ kind: "dao", id, date: "" });
        expect(identifyFile(PATHS.risk(id))).toEqual({ kind: "risk", id, date: "" });
        expect(identifyFile(PATHS.graph(id))).toEqual({ kind: "graph", id, date: "" });
        expect(identifyFile(PATHS.history(id))).toEqual({ kind: "history", id, date: "" });
        expect(identifyFile(PATHS.latestListing(id))).toEqual({ kind: "latestListing", id, date: "" });
        const date = "2024-02-29";
        expect(identifyFile(PATHS.datedListing(id, date))).toEqual({ kind: "datedListing", id, date });
      }),
    );
  });
});
