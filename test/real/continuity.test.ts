import { beforeAll, describe, expect, it } from "vitest";
import type { ScoredMeasures } from "../../pipeline/score/components/score-measures.ts";
import { createDaoScorer } from "../../pipeline/score/dao-scorer.ts";
import { COMPONENT_KEYS } from "../../snapshots/format/value-sets.ts";
import { realArchive, WITHOUT_REAL_DATA } from "../support/real-archive.ts";
import { type ArchiveReader, readArchive } from "./archive-facts.ts";

const DAY_MS = 86_400_000;
const DAYS = 365;

const archive = realArchive();

/** One day-end: its scores by name, and whether a proposal of ω > 0 had ended since the day before. */
interface Point {
  readonly scores: ReadonlyMap<string, number>;
  readonly hasEnded: boolean;
}

function scoresOf({ gvs, risk, components }: ScoredMeasures): ReadonlyMap<string, number> {
  const scores = new Map<string, number>();
  if (gvs.kind === "score") scores.set("gvs", gvs.points);
  if (risk.kind === "risk") scores.set("risk", risk.score);
  for (const key of COMPONENT_KEYS) {
    const { score } = components[key];
    if (score.kind === "score") scores.set(key, score.points);
  }
  return scores;
}

/** Largest change of each score from one day-end to the next, over days on which a proposal ended, or on which none did. */
function largestSteps(points: readonly Point[], hasEnded: boolean): Readonly<Record<string, number>> {
  const steps = new Map<string, number>();
  points.slice(1).forEach((point, place) => {
    if (point.hasEnded !== hasEnded) return;
    for (const [name, score] of point.scores) {
      const before = points[place]?.scores.get(name);
      if (before !== undefined) steps.set(name, Math.max(steps.get(name) ?? 0, Math.abs(score - before)));
    }
  });
  return Object.fromEntries(steps);
}

describe.skipIf(archive === undefined)(
  `real scores from one day-end to the next${archive === undefined ? ` (${WITHOUT_REAL_DATA})` : ""}`,
  () => {
    let reader: ArchiveReader;
    beforeAll(() => {
      reader = readArchive(archive ?? "");
    });

    it.each([
      {
        space: "snapshot.dcl.eth",
        day: "2022-05-15",
        quiet: { gvs: 0.04, risk: 0.14, hpr: 0.09, dei: 0.02, pdi: 0.15, gpi: 0.06 },
        busy: { gvs: 0.66, risk: 11.4, hpr: 0.75, dei: 1.05, pdi: 0.38, gpi: 0.44 },
      },
      {
        space: "aave-governance-v3",
        day: "2026-04-28",
        quiet: { gvs: 0.05, risk: 0.45, hpr: 0.08, dei: 0.09, pdi: 0.04, gpi: 0.09 },
        busy: { gvs: 0.24, risk: 2.1, hpr: 0.1, dei: 0.51, pdi: 0.04, gpi: 0.09 },
      },
    ])("$space over a year to $day: no cliff while no proposal ends", async ({ space, day, quiet, busy }) => {
      const scorer = createDaoScorer(await reader.factsOf(space), reader.entityIdOfWallet);
      const lastMs = Date.parse(`${day}T23:59:59.999Z`);
      const points = Array.from({ length: DAYS + 1 }, (_, place): Point => {
        const asOfMs = lastMs - (DAYS - place) * DAY_MS;
        const { scored, frame } = scorer.assessAt(asOfMs, true);
        return {
          scores: scoresOf(scored),
          hasEnded: frame.attended.some(({ endMs }) => endMs > asOfMs - DAY_MS),
        };
      });
      const steps = { quiet: largestSteps(points, false), busy: largestSteps(points, true) };
      // What the method promises, and what was measured when this was written.
      expect(steps.quiet["gvs"]).toBeLessThan(0.3);
      for (const [name, bound] of Object.entries(quiet)) expect(steps.quiet[name], name).toBeLessThan(bound);
      for (const [name, bound] of Object.entries(busy)) expect(steps.busy[name], name).toBeLessThan(bound);
    });
  },
);
