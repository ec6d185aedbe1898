import { rmSync } from "node:fs";
import { expect, it } from "vitest";
import { runFolder, setup } from "./run-folder.ts";

it("is that of the run, and a new run makes its own whatever its shell says", () => {
  const given = runFolder();
  expect(runFolder()).toBe(given);
  try {
    setup();
    const own = runFolder();
    expect(own).not.toBe(given);
    rmSync(own, { recursive: true });
  } finally {
    process.env["GOVDATA_TEST_FOLDER"] = given;
  }
});
