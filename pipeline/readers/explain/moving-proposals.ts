import type { ProposalLine } from "../../../snapshots/format/proposal-line.ts";
import type { PublishedEvidence } from "../../../snapshots/format/published-set.ts";
import type { ComponentKey } from "../../../snapshots/format/value-sets.ts";
import { evidenceOfLines } from "../../documents/read-evidence.ts";
import { type ScoredMeasures, scoreMeasures } from "../../score/components/score-measures.ts";
import type { DaoMeasures, ExclusionReason } from "../../score/method/measures.ts";
import { METHODOLOGY } from "../../score/method/methodology.ts";

const { windowDays, horizonDays, attentionTarget, attentionFloor } = METHODOLOGY.frame;

/** Why a proposal is not looked at, or not in the frame; does not compile when one is missing. */
const PLACE_SENTENCES: Readonly<Record<ExclusionReason, string>> = {
  END_UNKNOWN: "the source does not say when the vote ended",
  NOT_ENDED: "the vote had not ended",
  STATE_OPEN: "the source says that it is still open",
  NOT_FINAL: "the source had not counted it to the end",
  CANCELLED: "cancelled by the governor",
  FLAGGED: "flagged as spam by the source",
  DELETED: "deleted at the source",
  TOO_OLD: `ended more than ${horizonDays} days before`,
  IGNORED: `cast power is less than ${100 * attentionFloor} % of what is usual there`,
  NO_VOTES: "nobody voted on it",
  BALLOT_MISSING: "has votes, but they were not fetched, or none can be read: lowers completeness",
  FRAME_FULL: `older than ${windowDays} days, and newer ones already weigh ${attentionTarget}`,
};

const SHOWN = 5;
const EXAMPLES = 2;

/** The proposals that move a score most, the gvs where no component is named. Without a score: those of the most weight. */
export function movingProposals(published: PublishedEvidence, key: ComponentKey | undefined) {
  const { measures, scored } = evidenceOfLines(published.evidence, published.proposals);
  const lines = new Map(published.proposals.map((line) => [line.id, line]));
  const whole = pointsOf(scored, key);
  const all = measures.members.flatMap(({ proposalId, attention }, place) => {
    const line = lines.get(proposalId);
    if (line === undefined) return [];
    const rest = whole === undefined ? undefined : pointsOf(scoreMeasures(without(measures, place)), key);
    return [
      {
        id: proposalId,
        title: line.title,
        endedAt: line.end_at ?? undefined,
        /** ω. */
        attention,
        /** What the score has more for it; negative where it would be higher without it. Absent where there is no score. */
        lift: whole === undefined || rest === undefined ? undefined : whole - rest,
        heads: line.heads ?? undefined,
        effectiveVoters: line.effective_voters ?? undefined,
        nakamoto: line.nakamoto ?? undefined,
        topShare: line.top_share ?? undefined,
        deliberation: line.deliberation ?? undefined,
        isQuorumReached: isQuorumReached(line),
      },
    ];
  });
  // Later ones first among equals: they say more about now.
  return all
    .toReversed()
    .toSorted((a, b) => Math.abs(b.lift ?? b.attention) - Math.abs(a.lift ?? a.attention))
    .slice(0, SHOWN);
}

/** The measures as they would be had a member never been; what is measured of the DAO as a whole stays as it is. */
function without(measures: DaoMeasures, place: number): DaoMeasures {
  const gone = measures.members[place];
  const attendedPlace = measures.attended.findIndex(
    ({ endMs, attention }) => endMs === gone?.endMs && attention === gone.attention,
  );
  return {
    ...measures,
    members: measures.members.filter((_, other) => other !== place),
    attended: measures.attended.filter((_, other) => other !== attendedPlace),
  };
}

function pointsOf(scored: ScoredMeasures, key: ComponentKey | undefined): number | undefined {
  const score = key === undefined ? scored.gvs : scored.components[key].score;
  return score.kind === "score" ? score.points : undefined;
}

function isQuorumReached(line: ProposalLine): boolean | undefined {
  const { quorum, power, is_quorum_rejection: isVeto } = line;
  return quorum === null || quorum === 0 || power === null || isVeto === true ? undefined : power >= quorum;
}

/** What is not in the frame: reasons by their number, each with its latest proposals. */
export function leftOut(proposals: readonly ProposalLine[]) {
  const byReason = new Map<ExclusionReason, string[]>();
  for (const { place, id } of proposals) {
    if (place === "MEMBER") continue;
    const ids = byReason.get(place);
    if (ids === undefined) byReason.set(place, [id]);
    else ids.push(id);
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
