import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { slimVote } from "../../../../pipeline/sources/hub/vote-pages.ts";

describe("slimVote", () => {
  it.each([
    { why: "drops what we do not read", row: { id: "1", metadata: { a: 1 } }, slim: { id: "1" } },
    { why: "keeps null and what is missing apart", row: { vp: null }, slim: { vp: null } },
    { why: "keeps of a reason that there is one", row: { reason: "because" }, slim: { reason: "given" } },
    { why: "keeps of an empty reason that it is empty", row: { reason: " \n" }, slim: { reason: "" } },
    { why: "keeps a reason that is no text, to be refused", row: { reason: 7 }, slim: { reason: 7 } },
    { why: "makes what JSON cannot hold impossible", row: { vp: Infinity }, slim: { vp: -1 } },
    { why: "also within a choice", row: { choice: { "1": Infinity } }, slim: { choice: { "1": -1 } } },
    { why: "makes null of what is no vote", row: [1], slim: null },
    { why: "and of null", row: null, slim: null },
  ])("$why", ({ row, slim }) => {
    expect(slimVote(row)).toEqual(slim);
  });

  it("does not let __proto__ through", () => {
    const slim = slimVote(JSON.parse('{"__proto__":{"vp":9},"choice":{"__proto__":{"1":1}}}'));
    expect(Object.getPrototypeOf(slim)).toBe(Object.prototype);
    expect(Object.keys((slim as { choice: object }).choice)).toEqual(["__proto__"]);
  });

  it("gives what writing and reading leave as it is", () => {
    fc.assert(
      fc.property(fc.record({ vp: fc.anything(), choice: fc.jsonValue(), created: fc.double() }), (row) => {
        const given = { ...row, vp: typeof row.vp === "number" ? row.vp : 1 };
        const rows = [slimVote(given)];
        const text = JSON.stringify(rows);
        expect(JSON.stringify(JSON.parse(text))).toBe(text);
      }),
    );
  });
});
