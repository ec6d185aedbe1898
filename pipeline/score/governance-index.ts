import type { ComponentKey } from "../../snapshots/format/value-sets.ts";
import type { DaoScore } from "./dao-score.ts";
import { METHODOLOGY } from "./methodology.ts";

/** The Decentralized Governance Index as of one moment, unrounded. */
export interface GovernanceIndex {
  readonly asOfMs: number;
  readonly composite: number;
  readonly components: Readonly<Record<ComponentKey, number>>;
  readonly daoCount: number;
}

/** The points a member brings; `undefined` where the DAO is no member as of its scoring. */
function memberPoints(
  score: DaoScore,
): (Readonly<Record<ComponentKey, number>> & { readonly gvs: number }) | undefined {
  const { memberAttentionMin, memberCompletenessMinPct } = METHODOLOGY.index;
  const { hpr, dei, pdi, gpi } = score.components;
  if (score.gvs.kind === "gap" || hpr.kind === "gap" || dei.kind === "gap") return undefined;
  if (pdi.kind === "gap" || gpi.kind === "gap") return undefined;
  if (score.attentionSum < memberAttentionMin) return undefined;
  if ((score.completenessPct ?? 0) < memberCompletenessMinPct) return undefined;
  return { gvs: score.gvs.points, hpr: hpr.points, dei: dei.points, pdi: pdi.points, gpi: gpi.points };
}

/**
 * Decentralized Governance Index (dgi): how healthy is the governance of DAOs as a whole?
 *
 * Range: 0..10 points; a plain mean, every member weighs the same.
 * Unit: DAOs with Σω of at least 5 and completeness of at least 60 %.
 * Source: the scores of all DAOs as of the same moment.
 * Gap: `undefined` with fewer than 5 members.
 */
export function scoreGovernanceIndex(
  scores: readonly DaoScore[],
  asOfMs: number,
): GovernanceIndex | undefined {
  const inOrder = [...scores].sort((a, b) => (a.spaceId < b.spaceId ? -1 : 1));
  const members = inOrder.flatMap((score) => memberPoints(score) ?? []);
  if (members.length < METHODOLOGY.index.membersMin) return undefined;
  const meanOf = (key: ComponentKey | "gvs"): number =>
    members.reduce((sum, member) => sum + member[key], 0) / members.length;
  return {
    asOfMs,
    composite: meanOf("gvs"),
    components: { hpr: meanOf("hpr"), dei: meanOf("dei"), pdi: meanOf("pdi"), gpi: meanOf("gpi") },
    daoCount: members.length,
  };
}
