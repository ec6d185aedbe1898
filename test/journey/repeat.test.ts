import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { writeWorld } from "../../fixtures/world.ts";
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
