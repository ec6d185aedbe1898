import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it, test } from "vitest";
import { placeDaos, visitDaos, visitVersion } from "../../../pipeline/stages/build-version.ts";
import { openSqlite } from "../../../snapshots/base/sqlite.ts";
import { RunReport } from "../../../snapshots/format/manifest.ts";
import { bytesByPath } from "../../snapshots/store/temporary-root.ts";
import { appendLines, editFile } from "../../support/journey/stage.ts";
import { publishedFiles } from "../../support/published-files.ts";
import { AS_OF, LEAF, makeStands, NOW_MS, PACKAGE_DIRECTORY, type Stand, TOAST } from "../cli/stand.ts";
import { withOpenHome } from "./visited-version.ts";

const { world, published, root } = await makeStands();
const reportOf = (stand: Stand) => RunReport.parse(publishedFiles(stand.snapshots).json("run.json"));
const optedOut = world.entities.filter((entity) => entity.isOptedOut);

describe("run.json", () => {
  it("tells what was refused, what does not add up, and what a gate let pass", async () => {
    const stand = published();
    const line = appendLines(stand.archive, `votes/${TOAST}.ndjson`, ["no vote"]);
    editFile(stand.archive, `proposals/${LEAF}.ndjson`, (text) =>
      text.replace(/"scores_total":([\d.]+)/, (_, total) => `"scores_total":${1.1 * Number(total)}`),
    );
    editFile(stand.archive, "registry.yaml", (text) => text.replaceAll("OptOut: true", "OptOut: false"));
    const end = await stand.run("--allow", "opt-outs", "score-jump");
    expect(end).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("warn OPT_OUTS_FELL"),
      stderr: expect.stringContaining("stage=score done=2/2"),
    });
    const report = reportOf(stand);
    expect(report.rejected).toEqual([
      {
        space_id: TOAST,
        file: `votes/${TOAST}.ndjson`,
        line,
        code: "BAD_JSON",
        message: expect.stringMatching(/./),
      },
    ]);
    expect(report.rejected_total).toBe(1);
    expect(report.findings).toContainEqual({
      code: "POWER_NOT_RECONCILED",
      space_id: LEAF,
      message: expect.stringMatching(/^1 of \d+ ballots do not add up to the declared power: 0x\w+$/),
    });
    expect(report.stages.map(({ stage }) => stage)).toEqual(["fetch", "score", "documents"]);
    expect(report.started_at).toBe(new Date(NOW_MS).toISOString());
    const { paths } = publishedFiles(stand.snapshots);
    const listings = paths.filter((path) => path.endsWith("/latest.json"));
    expect(report.counts.delegate_listings).toBe(listings.length);
    const codes = report.findings.map(({ code }) => code);
    expect(codes, "how many opted out is for the operator alone").not.toContain("OPT_OUTS_FELL");
  });

  it("names no wallet, nobody who opted out, and no place of this machine", async () => {
    const stand = published();
    const [wallet] = optedOut[0]?.wallets ?? [];
    appendLines(stand.archive, `votes/${TOAST}.ndjson`, [
      `{"voter":"${wallet}","proposal":"0x1","choice":1}`,
    ]);
    expect(await stand.run()).toMatchObject({ code: 0 });
    const text = publishedFiles(stand.snapshots).bytes("run.json").toString("utf8");
    expect(reportOf(stand).rejected_total, "it was refused").toBe(1);
    expect(text).not.toMatch(/\b0x[0-9a-f]{40}\b/i);
    expect(optedOut.length).toBeGreaterThan(0);
    for (const { entityId, label, wallets } of optedOut)
      for (const named of [entityId, label, ...wallets]) expect(text).not.toContain(named);
    for (const place of [root, stand.directory, PACKAGE_DIRECTORY, "    at "])
      expect(text).not.toContain(place);
  });
});

