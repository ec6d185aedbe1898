import type { HeldProposal } from "../facts/governance-source.ts";
import type { Moment, Proposal } from "../facts/proposal.ts";
import type { Database } from "./database.ts";

/** A row of `proposals` joined with its strategies: a proposal whose moments take two columns each. */
interface ProposalRow extends Omit<Proposal, "created" | "start" | "end"> {
  readonly createdAtMs: number | undefined;
  readonly createdPrecision: Moment["precision"] | undefined;
  readonly startAtMs: number | undefined;
  readonly startPrecision: Moment["precision"] | undefined;
  readonly endAtMs: number | undefined;
  readonly endPrecision: Moment["precision"] | undefined;
}

const COLUMNS = `proposal_id, strategies_key, title, link, author, created_at_ms, created_precision, start_at_ms, start_precision, end_at_ms,
  end_precision, voting_type, choices_count, discussion, quorum, is_quorum_rejection, quorum_power, state, scores_state,
  scores_total, proposals.votes_count, revision, is_shutter, is_flagged, is_deleted`;

/** Stores a proposal over one with the same id; if that was from another source, its ballot is dropped too. */
export function putProposal(
  database: Database,
  daoNumber: number,
  sourceId: string,
  { strategiesKey, created, start, end, ...fields }: Proposal,
): void {
  const dropOfOtherSource =
    "DELETE FROM proposals WHERE dao_number = ? AND proposal_id = ? AND source_id <> ?";
  database.run(dropOfOtherSource, daoNumber, fields.proposalId, sourceId);
  database.put("proposals", {
    daoNumber,
    sourceId,
    // Each text is stored once.
    strategiesNumber:
      strategiesKey === undefined ? undefined : database.numberOf("strategies", { strategiesKey }),
    createdAtMs: created?.atMs,
    createdPrecision: created?.precision,
    startAtMs: start?.atMs,
    startPrecision: start?.precision,
    endAtMs: end?.atMs,
    endPrecision: end?.precision,
    ...fields,
  });
}

/** A DAO's proposals by (end, id), unknown ends first. */
export function readProposals(database: Database, daoNumber: number): readonly Proposal[] {
  const select = `SELECT ${COLUMNS}
     FROM proposals LEFT JOIN strategies USING (strategies_number)
     WHERE dao_number = ?
     ORDER BY end_at_ms NULLS FIRST, proposal_id`;
  return database.all<ProposalRow>(select, daoNumber).map(proposalOf);
}

function proposalOf(row: ProposalRow): Proposal {
  const { createdAtMs, createdPrecision, startAtMs, startPrecision, endAtMs, endPrecision, ...fields } = row;
  const created = momentOf(createdAtMs, createdPrecision);
  return {
    ...fields,
    created,
    start: momentOf(startAtMs, startPrecision),
    end: momentOf(endAtMs, endPrecision),
  };
}

function momentOf(atMs?: number, precision?: Moment["precision"]): Moment | undefined {
  return atMs === undefined || precision === undefined ? undefined : { atMs, precision };
}

/** A DAO's proposals from one source, by id, with the number of stored votes; reads no ballot. */
export function readHeldProposals(
  database: Database,
  daoNumber: number,
  sourceId: string,
): readonly HeldProposal[] {
  const select = `SELECT ${COLUMNS}, ballots.votes_count AS votes, is_final
     FROM proposals LEFT JOIN strategies USING (strategies_number) LEFT JOIN ballots USING (proposal_number)
     WHERE dao_number = ? AND source_id = ?
     ORDER BY proposal_id`;
  const rows = database.all<ProposalRow & { votes?: number; isFinal?: boolean }>(select, daoNumber, sourceId);
  return rows.map(({ votes, isFinal = false, ...row }) => ({
    proposal: proposalOf(row),
    ballot: votes === undefined ? undefined : { votes, isFinal },
  }));
}
