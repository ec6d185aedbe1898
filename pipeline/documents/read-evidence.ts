import type { Evidence } from "../../snapshots/format/evidence.ts";
import type { ProposalLine } from "../../snapshots/format/proposal-line.ts";
import type { Moment } from "../facts/proposal.ts";
import { scoreMeasures } from "../score/components/score-measures.ts";
import {
  attentionsOf,
  type DaoEvidence,
  linksOf,
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
  const read = lines.map((line) => ({ line, facts: readFacts(line), held: readHeld(line) }));
  const heldById = new Map(read.map(({ line, held }) => [line.id, held]));
  const frame = drawFrame({
    asOfMs: Date.parse(evidence.as_of),
    proposals: read.map(({ facts }) => facts),
    votesOf: (id) => heldById.get(id),
  });
  const proposals = proposalsOf(read, frame);
  const measures = { ...readWholeMeasures(evidence), ...measuresOfFrame(frame, proposals) };
  return {
    measures,
    scored: scoreMeasures(measures),
    proposals,
    clusters: readMeasures(WHOLE_MEASURES, "clusters", evidence.measures),
    links: linksOf(
      evidence.links,
      read.map(({ facts }) => facts),
    ),
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
      isFlagged: guardrails.is_flagged === true,
    },
    delegation:
      delegation === null
        ? undefined
        : { hhiPoints: delegation.hhi_points, asOfMs: Date.parse(delegation.as_of) },
  };
}

function momentOf(at: string | null): Moment | undefined {
  return at === null ? undefined : { atMs: Date.parse(at), precision: "second" };
}

/** What a line says of its proposal's fetched ballot. */
function readHeld(line: ProposalLine): FrameVotes | undefined {
  if (line.fetched_votes === null) return undefined;
  const held = readMeasures<FrameVotes>(PROPOSAL_MEASURES, "held", line);
  return { ...held, countedCount: line.counted_votes ?? 0 };
}

/** What decides where a line's proposal stands. */
function readFacts(line: ProposalLine): ProposalFacts {
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
    strategiesKey: `unit ${line.unit}`,
  };
}

/** What a line says of its proposal. */
function proposalMeasures(line: ProposalLine, facts: ProposalFacts, power?: number): ProposalMeasures {
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
  lines: readonly (Pick<ProposalEvidence, "facts" | "held"> & { readonly line: ProposalLine })[],
  frame: Frame<ProposalFacts, FrameVotes>,
): ProposalEvidence[] {
  const attended = new Map(frame.attended.map((item) => [item.proposal.proposalId, item]));
  const places = placesOf(frame);
  const attentions = attentionsOf(frame);
  const unitOf = unitNumbers();
  return lines.map(({ line, facts, held }) => {
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
      measures: item && proposalMeasures(line, facts, item.power),
      ballot: item && held && ballotMeasures(line),
      member: isMember ? memberOnly(line) : undefined,
      diagnostics: isMember ? diagnosticsOf(line) : undefined,
    };
  });
}

function measuresOfFrame(
  frame: Frame<ProposalFacts, FrameVotes>,
  proposals: readonly ProposalEvidence[],
): FrameMeasures {
  const byId = new Map(proposals.map((each) => [each.facts.proposalId, each]));
  return {
    members: frame.members.flatMap(({ proposal, attention }) => {
      const { measures, ballot, member } = byId.get(proposal.proposalId) ?? {};
      return measures && ballot && member ? [{ ...measures, ...ballot, ...member, attention }] : [];
    }),
    missing: frame.missing.flatMap(({ proposal, attention }) => {
      const { measures } = byId.get(proposal.proposalId) ?? {};
      return measures ? [{ ...measures, attention }] : [];
    }),
    attended: frame.attended.map(({ endMs, attention }) => ({ endMs, attention })),
    eligibleCount: frame.eligibleCount,
    excluded: frame.excluded,
  };
}
