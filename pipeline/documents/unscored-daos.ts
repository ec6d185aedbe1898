import { timestampOf } from "../../snapshots/format/ids.ts";
import type { UnscoredDao, UnscoredList, UnscoredReason } from "../../snapshots/format/unscored.ts";
import { COMPONENT_KEYS } from "../../snapshots/format/value-sets.ts";
import { invariant } from "../base/invariant.ts";
import type { DaoScore } from "../score/dao-score.ts";
import type { GapReason } from "../score/score-or-gap.ts";
import { GAP_MESSAGES } from "./gap-messages.ts";
import { published } from "./rounded-score.ts";
import type { ScoredDao } from "./scored-dao.ts";

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
