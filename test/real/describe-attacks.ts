import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DaoScore } from "../../pipeline/score/score-measures.ts";
import { realArchive, WITHOUT_REAL_DATA } from "../support/real-archive.ts";
import { runGovdata } from "../support/run-in-process.ts";
import { archivedDaos, attacked, scoreCopy, writeCopy } from "./archive-copies.ts";
import {
  type ArchivedDao,
  type Attack,
  basicVotes,
  both,
  copyWhales,
  crowd,
  later,
  ownProposals,
  splitWhale,
  weightedWhale,
  without,
} from "./attacks.ts";

const archive = realArchive();
const ONE_IN_A_MILLION = 1e-6;

/** What costs no power, or a thousandth of it: by how much gvs moves at most. */
const FREE: readonly { readonly why: string; readonly attack: Attack; readonly gvs: number }[] = [
  {
    why: "300 junk proposals by 40 authors with 50 wallets each",
    attack: ownProposals({ count: 300, authors: 40, wallets: 50, power: 1e-4 }),
    gvs: 1e-9,
  },
  {
    // Where the DAO itself has fewer than the fifty that make a scale, they are among these, by their power.
    why: "400 own proposals with a twentieth of the usual power",
    attack: ownProposals({ count: 400, authors: 1, wallets: 20, power: 0.05 }),
    gvs: 1e-4,
  },
  {
    why: "15 wallets at a millionth, with reasons",
    attack: crowd({ wallets: 15, share: ONE_IN_A_MILLION, reasonEvery: 1 }),
    gvs: 0.001,
  },
  {
    why: "50 wallets at a millionth in one minute",
    attack: crowd({ wallets: 50, share: ONE_IN_A_MILLION, cast: "one minute" }),
    gvs: 0.002,
  },
  {
    why: "1,000 wallets at a billionth on each of the last twenty ballots",
    attack: crowd({ wallets: 1000, share: 1e-9, cast: "one minute", lastBallots: 20 }),
    gvs: 1e-4,
  },
  { why: "one vote more", attack: crowd({ wallets: 1, share: 1e-9 }), gvs: 1e-5 },
  { why: "190 wallets that copy whales", attack: copyWhales(190, ONE_IN_A_MILLION), gvs: 0.007 },
  {
    // A hair above the .03 that was hoped for, in Decentraland: few of its voters hold less than the hundredth at which
    // shares are capped, so that a thousandth of its power is 1 % of the capped power.
    why: "1,000 wallets at a millionth: a thousandth of the power",
    attack: crowd({ wallets: 1000, share: ONE_IN_A_MILLION }),
    gvs: 0.031,
  },
  {
    why: "the same, in one minute",
    attack: crowd({ wallets: 1000, share: ONE_IN_A_MILLION, cast: "one minute" }),
    gvs: 0.031,
  },
  {
    // Words are cheap: where nobody else's reason is known, theirs are all there is.
    why: "the same, each with a reason",
    attack: crowd({ wallets: 1000, share: ONE_IN_A_MILLION, reasonEvery: 1 }),
    gvs: 0.053,
  },
];

const OTHER_STRATEGIES = { wallets: 100, power: 0.001, authors: 10, isAfterThird: true };

/** What those can do who set the voting strategies: by how much gvs moves at most. */
const STRATEGIES: readonly { readonly why: string; readonly attack: Attack }[] = [
  {
    why: "thirty own proposals under new strategies",
    attack: ownProposals({ ...OTHER_STRATEGIES, count: 30, strategiesOf: () => [{ name: "own" }] }),
  },
  {
    why: "a hundred",
    attack: ownProposals({ ...OTHER_STRATEGIES, count: 100, strategiesOf: () => [{ name: "own" }] }),
  },
  {
    why: "a hundred, each with strategies of its own",
    attack: ownProposals({ ...OTHER_STRATEGIES, count: 100, strategiesOf: (number) => [{ number }] }),
  },
  {
    why: "a hundred, under five strategies by turns",
    attack: ownProposals({
      ...OTHER_STRATEGIES,
      count: 100,
      strategiesOf: (number) => [{ number: number % 5 }],
    }),
  },
];

