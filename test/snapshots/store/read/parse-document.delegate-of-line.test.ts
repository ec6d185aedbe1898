import { describe, expect, it } from "vitest";
import type { DelegateItem } from "../../../../snapshots/format/delegates.ts";
import { delegateOfLine } from "../../../../snapshots/store/read/parse-document.ts";
import { delegateLines } from "../../../../snapshots/store/write/render-documents.ts";
import { walletOf } from "../../../support/published-set.ts";

const ITEM: DelegateItem = {
  rank: 1,
  address: walletOf(1),
  display_name: "0x0000…0001",
  votes_human: 12.5,
  votes_share_pct: 100,
  delegators_count: 3,
  weight_tier: "T1",
};
const PATH = "delegates/orchard/all.csv";

describe("a line of a whole ranking", () => {
  it.each([
    { why: "a bare address", name: undefined },
    { why: "a plain name", name: "lantern.example" },
    { why: "commas and quotes", name: 'a "b", c' },
    { why: "other scripts", name: "Ωmega 二 🏮" },
    { why: "a formula", name: "=1+1" },
    { why: "a formula in quotes", name: '=HYPERLINK("x","y")' },
    { why: "a sign", name: "@cmd" },
    { why: "a minus", name: "-1" },
    { why: "a formula in wide letters", name: "＝1＋1" },
    { why: "a wide sign", name: "＠cmd" },
    { why: "an apostrophe of its own", name: "'tis" },
  ])("is the delegate it was made of: $why", ({ name }) => {
    const item = name === undefined ? ITEM : { ...ITEM, ens: name, display_name: name };
    const line = delegateLines([item]).trimEnd();
    expect(delegateOfLine(PATH, line)).toEqual(item);
  });

  it.each([
    { why: "nothing", line: "" },
    { why: "too few fields", line: "1,0x" },
    { why: "an open quote", line: '1,"0x' },
    { why: "a rank that is none", line: delegateLines([ITEM]).replace("1,", "one,").trimEnd() },
  ])("is refused, named by its file: $why", ({ line }) => {
    expect(() => delegateOfLine(PATH, line)).toThrow(`${PATH}: contains a line that is no delegate`);
  });
});
