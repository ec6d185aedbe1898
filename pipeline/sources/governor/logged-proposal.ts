import type { VoteTally } from "./vote-tally.ts";

/** A proposal as its governor's logs tell it so far. Start and end are in the governor's clock. */
export interface LoggedProposal {
  readonly id: bigint;
  readonly proposer: string;
  readonly start: bigint;
  /** Late votes may move it. */
  end: bigint;
  readonly description: string;
  readonly createdBlock: number;
  fate: "running" | "canceled" | "executed";
  readonly votes: VoteTally;
}
