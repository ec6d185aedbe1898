import fc from "fast-check";
import { getSelector } from "ox/AbiFunction";
import { namehash } from "ox/Ens";
import { describe, expect, it } from "vitest";
import { type ContractReader, keepNames } from "../../../../pipeline/sources/ens/look-up-names.ts";
import { anyText } from "../../../support/any-text.ts";
import { addressAnswer, fakeEns, type Said, textAnswer } from "./fake-ens.ts";

const ALICE = `0x${"a1".repeat(20)}`;
const MALLORY = `0x${"bd".repeat(20)}`;
const word = (digits: string) => digits.padStart(64, "0");
/** `alice.eth` in bytes, padded: what a careless decoder would find. */
const ALICE_ETH = Buffer.from("alice.eth").toString("hex").padEnd(64, "0");

/** `OffchainLookup(address,string[],bytes,bytes4,bytes)`, with an address to fetch inside. */
const OFFCHAIN_LOOKUP: Said = {
  revert: `0x556f1830${word("1234")}${Buffer.from("https://attacker.example/{data}").toString("hex")}`,
};

/** An ENS in which Alice claims `name`, and `name` leads to her. */
function agreeing(name: string): ReturnType<typeof fakeEns> {
  const ens = fakeEns();
  ens.reverse(ALICE, textAnswer(name));
  ens.forward(name, addressAnswer(ALICE));
  return ens;
}

/** What is kept of addresses that are looked up: a name, or that there is none; nothing where asking failed. */
async function keptOf(
  { reader }: { readonly reader: ContractReader },
  addresses: readonly string[] = [ALICE],
): Promise<ReadonlyMap<string, string | undefined>> {
  const kept = new Map<string, string | undefined>();
  await keepNames(
    reader,
    addresses,
    (address, name) => void kept.set(address, name),
    () => {},
  );
  return kept;
}

/** The name of Alice, looked up alone; fails where asking failed. */
async function nameOfAlice(ens: ReturnType<typeof fakeEns>): Promise<string | undefined> {
  const kept = await keptOf(ens);
  expect([...kept.keys()]).toEqual([ALICE]);
  return kept.get(ALICE);
}

