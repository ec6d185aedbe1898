import { expect } from "vitest";
import type { DaoScore } from "../../../pipeline/score/score-measures.ts";
import { COMPONENT_KEYS, captureRiskOf } from "../../../snapshots/format/value-sets.ts";
import type { PlainScore } from "./plain-score.ts";

function expectNear(mine: number | undefined, theirs: number | undefined, what: string): void {
  const isNear = Math.abs((mine ?? Number.NaN) - (theirs ?? Number.NaN)) < 1e-9;
  // Asked of tens of thousands of numbers: an expectation for each costs far more than comparing them.
  if (!isNear) expect.fail(`${what}: ${mine} and ${theirs}`);
}

/** Expects every number of a score to be that of the second implementation, to 1e-9. */
export function expectSame(score: DaoScore, plain: PlainScore): void {
  for (const key of COMPONENT_KEYS) {
    const { low, point, high, indicators } = score.components[key];
    for (const { id, mark } of indicators) {
      expectNear(mark[0], plain.indicators[id]?.[0], `${id} low`);
      expectNear(mark[1], plain.indicators[id]?.[1], `${id} high`);
    }
    expectNear(low, plain.components[key][0], `${key} low`);
    expectNear(high, plain.components[key][1], `${key} high`);
    expectNear(point, plain.points[key], key);
  }
  expectNear(score.gvs.low, plain.gvs[0], "gvs low");
  expectNear(score.gvs.high, plain.gvs[1], "gvs high");
  expectNear(score.gvs.point, plain.points.gvs, "gvs");
  expectNear(score.knownShare, plain.knownShare, "known share");
  expectNear(score.presence[0], plain.presence[0], "presence");
  expectNear(score.presence[1], plain.presence[1], "presence, high");
  expectNear(score.indexWeight, plain.indexWeight, "index weight");
  expect(score.confidence).toBe(plain.eligible >= 20 ? "high" : "low");
  expect(score.completenessPct === undefined).toBe(plain.completeness === undefined);
  if (plain.completeness !== undefined) expectNear(score.completenessPct, plain.completeness, "completeness");
  expect(score.risk === undefined).toBe(plain.risk === undefined);
  const { risk } = score;
  if (risk === undefined || plain.risk === undefined) return;
  expectNear(risk.score.low / 10, plain.risk[0] / 10, "risk low");
  expectNear(risk.score.point / 10, plain.risk[1] / 10, "risk");
  expectNear(risk.score.high / 10, plain.risk[2] / 10, "risk high");
  expectNear(risk.whaleControlPct / 100, plain.whalePct / 100, "whales");
  expect(risk.checkpointVotingPct === undefined).toBe(plain.checkpointPct === undefined);
  if (plain.checkpointPct !== undefined)
    expectNear((risk.checkpointVotingPct ?? 0) / 100, plain.checkpointPct / 100, "checkpoint");
  expectNear(risk.proposalsPerMonth, plain.perMonth, "velocity");
  expect(risk.captureRisk).toBe(captureRiskOf(plain.capture ?? Number.NaN));
  expect(risk.activeVoterCount).toBe(plain.activeVoters);
}