describe("the memory of opt-outs", () => {
  const forgetAll = (stand: Stand) =>
    editFile(stand.archive, "registry.yaml", (text) => text.replaceAll("OptOut: true", "OptOut: false"));

  const publish = (stand: Stand, ...more: readonly string[]) =>
    stand.govdata(["publish", "--as-of", AS_OF, ...more]);

  /** Makes the warehouse forget what it found out, and refuse rows of this table. */
  const refuseRows = (home: string, table: string): void => {
    const database = openSqlite(join(home, "warehouse.db"));
    database.exec(`DELETE FROM point_columns; DELETE FROM visits;
      CREATE TRIGGER full BEFORE INSERT ON ${table} BEGIN SELECT raise(ABORT, 'full'); END`);
    database.close();
  };

  it("refuses a run in which they are gone, again and again, and leaves nothing of it", async () => {
    const stand = published();
    const storedPoints = (sql: string) => {
      const database = openSqlite(join(stand.home, "warehouse.db"));
      const rows = database.prepare(sql);
      const count = rows.reader ? rows.pluck().get() : rows.run().changes;
      database.close();
      return count;
    };
    storedPoints("DELETE FROM point_columns");
    const before = bytesByPath(stand.snapshots);
    const names = readdirSync(stand.snapshots);
    forgetAll(stand);
    for (const _ of [1, 2]) {
      const refusal = /error GATE_REFUSED: .*:\n {2}OPT_OUTS_FELL: [\s\S]*--allow opt-outs/;
      expect(await publish(stand)).toMatchObject({ code: 6, stderr: expect.stringMatching(refusal) });
    }
    expect(bytesByPath(stand.snapshots)).toEqual(before);
    expect(readdirSync(stand.snapshots)).toEqual(names);
    expect(readdirSync(stand.home).filter((name) => name.startsWith("."))).toEqual([]);
    // The points of a refused version may come from wrong data, and would never be scored again.
    const count = "SELECT count(*) FROM point_columns";
    expect(storedPoints(count)).toBe(0);
    expect(await publish(stand, "--allow", "opt-outs")).toMatchObject({ code: 0 });
    expect(storedPoints(count)).toBe(2);
    expect(await publish(stand), "they are gone for good").toMatchObject({ code: 0 });
  });

  it("refuses a run in which those of the registry are gone, however many are on the live list", async () => {
    const stand = published();
    const entities = publishedFiles(stand.snapshots).paths.flatMap(
      (path) => /^entities\/(.*)\.json$/.exec(path)?.[1] ?? [],
    );
    expect(entities.length).toBeGreaterThanOrEqual(optedOut.length);
    for (const id of entities)
      expect(await stand.govdata(["entity", "opt-out", id])).toMatchObject({ code: 0 });
    forgetAll(stand);
    expect(await publish(stand)).toMatchObject({ code: 6, stderr: expect.stringContaining("OPT_OUTS_FELL") });
  });

  it.each<{ why: string; spoil: (home: string) => void }>([
    { why: "its file", spoil: (home) => mkdirSync(join(home, "state.json.new")) },
    {
      why: "points of days, as the disk refuses what SQLite writes",
      spoil: (home) => refuseRows(home, "point_columns"),
    },
    { why: "what was found out of each DAO", spoil: (home) => refuseRows(home, "visits") },
  ])("does not undo a publish if it cannot be stored: $why", async ({ spoil }) => {
    const stand = published();
    spoil(stand.home);
    const end = await publish(stand);
    expect(end).toMatchObject({ code: 0, stdout: expect.stringContaining("(sequence 2)") });
    expect(end.stderr).toContain("warning: published, but the state for the next run could not be stored: ");
  });
});

test("an interrupt is noticed between two DAOs: while they are visited and while they are placed", () => {
  const order: string[] = [];
  /** Begins a DAO, at which somebody asks to be heard. */
  const begin = (spaceId: string) => {
    order.push(spaceId);
    setImmediate(() => order.push("heard"));
  };
  return withOpenHome(published(), async ({ registry, warehouse, input }) => {
    const listening = {
      ...warehouse,
      daoFacts: (...[dao, ...rest]: Parameters<typeof warehouse.daoFacts>) => {
        begin(dao.spaceId);
        return warehouse.daoFacts(dao, ...rest);
      },
    };
    const heard = { ...input, warehouse: listening };
    const visits = visitVersion(heard, visitDaos(registry.daos, heard));
    let visit = await visits.next();
    while (!visit.done) visit = await visits.next();
    await nextTurn();
    expect(order.splice(0)).toEqual([LEAF, "heard", TOAST, "heard"]);
    for await (const { gated } of placeDaos(visit.value, registry)) begin(gated.digest.spaceId);
    await nextTurn();
    expect(order).toEqual([LEAF, "heard", TOAST, "heard"]);
  });
});
