import type { ProposalLine } from "../../../snapshots/format/proposal-line.ts";
import { PipelineError } from "../../base/pipeline-error.ts";
import { type Ballot, VOTE_FLAGS } from "../../facts/ballot.ts";
import type { Moment, Proposal } from "../../facts/proposal.ts";
import { sumOfPowers } from "../../score/ballot-votes.ts";

/** What a version says of a fetched ballot. */
export interface HeldBallot {
  readonly votes: number;
  /** `undefined` where the power of one is unknown, or the sum is no finite number. */
  readonly power: number | undefined;
}

/** The votes of a ballot and their power, added up as the published line has it, to the last bit. */
export function heldBallot(ballot: Ballot): HeldBallot {
  const { count, flags } = ballot;
  let isPowerKnown = count > 0;
  for (let row = 0; row < count && isPowerKnown; row += 1) {
    isPowerKnown = ((flags[row] as number) & VOTE_FLAGS.powerKnown) !== 0;
  }
  const power = isPowerKnown ? sumOfPowers(ballot) : Number.NaN;
  return { votes: count, power: Number.isFinite(power) ? power : undefined };
}

const isAlike = (said: unknown, known: unknown): boolean => (said ?? undefined) === known;
const isOf = (said: string | null, known: Moment | undefined): boolean =>
  isAlike(said === null ? null : Date.parse(said), known?.atMs);

/** Which fact of a proposal the version saw otherwise, or nothing. */
function differenceOf(
  line: ProposalLine | undefined,
  proposal: Proposal,
  held: HeldBallot | undefined,
): string | undefined {
  if (line === undefined) return "the version does not know it";
  const facts: readonly (readonly [string, boolean])[] = [
    ["created", isOf(line.created_at, proposal.created)],
    ["start", isOf(line.start_at, proposal.start)],
    ["end", isOf(line.end_at, proposal.end)],
    ["state", isAlike(line.state, proposal.state)],
    ["scores_state", isAlike(line.scores_state, proposal.scoresState)],
    ["flagged", line.is_flagged === proposal.isFlagged],
    ["deleted", line.is_deleted === proposal.isDeleted],
    ["votes_count", isAlike(line.declared_votes, proposal.votesCount)],
    ["scores_total", isAlike(line.declared_power, proposal.scoresTotal)],
    ["votes of its ballot", isAlike(line.fetched_votes, held?.votes)],
    ["power of its ballot", isAlike(line.fetched_power, held?.power)],
  ];
  return facts.find(([, isSame]) => !isSame)?.[0];
}

/**
 * Makes sure that a version was made of these very facts: scores beside votes that they do not come from would make every
 * computation on them wrong without a word. Throws `PipelineError` SNAPSHOT_STALE.
 */
export function assertBelonging(
  version: string,
  spaceId: string,
  proposals: readonly Proposal[],
  lines: ReadonlyMap<string, ProposalLine>,
  held: ReadonlyMap<string, HeldBallot>,
): void {
  const refuse = (what: string): never => {
    throw new PipelineError(
      "SNAPSHOT_STALE",
      `version ${version} was not made of what the home holds of ${spaceId}: ${what}`,
      { hint: "`govdata publish` makes a version of what the home holds now; export that one." },
    );
  };
  if (lines.size !== proposals.length) {
    refuse(`it knows ${lines.size} proposals, the home ${proposals.length}`);
  }
  for (const proposal of proposals) {
    const { proposalId } = proposal;
    const difference = differenceOf(lines.get(proposalId), proposal, held.get(proposalId));
    if (difference !== undefined) refuse(`proposal ${proposalId} differs (${difference})`);
  }
}
