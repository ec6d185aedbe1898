import { join } from "node:path";
import { expect, it } from "vitest";
import { writeLargeWorld } from "../../fixtures/bench/pipeline/write-large-world.ts";
import { GATE_OVERRIDES } from "../../pipeline/gate/gate-rules.ts";
import type { Settings } from "../../pipeline/home/settings.ts";
import { runPublish } from "../../pipeline/stages/run.ts";
import { openSqlite } from "../../snapshots/base/sqlite.ts";
import { makeStands, PACKAGE_DIRECTORY } from "../pipeline/cli/stand.ts";
import { recordedEffects } from "../pipeline/home/test-home.ts";
import { FILES_OF_THE_RUN, publishedFiles } from "../support/published-files.ts";
import { runGovdata } from "../support/run-in-process.ts";

const { world, root, fresh } = await makeStands(["second-breakfast.example", "clockwork-relay.example"]);

/** Every published file but those of the run, as text that says its bytes. */
function filesOfTheData(snapshots: string): ReadonlyMap<string, string> {
  const { paths, bytes } = publishedFiles(snapshots);
  const ofTheData = paths.filter((path) => !FILES_OF_THE_RUN.includes(path));
  return new Map(ofTheData.map((path) => [path, bytes(path).toString("base64")]));
}

const differing = (one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string> = new Map()) =>
  [...one].filter(([path, bytes]) => other.get(path) !== bytes).map(([path]) => path);

it("publishes the same bytes from fresh stores, in whatever order the DAOs were fetched", async () => {
  const publishedFrom = async (spaceIds: readonly string[]) => {
    const stand = fresh();
    for (const spaceId of spaceIds)
      expect(await stand.govdata(["fetch", spaceId, "--from", stand.archive])).toMatchObject({ code: 0 });
    expect(await stand.govdata(["publish", "--as-of", world.asOf])).toMatchObject({ code: 0 });
    return filesOfTheData(stand.snapshots);
  };
  const one = await publishedFrom(world.spaceIds);
  const other = await publishedFrom(world.spaceIds.toReversed());
  expect(one.size).toBeGreaterThan(20);
  expect([...other.keys()]).toEqual([...one.keys()]);
  expect(differing(one, other)).toEqual([]);
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
    const published = [];
    for (const day of ["2026-10-31", "2026-11-01", "2026-11-20"]) {
      const asOfMs = Date.parse(`${day}T12:00:00Z`);
      const { effects } = recordedEffects({ nowMs: () => Date.now() });
      await runPublish(settings, { asOfMs, overrides: GATE_OVERRIDES, isFull }, effects);
      const report = publishedFiles(settings.snapshotsDirectory).json("run.json");
      const { findings } = report as { readonly findings: unknown };
      published.push({ findings, files: filesOfTheData(settings.snapshotsDirectory) });
    }
    return published;
  };
  const [usual, full] = [await nights("usual", false), await nights("full", true)];
  for (const [night, { findings, files }] of usual.entries()) {
    const other = full[night];
    expect(findings).toEqual(other?.findings);
    expect({ night, differing: differing(files, other?.files), count: files.size }).toEqual({
      ...{ night, differing: [], count: other?.files.size },
    });
  }
  const visitsOf = (home: string) => {
    const warehouse = openSqlite(join(root, home, "warehouse.db"));
    const visits = warehouse
      .prepare("SELECT at_ms, count(*) AS daos FROM visits WHERE published IS NOT NULL GROUP BY at_ms")
      .all();
    warehouse.close();
    return visits;
  };
  // Most were visited in the first night alone.
  expect(visitsOf("usual")).toEqual([{ at_ms: Date.parse("2026-10-31T12:00:00Z"), daos: 12 }]);
  expect(visitsOf("full"), "a full one neither uses nor leaves any").toEqual([]);
});
