import type { UnscoredDao } from "../../snapshots/format/dao.ts";
import type { Evidence } from "../../snapshots/format/evidence.ts";
import { MARK_IDS, type MarkId, type ProposalLine } from "../../snapshots/format/proposal-line.ts";
import type { PublishedEvidence } from "../../snapshots/format/published-set.ts";
import type { Moment } from "../facts/proposal.ts";
import {
  type DaoEvidence,
  linksOf,
  type ProposalFacts,
  placeProposals,
  unitNumbers,
} from "../score/dao-evidence.ts";
import { selectFrame } from "../score/frame/frame.ts";
import type { Mark } from "../score/method/marks.ts";
import type {
  Concentration,
  ConcentrationEnds,
  DaoMeasures,
  ProposalMeasures,
} from "../score/method/measures.ts";
import { scoreMeasures } from "../score/score-measures.ts";
import { buildEvidence } from "./evidence-documents.ts";

type LineProposal = ProposalFacts & { readonly strategiesKey: string };

/** What evidence holds beside what follows from it and its lines. */
type Measured = Pick<Evidence, "space_id" | "as_of" | "links" | "measures">;

/** The evidence of a DAO without a file of it, made again from its line of `unscored.json` and its proposals. */
export function evidenceOfEmptyFrame(
  { space_id, empty_frame: frame }: UnscoredDao,
  as_of: string,
  lines: readonly ProposalLine[],
): PublishedEvidence | undefined {
  if (frame === undefined) return undefined;
  const evidence = evidenceOfLines({ space_id, as_of, ...frame }, lines);
  return buildEvidence(evidence, scoreMeasures(evidence.measures));
}

/** Reconstructs the measures of one DAO from its published evidence; determines frame and attention again. */
export function evidenceOfLines(evidence: Measured, lines: readonly ProposalLine[]): DaoEvidence {
  const asOfMs = Date.parse(evidence.as_of);
  const read = new Map(lines.map((line) => [proposalOf(line), line]));
  const all = [...read.keys()];
  const powerOf = (proposal: LineProposal): number | undefined =>
    proposal.scoresTotal ?? read.get(proposal)?.power ?? undefined;
  const units = unitNumbers(all);
  const unitOf = ({ strategiesKey }: LineProposal): number => units.get(strategiesKey) ?? 0;
  const { continuities } = evidence.measures;
  const byUnit = new Map(continuities.map(({ unit, continuity }) => [String(unit), continuity]));
  const frame = selectFrame(all, powerOf, () => byUnit, asOfMs);
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
    continuities,
  };
  return {
    measures,
    proposals: placeProposals({ all, measures, unitOf, powerOf }),
    links: linksOf(evidence.links, all),
  };
}

function wholeMeasures({
  measures: { fetched_at: fetchedAt, authors, active_voters: activeVoterCount, guardrails, delegation },
}: Measured): Pick<
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
    activeVoterCount: activeVoterCount ?? undefined,
  };
}

function momentOf(timestamp: string | null): Moment | undefined {
  return timestamp === null ? undefined : { atMs: Date.parse(timestamp), precision: "second" };
}

/** The fields of a line that determine the place of its proposal. */
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

/** `undefined` if the line has no power. */
function concentrationOf(line: ProposalLine): Concentration | undefined {
  const { top_share: topShare, merged_top_share: mergedTopShare, whale_share: whaleShare } = line;
  const { majority_voters: majorityVoters, hhi_points: hhiPoints, gini } = line;
  if (topShare === null || mergedTopShare === null || whaleShare === null) return undefined;
  if (majorityVoters === null || hhiPoints === null || gini === null) return undefined;
  return { topShare, mergedTopShare, whaleShare, majorityVoters, hhiPoints, gini };
}

function concentrationEndsOf(line: ProposalLine): ConcentrationEnds {
  return {
    majorityVoters: [line.majority_voters_low ?? 0, line.majority_voters_high ?? Infinity],
    hhiPoints: [line.hhi_points_low ?? 0, line.hhi_points_high ?? 0],
    gini: [line.gini_low ?? 0, line.gini_high ?? 0],
  };
}

/**
 * Reads the measures of a proposal of the frame from its line. A missing value that must be known is read as 0 instead
 * of unknown, so that `recompute` shows the difference.
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
    concentrationEnds: concentrationEndsOf(line),
    quorum: line.quorum ?? undefined,
    quorumPower: line.quorum_power ?? undefined,
    fetchedShare: line.fetched_share ?? 0,
    fieldsShare: line.fields_share ?? 0,
  };
}
