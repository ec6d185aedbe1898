import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { createDaoMeasurer } from "../../pipeline/score/measure-dao.ts";
import { METHODOLOGY } from "../../pipeline/score/method/methodology.ts";
import { type DaoScore, scoreMeasures } from "../../pipeline/score/score-measures.ts";
import { DAY_MS } from "../../snapshots/base/days.ts";
import { realArchive, WITHOUT_REAL_DATA } from "../support/real-archive.ts";
import { readArchive } from "./archive-facts.ts";

const archive = realArchive();
const text = readFileSync(new URL("../../pipeline/score/METHODOLOGY.md", import.meta.url), "utf8").replace(
  /\s+/g,
  " ",
);

/** Days before and after the last vote of each DAO: two years of proposals grow old, and then presence ends. */
const DAYS = { before: 485, after: 185 };

/** What is kept of a DAO's score at the end of a day. */
interface Point {
  readonly gvs: number;
  readonly risk: number | undefined;
  readonly indexWeight: number;
  readonly isScored: boolean;
  readonly hasEnded: boolean;
}

/** The largest value; 0 without any. */
const largest = (values: readonly number[]): number =>
  values.reduce((most, value) => Math.max(most, value), 0);

function meanOf(members: readonly Point[]): number {
  const weight = members.reduce((sum, { indexWeight }) => sum + indexWeight, 0);
  return members.reduce((sum, { gvs, indexWeight }) => sum + gvs * indexWeight, 0) / weight;
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
          const { gvs, risk, unscored, indexWeight }: DaoScore = scoreMeasures(measures);
          points.set(atMs, {
            gvs: gvs.point,
            risk: risk?.score.point,
            indexWeight: day <= 0 && unscored === undefined ? indexWeight : 0,
            isScored: unscored === undefined,
            hasEnded: measures.proposals.some(({ endMs }) => endMs > atMs - DAY_MS),
          });
        }
        series.set(spaceId, points);
      }
    });

    it("how far a score moves on a day on which nothing ended", () => {
      const moves = [...series.values()].flatMap((points) =>
        [...points].flatMap(([atMs, point]) => {
          const before = points.get(atMs - DAY_MS);
          if (!before?.isScored || !point.isScored || point.hasEnded) return [];
          const risk = Math.abs((point.risk ?? 0) - (before.risk ?? point.risk ?? 0));
          return [{ gvs: Math.abs(point.gvs - before.gvs), risk: point.risk === undefined ? 0 : risk }];
        }),
      );
      expect(moves.length).toBeGreaterThan(1000);
      const gvs = largest(moves.map((move) => move.gvs));
      const risk = largest(moves.map((move) => move.risk));
      expect(gvs).toBeLessThan(0.09);
      expect(text).toContain(`moved by up to ${gvs.toFixed(3)} and risk by ${risk.toFixed(2)} in a day`);
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
