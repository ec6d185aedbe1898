import { expect, it } from "vitest";
import {
  BEGUN,
  BUSY,
  POWERLESS,
  publishVersions,
  RULED,
  UNUSED,
} from "../pipeline/tools/compare/versions-stage.ts";
import { falseWords } from "../support/false-words.ts";

const stage = await publishVersions([BUSY, RULED, POWERLESS, BEGUN, UNUSED], ["2026-10-10"]);

it("no page, explanation or comparison claims more than the version shows", async () => {
  const { faults, read } = await falseWords(stage.snapshots, stage.govdata);
  expect(faults).toEqual([]);
  expect(read).toBeGreaterThan(300);
});
