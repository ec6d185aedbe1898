import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { identifyFile } from "../../../snapshots/format/documents.ts";
import { PATHS } from "../../../snapshots/format/paths.ts";

const spaceId = fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,99}$/);

describe("identifyFile", () => {
  it.each([
    { path: "daos.json", want: { kind: "daos", id: "", month: "" } },
    { path: "daos/a.eth.json", want: { kind: "dao", id: "a.eth", month: "" } },
    { path: "daos/json.json", want: { kind: "dao", id: "json", month: "" } },
    { path: "delegates/a/latest.json", want: { kind: "latestListing", id: "a", month: "" } },
    { path: "delegates/a/2026-03.ndjson", want: { kind: "delegateMonth", id: "a", month: "2026-03" } },
    { path: "delegates/a/2026-03-31.json", want: undefined },
    { path: "graph/a.eth.json", want: { kind: "graph", id: "a.eth", month: "" } },
    { path: "run.json", want: { kind: "run", id: "", month: "" } },
    { path: "datapackage.json", want: { kind: "dataPackage", id: "", month: "" } },
    { path: "delegates/a/all.csv", want: { kind: "wholeListing", id: "a", month: "" } },
    { path: "proposals/a.eth.ndjson", want: { kind: "proposals", id: "a.eth", month: "" } },
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
        expect(identifyFile(PATHS.dao(id))).toEqual({ kind: "dao", id, month: "" });
        expect(identifyFile(PATHS.risk(id))).toEqual({ kind: "risk", id, month: "" });
        expect(identifyFile(PATHS.graph(id))).toEqual({ kind: "graph", id, month: "" });
        expect(identifyFile(PATHS.history(id))).toEqual({ kind: "history", id, month: "" });
        expect(identifyFile(PATHS.latestListing(id))).toEqual({ kind: "latestListing", id, month: "" });
        const month = "2024-02";
        expect(identifyFile(PATHS.delegateMonth(id, month))).toEqual({ kind: "delegateMonth", id, month });
      }),
    );
  });
});
