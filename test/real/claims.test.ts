import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { createDaoMeasurer } from "../../pipeline/score/measure-dao.ts";
import { METHODOLOGY } from "../../pipeline/score/method/methodology.ts";
import { type DaoScore, scoreMeasures } from "../../pipeline/score/score-measures.ts";
import { DAY_MS } from "../../snapshots/base/days.ts";
import { COMPONENT_KEYS } from "../../snapshots/format/value-sets.ts";
import { realArchive, WITHOUT_REAL_DATA } from "../support/real-archive.ts";
import { readArchive } from "./archive-facts.ts";

const archive = realArchive();
const text = readFileSync(new URL("../../pipeline/score/METHODOLOGY.md", import.meta.url), "utf8").replace(
  /\s+/g,
  " ",
);

/** Days before and after the last vote of each DAO: two years of proposals grow old, and then presence ends. */
const DAYS = { before: 485, after: 185 };

/** DAOs that are scored on their last day, and for long before. */
const SCORED = [
  "snapshot.dcl.eth",
  "aave-governance-v3",
  "arbitrumfoundation.eth",
  "uniswapgovernance.eth",
  "comp-vote.eth",
  "lido-snapshot.eth",
];

/** How far a number moves in a day while nothing happens. */
const STEADY: Readonly<Record<string, number>> = { risk: 0.05, gpi: 0.02, "index weight": 0.002 };
const STEADY_POINTS = 0.01;

/** What is kept of a DAO's score at the end of a day. */
interface Point {
  readonly gvs: number;
  readonly indexWeight: number;
  readonly isScored: boolean;
  /** Whether a proposal of ω > 0 had ended since the day before. */
  readonly hasEnded: boolean;
  readonly presence: number;
  readonly numbers: ReadonlyMap<string, number>;
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

/** The largest value; 0 without any. */
const largest = (values: readonly number[]): number =>
  values.reduce((most, value) => Math.max(most, value), 0);

function meanOf(members: readonly Point[]): number {
  const weight = members.reduce((sum, { indexWeight }) => sum + indexWeight, 0);
  return members.reduce((sum, { gvs, indexWeight }) => sum + gvs * indexWeight, 0) / weight;
}

/** By how much each number moves to the end of a day on which no proposal ended, with what presence loses. */
function quietStep(before: Point | undefined, point: Point) {
  if (before === undefined || point.hasEnded) return [];
  const moves = [...point.numbers].map(
    ([name, now]) => [name, Math.abs(now - (before.numbers.get(name) ?? now))] as const,
  );
  return [{ faded: before.presence - point.presence, moves: new Map(moves) }];
}

describe.skipIf(archive === undefined)(
  `what the method says of real data${archive === undefined ? ` (${WITHOUT_REAL_DATA})` : ""}`,
  () => {
    /** By DAO, then by day. */
    const series = new Map<string, Map<number, Point>>();

    beforeAll(async () => {
      const { registry, factsOf, entityIdOfWallet } = readArchive(archive ?? "");
      for (const { spaceId } of registry.daos) {
        const measurer = createDaoMeasurer(await factsOf(spaceId), entityIdOfWallet);
        const lastMs = measurer.measureAt(0).fetchedAtMs;
        if (lastMs === undefined) continue;
        const points = new Map<number, Point>();
        for (let day = -DAYS.before; day <= DAYS.after; day += 1) {
          const atMs = lastMs + day * DAY_MS;
          // Somebody looked at it on that day, so that it fades as a DAO does that stopped voting.
          const measures = { ...measurer.measureAt(atMs), fetchedAtMs: Math.max(atMs, lastMs) };
          const score = scoreMeasures(measures);
          const { gvs, unscored, indexWeight, presence } = score;
          points.set(atMs, {
            gvs: gvs.point,
            indexWeight: day <= 0 && unscored === undefined ? indexWeight : 0,
            isScored: unscored === undefined,
            hasEnded: measures.proposals.some(({ endMs }) => endMs > atMs - DAY_MS),
            presence: presence[0],
            numbers: numbersOf(score),
          });
        }
        series.set(spaceId, points);
      }
    });

    /** The quiet days of a DAO until its last vote. */
    const quietSteps = (spaceId: string) => {
      const points = [...(series.get(spaceId) ?? [])].slice(0, DAYS.before + 1);
      return points.flatMap(([, point], index) => quietStep(points[index - 1]?.[1], point));
    };

    it("how far a score moves on a day on which nothing ended", () => {
      const moves = [...series.values()].flatMap((points) =>
        [...points].flatMap(([atMs, point]) => {
          const before = points.get(atMs - DAY_MS);
          return before?.isScored && point.isScored ? quietStep(before, point) : [];
        }),
      );
      expect(moves.length).toBeGreaterThan(1000);
      const gvs = largest(moves.map((step) => step.moves.get("gvs") ?? 0));
      const risk = largest(moves.map((step) => step.moves.get("risk") ?? 0));
      expect(gvs).toBeLessThan(0.09);
      expect(text).toContain(`moved by up to ${gvs.toFixed(3)} and risk by ${risk.toFixed(2)} in a day`);
    });

    it.each(SCORED)("%s: hardly anything moves while no proposal ends and it votes as before", (spaceId) => {
      const steady = quietSteps(spaceId).filter(({ faded }) => faded === 0);
      expect(steady.length).toBeGreaterThan(20);
      for (const { moves } of steady) {
        for (const [name, move] of moves) expect(move, name).toBeLessThan(STEADY[name] ?? STEADY_POINTS);
      }
    });

    it("a DAO that stops voting loses its score as fast as its presence, and no faster", () => {
      const fading = SCORED.flatMap(quietSteps).filter(({ faded }) => faded > 0);
      expect(fading.length).toBeGreaterThan(10);
      for (const { faded, moves } of fading) {
        // Each component is ten times presence times what does not hang on it.
        expect(moves.get("gvs")).toBeLessThan(10 * faded + STEADY_POINTS);
        expect(moves.get("index weight")).toBeLessThan(2 * faded + STEADY_POINTS);
      }
      // However many proposals grow old together.
      expect(Math.max(...fading.map(({ faded }) => faded))).toBeLessThan(1 / 60 + 1e-9);
    });

    it("how far one that enters moves the index", () => {
      const days = [...new Set([...series.values()].flatMap((points) => [...points.keys()]))];
      const entries = days.flatMap((atMs) => {
        const members = [...series].flatMap(([spaceId, points]) => {
          const point = points.get(atMs);
          return point === undefined || point.indexWeight === 0 ? [] : [{ spaceId, point }];
        });
        if (members.length < METHODOLOGY.index.daosMin) return [];
        const whole = meanOf(members.map(({ point }) => point));
        return members
          .filter(({ spaceId }) => (series.get(spaceId)?.get(atMs - DAY_MS)?.indexWeight ?? 0) === 0)
          .map(
            (entered) =>
              whole - meanOf(members.filter((member) => member !== entered).map(({ point }) => point)),
          );
      });
      expect(entries.length).toBeGreaterThan(0);
      expect(text).toContain(`moved an index of five by up to ${largest(entries.map(Math.abs)).toFixed(3)}`);
    });
  },
);
