import { invariant } from "../base/invariant.ts";
import { type Ballot, VOTE_FLAGS } from "../facts/ballot.ts";

/** Stops on a ballot that no source may hand over: what is written here is read for years. */
export function checkBallot(ballot: Ballot): void {
  const { proposalId, count, voterIds, powers, timesS, choiceIndexes, flags, choices } = ballot;
  for (const column of [voterIds, powers, timesS, choiceIndexes, flags]) {
    invariant(
      column.length === count,
      `ballot of proposal ${proposalId}: a column's length is not its count`,
    );
  }
  const wrong = choices.every(hasFiniteNumbers)
    ? wrongVote(ballot)
    : "a choice holds a number that is not finite";
  invariant(wrong === undefined, `ballot of proposal ${proposalId}: ${wrong}`);
}

/** What is wrong with the first vote that is; one plain loop, because every vote passes here. */
function wrongVote({ count, voterIds, powers, choiceIndexes, flags, choices }: Ballot): string | undefined {
  const choicesCount = choices.length;
  let previousVoter = -1;
  for (let place = 0; place < count; place += 1) {
    // Every column has `count` places.
    const voter = voterIds[place] as number;
    const power = powers[place] as number;
    if (voter <= previousVoter) return "voters are not distinct and ascending";
    if (!(power >= 0 && power < Number.POSITIVE_INFINITY)) return "a power is negative or not finite";
    if (power !== 0 && ((flags[place] as number) & VOTE_FLAGS.powerKnown) === 0) {
      return "a power is given but not flagged as known";
    }
    if ((choiceIndexes[place] as number) >= choicesCount) return "a choice index points past the choices";
    previousVoter = voter;
  }
  return undefined;
}

function hasFiniteNumbers(choice: Ballot["choices"][number]): boolean {
  switch (choice.kind) {
    case "single":
      return Number.isFinite(choice.option);
    case "list":
      return choice.options.every(Number.isFinite);
    case "weights":
      return choice.weights.flat().every(Number.isFinite);
    case "unreadable":
      return true;
  }
}
