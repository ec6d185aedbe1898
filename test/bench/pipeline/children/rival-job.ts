import { readFileSync } from "node:fs";

/** What a rival is asked to do; given as a JSON file. */
export interface RivalJob {
  /** Folder of the archive. */
  readonly archive: string;
  /** A file of {"voter", "entity_id"} lines: the registry's wallets. */
  readonly wallets: string;
  readonly sqlFolder: string;
  /** Where the rival may put its files. */
  readonly scratch: string;
  /** The moment to score as of, and day-ends before it as a sample of history. */
  readonly asOfS: number;
  readonly sampleDaysS: readonly number[];
  /** Scores as of every moment and members as of the last one go into files below this folder. */
  readonly results: string;
}

/** The job named on the command line. */
export function readRivalJob(): RivalJob {
  const file = process.argv[2];
  if (file === undefined) throw new Error("bench: a rival needs the file of its job");
  return JSON.parse(readFileSync(file, "utf8")) as RivalJob;
}

/** What a rival found of every DAO. */
export const SCORE_COLUMNS = `space_id, members, attention_sum, effective_proposals, evidence_share, hpr, dei, pdi, gpi,
  hpr_after, dei_after, pdi_after, gpi_after, gvs, risk, completeness_pct, active_voters, batch_voting_pct,
  dominance, smallness, base, proposals_per_month, expected_heads, heads_mean, unclustered_mean, effective_proposers, whale_control_pct`;

/** What a rival found of every member of a frame. */
export const MEMBER_COLUMNS = `space_id, proposal_id, attention, heads, unclustered_heads, effective_voters, nakamoto,
  top_share, whale_share, top_choice_share, rationale_share, elapsed_at_half_power, overlapping_votes, batch_votes,
  power, quorum, fetched_votes, readable_votes, final_votes, counted_votes, fetched_power, has_discussion_link,
  voting_period_days, review_delay_days, deliberation, gini, entropy_bits`;
