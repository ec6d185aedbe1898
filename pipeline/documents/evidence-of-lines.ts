import type { Evidence } from "../../snapshots/format/evidence.ts";
import type { ProposalLine } from "../../snapshots/format/proposal-line.ts";
import {
  attentionsOf,
  type DaoEvidence,
  type ProposalEvidence,
  type ProposalFacts,
  placesOf,
  unitNumbers,
} from "../score/dao-evidence.ts";
import { drawFrame, type Frame, type FrameBallot, powerCast } from "../score/frame.ts";
import { scoreMeasures } from "../score/score-measures.ts";
import {
  ballotMeasures,
  diagnosticsOf,
  memberOnly,
  proposalMeasures,
  type ReadLine,
  readLine,
} from "./measures-of-line.ts";
import { type FrameMeasures, readWholeMeasures } from "./whole-measures.ts";

/** Every line again, where its proposal stands and what it weighs drawn anew. */
function proposalsOf(
  lines: readonly ReadLine[],
  frame: Frame<ProposalFacts, FrameBallot>,
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
  frame: Frame<ProposalFacts, FrameBallot>,
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
