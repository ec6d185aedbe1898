import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { writeWorld } from "../../fixtures/world.ts";
import { DAY_MS } from "../../snapshots/base/days.ts";
import { AS_OF, govdata, LEAF, makeStands, NOW_MS, type Stand, TOAST } from "../pipeline/cli/stand.ts";
import { tamperPoints } from "../pipeline/warehouse/tamper-points.ts";
import { reseal } from "../snapshots/store/temporary-root.ts";
import { editFile, rowsOf } from "../support/journey/stage.ts";
import { holesIn, publishedNow, withoutOlderDays } from "./published-now.ts";

const { published, root } = await makeStands();
const clockAt = (atMs: number) => ({ nowMs: () => atMs });
const publish = (setup: Stand, asOf: string, ...more: readonly string[]) =>
  setup.govdata(["publish", "--as-of", asOf, ...more]);
const before = publishedNow(published().snapshots);
const restOf = <Row extends { date: string }>(points: readonly Row[], last: string) =>
  points.filter(({ date }) => date <= last);

const REGISTRY = readFileSync(join(published().archive, "registry.yaml"), "utf8");

/** Tracks only these DAOs of the registry. */
function track(setup: Stand, spaceIds: readonly string[]): void {
  const { daos, ...rest } = parse(REGISTRY) as { daos: { space_id: string }[] };
  const tracked = daos.filter((dao) => spaceIds.includes(dao.space_id));
  writeFileSync(join(setup.archive, "registry.yaml"), stringify({ ...rest, daos: tracked }));
}

/** The scored proposal of LEAF that ended last but one, long enough ago that its days stand. */
function oldMember(setup: Stand): { readonly id: string; readonly end: number } {
  const proposals = rowsOf<{ id: string; end: number }>(setup.archive, `proposals/${LEAF}.ndjson`);
  const proposal = proposals
    .filter(({ id, end }) => end * 1000 < NOW_MS - 60 * DAY_MS && before.placeOf(LEAF, id) === "MEMBER")
    .at(-1);
  if (proposal === undefined) throw new Error("the world has no such proposal");
  return proposal;
}

/** The last day that stands: later ones are scored anew by every run. */
const STANDS = "2026-10-24";

