import { timestampOf } from "../../snapshots/format/ids.ts";
import {
  MEASURE_COLUMNS,
  type MeasureColumns,
  type ProposalLine,
} from "../../snapshots/format/proposal-line.ts";
import type { Moment } from "../facts/proposal.ts";
import { deliberationValue } from "../score/components/deliberation.ts";
import type { ProposalEvidence } from "../score/dao-evidence.ts";
import { sortedSum } from "../score/method/statistics.ts";
import { PROPOSAL_MEASURES, type ProposalParts, publishMeasures } from "./measures.ts";

/** One line of `proposals/<space_id>.ndjson`; numbers are not rounded. No title, author, voter or wallet is in it. */
export function buildProposalLine(proposal: ProposalEvidence): ProposalLine {
  const { facts } = proposal;
  return {
    id: facts.proposalId,
    created_at: timeOf(facts.created),
    start_at: timeOf(facts.start),
    end_at: timeOf(facts.end),
    state: facts.state ?? null,
    scores_state: facts.scoresState ?? null,
    is_flagged: facts.isFlagged,
    is_deleted: facts.isDeleted,
    unit: proposal.unit,
    place: proposal.place,
    ...publishMeasures<MeasureColumns>(PROPOSAL_MEASURES, partsOf(proposal)),
  };
}

function timeOf(moment: Pick<Moment, "atMs"> | undefined): string | null {
  return moment === undefined ? null : timestampOf(moment.atMs);
}

function partsOf(proposal: ProposalEvidence): ProposalParts {
  const { facts, held, power, attention, measures, ballot, member, diagnostics } = proposal;
  // Of what is no member too little is looked at for a mark.
  const deliberation = measures && member && deliberationValue({ ...measures, ...member });
  const own = { power, attention, deliberation };
  return { facts, held, own, measures, ballot, member, concentration: member?.concentration, diagnostics };
}

/** How many values of each column are known, and their sum; a yes counts as one. */
export function totalsOf(
  lines: readonly ProposalLine[],
): Record<keyof MeasureColumns, { readonly known: number; readonly sum: number | null }> {
  const entries = MEASURE_COLUMNS.map((column) => {
    const values = lines.flatMap((line) => line[column] ?? []).map(Number);
    const sum = sortedSum(values);
    return [column, { known: values.length, sum: Number.isFinite(sum) ? sum : null }] as const;
  });
  return Object.fromEntries(entries) as ReturnType<typeof totalsOf>;
}