describe("names", () => {
  it.each([
    { why: "a plain name", name: "alice.eth" },
    { why: "a subname with a resolver of its own", name: "voter.alice.eth" },
    { why: "digits, a dash, an underscore at the start", name: "_x-1.eth" },
    { why: "letters beyond ASCII, in NFC", name: "b\u00fccher.eth" },
    { why: "one whole script", name: "\u043f\u0440\u0438\u0432\u0435\u0442.eth" },
    { why: "an emoji", name: "\u{1f984}.eth" },
    { why: "a name under another root", name: "alice.xyz" },
  ])("gives $why that leads back", async ({ name }) => {
    expect(await nameOfAlice(agreeing(name))).toBe(name);
  });

  it.each([
    { why: "capitals, that normalise to a name of others", name: "Alice.eth" },
    { why: "letters that are not in NFC", name: "bu\u0308cher.eth" },
    { why: "a zero-width space, which normalising removes", name: "ali\u200bce.eth" },
    { why: "a zero-width joiner between letters", name: "ali\u200dce.eth" },
    {
      why: "a zero-width joiner in an emoji, which publishing would remove",
      name: "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}.eth",
    },
    { why: "a variation selector", name: "1\ufe0f\u20e3.eth" },
    { why: "a right-to-left override", name: "\u202eecila.eth" },
    { why: "a left-to-right mark", name: "alice\u200e.eth" },
    { why: "a bidi isolate", name: "\u2067alice\u2069.eth" },
    { why: "a Cyrillic letter among Latin ones", name: "\u0430lice.eth" },
    { why: "a hash that stands for a label", name: `[${"af".repeat(32)}].eth` },
    { why: "punycode", name: "xn--ls8h.eth" },
    { why: "an empty label", name: "alice..eth" },
    { why: "a dot at the end", name: "alice.eth." },
    { why: "a space", name: "ali ce.eth" },
    { why: "a line break", name: "alice.eth\n" },
    { why: "the character for broken text", name: "\ufffd.eth" },
    { why: "a control character", name: "ali\u0000ce.eth" },
    { why: "markup", name: "<script>.eth" },
    { why: "nothing", name: "" },
    { why: "more code points than are published", name: `${"a".repeat(97)}.eth` },
  ])("drops $why, even though it leads back", async ({ name }) => {
    const ens = fakeEns();
    ens.reverse(ALICE, textAnswer(name));
    // What a careless resolver would ask for: the name as claimed. Unhashable names are left out.
    ens.forward(name, addressAnswer(ALICE));
    expect(await nameOfAlice(ens)).toBeUndefined();
  });

  it("takes a name of exactly 100 code points and not of 101", async () => {
    const longest = `${"a".repeat(96)}.eth`;
    expect(await nameOfAlice(agreeing(longest))).toBe(longest);
    expect(await nameOfAlice(agreeing(`a${longest}`))).toBeUndefined();
  });

  it("compares addresses whatever the spelling of the answer", async () => {
    const ens = fakeEns();
    ens.reverse(ALICE, textAnswer("alice.eth"));
    ens.forward("alice.eth", { answer: `0x${word(ALICE.slice(2)).toUpperCase()}` });
    expect(await nameOfAlice(ens)).toBe("alice.eth");
  });

  it.each<{ why: string; forward: Said | undefined }>([
    { why: "leads to somebody else", forward: addressAnswer(MALLORY) },
    { why: "leads to nobody", forward: addressAnswer(`0x${"0".repeat(40)}`) },
    { why: "has no resolver", forward: undefined },
    { why: "has a resolver that wants us to fetch an address (CCIP-Read)", forward: OFFCHAIN_LOOKUP },
    { why: "has a resolver that reverts with a reason", forward: { revert: "0x08c379a0" } },
    { why: "has a resolver that reverts without one", forward: { revert: "0x" } },
    { why: "has a resolver that is no contract", forward: { answer: "0x" } },
    {
      why: "gets an address with dirt before it",
      forward: { answer: `0x${"f".repeat(24)}${ALICE.slice(2)}` },
    },
    { why: "gets half a word", forward: { answer: `0x${ALICE.slice(2)}` } },
    { why: "gets two words", forward: { answer: `0x${word(ALICE.slice(2))}${word("0")}` } },
    { why: "gets no hex", forward: { answer: "0xzz" } },
  ])("drops a name that $why", async ({ forward }) => {
    const ens = fakeEns();
    ens.reverse(ALICE, textAnswer("alice.eth"));
    if (forward !== undefined) ens.forward("alice.eth", forward);
    expect(await nameOfAlice(ens)).toBeUndefined();
  });

  it.each<{ why: string; reverse: Said | undefined }>([
    { why: "no reverse record", reverse: undefined },
    { why: "an empty one", reverse: textAnswer("") },
    { why: "one behind CCIP-Read", reverse: OFFCHAIN_LOOKUP },
    { why: "a resolver that reverts", reverse: { revert: "0x" } },
    { why: "a resolver that is no contract", reverse: { answer: "0x" } },
    { why: "an odd number of digits", reverse: { answer: "0x1" } },
    { why: "one word", reverse: { answer: `0x${word("20")}` } },
    {
      why: "an offset that leads elsewhere",
      reverse: { answer: `0x${word("40")}${word("9")}${ALICE_ETH}` },
    },
    { why: "a length past the end", reverse: { answer: `0x${word("20")}${word("21")}${"61".repeat(32)}` } },
    {
      why: "a length beyond all numbers",
      reverse: { answer: `0x${word("20")}${"f".repeat(63)}9${ALICE_ETH}` },
    },
    { why: "bytes that are no UTF-8", reverse: textAnswer(Uint8Array.of(0xff, 0x2e, 0x65, 0x74, 0x68)) },
    { why: "a byte order mark before the name", reverse: textAnswer("\ufeffalice.eth") },
    { why: "256 bytes", reverse: textAnswer(`${"a".repeat(252)}.eth`) },
  ])("gives nothing for $why", async ({ reverse }) => {
    const ens = fakeEns();
    ens.forward("alice.eth", addressAnswer(ALICE));
    if (reverse !== undefined) ens.reverse(ALICE, reverse);
    expect(await nameOfAlice(ens)).toBeUndefined();
  });

  it("asks nobody beyond registry and resolver, and nothing of a name it drops", async () => {
    const ens = fakeEns();
    ens.reverse(ALICE, textAnswer("Alice.eth"));
    await nameOfAlice(ens);
    expect(ens.asked()).toHaveLength(2);
    const whole = agreeing("alice.eth");
    await nameOfAlice(whole);
    expect(whole.asked()).toHaveLength(4);
  });

  it("asks for all of them in four rounds, and each gets what is its own", async () => {
    const ens = fakeEns();
    const addresses = Array.from({ length: 9 }, (_, index) => `0x${String(index + 1).repeat(40)}`);
    const want = addresses.map((address, index) => {
      if (index % 3 === 0) return [address, undefined];
      const name = `voter-${index}.eth`;
      ens.reverse(address, textAnswer(name));
      // Every third leads to its neighbour.
      ens.forward(name, addressAnswer(index % 3 === 1 ? address : (addresses[index - 1] ?? "")));
      return [address, index % 3 === 1 ? name : undefined];
    });
    expect([...(await keptOf(ens, addresses))]).toEqual(want);
    expect(ens.rounds.map((round) => round.length)).toEqual([9, 6, 6, 6]);
  });

  it.each<{ why: string; breaks: (ens: ReturnType<typeof fakeEns>) => void }>([
    {
      why: "the registry, of the address",
      breaks: (ens) => ens.registry(`${ALICE.slice(2)}.addr.reverse`, { fault: true }),
    },
    { why: "the resolver of the address", breaks: (ens) => ens.reverse(ALICE, { fault: true }) },
    { why: "the registry, of the name", breaks: (ens) => ens.registry("alice.eth", { fault: true }) },
    { why: "the resolver of the name", breaks: (ens) => ens.forward("alice.eth", { fault: true }) },
  ])("keeps nothing where asking fails: $why", async ({ breaks }) => {
    const ens = agreeing("alice.eth");
    ens.reverse(MALLORY, textAnswer("mallory.eth"));
    ens.forward("mallory.eth", addressAnswer(MALLORY));
    breaks(ens);
    expect([...(await keptOf(ens, [ALICE, MALLORY]))]).toEqual([[MALLORY, "mallory.eth"]]);
  });

  it("calls the functions by the hashes of their signatures, on the node of the name", async () => {
    const ens = agreeing("alice.eth");
    await nameOfAlice(ens);
    const reverseNode = namehash(`${ALICE.slice(2)}.addr.reverse`).slice(2);
    const forwardNode = namehash("alice.eth").slice(2);
    expect(ens.asked().map(({ data }) => data)).toEqual([
      getSelector("function resolver(bytes32 node)") + reverseNode,
      getSelector("function name(bytes32 node)") + reverseNode,
      getSelector("function resolver(bytes32 node)") + forwardNode,
      getSelector("function addr(bytes32 node)") + forwardNode,
    ]);
  });
});

