import { describe, expect, it } from "vitest";
import type { DelegationEvent } from "../../../../../pipeline/facts/delegation.ts";
import { delegationEventRecord } from "../../../../../pipeline/tools/export/partitioned/records.ts";

const wallet = (digit: string) => `0x${digit.repeat(40)}`;
const position = { blockNumber: 5, logIndex: 2, blockTimeMs: undefined } as const;
const LARGEST = 2n ** 256n - 1n;

describe("a log as a row", () => {
  it.each<{ why: string; event: DelegationEvent; is: object }>([
    {
      why: "nobody was the delegate before",
      event: {
        ...position,
        kind: "delegate-changed",
        delegator: wallet("1"),
        from: wallet("0"),
        to: wallet("2"),
      },
      is: { delegator_id: "<1>", from_id: null, to_id: "<2>" },
    },
    {
      why: "an amount that no double holds",
      event: {
        ...position,
        blockTimeMs: 9,
        kind: "votes-changed",
        delegate: wallet("3"),
        before: 0n,
        after: LARGEST,
      },
      is: { block_time_ms: 9, delegate_id: "<3>", before_votes: "0", after_votes: String(LARGEST) },
    },
    {
      why: "a burn",
      event: { ...position, kind: "transfer", from: wallet("4"), to: wallet("0"), amount: 1n },
      is: { from_id: "<4>", to_id: null, amount: "1" },
    },
    {
      why: "a mint",
      event: { ...position, kind: "transfer", from: wallet("0"), to: wallet("4"), amount: 7n },
      is: { from_id: null, to_id: "<4>", amount: "7" },
    },
  ])("$why", ({ event, is }) => {
    const record = delegationEventRecord("a.eth", event, (address) => `<${address[2]}>`);
    expect(record).toEqual({
      space_id: "a.eth",
      block_number: 5,
      log_index: 2,
      block_time_ms: undefined,
      kind: event.kind,
      ...is,
    });
    expect(JSON.stringify(record)).not.toContain("0x");
  });
});
