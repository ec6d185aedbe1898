import * as AbiParameters from "ox/AbiParameters";
import type { Hex } from "ox/Hex";
import { assertLogOf, type ChainLog, malformed } from "../upstream/delegation-event.ts";
import { type CastPower, NO_POWER } from "../upstream/parse-values.ts";

/** keccak-256 of the event signatures. GovernorAlpha, Bravo and OpenZeppelin share all but Alpha's vote. */
export const GOVERNOR_TOPICS = {
  proposalCreated: "0x7d84a6263ae0d98d3329bd7b46bb4e8d6f98cd35a7adb45c274c8b7fd5ebd5e0",
  proposalCanceled: "0x789cf55be980739dad1d0699b93b58e806b51c9d96619bfa8fe0a28abaa7b30c",
  proposalExecuted: "0x712ae1383f79ac853f8d882153778e0260ef8f03b504e2866e0593e04d2b291f",
  proposalExtended: "0x541f725fb9f7c98a30cc9c0ff32fbb14358cd7159c847a3aa20a2bdc442ba511",
  voteCast: "0xb8e138887d0aa13bab447e82de9d5c1777041ecd21ca36ba824ff1e6c07ddda4",
  voteCastWithParams: "0xe2babfbac5889a709b63bb7f598b324e08bc5a4fb9ec647fb3cbc9ec07eb8712",
  voteCastOfAlpha: "0x877856338e13f63d0c36822ff0ef736b80934cd90574a3a5bc9262c39d217c46",
  overrideVoteCast: "0x49549bd03796fa3aec6f7adab515dd07e1b4d2021298a516bd2a048c95413c71",
  voteReduced: "0xa3e9dc6f75dd03afa423da7498d345528f378d27f40d23f69693cec61e1cd127",
} as const;

/** An event of a governor. `start` and `end` are blocks or seconds, by the governor's clock. */
export type GovernorEvent =
  | {
      readonly kind: "created";
      readonly id: bigint;
      readonly proposer: string;
      readonly start: bigint;
      readonly end: bigint;
      readonly description: string;
    }
  | { readonly kind: "canceled" | "executed"; readonly id: bigint }
  | { readonly kind: "extended"; readonly id: bigint; readonly end: bigint }
  /** Delegators took back part of their delegate's vote to cast it themselves. */
  | {
      readonly kind: "reduced";
      readonly id: bigint;
      readonly voter: string;
      readonly power: CastPower;
    }
  | {
      readonly kind: "vote";
      readonly id: bigint;
      readonly voter: string;
      readonly support: number;
      readonly power: CastPower;
      /** `undefined` if the governor records no reasons. */
      readonly reason: string | undefined;
    };

const FRACTIONAL = 255;
/** Three uint128, packed: against, for, abstain. */
const FRACTIONS = /^0x([0-9a-fA-F]{32})([0-9a-fA-F]{32})([0-9a-fA-F]{32})$/;

/** Decodes a log of `governor`; `undefined` for an event that is not used. Throws `RowFailure`. */
export function governorEventOfLog(log: ChainLog, governor: string): GovernorEvent | undefined {
  assertLogOf(log, governor);
  switch (log.topics[0]?.toLowerCase()) {
    case GOVERNOR_TOPICS.proposalCreated:
      return createdOf(log);
    case GOVERNOR_TOPICS.proposalCanceled:
      return { kind: "canceled", id: eventValues(log, ["uint256"])[0] };
    case GOVERNOR_TOPICS.proposalExecuted:
      return { kind: "executed", id: eventValues(log, ["uint256"])[0] };
    case GOVERNOR_TOPICS.proposalExtended: {
      const [id, end] = eventValues(log, ["uint256", "uint64"]);
      return { kind: "extended", id, end };
    }
    // An override casts the delegator's own power; a separate event reduces the delegate's vote.
    case GOVERNOR_TOPICS.overrideVoteCast:
    case GOVERNOR_TOPICS.voteCast: {
      const [voter, id, support, weight, reason] = eventValues(log, [...VOTE, "string"]);
      return voteOf({ id, voter, support, power: powerOf(support, weight), reason });
    }
    case GOVERNOR_TOPICS.voteCastWithParams: {
      const [voter, id, support, weight, reason, params] = eventValues(log, [...VOTE, "string", "bytes"]);
      const power = support === FRACTIONAL ? fractionsOf(params, weight) : powerOf(support, weight);
      return voteOf({ id, voter, support, power, reason });
    }
    case GOVERNOR_TOPICS.voteCastOfAlpha: {
      const [voter, id, isFor, weight] = eventValues(log, ["address", "uint256", "bool", "uint256"]);
      const support = isFor ? 1 : 0;
      return voteOf({ id, voter, support, power: powerOf(support, weight), reason: undefined });
    }
    case GOVERNOR_TOPICS.voteReduced: {
      const [voter, id, support, weight] = eventValues(log, VOTE);
      return { kind: "reduced", id, voter: voter.toLowerCase(), power: powerOf(support, weight) };
    }
    default:
      return undefined;
  }
}