describe("keepNames", () => {
  const addressOf = (number: number) => `0x${number.toString(16).padStart(40, "0")}`;

  it.each([
    { why: "one group", count: 400, rounds: [400] },
    { why: "one more than a group", count: 401, rounds: [400, 1] },
  ])("asks in groups: $why", async ({ count, rounds }) => {
    const ens = fakeEns();
    const addresses = Array.from({ length: count }, (_, index) => addressOf(index + 1));
    const kept: unknown[] = [];
    const asked = await keepNames(
      ens.reader,
      addresses,
      (...all) => void kept.push(all),
      () => {},
    );
    // Nobody has a reverse record: the second round of a group has no questions.
    expect(ens.rounds.map((round) => round.length).filter((length) => length > 0)).toEqual(rounds);
    expect(asked).toEqual({ found: 0, without: count, failed: 0, trouble: undefined });
    expect(kept).toEqual(addresses.map((address) => [address, undefined]));
  });

  it("counts a refusal as no name, and a fault as failed", async () => {
    const ens = agreeing("alice.eth");
    ens.reverse(ALICE, { revert: "0x556f1830" });
    ens.reverse(MALLORY, { fault: true });
    const asked = await keepNames(
      ens.reader,
      [ALICE, MALLORY],
      () => {},
      () => {},
    );
    expect(asked).toMatchObject({ found: 0, without: 1, failed: 1 });
  });

  it.each([new Error("x"), new TypeError("x")])("never throws: a reader that throws %s", async (error) => {
    const reader = { read: () => Promise.reject(error), isAway: () => false, trouble: () => undefined };
    const asked = keepNames(
      reader,
      [ALICE],
      () => {},
      () => {},
    );
    expect(await asked).toEqual({ found: 0, without: 0, failed: 1, trouble: undefined });
  });

  it("says that some names could not be stored", async () => {
    const broken = () => {
      throw new Error("disk I/O error");
    };
    const asked = await keepNames(agreeing("alice.eth").reader, [ALICE], broken, () => {});
    expect(asked).toEqual({
      found: 0,
      without: 0,
      failed: 1,
      trouble: "some names could not be stored",
    });
  });

  it("never throws and never names an address that a name does not lead back to, whatever a node answers", async () => {
    const text = anyText();
    const hex = fc.uint8Array({ maxLength: 200 }).map((bytes) => `0x${Buffer.from(bytes).toString("hex")}`);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(text, hex), { minLength: 1, maxLength: 4 }), async (answers) => {
        let next = 0;
        const say = () => answers[next++ % answers.length] as `0x${string}`;
        const reader: ContractReader = {
          read: async (reads) => reads.map(() => ({ data: say() })),
          isAway: () => false,
          trouble: () => undefined,
        };
        expect([...(await keptOf({ reader }))]).toEqual([[ALICE, undefined]]);
      }),
    );
  });
});
