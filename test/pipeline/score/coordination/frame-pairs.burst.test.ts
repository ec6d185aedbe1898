import { expect, test } from "vitest";
import { createFramePairs } from "../../../../pipeline/score/coordination/frame-pairs.ts";
import { type TimedVotes, timedVotesOf } from "../../../../pipeline/score/frame/timed-votes.ts";
import { METHODOLOGY } from "../../../../pipeline/score/method/methodology.ts";
import { type SampleVote, sampleVotes } from "../sample-facts.ts";

const { windowVotersMax } = METHODOLOGY.coordination;

/** What is counted is how often a number of a ballot is read: the work of a test of pairs, on any machine. */
interface Counter {
  reads: number;
}

function countingColumn<Column extends Int32Array | Uint32Array | Float64Array>(
  column: Column,
  counter: Counter,
): Column {
  return new Proxy(column, {
    get(target, key) {
      if (typeof key === "string" && key !== "length" && !Number.isNaN(Number(key))) counter.reads += 1;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

function counting(ballot: TimedVotes, counter: Counter): TimedVotes {
  return {
    voters: countingColumn(ballot.voters, counter),
    timesS: countingColumn(ballot.timesS, counter),
    choiceIndexes: countingColumn(ballot.choiceIndexes, counter),
    from: countingColumn(ballot.from, counter),
    to: countingColumn(ballot.to, counter),
    logOthers: ballot.logOthers,
    choiceSurprises: countingColumn(ballot.choiceSurprises, counter),
  };
}

/** So many voters, all for one option, `perMinute` of them in each minute. */
function crowd(voters: number, perMinute: number): TimedVotes {
  const votes = Array.from({ length: voters }, (_, voter): SampleVote => {
    const second = Math.floor((voter * 60) / perMinute);
    return { voter, atMs: (1_700_000_000 + second) * 1000 };
  });
  return timedVotesOf(sampleVotes(votes));
}

/** Reads for a vote, where the same crowd votes on four proposals: three at once, and the last coming, going and coming again. */
function readsPerVote(voters: number, perMinute: number): number {
  const counter = { reads: 0 };
  const ballot = counting(crowd(voters, perMinute), counter);
  const pairs = createFramePairs(voters);
  pairs.refill([0, 1, 2].map((order) => ({ order, ballot })));
  pairs.enter(3, ballot);
  pairs.leave(3);
  pairs.enter(3, ballot);
  return counter.reads / (6 * voters);
}

test("a burst of fifty thousand votes in a minute costs what reading it costs, as one of two thousand does", () => {
  const small = readsPerVote(2_000, 2_000);
  // First of all: a test of every pair would take hours on the larger one.
  expect(small).toBeLessThan(8);
  expect(readsPerVote(50_000, 50_000)).toBeCloseTo(small, 1);
});

test.each([
  { why: "boundary: windows a little too full for evidence", perMinute: windowVotersMax },
  { why: "nobody within a minute of anybody", perMinute: 0.4 },
])("$why: ten times the voters, ten times the work", ({ perMinute }) => {
  const small = readsPerVote(1_000, perMinute);
  expect(small).toBeLessThan(20);
  expect(readsPerVote(10_000, perMinute)).toBeLessThan(1.2 * small + 1);
});