/** Voter, proposal, support and weight: the first values of all vote events except Alpha's. */
const VOTE = ["address", "uint256", "uint8", "uint256"] as const;

/** Skips the four lists of calls: each is one word at the start of the data, an offset. */
function createdOf(log: ChainLog): GovernorEvent {
  const word = "uint256";
  const types = [word, "address", word, word, word, word, word, word, "string"] as const;
  const [id, proposer, , , , , start, end, description] = eventValues(log, types);
  return { kind: "created", id, proposer: proposer.toLowerCase(), start, end, description };
}

function voteOf(vote: Omit<Extract<GovernorEvent, { kind: "vote" }>, "kind">): GovernorEvent {
  return { ...vote, kind: "vote", voter: vote.voter.toLowerCase() };
}

function powerOf(support: number, weight: bigint): CastPower {
  if (support === 0) return { ...NO_POWER, against: weight };
  if (support === 1) return { ...NO_POWER, for: weight };
  if (support === 2) return { ...NO_POWER, abstain: weight };
  return { ...NO_POWER, other: weight };
}

/** Reads the parts from `params`: `weight` is the cast part in some governors and the total in others. */
function fractionsOf(params: string, weight: bigint): CastPower {
  const parts = FRACTIONS.exec(params);
  if (parts === null) return { ...NO_POWER, other: weight };
  const [against, inFavour, abstain] = parts.slice(1).map((part) => BigInt(`0x${part}`));
  return { ...NO_POWER, against: against ?? 0n, for: inFavour ?? 0n, abstain: abstain ?? 0n };
}

interface Decoded {
  address: string;
  uint256: bigint;
  uint64: bigint;
  uint8: number;
  bool: boolean;
  string: string;
  bytes: string;
}
type EventType = keyof Decoded;

const HEX = /^0x(?:[0-9a-fA-F]{2})*$/;

/**
 * The values of an event in signature order. Contracts with the same signature index different numbers of
 * leading values, so the count comes from the log's topics. Throws `LOG_MALFORMED`.
 */
function eventValues<const Types extends readonly EventType[]>(log: ChainLog, types: Types) {
  const indexed = log.topics.slice(1);
  const isText = types.slice(0, indexed.length).some((type) => type === "string" || type === "bytes");
  const isHex = [...indexed, log.data].every((hex) => HEX.test(hex));
  // An indexed text is only a hash.
  if (isText || !isHex || indexed.length > types.length) throw malformed();
  const values = [
    ...indexed.flatMap((topic, index) => decode(types.slice(index, index + 1), topic)),
    ...decode(types.slice(indexed.length), log.data),
  ];
  return values as unknown as { readonly [Place in keyof Types]: Decoded[Types[Place]] };
}

function decode(types: readonly EventType[], data: string): readonly unknown[] {
  const hex: Hex = `0x${data.slice(2)}`;
  const parameters = types.map((type) => ({ type }));
  try {
    return types.length === 0 ? [] : AbiParameters.decode(parameters, hex);
  } catch {
    // Every decoding error means the same here: the log is malformed.
    throw malformed();
  }
}
