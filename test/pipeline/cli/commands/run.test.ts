import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { METHODOLOGY } from "../../../../pipeline/score/method/methodology.ts";
import { openSqlite } from "../../../../snapshots/base/sqlite.ts";
import { DaoHistory } from "../../../../snapshots/format/dao.ts";
import {
  closedProposal,
  NOW_MS,
  putWithVotes,
  SPACE_ID,
  sampleSpace,
  voteOn,
} from "../../../support/fake-hub/sample-space.ts";
import { type FakeHub, startFakeHub } from "../../../support/fake-hub/start-fake-hub.ts";
import { appendLines } from "../../../support/journey/stage.ts";
import { publishedFiles } from "../../../support/published-files.ts";
import { lastKeptDate, tamperPoints } from "../../warehouse/tamper-points.ts";
import { govdata, LEAF, makeStands, type Stand, TOAST } from "../stand.ts";

const { published } = await makeStands();

const historyOf = (setup: Stand) =>
  DaoHistory.parse(publishedFiles(setup.snapshots).json(`history/${LEAF}.json`)).points;

const warehouseOf = (setup: Stand) => join(setup.home, "warehouse.db");

const publish = (setup: Stand) => setup.govdata(["publish", "--as-of", "2026-10-31"]);

describe("history", () => {
  it("is a year of days, ascending, up to the moment of the version", () => {
    const points = historyOf(published());
    expect([points.at(0)?.date, points.at(-1)?.date]).toEqual(["2025-11-01", "2026-10-31"]);
    expect(points.every(({ methodology_version }) => methodology_version === METHODOLOGY.version)).toBe(true);
  });

  it("keeps the published points of final days, and scores the last week again", async () => {
    const setup = published();
    const before = historyOf(setup);
    tamperPoints(warehouseOf(setup), (point) => {
      if (point.date === "2026-10-23") return undefined;
      return point.date === "2026-10-24" ? { ...point, gvs: 1.25 } : point;
    });
    expect(await publish(setup)).toMatchObject({ code: 0 });
    const changed = historyOf(setup).filter((point, index) => point.gvs !== before[index]?.gvs);
    expect(
      changed.map(({ date, gvs }) => [date, gvs]),
      "a missing day is filled as it was",
    ).toEqual([["2026-10-24", 1.25]]);
    expect(lastKeptDate(warehouseOf(setup)), "later days may still change").toBe("2026-10-24");
  });

  it("is scored again for the requested days", async () => {
    const setup = published();
    const before = historyOf(setup);
    tamperPoints(warehouseOf(setup), (point) =>
      point.date >= "2026-01-01" && point.date <= "2026-01-10" ? { ...point, gvs: 1.25 } : point,
    );
    const days = ["--from", "2025-01-01", "--to", "2026-01-07"];
    const end = await setup.govdata(["--json", "backfill", LEAF, ...days]);
    expect(end.code, end.stderr).toBe(0);
    const [result] = JSON.parse(end.stdout);
    expect(result).toMatchObject({ spaceId: LEAF, days: 372 });
    await publish(setup);
    const points = historyOf(setup);
    const wrong = points.filter(({ gvs }) => gvs === 1.25).map(({ date }) => date);
    expect(wrong, "days that nobody asked for stay").toEqual(["2026-01-08", "2026-01-09", "2026-01-10"]);
    expect(points.length, "older days join the history").toBe(before.length + result.scored - 68);
  });

  it.each([
    { why: "days that may still change", from: "2026-10-01", to: "2026-10-25", says: "2026-10-24" },
    { why: "an end before the beginning", from: "2026-05-02", to: "2026-05-01", says: "is after" },
    { why: "more days than any DAO has", from: "2001-01-01", to: "2026-01-01", says: "more than" },
    { why: "no day", from: "2026-02-30", to: "2026-03-01", says: "--from" },
  ])("refuses $why", async ({ from, to, says }) => {
    const end = await published().govdata(["backfill", "--from", from, "--to", to]);
    expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining(says) });
  });
});

