import fc from "fast-check";
import type { ListedDelegate } from "../../../pipeline/facts/dao-facts.ts";
import { type Proposal, VOTING_TYPES } from "../../../pipeline/facts/proposal.ts";
import { type Choice, type ProposalVotes, VOTE_FLAGS } from "../../../pipeline/facts/proposal-votes.ts";

const UINT32_MAX = 0xffff_ffff;
/** −0 is left out: no source gives it, and JSON has no word for it. */
const finite = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value));
const maybe = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: undefined });
const text = fc.string({ unit: "grapheme", maxLength: 40 });

const choice: fc.Arbitrary<Choice> = fc.oneof(
  fc.record({ kind: fc.constant("single" as const), option: fc.nat(300) }),
  fc.record({ kind: fc.constant("list" as const), options: fc.array(fc.nat(20), { maxLength: 6 }) }),
  fc.record({
    kind: fc.constant("weights" as const),
    weights: fc.array(fc.tuple(fc.nat(20), finite), { maxLength: 4 }),
  }),
  fc.record({ kind: fc.constant("unreadable" as const) }),
);

const power = finite.map(Math.abs);
const vote = fc.record({
  voter: fc.oneof(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 1, max: UINT32_MAX })),
  power: fc.oneof(power, fc.constant(0)),
  timeS: fc.oneof(
    fc.constant(0),
    fc.integer({ min: 1_600_000_000, max: 1_600_600_000 }),
    fc.integer({ min: 0, max: UINT32_MAX }),
  ),
  place: fc.nat(),
  flags: fc.nat(255),
});

/** Any ballot that a source may hand over: with and without powers, times and differing flags. */
export const arbitraryVotes: fc.Arbitrary<ProposalVotes> = fc
  .record({
    proposalId: fc.string({ minLength: 1, maxLength: 66 }),
    votes: fc.uniqueArray(vote, { selector: ({ voter }) => voter, maxLength: 60 }),
    choices: fc.array(choice, { minLength: 1, maxLength: 400 }),
    hasPowers: fc.boolean(),
    hasTimes: fc.boolean(),
    sharedFlags: maybe(fc.nat(255)),
  })
  .map(({ proposalId, votes, choices, hasPowers, hasTimes, sharedFlags }) => {
    const sorted = [...votes].sort((a, b) => a.voter - b.voter);
    const flags = sorted.map((one) => {
      const given = sharedFlags ?? one.flags;
      return hasPowers ? given | VOTE_FLAGS.powerKnown : given & ~VOTE_FLAGS.powerKnown;
    });
    return {
      proposalId,
      count: sorted.length,
      voterIds: Uint32Array.from(sorted, ({ voter }) => voter),
      powers: Float64Array.from(sorted, (one) => (hasPowers ? one.power : 0)),
      timesS: Uint32Array.from(sorted, ({ timeS }) => (hasTimes ? timeS : 0)),
      choiceIndexes: Uint32Array.from(sorted, ({ place: index }) => index % choices.length),
      flags: Uint8Array.from(flags),
      choices,
    };
  });

const moment = fc.record({
  atMs: fc.integer({ min: 0, max: 4_102_444_800_000 }),
  precision: fc.constantFrom("second" as const, "day" as const),
});

/** Any proposal, each optional field there or not. */
export const arbitraryProposal: fc.Arbitrary<Proposal> = fc.record({
  proposalId: fc
    .string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: 1, maxLength: 64 })
    .map((digits) => `0x${digits}`),
  title: maybe(text),
  link: maybe(text),
  author: maybe(text),
  created: maybe(moment),
  start: maybe(moment),
  end: maybe(moment),
  votingType: maybe(fc.constantFrom(...VOTING_TYPES)),
  choicesCount: maybe(fc.nat(1000)),
  discussion: maybe(fc.oneof(fc.constant(""), text)),
  quorum: maybe(finite),
  isQuorumRejection: fc.boolean(),
  quorumPower: maybe(finite),
  state: maybe(
    fc.constantFrom("pending" as const, "active" as const, "closed" as const, "cancelled" as const),
  ),
  scoresState: maybe(fc.constantFrom("final" as const, "pending" as const, "invalid" as const)),
  scoresTotal: maybe(finite),
  votesCount: maybe(fc.nat()),
  strategiesKey: maybe(fc.constantFrom("[]", '[{"name":"ticket"}]', '[{"name":"erc20-balance-of"}]')),
  revision: maybe(text),
  isShutter: fc.boolean(),
  isFlagged: fc.boolean(),
  isDeleted: fc.boolean(),
});

/** Any listed delegate; votes up to a uint256. */
export const arbitraryDelegate: fc.Arbitrary<ListedDelegate> = fc.record({
  address: fc
    .string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: 40, maxLength: 40 })
    .map((hex) => `0x${hex}`),
  votes: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
  delegatorsCount: fc.nat(),
  ens: maybe(text),
});
