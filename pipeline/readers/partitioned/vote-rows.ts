import type { ProposalLine } from "../../../snapshots/format/proposal-line.ts";
import { PipelineError } from "../../facts/errors.ts";
import type { Moment, Proposal } from "../../facts/proposal.ts";
import { type Choice, type ProposalVotes, VOTE_FLAGS } from "../../facts/proposal-votes.ts";
import { fetchedShareOf } from "../../score/components/completeness.ts";
import { gini } from "../../score/components/decentralization.ts";
import { drawElectorate, fetchedPowerOf, readBallot } from "../../score/frame/ballot.ts";
import type { Row } from "../tables/columns.ts";
import type { NamedVoters } from "./named-voters.ts";

const { powerKnown, timeKnown, dayKnown, reasonGiven, reasonKnown, final, outsideWindow, choiceUnreadable } =
  VOTE_FLAGS;

/**
 * The votes of one DAO as rows of `ballots`, their cells in the order of `BALLOT_COLUMNS`. Those on a proposal stand in the
 * order of their voters' pseudonyms: one by address would tell who they are.
 */
export function* voteRows(
  spaceId: string,
  ballots: Iterable<ProposalVotes>,
  { voterIdOf, rankOf }: Pick<NamedVoters, "voterIdOf" | "rankOf">,
): Generator<Row> {
  for (const { proposalId, count, voterIds, powers, timesS, choiceIndexes, flags, choices } of ballots) {
    const texts = choices.map(choiceText);
    // Rank and row in one number, because numbers alone are sorted fast; both are below 2^26.
    const keys = Float64Array.from(voterIds, (voterNumber, row) => rankOf(voterNumber) * count + row);
    for (const key of keys.sort()) {
      // Every row of a ballot is in all of its columns, and its choice among its choices.
      const row = key % count;
      const flag = flags[row] as number;
      const choice = choiceIndexes[row] as number;
      yield [
        spaceId,
        proposalId,
        voterIdOf(voterIds[row] as number),
        (flag & powerKnown) === 0 ? null : (powers[row] as number),
        (flag & (timeKnown | dayKnown)) === 0 ? null : (timesS[row] as number) * 1000,
        (flag & timeKnown) !== 0 ? "second" : (flag & dayKnown) !== 0 ? "day" : null,
        choice,
        choices[choice]?.kind ?? null,
        texts[choice] ?? null,
        (flag & reasonKnown) === 0 ? null : (flag & reasonGiven) !== 0,
        (flag & final) !== 0,
        (flag & outsideWindow) !== 0,
        (flag & choiceUnreadable) !== 0,
      ];
    }
  }
}

/** A choice in its one spelling; nothing of one that nobody can read. */
export function choiceText(choice: Choice): string | null {
  switch (choice.kind) {
    case "single":
      return String(choice.option);
    case "list":
      return JSON.stringify(choice.options);
    case "weights":
      // Whole numbers as keys stand in ascending order by themselves.
      return JSON.stringify(Object.fromEntries(choice.weights));
    case "unreadable":
      return null;
  }
}

/** What a line says of a fetched ballot. */
export type HeldVotes = ReturnType<typeof heldVotes>;

/** A ballot measured again, to the last bit: how many votes, what power, and how that is distributed among which persons. */
export function heldVotes(votes: ProposalVotes, entityIdOfVoter: ReadonlyMap<number, string>) {
  const { ballot } = readBallot(votes, drawElectorate([votes], entityIdOfVoter));
  const { fetchedCount, knownCount, validPower, ascending } = ballot;
  return {
    fetchedCount,
    knownCount,
    validPower,
    fetchedPower: fetchedPowerOf(votes),
    gini: ascending.length === 0 ? undefined : gini(ascending),
  };
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
  held: ReadonlyMap<string, HeldVotes>,
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

const isAlike = (said: unknown, known: unknown): boolean => (said ?? undefined) === known;
const isOf = (said: string | null, known: Moment | undefined): boolean =>
  isAlike(said === null ? null : Date.parse(said), known?.atMs);

/** Which fact of a proposal the version saw otherwise, or nothing. */
function differenceOf(
  line: ProposalLine | undefined,
  proposal: Proposal,
  held: HeldVotes | undefined,
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
    ["votes of its ballot", line.votes === null || line.votes === (held?.fetchedCount ?? 0)],
    ["power of its ballot", isOfPower(line, proposal, held)],
    ["shares of its ballot", line.votes === null || isAlike(line.gini, held?.gini)],
  ];
  return facts.find(([, isSame]) => !isSame)?.[0];
}

/** Only of the frame does a line say which part of the declared power was fetched. */
function isOfPower(line: ProposalLine, proposal: Proposal, held: HeldVotes | undefined): boolean {
  const { fetched_share: fetchedShare } = line;
  if (fetchedShare !== null && fetchedShare !== fetchedShareOf(proposal, held)) return false;
  return held === undefined || proposal.scoresTotal !== undefined || isAlike(line.power, held.fetchedPower);
}
