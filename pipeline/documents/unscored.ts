import type { UnscoredDao, UnscoredList, UnscoredReason } from "../../snapshots/format/dao.ts";
import { timestampOf } from "../../snapshots/format/ids.ts";
import { COMPONENT_KEYS } from "../../snapshots/format/value-sets.ts";
import { invariant } from "../facts/errors.ts";
import type { DaoScore, GapReason } from "../score/method/dao-score.ts";
import { published, type ScoredDao } from "./scored-dao.ts";

/** What each reason means to a reader. A new reason does not compile before it has its sentence. */
export const GAP_MESSAGES: Readonly<Record<GapReason, string>> = {
  NOT_FETCHED: "The DAO's data were never fetched whole.",
  SPACE_FLAGGED: "The platform on which the DAO votes has flagged its space as abuse or spam.",
  NO_PROPOSALS: "No finished proposal with enough voting power ended in the last two years.",
  BALLOTS_MISSING: "Proposals ended in the last two years, but the votes on none of them were fetched.",
  NO_VOTERS: "Nobody whose vote carries weight voted on the proposals that are looked at.",
  POWER_UNKNOWN: "The source gives no voting power for the votes that are looked at.",
  DELIBERATION_UNKNOWN:
    "The source says too little about how the proposals were discussed and voted on: no proposal has half of what is measured.",
  PROCESS_UNKNOWN: "The source says too little about the DAO's process: less than half of what is measured.",
  COMPONENT_GAP: "At least one of the four components could not be computed.",
  ACTIVE_VOTERS_UNKNOWN: "The votes on the proposals of the last 90 days are not known.",
};

function reasonOf(scope: UnscoredReason["scope"], code: GapReason): UnscoredReason {
  return { scope, code, message: GAP_MESSAGES[code] };
}

/** What concerns the DAO as a whole first, then one reason per component gap, in the order of the components. */
function reasonsOf({ spaceId, gvs, components }: DaoScore): UnscoredReason[] {
  // "A component is missing" says nothing beside the components' own reasons; anything else concerns the whole.
  const whole = gvs.kind === "gap" && gvs.reason !== "COMPONENT_GAP" ? gvs.reason : undefined;
  const ofComponents = COMPONENT_KEYS.flatMap((key) => {
    const component = components[key];
    return component.kind === "gap" && component.reason !== whole ? [reasonOf(key, component.reason)] : [];
  });
  const reasons = whole === undefined ? ofComponents : [reasonOf("dao", whole), ...ofComponents];
  invariant(reasons.length > 0, `${spaceId} has no score and no reason why`);
  return reasons;
}

function existingComponents({ components }: DaoScore): UnscoredDao["components"] {
  return Object.fromEntries(
    COMPONENT_KEYS.flatMap((key) => {
      const component = components[key];
      return component.kind === "score" ? [[key, published(component.points)]] : [];
    }),
  );
}

/** `unscored.json`: the tracked DAOs without a gvs, by space_id, each with its reasons and the components that exist. */
export function buildUnscoredList(daos: readonly ScoredDao[]): UnscoredList {
  return daos
    .filter(({ current }) => current.gvs.kind === "gap")
    .map(({ dao, current }) => ({
      space_id: dao.spaceId,
      name: dao.name,
      category: dao.category,
      reasons: reasonsOf(current),
      components: existingComponents(current),
      ...(current.completenessPct === undefined
        ? {}
        : { data_completeness: published(current.completenessPct) }),
      assessed_at: timestampOf(current.asOfMs),
    }))
    .sort((a, b) => (a.space_id < b.space_id ? -1 : 1));
}
