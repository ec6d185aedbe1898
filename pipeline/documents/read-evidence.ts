import type { Evidence } from "../../snapshots/format/evidence.ts";
import { MARK_IDS, type MarkId, type ProposalLine } from "../../snapshots/format/proposal-line.ts";
import type { Moment } from "../facts/proposal.ts";
import {
  type DaoEvidence,
  linksOf,
  type ProposalFacts,
  placeProposals,
  unitNumbers,
} from "../score/dao-evidence.ts";
import { drawFrame } from "../score/frame/frame.ts";
import type { Mark } from "../score/method/marks.ts";
import type { Concentration, DaoMeasures, ProposalMeasures } from "../score/method/measures.ts";

/** A line's proposal, as the frame is drawn from it. */
type LineProposal = ProposalFacts & { readonly strategiesKey: string };

/** What the published evidence of one DAO says was measured: the frame and its attention are drawn anew. */
export function evidenceOfLines(evidence: Evidence, lines: readonly ProposalLine[]): DaoEvidence {
  const asOfMs = Date.parse(evidence.as_of);
  const read = new Map(lines.map((line) => [proposalOf(line), line]));
  const all = [...read.keys()];
  const powerOf = (proposal: LineProposal): number | undefined =>
    proposal.scoresTotal ?? read.get(proposal)?.power ?? undefined;
  const units = unitNumbers(all);
  const unitOf = ({ strategiesKey }: LineProposal): number => units.get(strategiesKey) ?? 0;
  const frame = drawFrame(all, powerOf, asOfMs);
  const measures: DaoMeasures = {
    spaceId: evidence.space_id,
    asOfMs,
    ...wholeMeasures(evidence),
    proposals: frame.members.flatMap((member) => {
      const line = read.get(member.proposal);
      return line === undefined ? [] : [measuresOf(line, member, unitOf(member.proposal))];
    }),
    eligibleCount: frame.eligibleCount,
    excluded: frame.excluded,
  };
  return {
    measures,
    proposals: placeProposals({ all, measures, unitOf, powerOf }),
    links: linksOf(evidence.links, all),
  };
}

/** What does not follow from the lines. */
function wholeMeasures({
  measures: { fetched_at: fetchedAt, authors, active_voters: activeVoterCount, guardrails, delegation },
}: Evidence): Pick<
  DaoMeasures,
  "fetchedAtMs" | "authors" | "guardrails" | "delegation" | "activeVoterCount"
> {
  return {
    fetchedAtMs: fetchedAt === null ? undefined : Date.parse(fetchedAt),
    authors: {
      sum: authors.sum,
      ofProposals: authors.of_proposals,
      ofAuthors: authors.of_authors,
    },
    guardrails: {
      isProposingGated: guardrails.is_proposing_gated ?? undefined,
      hasFixedPeriod: guardrails.has_fixed_period ?? undefined,
      guardiansCount: guardrails.guardians ?? undefined,
      isFlagged: guardrails.is_flagged === true,
    },
    delegation:
      delegation === null
        ? undefined
        : { hhiPoints: delegation.hhi_points, asOfMs: Date.parse(delegation.as_of) },
    activeVoterCount,
  };
}

function momentOf(at: string | null): Moment | undefined {
  return at === null ? undefined : { atMs: Date.parse(at), precision: "second" };
}

/** What decides where a line's proposal stands. */
function proposalOf(line: ProposalLine): LineProposal {
  return {
    proposalId: line.id,
    title: line.title,
    link: line.link,
    created: momentOf(line.created_at),
    start: momentOf(line.start_at),
    end: momentOf(line.end_at),
    state: line.state ?? undefined,
    scoresState: line.scores_state ?? undefined,
    isFlagged: line.is_flagged,
    isDeleted: line.is_deleted,
    votesCount: line.declared_votes ?? undefined,
    scoresTotal: line.declared_power ?? undefined,
    strategiesKey: String(line.unit),
  };
}

function markOf(line: ProposalLine, id: MarkId): Mark | undefined {
  const [low, high] = [line[`${id}_low`], line[`${id}_high`]];
  return low === null || high === null ? undefined : [low, high];
}

/** `undefined` where the line tells of no power. */
function concentrationOf(line: ProposalLine): Concentration | undefined {
  const { top_share: topShare, merged_top_share: mergedTopShare, whale_share: whaleShare } = line;
  const { majority_voters: majorityVoters, gini } = line;
  if (topShare === null || mergedTopShare === null || whaleShare === null) return undefined;
  if (majorityVoters === null || gini === null) return undefined;
  return { topShare, mergedTopShare, whaleShare, majorityVoters, gini };
}

/**
 * What a line says of a proposal of the frame. What must be known and is not there is read as nothing, not as unknown:
 * published again, it differs.
 */
function measuresOf(
  line: ProposalLine,
  { endMs, power, attention }: Pick<ProposalMeasures, "endMs" | "power" | "attention">,
  unit: number,
): ProposalMeasures {
  const marks = MARK_IDS.map((id) => [id, markOf(line, id)]);
  return {
    proposalId: line.id,
    endMs,
    unit,
    power,
    attention,
    votes: line.votes ?? 0,
    marks: Object.fromEntries(marks) as ProposalMeasures["marks"],
    loyaltyAttention: line.loyalty_attention ?? 0,
    concentration: concentrationOf(line),
    quorum: line.quorum ?? undefined,
    fetchedShare: line.fetched_share ?? 0,
    fieldsShare: line.fields_share ?? 0,
  };
}
