import { expect, it } from "vitest";
import { SOURCE_IDS, SOURCES, sourceOf } from "../../../pipeline/facts/source-table.ts";

it.each(SOURCE_IDS)(
  "%s is fetched and judged fresh for the same DAOs, unless it does not age",
  (sourceId) => {
    const source = SOURCES[sourceId];
    const plain = { spaceId: "a.eth", name: "A", category: "defi", governor: undefined } as const;
    const isLive = source.isLiveFor(plain);
    // A source that nobody fetches for a DAO and that still counts would make the DAO look absent.
    if (isLive) expect(source.isFor(plain)).toBe(true);
    expect(source.from === "folder").toBe(!source.isResumable);
  },
);

it("refuses data of a source that it does not know, instead of guessing how fresh they are", () => {
  expect(() => sourceOf("tomorrow")).toThrow(expect.objectContaining({ code: "WAREHOUSE_TOO_NEW" }));
});
