import { z } from "zod";
import type { DelegationEvent } from "../../facts/dao-facts.ts";
import { parseEvmAddress, parseSeconds, textList } from "./parse-values.ts";
import { type RowFailure, rowFailure } from "./row-error.ts";

/** The fields that are read of an `eth_getLogs` log; 0x hex quantities, `blockTimestamp` from newer nodes only. */
export const ChainLog = z.object({
  address: z.string(),
  topics: textList(4),
  data: z.string(),
  blockNumber: z.string(),
  logIndex: z.string(),
  blockTimestamp: z.string().nullish(),
  removed: z.boolean().nullish(),
});
export type ChainLog = z.infer<typeof ChainLog>;

/** The first topic of each event that moves votes: keccak-256 of its signature. */
export const DELEGATION_TOPICS = {
  delegateChanged: "0x3134e8a2e6d97e929a7e54011ea5485d7d196dd5f0ba4d4ef95803e8e3fc257f",
  delegateVotesChanged: "0xdec2bacdd2f05b59de34da9b523dff8be42e5e38e818c82fdb0bae774387a724",
  transfer: "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
} as const;

const QUANTITY = /^0x(?:0|[1-9a-fA-F][0-9a-fA-F]{0,12})$/;
const PADDED_ADDRESS = /^0x0{24}[0-9a-fA-F]{40}$/;
const WORDS = /^0x(?:[0-9a-fA-F]{64})*$/;

/** Decodes a log of `token`; `undefined` if it moves no votes. Throws `RowFailure` if it is invalid. */
export function delegationEventOfLog(log: ChainLog, token: string): DelegationEvent | undefined {
  assertLogOf(log, token);
  const position = {
    blockNumber: quantity(log.blockNumber, "blockNumber"),
    logIndex: quantity(log.logIndex, "logIndex"),
    blockTimeMs:
      log.blockTimestamp == null
        ? undefined
        : parseSeconds(quantity(log.blockTimestamp, "blockTimestamp"), "blockTimestamp") * 1000,
  };
  const [topic, ...indexed] = log.topics;
  switch (topic?.toLowerCase()) {
    case DELEGATION_TOPICS.delegateChanged: {
      demand(indexed, 3, log.data, 0);
      const [delegator, from, to] = [address(indexed[0]), address(indexed[1]), address(indexed[2])];
      return { ...position, kind: "delegate-changed", delegator, from, to };
    }
    case DELEGATION_TOPICS.delegateVotesChanged: {
      demand(indexed, 1, log.data, 2);
      const [before, after] = [word(log.data, 0), word(log.data, 1)];
      return { ...position, kind: "votes-changed", delegate: address(indexed[0]), before, after };
    }
    case DELEGATION_TOPICS.transfer: {
      const isToken = indexed.length === 3;
      demand(indexed, isToken ? 3 : 2, log.data, isToken ? 0 : 1);
      const [from, to] = [address(indexed[0]), address(indexed[1])];
      // The third indexed value of an ERC-721 transfer is the token's id; the amount is always one.
      return { ...position, kind: "transfer", from, to, amount: isToken ? 1n : word(log.data, 0) };
    }
    default:
      return undefined;
  }
}

/** Throws `RowFailure` for a log of another contract, or one that was reverted. */
export function assertLogOf({ address: from, removed }: ChainLog, contract: string): void {
  if (parseEvmAddress(from, "address") !== contract) throw malformed("it is a log of another contract");
  if (removed === true) throw malformed("a reorganisation removed it");
}

export function malformed(message = "topics or data do not fit the event"): RowFailure {
  return rowFailure("LOG_MALFORMED", message);
}

function demand(indexed: readonly string[], indexedCount: number, data: string, wordsCount: number): void {
  // Check the length first: the regular expression overflows the stack on data of megabytes.
  const isRight = indexed.length === indexedCount && data.length === 2 + 64 * wordsCount && WORDS.test(data);
  if (!isRight) throw malformed();
}

function quantity(hex: string, what: string): number {
  const value = QUANTITY.test(hex) ? Number(hex) : Number.NaN;
  if (!Number.isSafeInteger(value)) throw malformed(`${what} is not a 0x quantity`);
  return value;
}

function address(topic: string | undefined): string {
  if (topic === undefined || !PADDED_ADDRESS.test(topic)) throw malformed("a topic is not an address");
  return `0x${topic.slice(26).toLowerCase()}`;
}

function word(data: string, index: number): bigint {
  return BigInt(`0x${data.slice(2 + 64 * index, 66 + 64 * index)}`);
}
