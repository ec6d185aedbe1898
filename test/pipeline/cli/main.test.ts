import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeWorld } from "../../../fixtures/world.ts";
import { publishedFiles } from "../../support/published-files.ts";
import { startProgram } from "../../support/run-program.ts";
import { AS_OF, makeStands, type Stand } from "./stand.ts";

// The few things that only a process of its own can show.
const { fresh, published } = await makeStands();

/** Starts the program on a stand. */
const start = ({ places }: Stand, args: readonly string[]) => startProgram("govdata", [...places, ...args]);

test("a reader that has seen enough (`| head -1`) is no failure", async () => {
  const { child, ended } = start(published(), ["show", "daos"]);
  child.stdout.destroy();
  expect(await ended).toMatchObject({ code: 0, stderr: "" });
});

test("a log that nobody keeps any more does not break off a run", async () => {
  const setup = fresh();
  const { child, ended } = start(setup, ["run", "--from", setup.archive, "--as-of", AS_OF]);
  child.stderr.destroy();
  expect(await ended).toMatchObject({ code: 0 });
  expect(publishedFiles(setup.snapshots).sequence).toBe(1);
});

test("an interrupt ends with 130, leaves what is published, and the next run is none the worse", async () => {
  const setup = published();
  const before = publishedFiles(setup.snapshots);
  // All twelve invented DAOs now, so that there is much left to do when the first line is out.
  const registry = join(setup.archive, "registry.yaml");
  const small = readFileSync(registry);
  writeWorld({ directory: setup.archive, seed: "stand", endDay: "2026-10-31" });
  const { child, ended } = start(setup, ["run", "--from", setup.archive, "--as-of", AS_OF]);
  child.stderr.once("data", () => child.kill("SIGINT"));
  const end = await ended;
  expect(end).toMatchObject({
    code: 130,
    stderr: expect.stringContaining("\ninterrupted; the published version is intact"),
  });
  expect(end.stderr, "it came in the middle").not.toContain("stage=score done=12/12");
  expect(publishedFiles(setup.snapshots).version).toBe(before.version);
  writeFileSync(registry, small);
  expect(await setup.run()).toMatchObject({ code: 0 });
  expect(publishedFiles(setup.snapshots).sequence).toBe(before.sequence + 1);
});
