import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { faultyNode } from "../../../support/chain/faulty-node.ts";
import { plainHttpClient } from "../../../support/chain/plain-http-client.ts";
import type { TestChain } from "../../../support/chain/start-chain.ts";
import { describeOnChain } from "../../../support/chain/with-chain.ts";
import { addressOf, type Claim, claim, namesThrough, setMulticall, startEnsChain } from "./ens-chain.ts";

const STRANGER = addressOf(0xbad);

type Row = { readonly why: string; readonly isNamed: boolean } & Omit<Claim, "address">;

/** Who claims what, and whether that is a name; all in one chain, so that each may spoil it for the others. */
const ROWS: readonly Row[] = [
  { why: "a name that leads back", name: "alice.eth", isNamed: true },
  { why: "another one, far from the first", name: "bücher.eth", isNamed: true },
  { why: "a name that leads to somebody else", name: "mallory.eth", leadsTo: STRANGER, isNamed: false },
  { why: "a name that leads to nobody", name: "void.eth", leadsTo: addressOf(0), isNamed: false },
  { why: "a name in capitals", name: "Carol.eth", isNamed: false },
  { why: "a letter of another script among Latin ones", name: "\u0430lice.eth", isNamed: false },
  { why: "a right-to-left override", name: "\u202eecila.eth", isNamed: false },
  { why: "a zero-width space", name: "ali\u200bce.eth", isNamed: false },
  {
    why: "a zero-width joiner in an emoji",
    name: "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}.eth",
    isNamed: false,
  },
  { why: "10 kB of name", name: `${"a".repeat(10_000)}.eth`, isNamed: false },
  { why: "97 letters and a root", name: `${"a".repeat(97)}.eth`, isNamed: false },
  { why: "96 letters and a root", name: `${"a".repeat(96)}.eth`, isNamed: true },
  { why: "CCIP-Read for the name", name: "dave.eth", forwardMood: "offchain", isNamed: false },
  { why: "CCIP-Read for the address", name: "erin.eth", reverseMood: "offchain", isNamed: false },
  { why: "a revert", name: "frank.eth", forwardMood: "reverts", isNamed: false },
  {
    why: "a resolver that burns gas, of the address",
    name: "grace.eth",
    reverseMood: "burnsGas",
    isNamed: false,
  },
  {
    why: "a resolver that burns gas, of the name",
    name: "heidi.eth",
    forwardMood: "burnsGas",
    isNamed: false,
  },
  { why: "one more that burns gas", name: "ivan.eth", forwardMood: "burnsGas", isNamed: false },
  { why: "garbage for a name", name: "judy.eth", reverseMood: "garbage", isNamed: false },
  { why: "garbage for an address", name: "kim.eth", forwardMood: "garbage", isNamed: false },
  { why: "nothing at all", name: "leo.eth", forwardMood: "nothing", isNamed: false },
  { why: "as much memory as gas can buy", name: "mona.eth", reverseMood: "megabyte", isNamed: false },
  {
    why: "a resolver that says less when others burnt its gas",
    name: "nina.eth",
    forwardMood: "shy",
    isNamed: true,
  },
  { why: "the same for the address", name: "oscar.eth", reverseMood: "shy", isNamed: true },
  { why: "a name that leads back, last of all", name: "peggy.eth", isNamed: true },
];
const CLAIMS = ROWS.map((row, index) => ({ ...row, address: addressOf(0xa000 + index) }));

/** Of whom the registry knows nothing. */
const UNKNOWN = [addressOf(0xb000), addressOf(0xb001)];
const EVERYBODY = [...CLAIMS.map(({ address }) => address), ...UNKNOWN];

describeOnChain("ENS on a real chain", () => {
  let chain: TestChain;
  let byOne: ReadonlyMap<string, string>;
  beforeAll(async () => {
    chain = await startEnsChain();
    await claim(chain, CLAIMS);
    byOne = (await namesThrough({ http: plainHttpClient(), url: chain.url }, EVERYBODY)).names;
  });
  afterAll(() => chain.close());

  it.each(CLAIMS)("$why", ({ address, name, isNamed }) => {
    expect(byOne.get(address)).toBe(isNamed ? name : undefined);
  });

  const named = new Map(CLAIMS.flatMap((row) => (row.isNamed ? [[row.address, row.name]] : [])));
  const counts = { found: named.size, without: EVERYBODY.length - named.size, failed: 0 };

  describe.each([
    { why: "Multicall3", multicall: "Aggregate" },
    { why: "something that answers like it", multicall: "FalseAggregate" },
    { why: "nothing", multicall: "0x" },
    { why: "a contract that always reverts", multicall: "0x60006000fd" },
    { why: "a contract that burns all gas", multicall: "0x5b600056" },
  ] as const)("with $why at the address of Multicall3", ({ multicall }) => {
    beforeAll(() => setMulticall(chain, multicall));
    afterAll(() => setMulticall(chain, "Aggregate"));

    it.each([
      { order: "as they come", addresses: EVERYBODY },
      { order: "the other way round", addresses: EVERYBODY.toReversed() },
    ])("names the same, $order, and each is remembered as what it is", async ({ addresses }) => {
      const asked = await namesThrough({ http: plainHttpClient(), url: chain.url }, addresses);
      expect(asked).toMatchObject({ names: named, counts });
    });

    it("names the same through a node that takes no batches", async () => {
      const { http } = faultyNode(plainHttpClient(), { refusesBatches: true });
      expect(await namesThrough({ http, url: chain.url }, EVERYBODY)).toMatchObject({ names: named, counts });
    });
  });
});
