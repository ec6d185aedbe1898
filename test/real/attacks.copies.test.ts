import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DaoScore } from "../../pipeline/score/score-measures.ts";
import { realArchive, WITHOUT_REAL_DATA } from "../support/real-archive.ts";
import { runGovdata } from "../support/run-in-process.ts";
import { archivedDaos, attacked, scoreCopy, writeCopy } from "./archive-copies.ts";
import { type ArchivedDao, type Attack, both, later, ownProposals, splitWhale, without } from "./attacks.ts";

const archive = realArchive();

/** Two real DAOs each: one with hundreds of ballots, and one with five. */
const PAIRS = [
  { many: "aave-governance-v3", few: "arbitrumfoundation.eth" },
  { many: "snapshot.dcl.eth", few: "lido-snapshot.eth" },
];

describe.skipIf(archive === undefined).each(PAIRS)(
  archive === undefined ? WITHOUT_REAL_DATA : "copies of $many and $few",
  ({ many, few }) => {
    const root = mkdtempSync(join(tmpdir(), "govdata-attacks-"));
    const before = new Map<string, DaoScore>();
    let daos: readonly ArchivedDao[];
    const scoreAfter = (dao: ArchivedDao, attack: Attack): Promise<DaoScore> =>
      scoreCopy(root, archive ?? "", attacked(dao, attack));

    beforeAll(async () => {
      daos = await archivedDaos(archive ?? "", [many, few]);
      for (const dao of daos) before.set(dao.spaceId, await scoreAfter(dao, (same) => same));
    });
    afterAll(() => rmSync(root, { recursive: true, force: true }));

    it("one day later nothing has happened", async () => {
      for (const dao of daos) {
        const now = await scoreAfter(dao, later(1));
        const was = before.get(dao.spaceId);
        const risk = (now.risk?.score.point ?? Number.NaN) - (was?.risk?.score.point ?? Number.NaN);
        expect(Math.abs(now.gvs.point - (was?.gvs.point ?? Number.NaN)), dao.spaceId).toBeLessThan(0.02);
        expect(Math.abs(risk), dao.spaceId).toBeLessThan(0.1);
      }
    });

    it("a DAO that was looked at and has not voted for half a year is dead", async () => {
      const dust = { count: 1, authors: 1, wallets: 1, power: 1e-6, daysLater: 540 };
      // Decentraland's proposals go on for years after the last ballot.
      for (const dao of daos.filter(({ spaceId }) => spaceId !== "snapshot.dcl.eth")) {
        const { gvs, risk, indexWeight } = await scoreAfter(dao, both(ownProposals(dust), later(540)));
        expect([gvs.point, gvs.high, risk?.score.point, indexWeight], dao.spaceId).toEqual([0, 0, 100, 0]);
      }
    });

    it("a DAO that nobody looked at is neither dead nor scored", async () => {
      for (const dao of daos) {
        const { gvs, unscored } = await scoreAfter(dao, later(700));
        expect(unscored).toBe("TOO_LITTLE_KNOWN");
        expect(gvs.high).toBeGreaterThan(2.3);
      }
    });

    it.each([
      { of: "proposals", field: "discussion" },
      { of: "proposals", field: "quorum" },
      { of: "proposals", field: "author" },
      { of: "proposals", field: "created" },
      { of: "votes", field: "vp" },
      { of: "votes", field: "created" },
    ] as const)("$of without $field narrow no interval", async ({ of, field }) => {
      for (const dao of daos) {
        const was = before.get(dao.spaceId)?.gvs;
        const { gvs } = await scoreAfter(dao, without(of, field));
        expect(gvs.low, dao.spaceId).toBeLessThan((was?.low ?? Number.NaN) + 1e-9);
        expect(gvs.high, dao.spaceId).toBeGreaterThan((was?.high ?? Number.NaN) - 1e-9);
      }
    });

    it("the command says of a copy what the scorer says", async () => {
      const dao = daos.find(({ spaceId }) => spaceId === few);
      if (dao === undefined) throw new Error("no such DAO");
      const split = attacked(dao, splitWhale(10));
      const folder = join(root, "command");
      writeCopy(folder, archive ?? "", split);
      const places = ["--home", join(root, "home"), "--registry", join(folder, "registry.yaml")];
      const run = async (...args: readonly string[]): Promise<string> => {
        const { code, stdout, stderr } = await runGovdata([...places, ...args]);
        expect(code, stderr).toBe(0);
        return stdout;
      };
      await run("fetch", "--source", "archive", "--from", folder);
      const asOf = new Date(split.asOfMs).toISOString();
      const computed = JSON.parse(await run("compute", dao.spaceId, "--as-of", asOf, "--json"));
      const { gvs, risk } = await scoreCopy(root, archive ?? "", split);
      expect(computed.daos).toMatchObject([{ spaceId: dao.spaceId, gvs, risk: risk?.score }]);
    });
  },
);
