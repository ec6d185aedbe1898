import { expect, it } from "vitest";
import { largeJsonFile, renderedFile } from "../../../../snapshots/store/write/render-documents.ts";

it("describes a file that nobody holds whole as one that somebody does, and gives its bytes as often as asked", () => {
  const value = { resources: Array.from({ length: 1_500 }, (_, index) => ({ path: `é/${index}` })) };
  const whole = Buffer.from(`${JSON.stringify(value)}\n`);
  const about = { path: "datapackage.json", records: 1, media_type: "application/json" } as const;
  const { entry, bytes } = largeJsonFile("datapackage.json", value);
  expect(entry).toEqual(renderedFile(whole, about).entry);
  for (const _ of [1, 2]) expect(Buffer.concat([...bytes]).equals(whole)).toBe(true);
});
