import { type ProposalVotes, VOTE_FLAGS } from "../../../pipeline/facts/proposal-votes.ts";
import type { CountedVotes } from "../../../pipeline/score/frame/counted-votes.ts";

/** One timed vote on one proposal. */
export interface PlainTimedVote {
  readonly voter: number;
  readonly timeS: number;
  readonly choice: string;
}

/** The timed votes among counted ones. */
export function timedVotesOf(votes: CountedVotes): PlainTimedVote[] {
  return [...votes.voters].flatMap((voter, place) =>
    votes.isTimed[place] === 1
      ? [
          {
            voter,
            timeS: votes.timesS[place] ?? 0,
            choice: JSON.stringify(votes.choices[votes.choiceIndexes[place] ?? 0]),
          },
        ]
      : [],
  );
}

const lnFactorial = (n: number): number => (n < 2 ? 0 : Math.log(n) + lnFactorial(n - 1));

/** The coordination test of methodology §2 over every pair of voters: slow, and plain to read. */
export function plainLinks(proposals: readonly (readonly PlainTimedVote[])[]): string[] {
  const voters = [...new Set(proposals.flatMap((votes) => votes.map((vote) => vote.voter)))];
  const pairs = (voters.length * (voters.length - 1)) / 2;
  const links: string[] = [];
  for (const a of voters) {
    for (const b of voters) {
      if (a >= b) continue;
      let m = 0;
      let j = 0;
      let evidence = 0;
      for (const votes of proposals) {
        const one = votes.find((vote) => vote.voter === a);
        const other = votes.find((vote) => vote.voter === b);
        if (one === undefined || other === undefined) continue;
        m += 1;
        if (one.choice !== other.choice || Math.abs(one.timeS - other.timeS) > 60) continue;
        const near = (vote: PlainTimedVote): number =>
          votes.filter((item) => item !== vote && Math.abs(item.timeS - vote.timeS) <= 60).length;
        const most = Math.max(near(one), near(other));
        if (most > 256) continue;
        j += 1;
        const sameChoice = votes.filter((vote) => vote.choice === one.choice).length / votes.length;
        evidence -= Math.log((most / (votes.length - 1)) * sameChoice);
      }
      const bar =
        Math.log(pairs) + lnFactorial(m) - lnFactorial(j) - lnFactorial(m - j) + Math.log(m) + Math.log(100);
      if (j >= 3 && j >= m / 2 && evidence > bar) links.push(`${a}-${b}`);
    }
  }
  return links.sort();
}

/** One vote of a ballot that counts: valid and not dust. */
export interface PlainVote {
  readonly voter: number;
  readonly share: number | undefined;
  readonly timeS: number | undefined;
  readonly choice: ProposalVotes["choices"][number];
  readonly reason: boolean | undefined;
}

/** Valid votes that are not dust (methodology §1), read from the ballot's columns one by one. */
export function plainVotes(ballot: ProposalVotes): PlainVote[] {
  const places = Array.from({ length: ballot.count }, (_, place) => place).filter((place) => {
    const flags = ballot.flags[place] ?? 0;
    const isValid = (flags & VOTE_FLAGS.outsideWindow) === 0 && (flags & VOTE_FLAGS.choiceUnreadable) === 0;
    return isValid && ((flags & VOTE_FLAGS.powerKnown) === 0 || (ballot.powers[place] ?? 0) > 0);
  });
  const isKnown = places.every((place) => ((ballot.flags[place] ?? 0) & VOTE_FLAGS.powerKnown) !== 0);
  const sum = places.reduce((total, place) => total + (ballot.powers[place] ?? 0), 0);
  return places.flatMap((place) => {
    const flags = ballot.flags[place] ?? 0;
    const share = isKnown ? (ballot.powers[place] ?? 0) / sum : undefined;
    if (share !== undefined && share < 2.5e-7) return [];
    const choice = ballot.choices[ballot.choiceIndexes[place] ?? 0] ?? { kind: "unreadable" as const };
    return [
      {
        voter: ballot.voterIds[place] ?? 0,
        share,
        timeS: (flags & VOTE_FLAGS.timeKnown) === 0 ? undefined : ballot.timesS[place],
        choice,
        reason: (flags & VOTE_FLAGS.reasonKnown) === 0 ? undefined : (flags & VOTE_FLAGS.reasonGiven) !== 0,
      },
    ];
  });
}
