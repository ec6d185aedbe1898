import fc from "fast-check";
import { expect, it } from "vitest";
import { proposalMarks } from "../../../../../pipeline/score/components/deliberation.ts";
import { withoutAddresses } from "../../../../../pipeline/tools/export/partitioned/records.ts";
import { sampleProposal } from "../../../score/sample-facts.ts";

const WALLET = "0xCA4A00000000000000000000000000000000beef";
const BARE = WALLET.slice(2);
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
  expect(withoutAddresses(text)).toBe(is);
  expect(withoutAddresses(is)).toBe(is);
});

it("a text is a link exactly where it was one, and no address is in it", () => {
  const isLink = (discussion: string) => proposalMarks(sampleProposal("p", { discussion })).discussion?.[0];
  const piece = fc.constantFrom(
    "https://",
    "http://",
    "x.example",
    "/",
    "?a=",
    "#",
    WALLET,
    BARE,
    `[::${BARE}]`,
    "@",
    ":",
    "%30x",
    "0x",
    "a",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
      const text = pieces.join("");
      const shown = withoutAddresses(text);
      expect(shown.length).toBe(text.length);
      expect(isLink(shown), text).toBe(isLink(text));
      expect(shown).not.toMatch(/(?<![0-9a-f])(0x)?ca4a0{32}beef(?![0-9a-f])/i);
    }),
  );
});
