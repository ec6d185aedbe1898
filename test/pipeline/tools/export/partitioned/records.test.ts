import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DelegationEvent } from "../../../../../pipeline/facts/dao-facts.ts";
import { proposalMarks } from "../../../../../pipeline/score/components/deliberation.ts";
import { KNOWN_PROPOSAL_COLUMNS } from "../../../../../pipeline/tools/export/partitioned/columns.ts";
import {
  delegationEventRecords,
  proposalRecord,
} from "../../../../../pipeline/tools/export/partitioned/records.ts";
import type { ProposalLine } from "../../../../../snapshots/format/proposal-line.ts";
import { sampleProposal } from "../../../score/sample-facts.ts";

const WALLET = "0xCA4A00000000000000000000000000000000beef";
const BARE = WALLET.slice(2);
const LINE = {} as ProposalLine;
/** The discussion of a proposal as its row has it. */
const shownOf = (discussion: string) =>
  String(Reflect.get(proposalRecord(sampleProposal("p", { discussion }), LINE), "discussion"));
const NOBODY = "f".repeat(40);
const HASH = `0x${"ab".repeat(32)}`;

it.each([
  { why: "no link", text: "", is: "" },
  { why: "a forum", text: "https://forum.example/t/12", is: "https://forum.example/t/12" },
  {
    why: "a wallet",
    text: `https://scan.example/address/${WALLET}#x`,
    is: `https://scan.example/address/0x${NOBODY}#x`,
  },
  {
    why: "a wallet in capitals",
    text: `https://x.example/?a=${WALLET.toUpperCase()}`,
    is: `https://x.example/?a=0X${NOBODY}`,
  },
  {
    why: "two",
    text: `http://x.example/${WALLET}/${WALLET}`,
    is: `http://x.example/0x${NOBODY}/0x${NOBODY}`,
  },
  { why: "without its mark", text: `http://x.example/${BARE}`, is: `http://x.example/${NOBODY}` },
  {
    why: "as in a log",
    text: `http://x.example/0x${"0".repeat(24)}${BARE}`,
    is: `http://x.example/0x${"0".repeat(24)}${NOBODY}`,
  },
  {
    why: "after a digit that is of no number",
    text: `http://x.example/a0${WALLET}`,
    is: `http://x.example/a00x${NOBODY}`,
  },
  {
    why: "a transaction or a proposal",
    text: `https://x.example/#/p/${HASH}`,
    is: `https://x.example/#/p/${HASH}`,
  },
])("nobody's address stays in $why", ({ text, is }) => {
  expect(shownOf(text)).toBe(is);
  expect(shownOf(is)).toBe(is);
});

it("a text is a link exactly where it was one, and no address is in it", () => {
  const isLink = (discussion: string) => proposalMarks(sampleProposal("p", { discussion })).discussion?.[0];
  const pieces = "https:// http:// x.example / ?a= # @ : %30x 0x a".split(" ");
  const piece = fc.constantFrom(...pieces, WALLET, BARE, `[::${BARE}]`);
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
      const text = pieces.join("");
      const shown = shownOf(text);
      expect(shown.length).toBe(text.length);
      expect(isLink(shown), text).toBe(isLink(text));
      expect(shown).not.toMatch(/(?<![0-9a-f])(0x)?ca4a0{32}beef(?![0-9a-f])/i);
    }),
  );
});

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
    const [record] = delegationEventRecords("a.eth", [event], (address) => `<${address[2]}>`);
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

it("the facts of a proposal are not told again as measured", () => {
  const names = KNOWN_PROPOSAL_COLUMNS.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["votes_count", "measured_votes", "measured_unit"]));
  expect(names.filter((name) => /^measured_(declared|title|state|is_)/.test(name))).toEqual([]);
});
