import { expect, it } from "vitest";
import { falseWords } from "../../support/false-words.ts";
import { BEGUN, BUSY, POWERLESS, publishVersions, RULED, UNUSED } from "./compare/versions-stage.ts";

const stage = await publishVersions([BUSY, RULED, POWERLESS, BEGUN, UNUSED], ["2026-10-10"]);

it("no page, explanation or comparison claims more than the version shows", async () => {
  const { faults, read } = await falseWords(stage.snapshots, stage.govdata);
  expect(faults).toEqual([]);
  expect(read).toBeGreaterThan(300);
});
