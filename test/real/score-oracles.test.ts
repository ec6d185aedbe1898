import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { gini, majorityVoters, sumOfSquares } from "../../pipeline/score/components/decentralization.ts";
import { createDelegateHistory } from "../../pipeline/score/delegates/delegate-history.ts";
import type { DelegateRanking } from "../../pipeline/score/delegates/rank-delegates.ts";
import { measureDelegation, rankDelegates } from "../../pipeline/score/delegates/rank-delegates.ts";
import { createDelegationReplay } from "../../pipeline/score/delegates/trace-delegations.ts";
import { createElectorate, readBallot } from "../../pipeline/score/frame/ballot.ts";
import { GRAPH_ACCOUNTS_MAX } from "../../snapshots/format/limits.ts";
import { realArchive, WITHOUT_REAL_DATA } from "../support/real-archive.ts";
import { readArchive } from "./archive-facts.ts";

interface ConcentrationRow {
  readonly n: number;
  readonly hhi_points?: number;
  readonly hhi: number;
  readonly effective?: number;
  readonly nakamoto: number;
  readonly top1: number;
  readonly gini: number;
}
interface Oracles {
  readonly proposals: readonly (ConcentrationRow & {
    readonly space: string;
    readonly id: string;
    readonly total: number;
  })[];
  readonly snapshot_hhi: Readonly<Record<string, ConcentrationRow & { readonly voters: number }>>;
  readonly tally_hhi: Readonly<Record<string, ConcentrationRow>>;
  readonly dcl: Readonly<
    Record<
      string,
      {
        readonly delegates: number;
        readonly zero_votes: number;
        readonly total: number;
        readonly delegators: number;
        readonly top1: number;
        readonly ge_1pct: number;
        readonly ge_01pct: number;
        readonly nakamoto: number;
      }
    >
  >;
  readonly nouns: Readonly<Record<string, number>>;
}

/** Effective voters, K, the largest share and the Gini coefficient of such powers. */
function concentrationOf(powers: readonly number[]) {
  const sum = powers.reduce((a, b) => a + b, 0);
  const ascending = Float64Array.from(powers, (power) => power / sum).sort();
  return {
    effective: 1 / sumOfSquares(ascending),
    topShare: ascending.at(-1) ?? 0,
    nakamoto: majorityVoters(ascending),
    gini: gini(ascending),
  };
}

/** Compares our concentration of such powers with a published row. */
function expectConcentration(powers: readonly number[], row: ConcentrationRow): void {
  const concentration = concentrationOf(powers);
  expect(powers).toHaveLength(row.n);
  expect(1 / concentration.effective).toBeCloseTo(row.hhi, 9);
  expect(concentration.nakamoto).toBe(row.nakamoto);
  expect(concentration.topShare).toBeCloseTo(row.top1, 9);
  expect(concentration.gini).toBeCloseTo(row.gini, 9);
}

/** Fewest delegates that hold more than half. */
function nakamotoOf(ranking: DelegateRanking): number {
  return concentrationOf(ranking.delegates.map(({ votes }) => Number(votes))).nakamoto;
}

const archive = realArchive();

