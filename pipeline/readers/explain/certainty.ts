import type { Evidence } from "../../../snapshots/format/evidence.ts";
import { indicatorTexts } from "../../documents/component-texts.ts";

type Weights = NonNullable<Evidence["rank"]>["weights"];

/** Over all single changes of a weight by a quarter, and the weight on which the rank hangs most, where it hangs on any. */
function explainWeights(weights: Weights) {
  const spread = ({ less, more }: Weights[number]) => Math.abs(less - more);
  const [most] = weights.toSorted((a, b) => spread(b) - spread(a));
  const ranks = weights.flatMap(({ less, more }) => [less, more]);
  return {
    best: Math.min(...ranks),
    worst: Math.max(...ranks),
    most: most === undefined || spread(most) === 0 ? undefined : most,
  };
}

/** How sure the scores of one DAO are, how complete its data are, and what is not known. */
export function explainCertainty(evidence: Evidence) {
  const { rank, presence, known_share: knownShare, not_known: notKnown, frame, measures } = evidence;
  return {
    completenessPct: evidence.completeness_pct ?? undefined,
    knownShare,
    presence,
    fetchedAt: measures.fetched_at ?? undefined,
    /** Of scored DAOs: the ranks that all intervals allow, and those under other weights. */
    rank: rank === null ? undefined : { best: rank.best, worst: rank.worst },
    weights: rank === null ? undefined : explainWeights(rank.weights),
    /** Indicators of which nothing is known, and what it would take. */
    notKnown: notKnown.map((id) => ({ id, ...indicatorTexts(id) })),
    gini: frame.gini ?? undefined,
  };
}
