import type { Ballot } from "./ballot.ts";

/** The votes of some ballots once more, in columns of equal length: those of one voter lie together, by ballot. */
export interface VoterVotes {
  readonly ballots: readonly Ballot[];
  /** By voter: its first vote. One longer than there are voters, so that the next one's first ends it. */
  readonly starts: Int32Array;
  /** By vote: index of its ballot, share, choice and c. */
  readonly ballotOf: Int32Array;
  readonly shares: Float64Array;
  readonly choices: Uint32Array;
  readonly capped: Float64Array;
  /** By ballot, then by place in it: the vote. */
  readonly votesOf: readonly Int32Array[];
}

/**
 * Puts the votes of each voter together, once for all frames: adding up voter by voter along the columns takes a fraction
 * of what jumping from voter to voter takes, ballot by ballot. `ballots` by (end, id).
 */
export function collectVoterVotes(ballots: readonly Ballot[], votersCount: number): VoterVotes {
  const starts = new Int32Array(votersCount + 1);
  // Once for every vote; places lie in a ballot's columns, voters in those of the DAO.
  for (const { voters } of ballots) {
    for (let place = 0; place < voters.length; place += 1) {
      const after = (voters[place] as number) + 1;
      starts[after] = (starts[after] as number) + 1;
    }
  }
  for (let voter = 0; voter < votersCount; voter += 1)
    starts[voter + 1] = (starts[voter + 1] as number) + (starts[voter] as number);
  const count = starts[votersCount] as number;
  const next = starts.slice();
  const ballotOf = new Int32Array(count);
  const shares = new Float64Array(count);
  const choices = new Uint32Array(count);
  const capped = new Float64Array(count);
  const votesOf = ballots.map((ballot, at) => {
    const votes = new Int32Array(ballot.voters.length);
    for (let place = 0; place < votes.length; place += 1) {
      const voter = ballot.voters[place] as number;
      const vote = next[voter] as number;
      next[voter] = vote + 1;
      votes[place] = vote;
      ballotOf[vote] = at;
      shares[vote] = ballot.shares[place] as number;
      choices[vote] = ballot.choices[place] as number;
      capped[vote] = ballot.capped[place] as number;
    }
    return votes;
  });
  return { ballots, starts, ballotOf, shares, choices, capped, votesOf };
}
