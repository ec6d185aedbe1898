import { expect, it } from "vitest";
import { createTextKeeper } from "../../../../pipeline/sources/hub/fetch-proposals.ts";
import { proposal } from "../../warehouse/sample-facts.ts";

const links = (...texts: readonly (string | undefined)[]) => {
  const keep = createTextKeeper(10);
  return texts.map((discussion, n) => keep(proposal(`0x${n}`, { discussion })).discussion);
};

it.each([
  { why: "nothing", texts: [undefined, ""] },
  { why: "as many characters as may be", texts: ["12345", "67890"] },
  { why: "the same text as often as one likes", texts: ["1234567890", "1234567890", "1234567890"] },
])("keeps $why", ({ texts }) => {
  expect(links(...texts)).toEqual(texts);
});

it("counts strategies and links together, and refuses one character more", () => {
  expect(() => links("12345", "678901")).toThrow("more than 10 characters");
  const keep = createTextKeeper(10);
  keep(proposal("0x1", { strategiesKey: "12345", discussion: "678" }));
  expect(() => keep(proposal("0x2", { discussion: "abc" }))).toThrow(
    expect.objectContaining({ code: "SOURCE_FAILED" }),
  );
});
