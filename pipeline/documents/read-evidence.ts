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
import type { FreezePoint } from "../score/governance-index.ts";
import type { Diagnostics } from "../score/heads/diagnostics.ts";
import type { DaoMeasures, ProposalMeasures, VotesMeasures } from "../score/method/measures.ts";
import { PROPOSAL_MEASURES, readMeasures, WHOLE_MEASURES } from "./measures.ts";

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
  return {
    measures,
    scored: scoreMeasures(measures),
    proposals: proposalsOf(read, frame),
    clusters: readMeasures(WHOLE_MEASURES, "clusters", evidence.measures),
  };
}

/** What the DAO had on the day on which the index chose its members. */
export function readFreezePoint({ measures: { index_freeze: point } }: Evidence): FreezePoint {
  return point === null
    ? undefined
    : { attentionSum: point.attention_sum, completenessPct: point.completeness_pct };
}

type FrameMeasures = Pick<DaoMeasures, "members" | "missing" | "attended" | "eligibleCount" | "excluded">;
type ScalarOfDao = Omit<
  DaoMeasures,
  keyof FrameMeasures | "spaceId" | "asOfMs" | "guardrails" | "delegation"
>;

/** What does not follow from the lines. */
function readWholeMeasures({
  space_id: spaceId,
  as_of: asOf,
  measures,
}: Evidence): Omit<DaoMeasures, keyof FrameMeasures> {
  const { guardrails, delegation } = measures;
  return {
    spaceId,
    asOfMs: Date.parse(asOf),
    ...readMeasures<ScalarOfDao>(WHOLE_MEASURES, "measures", measures),
    guardrails: {
      isProposingGated: guardrails.is_proposing_gated ?? undefined,
      hasFixedPeriod: guardrails.has_fixed_period ?? undefined,
      quorum: guardrails.quorum ?? undefined,
      guardiansCount: guardrails.guardians ?? undefined,
    },
    delegation:
      delegation === null
        ? undefined
        : { hhiPoints: delegation.hhi_points, asOfMs: Date.parse(delegation.as_of) },
  };
}

/** A line with what decides where its proposal stands. */
interface ReadLine {
  readonly line: ProposalLine;
  readonly facts: ProposalFacts;
  readonly held: FrameVotes | undefined;
}

function momentOf(at: string | null): Moment | undefined {
  return at === null ? undefined : { atMs: Date.parse(at), precision: "second" };
}

/** Reads what decides where a line's proposal stands. */
function readLine(line: ProposalLine): ReadLine {
  return {
    line,
    held:
      line.fetched_votes === null
        ? undefined
        : {
            ...readMeasures<FrameVotes>(PROPOSAL_MEASURES, "held", line),
            countedCount: line.counted_votes ?? 0,
          },
    facts: {
      proposalId: line.id,
      created: momentOf(line.created_at),
      start: momentOf(line.start_at),
      end: momentOf(line.end_at),
      state: line.state ?? undefined,
      scoresState: line.scores_state ?? undefined,
      isFlagged: line.is_flagged,
      isDeleted: line.is_deleted,
      votesCount: line.declared_votes ?? undefined,
      scoresTotal: line.declared_power ?? undefined,
      strategiesKey: `unit ${line.unit}`,
    },
  };
}

/** What a line says of its proposal. */
function proposalMeasures({ line, facts }: ReadLine, power: number | undefined): ProposalMeasures {
  return {
    ...readMeasures<ProposalMeasures>(PROPOSAL_MEASURES, "measures", line),
    proposalId: line.id,
    endMs: facts.end?.atMs ?? Number.NaN,
    power,
    declaredVotes: facts.votesCount,
    declaredPower: facts.scoresTotal,
  };
}

/** What it says of its ballot. */
function ballotMeasures(line: ProposalLine): VotesMeasures {
  return {
    ...readMeasures<VotesMeasures>(PROPOSAL_MEASURES, "ballot", line),
    fetchedVotes: line.fetched_votes ?? 0,
    fetchedPower: line.fetched_power ?? undefined,
  };
}

/** What it says of a member within its frame. */
function memberOnly(line: ProposalLine): MemberOnly {
  const { effective_voters: effectiveVoters, nakamoto, top_share: topShare, whale_share: whaleShare } = line;
  const isKnown = effectiveVoters !== null && nakamoto !== null && topShare !== null && whaleShare !== null;
  return {
    ...readMeasures<MemberOnly>(PROPOSAL_MEASURES, "member", line),
    concentration: isKnown ? readMeasures(PROPOSAL_MEASURES, "concentration", line) : undefined,
  };
}

/** What is reported of it and never scored. */
function diagnosticsOf(line: ProposalLine): Diagnostics | undefined {
  const isKnown = line.gini !== null && line.entropy_bits !== null;
  return isKnown ? readMeasures(PROPOSAL_MEASURES, "diagnostics", line) : undefined;
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
