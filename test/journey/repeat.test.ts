import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { writeLargeWorld } from "../../fixtures/bench/pipeline/write-large-world.ts";
import { writeWorld } from "../../fixtures/world.ts";
import { GATE_OVERRIDES } from "../../pipeline/gate/gate-rules.ts";
import type { Settings } from "../../pipeline/home/settings.ts";
import { runPublish } from "../../pipeline/stages/run.ts";
import { openSqlite } from "../../snapshots/base/sqlite.ts";
import { PACKAGE_DIRECTORY } from "../pipeline/cli/stand.ts";
import { FILES_OF_THE_RUN, publishedFiles } from "../support/published-files.ts";
import { runGovdata } from "../support/run-in-process.ts";

const root = mkdtempSync(join(tmpdir(), "govdata-repeat-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const world = writeWorld({
  directory: join(root, "archive"),
  seed: "repeat",
  endDay: "2026-10-31",
  spaceIds: ["second-breakfast.example", "clockwork-relay.example"],
});

/** Fetches in the given order into stores of its own, publishes, and answers every file but those of the run. */
async function publishedFrom(
  home: string,
  spaceIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const snapshots = join(root, home, "published");
  const stores = [
    "--home",
    join(root, home),
    "--snapshots",
    snapshots,
    "--registry",
    join(root, "archive/registry.yaml"),
  ];
  for (const spaceId of spaceIds)
    expect(await runGovdata(["fetch", spaceId, "--from", join(root, "archive"), ...stores])).toMatchObject({
      code: 0,
    });
  expect(await runGovdata(["publish", "--as-of", world.asOf, ...stores])).toMatchObject({ code: 0 });
  const files = publishedFiles(snapshots);
  const ofTheData = files.paths.filter((path) => !FILES_OF_THE_RUN.includes(path));
  return new Map(ofTheData.map((path) => [path, files.bytes(path).toString("base64")]));
}

it("publishes the same bytes from fresh stores, in whatever order the DAOs were fetched", async () => {
  const one = await publishedFrom("one", world.spaceIds);
  const other = await publishedFrom("other", world.spaceIds.toReversed());
  expect(one.size).toBeGreaterThan(20);
  expect([...other.keys()]).toEqual([...one.keys()]);
  const differing = [...one].filter(([path, bytes]) => other.get(path) !== bytes).map(([path]) => path);
  expect(differing).toEqual([]);
});

it("publishes the same bytes whether or not it uses what earlier runs found out", async () => {
  const old = join(root, "old");
  writeLargeWorld(old, 5_000, "old", 20, 0.7);
  const registry = join(old, "registry.yaml");
  const nights = async (home: string, isFull: boolean) => {
    const settings: Settings = {
      homeDirectory: join(root, home),
      snapshotsDirectory: join(root, home, "published"),
      registryPath: registry,
      packageDirectory: PACKAGE_DIRECTORY,
    };
    const stores = ["--home", settings.homeDirectory, "--registry", registry];
    expect(await runGovdata(["fetch", "--from", old, ...stores])).toMatchObject({ code: 0 });
    const progress = { step: () => {}, tick: () => {}, warn: () => {} };
    const published = [];
    for (const day of ["2026-10-31", "2026-11-01", "2026-11-20"]) {
      const asOfMs = Date.parse(`${day}T12:00:00Z`);
      const effects = { nowMs: () => Date.now(), runId: "0123456789abcdef", progress };
      await runPublish(settings, { asOfMs, overrides: GATE_OVERRIDES, isFull }, effects);
      const { paths, bytes, json } = publishedFiles(settings.snapshotsDirectory);
      const { findings } = json("run.json") as { readonly findings: unknown };
      const ofTheData = paths.filter((path) => !FILES_OF_THE_RUN.includes(path));
      published.push({
        findings,
        files: new Map(ofTheData.map((path) => [path, bytes(path).toString("base64")])),
      });
    }
    return published;
  };
  const [usual, full] = [await nights("usual", false), await nights("full", true)];
  for (const [night, { findings, files }] of usual.entries()) {
    const other = full[night];
    expect(findings).toEqual(other?.findings);
    const differing = [...files]
      .filter(([path, bytes]) => other?.files.get(path) !== bytes)
      .map(([path]) => path);
    expect({ night, differing, count: files.size }).toEqual({
      night,
      differing: [],
      count: other?.files.size,
    });
  }
  const warehouse = openSqlite(join(root, "usual/warehouse.db"));
  const since = warehouse
    .prepare("SELECT at_ms, count(*) AS daos FROM visits WHERE published IS NOT NULL GROUP BY at_ms")
    .all();
  warehouse.close();
  // Most were visited in the first night alone.
  expect(since).toEqual([{ at_ms: Date.parse("2026-10-31T12:00:00Z"), daos: 12 }]);
});
