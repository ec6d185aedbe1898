import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { readVersion } from "../../snapshots/store/read/read-documents.ts";
import { readPointer, versionNames } from "../../snapshots/store/read/read-pointer.ts";
import { compileCopy } from "../support/compiled-copy.ts";
import { setStage } from "../support/journey/stage.ts";
import { runGovdata } from "../support/run-in-process.ts";
import { startChild } from "./child.ts";
import { canMountSmallDisk, NAMESPACE } from "./full-disk.ts";
import { litterIn } from "./staged-root.ts";

const stage = setStage({ endDay: "2026-10-31", spaceIds: ["quiet-foundry.example"] });
afterAll(() => stage.remove());
const stores = ["--home", join(stage.root, "home"), "--registry", join(stage.archive, "registry.yaml")];
const published = ["--snapshots", stage.snapshots];
const publish = ["publish", "--as-of", stage.world.asOf, ...stores];
const first = await runGovdata([
  "run",
  "--source",
  "archive",
  "--from",
  stage.archive,
  "--as-of",
  stage.world.asOf,
  ...stores,
  ...published,
]);
if (first.code !== 0 && first.code !== 3)
  throw new Error(`the first run ended with ${first.code}: ${first.stderr}`);

const ENTRY = compileCopy(fileURLToPath(new URL("../../pipeline/cli/main.ts", import.meta.url)));

/** Kills a command as soon as its time has come. */
async function killWhen(isTime: () => boolean, ...words: readonly string[]): Promise<void> {
  const child = startChild([ENTRY, ...words]);
  while (!isTime() && child.process.exitCode === null) await sleep(1);
  child.process.kill("SIGKILL");
  expect(await child.ended).toBe("SIGKILL");
}

/** The version that was current before a command began. */
let atFirst: string;
const sequence = () => readPointer(stage.snapshots).sequence;

describe("govdata publish", () => {
  it("is killed in the middle, and the next one tidies up after it", async () => {
    const before = sequence();
    await killWhen(() => litterIn(stage.snapshots).length > 0, ...publish, ...published);
    const killed = sequence();
    expect([before, before + 1]).toContain(killed);
    expect((await runGovdata(["verify", "--deep", ...published])).code).toBe(0);
    expect((await runGovdata([...publish, ...published])).code).toBe(0);
    expect([sequence(), litterIn(stage.snapshots)]).toEqual([killed + 1, []]);
    expect((await runGovdata(["verify", "--deep", ...published])).code).toBe(0);
  });

  it.each([
    { why: "while it writes", isTime: () => litterIn(stage.snapshots).length > 0 },
    {
      why: "between the move of the pointer and the deleting",
      isTime: () => readPointer(stage.snapshots).version !== atFirst,
    },
  ])("leaves redacting whole when it is killed $why, and the next one ends it", async ({ isTime }) => {
    atFirst = readPointer(stage.snapshots).version;
    const named = readVersion(stage.snapshots).set.entities[0]?.entity_id ?? "nobody";
    expect((await runGovdata(["entity", "opt-out", named, ...stores, ...published])).code).toBe(0);
    await killWhen(isTime, "redact", ...stores, ...published);
    expect((await runGovdata(["verify", "--deep", ...published])).code).toBe(0);
    expect((await runGovdata(["redact", ...stores, ...published])).code).toBe(0);
    expect(litterIn(stage.snapshots)).toEqual([]);
    const versions = versionNames(readdirSync(stage.snapshots));
    for (const version of versions) {
      expect((await runGovdata(["verify", "--deep", version, ...published])).code).toBe(0);
      const { set } = readVersion(stage.snapshots, version);
      expect(set.entities.map((entity) => entity.entity_id)).not.toContain(named);
    }
    expect(versions.length).toBeGreaterThan(1);
  });

  it.runIf(canMountSmallDisk()).each([
    {
      why: "a disk that the last run's bytes do not fit on",
      knowsLastRun: true,
      says: /publishing takes about 1 MB, but only 0 MB are free on the disk of the versions[\s\S]*Free some space/,
    },
    {
      why: "a disk that fills up on the way",
      knowsLastRun: false,
      says: /could not write the files of the version \(ENOSPC\)[\s\S]*Check the disk/,
    },
  ])("ends with 1 on $why, says so, and leaves the old version whole", async ({ knowsLastRun, says }) => {
    const small = join(stage.root, `small-${knowsLastRun}`);
    const kept = join(stage.root, `kept-${knowsLastRun}`);
    const state = join(stage.root, "home", "state.json");
    if (!knowsLastRun)
      writeFileSync(state, JSON.stringify({ ...JSON.parse(readFileSync(state, "utf8")), last_run: null }));
    mkdirSync(small);
    cpSync(stage.snapshots, kept, { recursive: true });
    // A disk that takes what is published and one page more; what is left on it is brought out to be looked at.
    const script = [
      `mount -t tmpfs none ${small}`,
      `cp -a ${kept}/. ${small}`,
      `mount -o remount,size=$(($(du -sk ${small} | cut -f1) + 4))k ${small}`,
      '"$@"',
      "code=$?",
      `rm -r ${kept}/* && cp -a ${small}/. ${kept}`,
      "exit $code",
    ].join("\n");
    const child = startChild(
      [ENTRY, ...publish, "--snapshots", small],
      [...NAMESPACE, "sh", "-c", script, "sh"],
    );
    const code = await child.ended;
    const stderr = child.complaint();
    expect(stderr).toMatch(says);
    expect(stderr).not.toContain(stage.root);
    expect(code).toBe(1);
    expect(readPointer(kept)).toEqual(readPointer(stage.snapshots));
    expect(readdirSync(kept)).toEqual(readdirSync(stage.snapshots));
    expect((await runGovdata(["verify", "--deep", "--snapshots", kept])).code).toBe(0);
    expect((await runGovdata([...publish, "--snapshots", kept])).code).toBe(0);
  });
});