/** What looks like others without costing power, against the same DAO with votes of that type. */
const OTHER_CHOICES: readonly {
  readonly why: string;
  readonly before: Attack;
  readonly attack: Attack;
  readonly gvs: number;
  readonly low: number;
}[] = [
  {
    why: "the largest voter as ten wallets with other weights",
    before: weightedWhale(1, () => ({})),
    attack: weightedWhale(10, (own, piece) => ({ [own]: 1 + piece })),
    gvs: 0.4,
    low: 0.05,
  },
  {
    why: "as a hundred, with other weights each time",
    before: weightedWhale(1, () => ({})),
    attack: weightedWhale(100, (own, _, random) => ({ [own]: 1 + Math.floor(1000 * random()) })),
    gvs: 0.6,
    low: 0.05,
  },
  {
    // Where nearly everybody always agrees the largest voter then is the one that differs: it is like nobody.
    why: "the largest voter abstains in place of voting with the majority",
    before: basicVotes(false),
    attack: basicVotes(true),
    gvs: 0.46,
    low: 0.72,
  },
];

/** What costs power: by how much gvs rises at most, and its low end in the DAOs with many ballots. */
const BOUGHT: readonly {
  readonly why: string;
  readonly attack: Attack;
  readonly gvs: number;
  readonly low: number;
}[] = [
  {
    // .05 to .07 elsewhere; for Decentraland see above.
    why: "a hundredth of the power as 2,000 wallets, one in five with a reason",
    attack: crowd({ wallets: 2000, share: 5e-6, reasonEvery: 5 }),
    gvs: 0.32,
    low: 0.32,
  },
  { why: "the largest voter as ten wallets", attack: splitWhale(10), gvs: 0.4, low: 0.02 },
  {
    why: "the same, a minute after one another",
    attack: splitWhale(10, { everyS: 61 }),
    gvs: 0.4,
    low: 0.02,
  },
  { why: "as a hundred", attack: splitWhale(100), gvs: 0.62, low: 0.01 },
  {
    why: "as ten that each skip a third of the votes",
    attack: splitWhale(10, { skips: 1 / 3 }),
    gvs: 0.66,
    low: 0.59,
  },
  {
    why: "as ten that dissent in a fifth of them",
    attack: splitWhale(10, { dissents: 0.2 }),
    gvs: 0.81,
    low: 0.66,
  },
];

/** Attacks on copies of two real DAOs: one with hundreds of ballots, and one with five, which merging does not protect. */
export function describeAttacks({ many, few }: { readonly many: string; readonly few: string }): void {
  const title = `attacks on copies of ${many} and ${few}`;
  describe.skipIf(archive === undefined)(
    archive === undefined ? `${title} (${WITHOUT_REAL_DATA})` : title,
    () => {
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

      /** How far the score of each DAO moves. */
      const moved = async (attack: Attack) => {
        const moves = [];
        for (const dao of daos) {
          const now = await scoreAfter(dao, attack);
          const was = before.get(dao.spaceId) ?? now;
          const risk = (now.risk?.score.point ?? Number.NaN) - (was.risk?.score.point ?? Number.NaN);
          const [gvs, low] = [now.gvs.point - was.gvs.point, now.gvs.low - was.gvs.low];
          moves.push({ space: dao.spaceId, gvs, low, risk });
        }
        return moves;
      };

      it.each(FREE)("$why: gvs moves by no more than $gvs", async ({ attack, gvs: most }) => {
        for (const { space, gvs, risk } of await moved(attack)) {
          expect(Math.abs(gvs), space).toBeLessThan(most);
          expect(Math.abs(risk), space).toBeLessThan(0.1);
        }
      });

      it.each(BOUGHT)("$why: gvs rises by no more than $gvs", async ({ attack, gvs: most, low: mostLow }) => {
        for (const { space, gvs, low } of await moved(attack)) {
          expect(gvs, space).toBeLessThan(most);
          if (space === many) expect(low, space).toBeLessThan(mostLow);
        }
      });

      it.each(STRATEGIES)("$why move gvs by no more than .1", async ({ attack }) => {
        for (const { space, gvs } of await moved(attack)) expect(Math.abs(gvs), space).toBeLessThan(0.1);
      });

      it.each(OTHER_CHOICES)("$why: gvs rises by no more than $gvs", async ({ attack, gvs, low, ...row }) => {
        for (const dao of daos) {
          const was = (await scoreAfter(dao, row.before)).gvs;
          const now = (await scoreAfter(dao, attack)).gvs;
          expect(now.point - was.point, dao.spaceId).toBeLessThan(gvs);
          if (dao.spaceId === many) expect(now.low - was.low, dao.spaceId).toBeLessThan(low);
        }
      });

      it("one day later nothing has happened", async () => {
        for (const { gvs, risk } of await moved(later(1))) {
          expect(Math.abs(gvs)).toBeLessThan(0.02);
          expect(Math.abs(risk)).toBeLessThan(0.1);
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
}
