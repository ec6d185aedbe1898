import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { FIXTURE_AS_OF_MS, publishFixture } from "../../../support/published-set.ts";
import { runGovdata } from "../../../support/run-in-process.ts";

const root = mkdtempSync(join(tmpdir(), "govdata-empty-feed-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const snapshots = join(root, "published");
const feed = (...args: string[]) => runGovdata(["--snapshots", snapshots, "feed", ...args]);

it("an empty feed says why on stderr: nothing to compare, or nothing that moved; with -q it is silent", async () => {
  await publishFixture(snapshots, { createdAtMs: FIXTURE_AS_OF_MS + 1000 });
  const alone = await feed();
  expect(alone).toMatchObject({ code: 0, stderr: expect.stringContaining("one version is kept") });
  expect(alone.stdout).not.toContain("one version is kept");
  await publishFixture(snapshots, { createdAtMs: FIXTURE_AS_OF_MS + 2000 });
  const still = await feed("--min-delta", "0.5", "--json");
  expect(still.stderr).toContain("no gvs moved by 0.5 between the newest 2 kept versions");
  expect(JSON.parse(still.stdout)).not.toHaveProperty("why");
  expect(await feed("-q")).toMatchObject({ code: 0, stderr: "" });
});
