import type { Evidence } from "../../snapshots/format/evidence.ts";
import type { ProposalLine } from "../../snapshots/format/proposal-line.ts";
import type { Moment } from "../facts/proposal.ts";
import { scoreMeasures } from "../score/components/score-measures.ts";
import {
  attentionsOf,
  type DaoEvidence,
  type MemberOnly,
  type ProposalEvidence,
  type ProposalFacts,
  placesOf,
  unitNumbers,
} from "../score/dao-evidence.ts";
import { drawFrame, type Frame, type FrameVotes, powerCast } from "../score/frame/frame.ts";
import type { Diagnostics } from "../score/heads/diagnostics.ts";
import type { ProposalMeasures, VotesMeasures } from "../score/method/measures.ts";
import { type FrameMeasures, readWholeMeasures } from "./whole-measures.ts";

const found = <Value>(value: Value | null): Value | undefined => value ?? undefined;

/** A line with what decides where its proposal stands. */
export interface ReadLine {
  readonly line: ProposalLine;
  readonly facts: ProposalFacts;
  readonly held: FrameVotes | undefined;
}

function momentOf(at: string | null): Moment | undefined {
  return at === null ? undefined : { atMs: Date.parse(at), precision: "second" };
}

/** Reads what decides where a line's proposal stands. */
export function readLine(line: ProposalLine): ReadLine {
  return {
    line,
    held:
      line.fetched_votes === null
        ? undefined
        : {
            fetchedCount: line.fetched_votes,
            countedCount: line.counted_votes ?? 0,
            fetchedPower: found(line.fetched_power),
          },
    facts: {
      proposalId: line.id,
      created: momentOf(line.created_at),
      start: momentOf(line.start_at),
      end: momentOf(line.end_at),
      state: found(line.state),
      scoresState: found(line.scores_state),
      isFlagged: line.is_flagged,
      isDeleted: line.is_deleted,
      votesCount: found(line.declared_votes),
      scoresTotal: found(line.declared_power),
      strategiesKey: `unit ${line.unit}`,
    },
  };
}

/** What a line says of its proposal. */
export function proposalMeasures({ line, facts }: ReadLine, power: number | undefined): ProposalMeasures {
  return {
    proposalId: line.id,
    endMs: facts.end?.atMs ?? Number.NaN,
    power,
    hasAuthor: line.has_author ?? false,
    quorum: found(line.quorum),
    isQuorumRejection: line.is_quorum_rejection ?? false,
    hasDiscussionLink: found(line.has_discussion_link),
    votingPeriodDays: found(line.voting_period_days),
    reviewDelayDays: found(line.review_delay_days),
    topChoiceShare: found(line.top_choice_share),
    rationaleShare: found(line.rationale_share),
    elapsedAtHalfPower: found(line.elapsed_at_half_power),
    fieldsKnown: line.fields_known ?? 0,
    declaredVotes: found(line.declared_votes),
    declaredPower: found(line.declared_power),
  };
}

/** What it says of its ballot. */
export function ballotMeasures(line: ProposalLine): VotesMeasures {
  return {
    fetchedVotes: line.fetched_votes ?? 0,
    readableVotes: line.readable_votes ?? 0,
    finalVotes: line.final_votes ?? 0,
    fetchedPower: found(line.fetched_power),
    countedVotes: line.counted_votes ?? 0,
    timedVotes: line.timed_votes ?? 0,
  };
}

/** What it says of a member within its frame. */
export function memberOnly(line: ProposalLine): MemberOnly {
  const { effective_voters: effectiveVoters, nakamoto, top_share: topShare, whale_share: whaleShare } = line;
  const isKnown = effectiveVoters !== null && nakamoto !== null && topShare !== null && whaleShare !== null;
  return {
    heads: line.heads ?? 0,
    unclusteredHeads: line.unclustered_heads ?? 0,
    concentration: isKnown ? { effectiveVoters, nakamoto, topShare, whaleShare } : undefined,
    overlappingVotes: line.overlapping_votes ?? 0,
    batchVotes: line.batch_votes ?? 0,
  };
}

/** What is reported of it and never scored. */
export function diagnosticsOf({
  gini,
  entropy_bits: entropyBits,
  banzhaf_top: top,
}: ProposalLine): Diagnostics | undefined {
  return gini === null || entropyBits === null ? undefined : { gini, entropyBits, banzhafTop: found(top) };
}

/** Every line again, where its proposal stands and what it weighs drawn anew. */
function proposalsOf(
  lines: readonly ReadLine[],
  frame: Frame<ProposalFacts, FrameVotes>,
): ProposalEvidence[] {
  const attended = new Map(frame.attended.map((item) => [item.proposal.proposalId, item]));
  const places = placesOf(frame);
  const attentions = attentionsOf(frame);
  const unitOf = unitNumbers();
  return lines.map((read) => {
    const { line, facts, held } = read;
    const item = attended.get(line.id);
    const place = places.get(line.id) ?? "END_UNKNOWN";
    const isMember = place === "MEMBER";
    return {
      facts,
      unit: unitOf(facts.strategiesKey),
      held,
      place,
      power: powerCast(facts, held),
      attention: attentions.get(line.id),
      measures: item && proposalMeasures(read, item.power),
      ballot: item && held && ballotMeasures(line),
      member: isMember ? memberOnly(line) : undefined,
      diagnostics: isMember ? diagnosticsOf(line) : undefined,
    };
  });
}

function measuresOfFrame(
  frame: Frame<ProposalFacts, FrameVotes>,
  readById: ReadonlyMap<string, ReadLine>,
): FrameMeasures {
  return {
    members: frame.members.flatMap(({ proposal, power, attention }) => {
      const read = readById.get(proposal.proposalId);
      if (read === undefined) return [];
      const { line } = read;
      return [{ ...proposalMeasures(read, power), ...ballotMeasures(line), ...memberOnly(line), attention }];
    }),
    missing: frame.missing.flatMap(({ proposal, power, attention }) => {
      const read = readById.get(proposal.proposalId);
      return read === undefined ? [] : [{ ...proposalMeasures(read, power), attention }];
    }),
    attended: frame.attended.map(({ endMs, attention }) => ({ endMs, attention })),
    eligibleCount: frame.eligibleCount,
    excluded: frame.excluded,
  };
}

/** What the published evidence of one DAO says was measured, and everything that follows from it, derived anew. */
export function evidenceOfLines(evidence: Evidence, lines: readonly ProposalLine[]): DaoEvidence {
  const read = lines.map(readLine);
  const readById = new Map(read.map((each) => [each.line.id, each]));
  const frame = drawFrame({
    asOfMs: Date.parse(evidence.as_of),
    proposals: read.map(({ facts }) => facts),
    votesOf: (id) => readById.get(id)?.held,
  });
  const measures = { ...readWholeMeasures(evidence), ...measuresOfFrame(frame, readById) };
  const { clusters, clustered_wallets: wallets } = evidence.measures;
  return {
    measures,
    scored: scoreMeasures(measures),
    proposals: proposalsOf(read, frame),
    clusters: { clusters, wallets },
  };
}