describe("live hub", () => {
  const PROPOSALS = 25;

  const AS_OF = new Date(NOW_MS - 1).toISOString();

  let hub: FakeHub;

  let directory: string;

  beforeEach(async () => {
    hub = await startFakeHub();
    directory = mkdtempSync(join(tmpdir(), "govdata-live-"));
    writeFileSync(
      join(directory, "registry.yaml"),
      `daos:\n  - space_id: ${SPACE_ID}\n    name: Sample\n    category: social\nentities: []\n`,
    );
    hub.store.putSpace(sampleSpace());
    for (let n = 0; n < PROPOSALS; n += 1) {
      const proposal = closedProposal(`0x${n}`, {}, 5 + 5 * n);
      const votes = Array.from({ length: 30 }, (_, voter) =>
        voteOn(proposal, voter + 1, {
          created: Number(proposal["start"]) + 3600 * (voter + n),
          choice: 1 + (voter % 2),
        }),
      );
      putWithVotes(hub.store, proposal, votes);
    }
  });

  afterEach(async () => {
    await hub.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const placesIn = (name: string) => [
    ...["--home", join(directory, name, "home"), "--snapshots", join(directory, name, "published")],
    ...["--registry", join(directory, "registry.yaml")],
  ];
  const runWith = { nowMs: () => NOW_MS, environment: { GOVDATA_HUB_KEY: "good" } };
  const live = (name: string, ...more: readonly string[]) => {
    const source = ["--source", "snapshot-hub", "--from", hub.url, "--rps", "1000"];
    return govdata([...placesIn(name), "run", ...source, "--as-of", AS_OF, ...more], runWith);
  };

  it("is fetched, scored and published; the next run requests no vote again", async () => {
    const first = await live("kept");
    expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining("1 DAOs scored") });
    expect(first.stderr).toContain(
      "stage=estimate done=1/1 space=snapshot-hub spaces=1 unchanged=0 requests=4 minutes=1\n",
    );
    expect(first.stderr.indexOf("stage=estimate")).toBeLessThan(first.stderr.indexOf("stage=fetch"));
    expect(new Set(hub.arrived.map(({ key }) => key))).toEqual(new Set(["good"]));
    const votesAsked = () => hub.arrived.filter(({ operation }) => /vote/i.test(operation)).length;
    expect(votesAsked()).toBe(1);

    hub.forget();
    expect(await live("kept")).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(" unchanged=1 requests=0 "),
    });
    expect(hub.arrived).toHaveLength(1);
    expect(votesAsked()).toBe(0);
  });

  it("gives no score to a space that it flagged, and reports a hibernated one", async () => {
    hub.store.putSpace(sampleSpace({ flagged: true, hibernated: true }));
    expect(await live("kept")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("0 DAOs scored, 1 unscored"),
    });
    const published = () => publishedFiles(join(directory, "kept", "published"));
    expect(published().json("unscored.json")).toMatchObject([
      {
        space_id: SPACE_ID,
        reason: { code: "SPACE_FLAGGED", message: expect.stringContaining("has flagged its space") },
      },
    ]);
    expect(published().json("run.json")).toMatchObject({
      findings: expect.arrayContaining([
        expect.objectContaining({ code: "SPACE_HIBERNATED", space_id: SPACE_ID }),
      ]),
    });
    expect(await govdata([...placesIn("kept"), "recompute"], runWith)).toMatchObject({ code: 0 });

    hub.store.putSpace(sampleSpace());
    expect(await live("kept")).toMatchObject({ code: 0, stdout: expect.stringContaining("1 DAOs scored") });
  });

  it("is recorded as an archive that gives the same documents, as of the day of its last ballot", async () => {
    const record = join(directory, "recorded");
    // An archive counts as fetched at the end of that day: of a later one, less is known than the hub was asked for.
    const asOf = ["--as-of", new Date(NOW_MS - 1 - 5 * 86_400_000).toISOString()];
    expect(await live("kept", "--record", record, "--full", ...asOf)).toMatchObject({ code: 0 });
    const args = ["run", "--source", "archive", "--from", record, ...asOf];
    expect(await govdata([...placesIn("replayed"), ...args], runWith)).toMatchObject({ code: 0 });
    const [kept, replayed] = ["kept", "replayed"].map((name) =>
      publishedFiles(join(directory, name, "published")),
    );
    expect(replayed?.json("daos.json")).toEqual(kept?.json("daos.json"));
    expect(replayed?.json(`risk/${SPACE_ID}.json`)).toEqual(kept?.json(`risk/${SPACE_ID}.json`));
  });

  it("refuses a hub that is no address", async () => {
    const args = ["fetch", "--source", "snapshot-hub", "--from", "hub"];
    expect(await govdata([...placesIn("kept"), ...args], runWith)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--from must be the URL"),
    });
  });
});

it("an archive is read again only if it changed: a fetch goes on where an interrupted one stopped", async () => {
  const setup = published();
  let nowMs = Date.now() + 3_600_000;
  /** By name, how often each DAO was fetched and not confirmed. */
  const fetch = async (...more: readonly string[]): Promise<unknown> => {
    nowMs += 3_600_000;
    const end = await setup.govdata(["fetch", "--from", setup.archive, ...more], { nowMs: () => nowMs });
    expect(end.code, end.stderr).toBe(0);
    const database = openSqlite(warehouseOf(setup), { readonly: true });
    const counts = database.prepare("SELECT fetch_number FROM daos ORDER BY space_id").pluck().all();
    database.close();
    return counts;
  };
  expect(await fetch(), "the stand's first fetch was of files made at that very moment").toEqual([2, 2]);
  expect(await fetch()).toEqual([2, 2]);
  appendLines(setup.archive, `votes/${TOAST}.ndjson`, ["no vote"]);
  expect(await fetch()).toEqual([2, 3]);
  expect(await fetch("--full")).toEqual([3, 4]);
});

it("`-v` prints the duration of each stage and of all together", async () => {
  let nowMs = Date.parse("2026-11-01T06:00:00.000Z");
  const ticking = () => {
    nowMs += 100;
    return nowMs;
  };
  const end = await published().govdata(["publish", "--as-of", "2026-10-31", "-v"], { nowMs: ticking });
  expect(end.code, end.stderr).toBe(0);
  const table = end.stderr.slice(end.stderr.indexOf("stage  "));
  expect(table).toMatch(/^stage +seconds +share +processor s +bytes\nscore +\d/);
  const rows = [...table.matchAll(/^(\w+) +(\d+\.\d\d) +(\d+\.\d) %/gm)].map(([, stage, seconds, share]) => ({
    ...{ stage, seconds: Number(seconds), share: Number(share) },
  }));
  const all = rows.pop();
  expect(rows.map(({ stage }) => stage)).toEqual(["score", "documents", "publish", "remember"]);
  expect(all).toEqual({
    stage: "all",
    seconds: expect.closeTo(rows.reduce((sum, row) => sum + row.seconds, 0)),
    share: 100,
  });
  for (const { seconds, share } of rows) expect(share).toBeCloseTo((100 * seconds) / (all?.seconds ?? 0), 0);
  expect(table, "the bytes of what was published").toMatch(/^publish .* [\d.]+ [kM]?B$/m);
});
