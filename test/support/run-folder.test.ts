import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { expect, it } from "vitest";
import { runFolder, setup } from "./run-folder.ts";

it("is that of the run, and a new run makes its own whatever its shell says", () => {
  const given = runFolder();
  const { TMPDIR } = process.env;
  expect(runFolder()).toBe(given);
  try {
    setup();
    const own = runFolder();
    expect(own).not.toBe(given);
    expect(tmpdir(), "what tests leave behind goes with it").toBe(own);
    rmSync(own, { recursive: true });
  } finally {
    Object.assign(process.env, { GOVDATA_TEST_FOLDER: given, TMPDIR });
  }
});
