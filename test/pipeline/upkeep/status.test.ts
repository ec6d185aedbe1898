import { readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pid } from "node:process";
import { expect, it } from "vitest";
import { makeStands, NOW_MS, PACKAGE_DIRECTORY } from "../cli/stand.ts";

const { fresh, published } = await makeStands();
const setup = published();
const MINUTE_MS = 60_000;

async function nextRun(nowMs: number) {
  const { stdout } = await setup.govdata(["status", "--json"], { nowMs: () => nowMs });
  return (JSON.parse(stdout) as { nextRun?: Record<string, unknown> }).nextRun;
}

it("says when the timer's next run should end, and of the one at work when it should", async () => {
  const timeAt = (time: string) => Date.parse(`2026-11-01T${time}Z`);
  expect(await nextRun(timeAt("01:19:59"))).toMatchObject({
    isRunning: false,
    startsAt: "2026-11-01T01:20:00.000Z",
  });
  expect(await nextRun(NOW_MS)).toMatchObject({ isRunning: false, startsAt: "2026-11-02T01:20:00.000Z" });
  const note = join(setup.home, "running.json");
  writeFileSync(note, JSON.stringify({ pid }));
  utimesSync(note, new Date(NOW_MS), new Date(NOW_MS - 5 * MINUTE_MS));
  const running = await nextRun(NOW_MS);
  expect(running).toMatchObject({ isRunning: true, startsAt: "2026-11-01T05:55:00.000Z" });
  expect((await setup.govdata(["status"])).stdout).toMatch(
    /^next run {3}running since 2026-11-01T05:55Z until about 2026-11-01T05:55Z$/m,
  );
  rmSync(note);
  expect((await setup.govdata(["status"])).stdout).toMatch(
    /^next run {3}if the timer is on, 2026-11-02T01:20Z until about 2026-11-02T01:2\dZ$/m,
  );
});

it("is silent before the first run, of which nobody knows how long it takes", async () => {
  expect((await fresh().govdata(["status"])).stdout).not.toContain("next run");
});

it("the time is the timer's own", () => {
  const timer = readFileSync(join(PACKAGE_DIRECTORY, "pipeline/systemd/govdata-run.timer"), "utf8");
  expect(timer).toContain("OnCalendar=*-*-* 01:10:00 UTC\n");
  expect(timer).toContain("RandomizedDelaySec=10min\n");
});
