import { expect, it } from "vitest";
import { z } from "zod";
import { parseStored } from "../../../../pipeline/sources/upstream/parse-values.ts";

const Page = z.object({ basis: z.string(), rows: z.array(z.unknown()) });

it("reads back what was stored", () => {
  const page = { basis: "b", rows: [1, null] };
  expect(parseStored(Page, JSON.stringify(page))).toEqual(page);
});

it.each([{ text: undefined }, { text: "{" }, { text: "{}" }, { text: '{"basis":1}' }])(
  "takes $text for nothing stored",
  ({ text }) => {
    expect(parseStored(Page, text)).toBeUndefined();
  },
);
