import { invariant } from "../base/invariant.ts";
import { type Ballot, VOTE_FLAGS } from "../facts/ballot.ts";

/** Stops on a ballot that no source may hand over: what is written here is read for years. */
export function checkBallot(ballot: Ballot): void {
  const { proposalId, count, voterIds, powers, timesS, choiceIndexes, flags, choices } = ballot;
  const demand = (condition: boolean, what: string) =>
    invariant(condition, `ballot of proposal ${proposalId}: ${what}`);
  for (const column of [voterIds, powers, timesS, choiceIndexes, flags]) {
    demand(column.length === count, "a column's length is not its count");
  }
  demand(choices.every(hasFiniteNumbers), "a choice holds a number that is not finite");
  let previousVoter = -1;
  for (let place = 0; place < count; place += 1) {
    const voter = voterIds[place] ?? -1;
    const power = powers[place] ?? Number.NaN;
    const known = flags[place] ?? 0;
    demand(voter > previousVoter, "voters are not distinct and ascending");
    demand(power >= 0 && power < Number.POSITIVE_INFINITY, "a power is negative or not finite");
    demand(power === 0 || (known & VOTE_FLAGS.powerKnown) !== 0, "a power is given but not flagged as known");
    demand((choiceIndexes[place] ?? 0) < choices.length, "a choice index points past the choices");
    previousVoter = voter;
  }
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
