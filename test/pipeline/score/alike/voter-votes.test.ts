import { expect, test } from "vitest";
import { collectVoterVotes } from "../../../../pipeline/score/alike/voter-votes.ts";
import { sampleBallot } from "../sample-facts.ts";

test("the votes of each voter lie together, by ballot, and each ballot knows where its own are", () => {
  const first = sampleBallot([
    { voter: 2, power: 3, choice: 1 },
    { voter: 0, power: 1 },
  ]).ballot;
  const second = { ...first, voters: Int32Array.of(3, 1), choices: Uint32Array.of(1, 0) };
  const votes = collectVoterVotes([first, second], 5);
  const found = Array.from({ length: 5 }, (_, voter) =>
    Array.from({ length: (votes.starts[voter + 1] ?? 0) - (votes.starts[voter] ?? 0) }, (__, at) => {
      const vote = (votes.starts[voter] ?? 0) + at;
      return [votes.ballotOf[vote], votes.shares[vote], votes.choices[vote], votes.capped[vote]];
    }),
  );
  const of = (at: number, index: number, position: number) => [
    index,
    first.shares[position],
    [first, second][at]?.choices[position],
    first.capped[position],
  ];
  expect(found).toStrictEqual([[of(0, 0, 0)], [of(0, 0, 1), of(1, 1, 1)], [], [of(1, 1, 0)], []]);
  expect(votes.votesOf).toStrictEqual([Int32Array.of(0, 1), Int32Array.of(3, 2)]);
});
