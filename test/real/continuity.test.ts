import { beforeAll, describe, expect, it } from "vitest";
import { createDaoMeasurer } from "../../pipeline/score/measure-dao.ts";
import { type DaoScore, scoreMeasures } from "../../pipeline/score/score-measures.ts";
import { DAY_MS } from "../../snapshots/base/days.ts";
import { dayEndMs } from "../../snapshots/format/ids.ts";
import { COMPONENT_KEYS } from "../../snapshots/format/value-sets.ts";
import { realArchive, WITHOUT_REAL_DATA } from "../support/real-archive.ts";
import { readArchive } from "./archive-facts.ts";

/** As many as the method's own check of continuity looks at. */
const DAYS = 485;

/** How far a number moves in a day while nothing happens. */
const STEADY: Readonly<Record<string, number>> = { risk: 0.05, gpi: 0.02, "index weight": 0.002 };
const STEADY_POINTS = 0.01;

const archive = realArchive();

/** One day-end: its scores by name, and whether a proposal of ω > 0 had ended since the day before. */
interface Point {
  readonly score: DaoScore;
  readonly hasEnded: boolean;
}

function numbersOf({ gvs, risk, components, indexWeight }: DaoScore): ReadonlyMap<string, number> {
  return new Map([
    ["gvs", gvs.point],
    ["gvs low", gvs.low],
    ["gvs high", gvs.high],
    ["index weight", indexWeight],
    ...(risk === undefined ? [] : [["risk", risk.score.point] as const]),
    ...COMPONENT_KEYS.map((key) => [key, components[key].point] as const),
  ]);
}

/** By how much each number moves from one day-end to the next, with what presence loses; days on which a proposal ended are left out. */
function quietSteps(points: readonly Point[]) {
  return points.slice(1).flatMap((point, index) => {
    const before = points[index];
    if (before === undefined || point.hasEnded) return [];
    const last = numbersOf(before.score);
    const moves = [...numbersOf(point.score)].map(
      ([name, now]) => [name, Math.abs(now - (last.get(name) ?? now))] as const,
    );
    const faded = before.score.presence[0] - point.score.presence[0];
    return [{ faded, moves: new Map(moves) }];
  });
}

/** Each DAO over the days before its own last one. */
const DAOS = [
  { space: "snapshot.dcl.eth", day: "2022-12-14" },
  { space: "aave-governance-v3", day: "2026-04-21" },
  { space: "arbitrumfoundation.eth", day: "2025-07-31" },
  { space: "uniswapgovernance.eth", day: "2025-12-07" },
  { space: "comp-vote.eth", day: "2026-02-06" },
  { space: "lido-snapshot.eth", day: "2025-07-28" },
] as const;

describe.skipIf(archive === undefined)(
  `real scores from one day-end to the next${archive === undefined ? ` (${WITHOUT_REAL_DATA})` : ""}`,
  () => {
    const series = new Map<string, readonly Point[]>();

    beforeAll(async () => {
      const reader = readArchive(archive ?? "");
      for (const { space, day } of DAOS) {
        const measurer = createDaoMeasurer(await reader.factsOf(space), reader.entityIdOfWallet);
        const points = Array.from({ length: DAYS }, (_, index): Point => {
          const asOfMs = dayEndMs(day) - (DAYS - 1 - index) * DAY_MS;
          const measures = measurer.measureAt(asOfMs);
          return {
            score: scoreMeasures(measures),
            hasEnded: measures.proposals.some(({ endMs }) => endMs > asOfMs - DAY_MS),
          };
        });
        series.set(space, points);
      }
    });

    it.each(DAOS)(
      "$space: hardly anything moves while no proposal ends and it votes as before",
      ({ space }) => {
        const steady = quietSteps(series.get(space) ?? []).filter(({ faded }) => faded === 0);
        expect(steady.length).toBeGreaterThan(20);
        for (const { moves } of steady) {
          for (const [name, move] of moves) expect(move, name).toBeLessThan(STEADY[name] ?? STEADY_POINTS);
        }
      },
    );

    it("a DAO that stops voting loses its score as fast as its presence, and no faster", () => {
      const fading = [...series.values()].flatMap(quietSteps).filter(({ faded }) => faded > 0);
      expect(fading.length).toBeGreaterThan(10);
      for (const { faded, moves } of fading) {
        // Each component is ten times presence times what does not hang on it.
        expect(moves.get("gvs")).toBeLessThan(10 * faded + STEADY_POINTS);
        expect(moves.get("index weight")).toBeLessThan(2 * faded + STEADY_POINTS);
      }
      // However many proposals grow old together.
      expect(Math.max(...fading.map(({ faded }) => faded))).toBeLessThan(1 / 60 + 1e-9);
      expect(Math.max(...fading.map(({ moves }) => moves.get("gvs") ?? 0))).toBeLessThan(0.09);
    });
  },
);
