import { describe, expect, it } from "vitest";
import {
  type ChainLog,
  delegationEventOfLog,
} from "../../../../pipeline/sources/upstream/delegation-event.ts";

const TOKEN = `0x${"70".repeat(20)}`;
const [A, B, C] = ["aa", "bb", "cc"].map((byte) => `0x${byte.repeat(20)}`);
const word = (hex: string) => hex.replace("0x", "").padStart(64, "0");
const topic = (address: string | undefined) => `0x${word(address ?? "").toUpperCase()}`;

const CHANGED = "0x3134e8a2e6d97e929a7e54011ea5485d7d196dd5f0ba4d4ef95803e8e3fc257f";
const VOTES = "0xdec2bacdd2f05b59de34da9b523dff8be42e5e38e818c82fdb0bae774387a724";
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

const log = (topics: string[], data: string, change: Partial<ChainLog> = {}): ChainLog => ({
  address: TOKEN.toUpperCase().replace("0X", "0x"),
  topics,
  data,
  blockNumber: "0xc62584",
  logIndex: "0x0",
  ...change,
});
const PLACE = { blockNumber: 12_985_732, logIndex: 0, blockTimeMs: undefined };

describe("delegationEventOfLog", () => {
  it.each<[why: string, log: ChainLog, want: object]>([
    [
      "DelegateChanged",
      log([CHANGED, topic(A), topic(B), topic(C)], "0x"),
      { kind: "delegate-changed", delegator: A, from: B, to: C },
    ],
    [
      "DelegateVotesChanged, past what a double holds",
      log([VOTES, topic(A)], `0x${word("1")}${"f".repeat(64)}`),
      { kind: "votes-changed", delegate: A, before: 1n, after: 2n ** 256n - 1n },
    ],
    [
      "Transfer of an ERC-20",
      log([TRANSFER, topic(A), topic(B)], `0x${word("ff")}`),
      { kind: "transfer", from: A, to: B, amount: 255n },
    ],
    [
      "Transfer of an ERC-721: one, whatever its number",
      log([TRANSFER, topic(A), topic(B), topic("0x4d2")], "0x"),
      { kind: "transfer", from: A, to: B, amount: 1n },
    ],
    [
      "a block time",
      log([CHANGED, topic(A), topic(B), topic(C)], "0x", { blockTimestamp: "0x61cf9980" }),
      { kind: "delegate-changed", blockTimeMs: 1_640_995_200_000, delegator: A, from: B, to: C },
    ],
  ])("%s", (_why, given, want) => {
    expect(delegationEventOfLog(given, TOKEN)).toEqual({ ...PLACE, ...want });
  });

  it.each([
    { why: "another event", topics: [`0x${"11".repeat(32)}`, topic(A)] },
    { why: "an anonymous event", topics: [] },
  ])("passes over $why", ({ topics }) => {
    expect(delegationEventOfLog(log(topics, "0x"), TOKEN)).toBeUndefined();
  });

  const twoWords = `0x${word("1")}${word("1")}`;
  it.each<[why: string, log: ChainLog]>([
    ["a topic too few", log([CHANGED, topic(A), topic(B)], "0x")],
    ["a topic too many", log([VOTES, topic(A), topic(B)], twoWords)],
    ["data that should be indexed", log([CHANGED, topic(A), topic(B), topic(C)], `0x${word("1")}`)],
    ["half a word", log([TRANSFER, topic(A), topic(B)], "0xff")],
    ["an address with something before it", log([VOTES, `0x1${topic(A).slice(3)}`], twoWords)],
    ["a quantity with leading zeros", log([VOTES, topic(A)], twoWords, { logIndex: "0x01" })],
    ["a block past any double", log([VOTES, topic(A)], twoWords, { blockNumber: "0x20000000000001" })],
  ])("refuses %s", (_why, given) => {
    expect(() => delegationEventOfLog(given, TOKEN)).toThrow(
      expect.objectContaining({ code: "LOG_MALFORMED" }),
    );
  });
});
