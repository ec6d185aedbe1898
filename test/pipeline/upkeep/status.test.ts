import { readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pid } from "node:process";
import { expect, it } from "vitest";
import { govdata, LEAF, makeStands, NOW_MS, PACKAGE_DIRECTORY, TOAST } from "../cli/stand.ts";

const { fresh, published, root } = await makeStands();

it("prints before anything happened that nothing is published or fetched; a limit of age is exceeded", async () => {
  const setup = fresh();
  const end = await setup.govdata(["status"]);
  expect(end).toMatchObject({ code: 0, stderr: "" });
  expect(end.stdout).toMatch(
    new RegExp(
      `^nothing is published yet\nregistry {3}registry.yaml, named by --registry, 2 DAOs\n\nspace .*\n${LEAF} +never\n${TOAST} +never\n$`,
    ),
  );
  expect(await setup.govdata(["status", "--max-age", "1"])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("SNAPSHOT_STALE: nothing is published"),
  });
});

it("names the registry in force without its path, and warns if it tracks none of the published DAOs", async () => {
  const setup = published();
  const named = await setup.govdata(["status"]);
  expect(named.stdout).toMatch(/^registry {3}registry\.yaml, named by --registry, 2 DAOs$/m);
  expect(named.stdout).not.toContain("It tracks none");
  const other = await govdata(["--home", setup.home, "--snapshots", setup.snapshots, "status", "--json"]);
  const { registry, published: current } = JSON.parse(other.stdout);
  expect([registry, current.daosTracked]).toEqual([{ file: "registry.yaml", origin: "curated" }, 0]);
  const elsewhere = "daos:\n  - { space_id: elsewhere.example, name: Elsewhere, category: social }\n";
  writeFileSync(join(setup.archive, "registry.yaml"), elsewhere);
  const warned = await setup.govdata(["status"]);
  expect(warned.stdout).toMatch(/, 1 DAO\n +It tracks none of the published DAOs: --registry/);
  for (const { stdout } of [named, other, warned]) expect(stdout).not.toContain(root);
});

it("prints when the current run, or the next one of the timer, should end", async () => {
  const setup = published();
  const nextRun = async (nowMs = NOW_MS) => {
    const { stdout } = await setup.govdata(["status", "--json"], { nowMs: () => nowMs });
    return (JSON.parse(stdout) as { nextRun?: Record<string, unknown> }).nextRun;
  };
  const line = async () => (await setup.govdata(["status"])).stdout;
  const beforeTimer = await nextRun(Date.parse("2026-11-01T01:19:59Z"));
  expect(beforeTimer).toMatchObject({ isRunning: false, startsAt: "2026-11-01T01:20:00.000Z" });
  expect(await nextRun()).toMatchObject({ isRunning: false, startsAt: "2026-11-02T01:20:00.000Z" });
  const note = join(setup.home, "running.json");
  writeFileSync(note, JSON.stringify({ pid }));
  utimesSync(note, new Date(NOW_MS), new Date(NOW_MS - 5 * 60_000));
  expect(await nextRun()).toMatchObject({ isRunning: true, startsAt: "2026-11-01T05:55:00.000Z" });
  expect(await line()).toMatch(
    /^next run {3}running since 2026-11-01T05:55Z until about 2026-11-01T05:55Z$/m,
  );
  rmSync(note);
  expect(await line()).toMatch(
    /^next run {3}if the timer is on, 2026-11-02T01:20Z until about 2026-11-02T01:2\dZ$/m,
  );
  expect((await fresh().govdata(["status"])).stdout, "no run has shown how long it takes").not.toContain(
    "next run",
  );
  const timer = readFileSync(join(PACKAGE_DIRECTORY, "pipeline/systemd/govdata-run.timer"), "utf8");
  expect(timer).toContain("OnCalendar=*-*-* 01:10:00 UTC\n");
  expect(timer).toContain("RandomizedDelaySec=10min\n");
});
