import { readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { realArchive, WITHOUT_REAL_DATA } from "../support/real-archive.ts";
import { type ArchiveReader, readArchive } from "./archive-facts.ts";
import { jaccard, junkSpaceIds, type TestedSpace, testCoordination, voterSet } from "./known-farm.ts";

const archive = realArchive();

/** By how much a share may miss what was measured when this was written: constants may move, the picture must not. */
const TOLERANCE = 0.02;

/** Linked wallets, those of them that the farm is known by, and the farm's wallets that voted in the frame. */
function found({ clusterOf, votesOf }: TestedSpace, farm: ReadonlySet<string>) {
  const linked = [...clusterOf.keys()];
  const known = linked.filter((wallet) => farm.has(wallet)).length;
  return {
    precision: known / linked.length,
    recall: known / [...votesOf.keys()].filter((wallet) => farm.has(wallet)).length,
    linkedShare: linked.length / votesOf.size,
  };
}

/** Of the wallets linked in one space that voted three times in another, with one of their cluster: how many, and how many are linked there again with one of them. */
function linkedAgain(here: TestedSpace, there: TestedSpace) {
  const clusters = new Map<number, string[]>();
  for (const [wallet, cluster] of here.clusterOf) {
    if ((there.votesOf.get(wallet) ?? 0) >= 3)
      clusters.set(cluster, [...(clusters.get(cluster) ?? []), wallet]);
  }
  const testable = [...clusters.values()].filter((wallets) => wallets.length > 1);
  const again = testable.flatMap((wallets) =>
    wallets.filter((wallet) => {
      const cluster = there.clusterOf.get(wallet);
      if (cluster === undefined) return false;
      return wallets.some((other) => other !== wallet && there.clusterOf.get(other) === cluster);
    }),
  );
  return { testable: testable.flat().length, again: again.length };
}

describe.skipIf(archive === undefined)(
  `a known farm of wallets${archive === undefined ? ` (${WITHOUT_REAL_DATA})` : ""}`,
  () => {
    const root = archive ?? "";
    const setOf = new Map<string, ReadonlySet<string>>();
    const farm = new Set<string>();
    let junk: readonly string[];
    let reader: ArchiveReader;
    const cases = new Map<string, Promise<TestedSpace>>();
    const tested = (spaceId: string, day: string): Promise<TestedSpace> => {
      const known = cases.get(`${spaceId} ${day}`) ?? testCoordination(reader, spaceId, day);
      cases.set(`${spaceId} ${day}`, known);
      return known;
    };

    beforeAll(() => {
      reader = readArchive(root);
      junk = junkSpaceIds(root);
      for (const file of readdirSync(join(root, "votes"))) {
        const spaceId = file.replace(/\.ndjson$/, "");
        const voters = voterSet(root, spaceId);
        if (voters.size > 0) setOf.set(spaceId, voters);
        if (junk.includes(spaceId)) for (const voter of voters) farm.add(voter);
      }
    });

    describe("by the overlap of voter sets", () => {
      const pairs = (
        isWanted: (a: string, b: string) => boolean,
      ): { a: string; b: string; index: number }[] =>
        [...setOf.keys()]
          .flatMap((a) => [...setOf.keys()].filter((b) => a < b && isWanted(a, b)).map((b) => ({ a, b })))
          .map(({ a, b }) => ({ a, b, index: jaccard(setOf.get(a) ?? new Set(), setOf.get(b) ?? new Set()) }))
          .sort((one, other) => other.index - one.index);

      it("the farm is 18 spaces with 6,098 wallets between them", () => {
        expect([junk.length, farm.size]).toEqual([18, 6098]);
      });

      it("every two of its spaces share 97 % of their voters: all 153 pairs are found by any cut up to .97", () => {
        const own = pairs((a, b) => junk.includes(a) && junk.includes(b));
        expect(own).toHaveLength(153);
        expect(own.at(-1)?.index).toBeGreaterThan(0.97);
      });

      it("real spaces share less: no pair of theirs is flagged by a cut of .5, one by a cut of .4", () => {
        const [first, second] = pairs((a, b) => !junk.includes(a) && !junk.includes(b));
        expect(first).toMatchObject({ a: "index-coop.eth", b: "mstablegovernance.eth" });
        expect(Math.abs((first?.index ?? 0) - 0.417)).toBeLessThan(TOLERANCE);
        expect(second?.index).toBeLessThan(0.3);
      });

      it("a space that the farm visits is not told from a real one: aave.eth, half of whose voters it is, stays below .5", () => {
        const mixed = pairs((a, b) => junk.includes(a) !== junk.includes(b));
        expect(mixed[0]).toMatchObject({ a: "aave.eth", b: "balsam.eth" });
        expect(Math.abs((mixed[0]?.index ?? 0) - 0.493)).toBeLessThan(TOLERANCE);
        const others = mixed.filter(({ a, b }) => a !== "aave.eth" && b !== "aave.eth");
        expect(others[0]?.index).toBeLessThan(0.07);
      });
    });

    describe("by the coordination test", () => {
      it.each([
        {
          why: "one wallet after another",
          space: "pancake",
          day: "2021-11-24",
          precision: 0.958,
          recall: 0.996,
          linkedShare: 0.345,
        },
        {
          why: "it is most of what it votes on",
          space: "aave.eth",
          day: "2021-11-20",
          precision: 0.003,
          recall: 0,
          linkedShare: 0.053,
        },
        {
          why: "four days later",
          space: "aave.eth",
          day: "2021-11-24",
          precision: 0.782,
          recall: 0.374,
          linkedShare: 0.236,
        },
        {
          why: "it never came, and others are linked",
          space: "uniswap",
          day: "2021-11-20",
          precision: 0,
          recall: 0,
          linkedShare: 0.254,
        },
      ])(
        "in $space as of $day ($why): precision $precision, recall $recall",
        async ({ space, day, ...row }) => {
          const { precision, recall, linkedShare } = found(await tested(space, day), farm);
          expect(Math.abs(precision - row.precision)).toBeLessThan(TOLERANCE);
          expect(Math.abs(recall - row.recall)).toBeLessThan(TOLERANCE);
          expect(Math.abs(linkedShare - row.linkedShare)).toBeLessThan(TOLERANCE);
        },
      );

      it("in a space of its own it counts for nothing, because it has no power", async () => {
        const { measured } = await tested("balsam.eth", "2021-12-19");
        expect(measured.frame.members).toHaveLength(1);
        expect(measured.measures.members[0]?.heads).toBeLessThan(4);
        expect(measured.measures.isCoordinationAssessed).toBe(false);
      });

      it("the other wallets it links in aave.eth are no chance: 171 of 179 are linked again in uniswap, 171 of 213 the other way", async () => {
        const aave = await tested("aave.eth", "2021-11-20");
        const uniswap = await tested("uniswap", "2021-11-20");
        for (const [here, there, share] of [
          [aave, uniswap, 171 / 179],
          [uniswap, aave, 171 / 213],
        ] as const) {
          const { testable, again } = linkedAgain(here, there);
          expect(testable).toBeGreaterThan(150);
          expect(Math.abs(again / testable - share)).toBeLessThan(TOLERANCE);
        }
      });
    });
  },
);
