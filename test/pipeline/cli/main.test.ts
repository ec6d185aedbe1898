import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeWorld } from "../../../fixtures/world.ts";
import { compileCopy } from "../../support/compiled-copy.ts";
import { publishedFiles } from "../../support/published-files.ts";
import { AS_OF, makeStands, PACKAGE_DIRECTORY, type Stand } from "./stand.ts";

// The few things that only a process of its own can show.
const { fresh, published } = await makeStands();

/** Starts the program, away from the settings of the developer's own shell. */
function start(setup: Stand, args: readonly string[]) {
  const main = compileCopy(join(PACKAGE_DIRECTORY, "pipeline/cli/main.ts"));
  const env = Object.entries(process.env).filter(([name]) => !/^(GOVDATA_|VITEST|NODE_OPTIONS)/.test(name));
  const child = spawn(process.execPath, [main, ...setup.places, ...args], {
    cwd: PACKAGE_DIRECTORY,
    stdio: ["ignore", "pipe", "pipe"],
    env: Object.fromEntries(env),
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const ended = new Promise<{ code: number | null; stderr: string }>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stderr }));
  });
  return { child, ended };
}

test("a reader that has seen enough (`| head -1`) is no failure", async () => {
  const { child, ended } = start(published(), ["show", "daos"]);
  child.stdout.destroy();
  expect(await ended).toEqual({ code: 0, stderr: "" });
});

test("a log that nobody keeps any more does not break off a run", async () => {
  const setup = fresh();
  const { child, ended } = start(setup, ["run", "--from", setup.archive, "--as-of", AS_OF]);
  child.stdout.resume();
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
  child.stdout.resume();
  child.stderr.once("data", () => child.kill("SIGINT"));
  const end = await ended;
  expect(end).toMatchObject({
    code: 130,
    stderr: expect.stringContaining("\ninterrupted; the published version is intact"),
  });
  expect(end.stderr, "it was heard in the middle").not.toContain("stage=score done=12/12");
  expect(publishedFiles(setup.snapshots).version).toBe(before.version);
  writeFileSync(registry, small);
  expect(await setup.run()).toMatchObject({ code: 0 });
  expect(publishedFiles(setup.snapshots).sequence).toBe(before.sequence + 1);
});
