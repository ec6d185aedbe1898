import type { ProposalLine } from "../../../snapshots/format/proposal-line.ts";
import type { PublishedEvidence } from "../../../snapshots/format/published-set.ts";
import type { ComponentKey } from "../../../snapshots/format/value-sets.ts";
import { evidenceOfLines } from "../../documents/read-evidence.ts";
import type { ExclusionReason } from "../../score/method/measures.ts";
import { METHODOLOGY } from "../../score/method/methodology.ts";
import { type DaoScore, scoreMeasures } from "../../score/score-measures.ts";

const { horizonDays, attentionFloor } = METHODOLOGY.frame;

/** Why a proposal is not in the frame; does not compile if a reason is missing. */
const PLACE_SENTENCES: Readonly<Record<ExclusionReason, string>> = {
  END_UNKNOWN: "the source does not report when the vote ended",
  NOT_ENDED: "the vote had not ended",
  STATE_OPEN: "the source reports it as still open",
  NOT_FINAL: "the source had not finished counting it",
  CANCELLED: "cancelled by the governor",
  FLAGGED: "flagged as spam by the source",
  DELETED: "deleted at the source",
  TOO_OLD: `ended more than ${horizonDays} days before`,
  IGNORED: `cast power is less than ${100 * attentionFloor} % of what is usual there`,
  OTHER_VOTERS:
    "hardly any voter of the last votes before took part in the first ones under its voting strategies",
};

const SHOWN = 5;
const EXAMPLES = 2;

/** The proposals that move a score most, by default the gvs; the loyalty of the others stays as measured. */
export function movingProposals({ evidence, proposals }: PublishedEvidence, key: ComponentKey | undefined) {
  const { measures } = evidenceOfLines(evidence, proposals);
  const pointOf = (score: DaoScore) => (key === undefined ? score.gvs : score.components[key]).point;
  const whole = pointOf(scoreMeasures(measures));
  const lines = new Map(proposals.map((line) => [line.id, line]));
  const all = measures.proposals.flatMap((gone) => {
    const line = lines.get(gone.proposalId);
    if (line === undefined) return [];
    const others = measures.proposals.filter((other) => other !== gone);
    return [
      {
        id: gone.proposalId,
        title: line.title,
        endedAt: line.end_at ?? undefined,
        weight: line.weight ?? 0,
        /** The score with this proposal minus the score without it. */
        lift: whole - pointOf(scoreMeasures({ ...measures, proposals: others })),
        topShare: line.top_share ?? undefined,
        majorityVoters: line.majority_voters ?? undefined,
        fetchedShare: gone.fetchedShare,
        marks: gone.marks,
      },
    ];
  });
  // Later ones first among equals, as they are more relevant now.
  return all
    .toReversed()
    .toSorted((a, b) => Math.abs(b.lift) - Math.abs(a.lift))
    .slice(0, SHOWN);
}

/** Proposals outside the frame: reasons by frequency, each with its latest proposals. */
export function leftOut(proposals: readonly ProposalLine[]) {
  const byReason = new Map<ExclusionReason, string[]>();
  for (const { place, id } of proposals) {
    if (place === "MEMBER") continue;
    const ids = byReason.get(place) ?? [];
    ids.push(id);
    byReason.set(place, ids);
  }
  return [...byReason]
    .map(([reason, ids]) => ({
      reason,
      sentence: PLACE_SENTENCES[reason],
      count: ids.length,
      examples: ids.slice(-EXAMPLES).reverse(),
    }))
    .sort((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1));
}