/** One entry of the list in snapshots/README.md each: what happens, and what it does. */
const ROWS: Readonly<Record<string, (setup: Stand) => Promise<void>>> = {
  "`--as-of` in the past": async (setup) => {
    expect(await publish(setup, "2026-10-01")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("warn AS_OF_EARLIER"),
    });
    const then = publishedNow(setup.snapshots);
    expect(then.sequence).toBe(2);
    expect(then.points(LEAF).at(-1)?.date).toBe("2026-10-01");
    expect(restOf(before.points(LEAF), "2026-10-01").slice(-300)).toEqual(then.points(LEAF).slice(-300));
    expect(await publish(setup, AS_OF)).toMatchObject({ code: 0 });
    const now = publishedNow(setup.snapshots);
    expect(withoutOlderDays(now, before), "nothing of the detour is left but older days").toEqual(
      before.untimed,
    );
  },
  "The clock goes back": async (setup) => {
    const early = clockAt(NOW_MS - 3_600_000);
    const args = ["publish", "--as-of", AS_OF];
    expect(await setup.govdata(args, early)).toMatchObject({
      code: 6,
      stderr: expect.stringContaining("CLOCK_WENT_BACK: the clock says 2026-11-01T05:00:00.000Z"),
    });
    const allowed = [...args, "--allow", "clock", "future-data"];
    expect(await setup.govdata(allowed, early)).toMatchObject({ code: 0 });
    const now = publishedNow(setup.snapshots);
    const findings = ["CLOCK_WENT_BACK", "FUTURE_DATA"];
    expect([now.sequence, now.findings, now.untimed]).toEqual([2, findings, before.untimed]);
  },
  "The clock runs ahead": async (setup) => {
    const late = await setup.govdata(["publish"], clockAt(NOW_MS + 900 * DAY_MS));
    expect(late).toMatchObject({ code: 6, stderr: expect.stringContaining("DAO_COUNT_FELL: 0 DAOs") });
    const ahead = clockAt(NOW_MS + 3_600_000);
    expect(await setup.govdata(["fetch", "--from", setup.archive], ahead)).toMatchObject({ code: 0 });
    expect(await publish(setup, AS_OF), "the clock is right again").toMatchObject({
      code: 6,
      stderr: expect.stringContaining("FUTURE_DATA: archive was fetched at 2026-11-01T07:00:00.000Z"),
    });
    expect(publishedNow(setup.snapshots).sequence).toBe(1);
    expect(await setup.run(), "fetching again puts it right").toMatchObject({ code: 0 });
  },
  "Two runs in one second": async (setup) => {
    expect(await publish(setup, AS_OF)).toMatchObject({ code: 0 });
    const now = publishedNow(setup.snapshots);
    expect(now.version.slice(0, 16)).toBe(before.version.slice(0, 16));
    expect(now.version).not.toBe(before.version);
    expect([now.sequence, now.untimed]).toEqual([2, before.untimed]);
  },
  "A missed week": async (setup) => {
    expect(await publish(setup, "2026-10-16")).toMatchObject({ code: 0 });
    expect(await publish(setup, AS_OF)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("warn AS_OF_FAR"),
    });
    const now = publishedNow(setup.snapshots);
    expect(holesIn(now.points(LEAF))).toEqual([]);
    expect(withoutOlderDays(now, before)).toEqual(before.untimed);
  },
  "A leap day": async () => {
    const directory = join(root, "leap", "archive");
    writeWorld({ directory, seed: "leap", endDay: "2028-03-01", spaceIds: [LEAF] });
    const snapshots = join(root, "leap", "published");
    const places = ["--home", join(root, "leap", "home"), "--snapshots", snapshots];
    const args = ["--registry", join(directory, "registry.yaml"), "run", "--from", directory];
    const end = await govdata(
      [...places, ...args, "--as-of", "2028-03-01"],
      clockAt(Date.parse("2028-03-02T06:00:00.000Z")),
    );
    expect(end.code, end.stderr).toBe(0);
    const { daos, points } = publishedNow(snapshots);
    const last = points(LEAF).slice(-3);
    expect(last.map(({ date }) => date)).toEqual(["2028-02-28", "2028-02-29", "2028-03-01"]);
    expect(holesIn(points(LEAF))).toEqual([]);
    const [leap, march] = [last[1]?.gvs ?? 0, last[2]?.gvs ?? 0];
    expect(daos[0]?.delta_24h).toBeCloseTo(march - leap, 1);
  },
  "A DAO appears": async (setup) => {
    track(setup, [LEAF]);
    expect(await publish(setup, AS_OF, "--allow", "dao-count", "votes")).toMatchObject({ code: 0 });
    const alone = publishedNow(setup.snapshots);
    track(setup, [LEAF, TOAST]);
    expect(await publish(setup, AS_OF)).toMatchObject({ code: 0 });
    const both = publishedNow(setup.snapshots);
    expect([alone.ranks, both.ranks]).toEqual([[`1 ${LEAF}`], before.ranks]);
    expect(both.points(TOAST), "its past is scored with it").toEqual(before.points(TOAST));
    expect(both.points(LEAF)).toEqual(alone.points(LEAF));
    const deltaOf = ({ daos }: typeof both) => daos.find((dao) => dao.space_id === LEAF)?.delta_24h;
    expect(deltaOf(both)).toBe(deltaOf(alone));
  },
  "A DAO disappears": async (setup) => {
    track(setup, [LEAF]);
    expect(await publish(setup, AS_OF)).toMatchObject({
      code: 6,
      stderr: expect.stringContaining("DAO_COUNT_FELL: 1 DAOs are ranked, 2 were before"),
    });
    expect(await publish(setup, AS_OF, "--allow", "dao-count", "votes")).toMatchObject({ code: 0 });
    const now = publishedNow(setup.snapshots);
    expect(now.ranks).toEqual([`1 ${LEAF}`]);
    expect(now.paths.filter((path) => path.includes(TOAST))).toEqual([]);
    expect(now.points(LEAF)).toEqual(before.points(LEAF));
  },
  "A proposal is flagged later": async (setup) => {
    const { id } = oldMember(setup);
    const flag = (line: string) =>
      line.includes(`"${id}"`) ? JSON.stringify({ ...JSON.parse(line), flagged: true }) : line;
    editFile(setup.archive, `proposals/${LEAF}.ndjson`, (text) => text.split("\n").map(flag).join("\n"));
    expect(await setup.run("--allow", "score-jump")).toMatchObject({ code: 0 });
    const now = publishedNow(setup.snapshots);
    expect([before.placeOf(LEAF, id), now.placeOf(LEAF, id)]).toEqual(["MEMBER", "FLAGGED"]);
    expect(restOf(now.points(LEAF), STANDS)).toEqual(restOf(before.points(LEAF), STANDS));
    expect(now.points(LEAF).at(-1)).not.toEqual(before.points(LEAF).at(-1));
  },
  "Votes are counted anew upstream": async (setup) => {
    const { id, end } = oldMember(setup);
    editFile(setup.archive, `votes/${LEAF}.ndjson`, (text) => {
      const lines = text.split("\n");
      const ofProposal = lines.filter((line) => line.includes(`"${id}"`));
      const dropped = ofProposal.slice(0, Math.ceil(ofProposal.length / 2));
      return lines.filter((line) => !dropped.includes(line)).join("\n");
    });
    expect(await setup.run("--allow", "score-jump")).toMatchObject({ code: 0 });
    const now = publishedNow(setup.snapshots);
    expect(restOf(now.points(LEAF), STANDS)).toEqual(restOf(before.points(LEAF), STANDS));
    expect(now.points(LEAF).at(-1)).not.toEqual(before.points(LEAF).at(-1));
    const from = new Date(end * 1000 + DAY_MS).toISOString().slice(0, 10);
    const backfill = await setup.govdata(["backfill", LEAF, "--from", from, "--to", STANDS]);
    expect(backfill.code, backfill.stderr).toBe(0);
    await publish(setup, AS_OF);
    const filled = publishedNow(setup.snapshots).points(LEAF);
    expect(restOf(filled, STANDS), "only backfill changes a day that stands").not.toEqual(
      restOf(before.points(LEAF), STANDS),
    );
    const earlier = ({ date }: { date: string }) => date < from;
    expect(filled.filter(earlier)).toEqual(before.points(LEAF).filter(earlier));
  },
  "The method changes": async (setup) => {
    tamperPoints(
      join(setup.home, "warehouse.db"),
      (point) => ({ ...point, gvs: 1.25 }),
      () => "0.9.0+0123456789abcdef",
    );
    reseal(setup.snapshots, (manifest, directory) => {
      // What tells of a method is written as that method has it, and nobody reads it any more.
      for (const { path } of manifest.files)
        if (/^unscored|^(evidence|history)\//.test(path)) writeFileSync(join(directory, path), "[{}]\n");
      return { methodology_version: "0.9.0" };
    });
    expect(await setup.govdata(["status"])).toMatchObject({ code: 0 });
    expect(await publish(setup, AS_OF)).toMatchObject({ code: 0 });
    for (const reads of [
      ["diff", "previous", "current"],
      ["explain", LEAF, "--version", "previous"],
    ])
      expect(await setup.govdata(reads)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("uses method 0.9.0, the current one 3."),
      });
    const { stdout: table } = await setup.govdata(["export", "daos", "--all-versions", "--format", "csv"]);
    const rows = table.trimEnd().split("\n").slice(1);
    const sequences = new Set(rows.map((row) => row.split(",")[1]));
    expect(sequences, "versions of another method are left out").toEqual(new Set(["2"]));
    const feed = await setup.govdata(["feed"]);
    expect(feed).toMatchObject({ code: 0, stdout: expect.not.stringContaining("<entry>") });
    const report = await setup.govdata(["report", "-o", join(setup.directory, "pages")]);
    expect(report).toMatchObject({ code: 0 });
    const now = publishedNow(setup.snapshots);
    expect(now.findings).toEqual(expect.arrayContaining(["METHODOLOGY_CHANGED", "HISTORY_RECOMPUTED"]));
    expect(now.untimed).toEqual(before.untimed);
  },
};

describe("what time does", () => {
  it.each(Object.entries(ROWS))("%s", async (_row, check) => {
    await check(published());
  });

  it("stands in the README, an entry each", () => {
    const readme = readFileSync(new URL("../../snapshots/README.md", import.meta.url), "utf8");
    const section = readme.split("\n## Time\n")[1]?.split("\n## ")[0] ?? "";
    const entries = [...section.matchAll(/^- \*\*(.+?)\*\*:/gm)].map(([, event = ""]) => event);
    expect(entries).toEqual(Object.keys(ROWS));
  });
});
