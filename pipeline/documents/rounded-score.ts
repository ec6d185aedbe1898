import type { Components } from "../../snapshots/format/components.ts";
import { roundTo, SCORE_DECIMALS } from "../../snapshots/format/numbers.ts";
import type { ComponentKey } from "../../snapshots/format/value-sets.ts";
import { invariant } from "../base/invariant.ts";
import type { DaoScore } from "../score/dao-score.ts";

/** The published numbers of a DAO that has a score. */
export interface RoundedScore {
  readonly gvs: number;
  readonly components: Components;
  readonly completenessPct: number;
}

/** A number with the two decimals of everything published but the risk score. */
export function published(value: number): number {
  return roundTo(value, SCORE_DECIMALS);
}

function componentPoints(score: DaoScore, key: ComponentKey): number {
  const component = score.components[key];
  invariant(component.kind === "score", `${score.spaceId} has a gvs without ${key}`);
  return published(component.points);
}

/** Rounds what is published of a score; `undefined` where the DAO has no gvs. */
export function roundScore(score: DaoScore): RoundedScore | undefined {
  if (score.gvs.kind === "gap") return undefined;
  invariant(score.completenessPct !== undefined, `${score.spaceId} has a gvs without completeness`);
  return {
    gvs: published(score.gvs.points),
    components: {
      hpr: componentPoints(score, "hpr"),
      dei: componentPoints(score, "dei"),
      pdi: componentPoints(score, "pdi"),
      gpi: componentPoints(score, "gpi"),
    },
    completenessPct: published(score.completenessPct),
  };
}