describe.skipIf(archive === undefined)(
  archive === undefined ? WITHOUT_REAL_DATA : "real votes and delegates",
  () => {
    const root = archive ?? "";
    const factsOf = (spaceId: string) => readArchive(root).factsOf(spaceId);
    let oracles: Oracles;
    beforeAll(() => {
      oracles = JSON.parse(readFileSync(join(root, "oracles.json"), "utf8")) as Oracles;
    });

    test("seven proposals: voters, HHI, effective voters, K, top share", async () => {
      expect(oracles.proposals).toHaveLength(7);
      for (const row of oracles.proposals) {
        const { ballots } = await factsOf(row.space);
        const ballot = ballots.get(row.id);
        if (ballot === undefined) throw new Error(`no ballot of ${row.id}`);
        expectConcentration([...ballot.powers], row);
        // And as the scorer reads the ballot.
        const read = readBallot(ballot, createElectorate([ballot], new Map())).ballot;
        const effective = 1 / sumOfSquares(read.ascending);
        expect(read.validPower).toBeCloseTo(row.total, 3);
        expect(effective).toBeCloseTo(row.effective ?? Number.NaN, 4);
        expect(10_000 / effective).toBeCloseTo(row.hhi_points ?? Number.NaN, 2);
        expect(majorityVoters(read.ascending)).toBe(row.nakamoto);
        expect(read.ascending.at(-1)).toBeCloseTo(row.top1, 6);
      }
    });

    test("rows and power of every proposal are those it declares: 28 of 28", async () => {
      let compared = 0;
      for (const spaceId of Object.keys(oracles.snapshot_hhi)) {
        const { proposals, ballots } = await factsOf(spaceId);
        for (const { proposalId, votesCount, scoresTotal = Number.NaN } of proposals) {
          const powers = ballots.get(proposalId)?.powers;
          if (powers === undefined) continue;
          const power = powers.reduce((sum, each) => sum + each, 0);
          expect(powers, proposalId).toHaveLength(votesCount ?? Number.NaN);
          expect(Math.abs(power / scoresTotal - 1), proposalId).toBeLessThan(1e-6);
          compared += 1;
        }
      }
      expect(compared).toBe(28);
    });

    test("published concentration of votes: six of six", async () => {
      expect(Object.keys(oracles.snapshot_hhi)).toHaveLength(6);
      for (const [spaceId, row] of Object.entries(oracles.snapshot_hhi)) {
        const largest = new Map<number, number>();
        for (const { voterIds, powers } of (await factsOf(spaceId)).ballots.values())
          voterIds.forEach((voter, index) => {
            largest.set(voter, Math.max(largest.get(voter) ?? 0, powers[index] ?? 0));
          });
        expect(largest.size).toBe(row.voters);
        expectConcentration([...largest.values()].sort((a, b) => b - a).slice(0, 100), row);
      }
    });

    test("published concentration of delegates: five of five", async () => {
      expect(Object.keys(oracles.tally_hhi)).toHaveLength(5);
      for (const [spaceId, row] of Object.entries(oracles.tally_hhi)) {
        const list = (await factsOf(spaceId)).delegateLists.find(({ date }) => date === "2026-04-02");
        if (list === undefined) throw new Error(`no list of ${spaceId}`);
        expect(list.isComplete, "a list cut at 100 gives no total").toBe(false);
        const ranking = rankDelegates({ ...list });
        expectConcentration(
          ranking.delegates.map(({ votes }) => Number(votes) / 10 ** list.decimals),
          row,
        );
        expect(measureDelegation(ranking)?.hhiPoints).toBeCloseTo(10_000 * row.hhi, 5);
      }
    });

    test("Decentraland's delegates on 84 days: counts, totals, tiers, K", async () => {
      const { delegateLists } = await factsOf("snapshot.dcl.eth");
      expect(delegateLists).toHaveLength(84);
      for (const list of delegateLists) {
        const row = oracles.dcl[list.date];
        if (row === undefined) throw new Error(`no oracle of ${list.date}`);
        const ranking = rankDelegates({ ...list });
        const tierCount = (...tiers: readonly string[]): number =>
          ranking.delegates.filter(({ weightTier }) => tiers.includes(weightTier)).length;
        const [first] = ranking.delegates;
        expect(list.delegates.reduce((sum, { delegatorsCount }) => sum + delegatorsCount, 0)).toBe(
          row.delegators,
        );
        expect(
          {
            delegates: ranking.delegates.length + row.zero_votes,
            ge_1pct: tierCount("T1"),
            ge_01pct: tierCount("T1", "T2"),
            nakamoto: nakamotoOf(ranking),
          },
          list.date,
        ).toStrictEqual({
          delegates: row.delegates,
          ge_1pct: row.ge_1pct,
          ge_01pct: row.ge_01pct,
          nakamoto: row.nakamoto,
        });
        expect(Number(ranking.total) / 10 ** list.decimals).toBeCloseTo(row.total, 3);
        expect(Number(first?.votes) / Number(ranking.total)).toBeCloseTo(row.top1, 9);
      }
    });

    test("Nouns: the replay of ownership and choice agrees with the contract on 1,198 of 1,198 delegates", async () => {
      const { delegationEvents: events } = await factsOf("nouns.eth");
      expect(events).toHaveLength(oracles.nouns["distinct_logs"] ?? 0);
      const replay = createDelegationReplay(true);
      const balances = new Map<string, number>();
      const choices = new Map<string, string>();
      for (const event of events) {
        replay.apply(event);
        if (event.kind === "delegate-changed") choices.set(event.delegator, event.to);
        if (event.kind !== "transfer") continue;
        balances.set(event.from, (balances.get(event.from) ?? 0) - 1);
        balances.set(event.to, (balances.get(event.to) ?? 0) + 1);
      }
      const nobody = `0x${"0".repeat(40)}`;
      // By ownership and choice alone, without a look at what the contract said of power.
      const owned = new Map<string, { votes: number; delegators: number }>();
      for (const [holder, balance] of balances) {
        if (holder === nobody || balance <= 0) continue;
        const chosen = choices.get(holder) ?? nobody;
        const delegate = chosen === nobody ? holder : chosen;
        const known = owned.get(delegate) ?? { votes: 0, delegators: 0 };
        owned.set(delegate, { votes: known.votes + balance, delegators: known.delegators + 1 });
      }
      const delegates = replay.delegates();
      const mismatches = delegates.filter(({ address, votes, delegatorsCount }) => {
        const listed = owned.get(address) ?? { votes: 0, delegators: 0 };
        return votes !== BigInt(listed.votes) || delegatorsCount !== listed.delegators;
      });
      expect(delegates).toHaveLength(1198);
      expect(mismatches).toStrictEqual([]);
      const ranking = rankDelegates({
        date: undefined,
        asOfMs: undefined,
        fetchedAtMs: 0,
        decimals: 0,
        delegates,
      });
      expect(ranking.delegates).toHaveLength(193);
      expect(ranking.total).toBe(947n);
      expect(ranking.delegates[0]?.votes).toBe(312n);
      expect(nakamotoOf(ranking)).toBe(2);
      expect(ranking.delegates.reduce((sum, { delegatorsCount }) => sum + delegatorsCount, 0)).toBe(217);
    });

    test("Nouns: every vote of the contract is followed back to an account that holds it", async () => {
      const history = createDelegateHistory(await factsOf("nouns.eth"));
      const { ranking, delegations: traced } = history.tracedAt(0) ?? {};
      expect([ranking?.delegates.length, ranking?.total]).toEqual([193, 947n]);
      expect([traced?.delegatorsCount, traced?.tracedVotes]).toEqual([217, 947n]);
      expect(traced?.strong).toHaveLength(GRAPH_ACCOUNTS_MAX);
      expect(traced?.weak.reduce((count, row) => count + row.delegatorsCount, 0)).toBe(117);
    });
  },
);
