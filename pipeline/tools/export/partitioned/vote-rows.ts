import type { ProposalLine } from "../../../../snapshots/format/proposal-line.ts";
import type { Row } from "../../../documents/columns.ts";
import { pipelineFailure } from "../../../facts/errors.ts";
import type { Moment, Proposal } from "../../../facts/proposal.ts";
import { type Choice, type ProposalVotes, VOTE_FLAGS } from "../../../facts/proposal-votes.ts";
import { fetchedShareOf } from "../../../score/components/completeness.ts";
import { gini } from "../../../score/components/decentralization.ts";
import { createElectorate, fetchedPowerOf, readBallot } from "../../../score/frame/ballot.ts";
import type { NamedVoters } from "./pseudonyms.ts";

const { powerKnown, timeKnown, dayKnown, reasonGiven, reasonKnown, final, outsideWindow, choiceUnreadable } =
  VOTE_FLAGS;

/**
 * The votes of one DAO as rows of `ballots`, with cells in the order of `BALLOT_COLUMNS`. Votes on a proposal
 * are ordered by pseudonym, as an order by address would reveal voters.
 */
export function* voteRows(
  spaceId: string,
  ballots: Iterable<ProposalVotes>,
  { voterIdOf, rankOf }: Pick<NamedVoters, "voterIdOf" | "rankOf">,
): Generator<Row> {
  for (const { proposalId, count, voterIds, powers, timesS, choiceIndexes, flags, choices } of ballots) {
    const texts = choices.map(choiceText);
    // Rank and row in one number, because only numbers sort fast; both are below 2^26.
    const keys = Float64Array.from(voterIds, (voterNumber, row) => rankOf(voterNumber) * count + row);
    for (const key of keys.sort()) {
      // Every column of a ballot has every row, and `choices` has every choice.
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

/** The canonical text of a choice; null if it is unreadable. */
function choiceText(choice: Choice): string | null {
  switch (choice.kind) {
    case "single":
      return String(choice.option);
    case "list":
      return JSON.stringify(choice.options);
    case "weights":
      // Integer keys of an object are always in ascending order.
      return JSON.stringify(Object.fromEntries(choice.weights));
    case "unreadable":
      return null;
  }
}

/** The figures of a held ballot that a published line contains. */
export type HeldVotes = ReturnType<typeof heldVotes>;

/** Measures a ballot again, exactly: votes, power, and its distribution among persons. */
export function heldVotes(votes: ProposalVotes, entityIdOfVoter: ReadonlyMap<number, string>) {
  const { ballot } = readBallot(votes, createElectorate([votes], entityIdOfVoter));
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
 * Checks that a version was made from exactly these facts: votes that do not belong to the scores would
 * silently falsify every computation. Throws `SNAPSHOT_STALE`.
 */
export function assertBelonging(
  version: string,
  spaceId: string,
  proposals: readonly Proposal[],
  lines: ReadonlyMap<string, ProposalLine>,
  held: ReadonlyMap<string, HeldVotes>,
): void {
  const refuse = (what: string): never => {
    throw pipelineFailure(
      "SNAPSHOT_STALE",
      `version ${version} was not made from the home's data of ${spaceId}: ${what}`,
      { hint: "Export a new version: `govdata publish` makes one from the home's current data." },
    );
  };
  if (lines.size !== proposals.length) {
    refuse(`it has ${lines.size} proposals, the home ${proposals.length}`);
  }
  for (const proposal of proposals) {
    const { proposalId } = proposal;
    const difference = differenceOf(lines.get(proposalId), proposal, held.get(proposalId));
    if (difference !== undefined) refuse(`proposal ${proposalId} differs (${difference})`);
  }
}

const isAlike = (published: unknown, known: unknown): boolean => (published ?? undefined) === known;
const isOf = (published: string | null, known: Moment | undefined): boolean =>
  isAlike(published === null ? null : Date.parse(published), known?.atMs);

/** The first fact of a proposal that differs in the version; `undefined` if none does. */
function differenceOf(
  line: ProposalLine | undefined,
  proposal: Proposal,
  held: HeldVotes | undefined,
): string | undefined {
  if (line === undefined) return "it is not in the version";
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

/** Only proposals in the frame have a published share of fetched power. */
function isOfPower(line: ProposalLine, proposal: Proposal, held: HeldVotes | undefined): boolean {
  const { fetched_share: fetchedShare } = line;
  if (fetchedShare !== null && fetchedShare !== fetchedShareOf(proposal, held)) return false;
  return held === undefined || proposal.scoresTotal !== undefined || isAlike(line.power, held.fetchedPower);
}
