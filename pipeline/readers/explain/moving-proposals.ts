import type { ProposalLine } from "../../../snapshots/format/proposal-line.ts";
import type { PublishedEvidence } from "../../../snapshots/format/published-set.ts";
import type { ComponentKey } from "../../../snapshots/format/value-sets.ts";
import { evidenceOfLines } from "../../documents/read-evidence.ts";
import { type ScoredMeasures, scoreMeasures } from "../../score/components/score-measures.ts";
import type { DaoMeasures } from "../../score/method/measures.ts";
import { PLACE_SENTENCES } from "./certainty.ts";

/** A proposal of the frame and what it does to the score. */
export interface MovingProposal {
  readonly id: string;
  readonly endedAt: string | undefined;
  /** ω. */
  readonly attention: number;
  /** What the score has more for it; negative where it would be higher without it. Absent where there is no score. */
  readonly lift: number | undefined;
  readonly heads: number | undefined;
  readonly effectiveVoters: number | undefined;
  readonly nakamoto: number | undefined;
  readonly topShare: number | undefined;
  /** 0–1. */
  readonly deliberation: number | undefined;
  /** Absent where it asks for none, or for a veto. */
  readonly isQuorumReached: boolean | undefined;
}

/** Why some proposals are not in the frame, how many, and a few of them. */
export interface LeftOut {
  readonly reason: string;
  readonly sentence: string;
  readonly count: number;
  /** The latest. */
  readonly examples: readonly string[];
}

const SHOWN = 5;
const EXAMPLES = 2;

const found = <Value>(value: Value | null): Value | undefined => value ?? undefined;

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

/** The proposals that move a score most, the gvs where no component is named. Without a score: those of the most weight. */
export function movingProposals(
  published: PublishedEvidence,
  key: ComponentKey | undefined,
): readonly MovingProposal[] {
  const { measures, scored } = evidenceOfLines(published.evidence, published.proposals);
  const lines = new Map(published.proposals.map((line) => [line.id, line]));
  const whole = pointsOf(scored, key);
  const all = measures.members.flatMap(({ proposalId, attention }, place): MovingProposal[] => {
    const line = lines.get(proposalId);
    if (line === undefined) return [];
    const rest = whole === undefined ? undefined : pointsOf(scoreMeasures(without(measures, place)), key);
    return [
      {
        id: proposalId,
        endedAt: found(line.end_at),
        attention,
        lift: whole === undefined || rest === undefined ? undefined : whole - rest,
        heads: found(line.heads),
        effectiveVoters: found(line.effective_voters),
        nakamoto: found(line.nakamoto),
        topShare: found(line.top_share),
        deliberation: found(line.deliberation),
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

/** What is not in the frame: reasons by their number, each with its latest proposals. */
export function leftOut(proposals: readonly ProposalLine[]): readonly LeftOut[] {
  const byReason = new Map<Exclude<ProposalLine["place"], "MEMBER">, string[]>();
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
