import fc from "fast-check";
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
    ["a plain name", "alice.eth"],
    ["a subname with a resolver of its own", "voter.alice.eth"],
    ["digits, a dash, an underscore at the start", "_x-1.eth"],
    ["letters beyond ASCII, in NFC", "b\u00fccher.eth"],
    ["one whole script", "\u043f\u0440\u0438\u0432\u0435\u0442.eth"],
    ["an emoji", "\u{1f984}.eth"],
    ["a name under another root", "alice.xyz"],
    ["as many code points as are published", `${"a".repeat(96)}.eth`],
    ["255 bytes, the most that DNS allows", `${"\u{1f984}".repeat(62)}abc.eth`],
  ])("gives %s that leads back", async (_why, name) => {
    expect(await nameOfAlice(agreeing(name))).toBe(name);
  });

  it.each([
    ["capitals, that normalise to a name of others", "Alice.eth"],
    ["letters that are not in NFC", "bu\u0308cher.eth"],
    ["a zero-width space, which normalising removes", "ali\u200bce.eth"],
    ["a zero-width joiner between letters", "ali\u200dce.eth"],
    ["joiners in an emoji, which publishing would remove", "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}.eth"],
    ["a variation selector", "1\ufe0f\u20e3.eth"],
    ["a right-to-left override", "\u202eecila.eth"],
    ["a left-to-right mark", "alice\u200e.eth"],
    ["a bidi isolate", "\u2067alice\u2069.eth"],
    ["a Cyrillic letter among Latin ones", "\u0430lice.eth"],
    ["a hash that stands for a label", `[${"af".repeat(32)}].eth`],
    ["punycode", "xn--ls8h.eth"],
    ["an empty label", "alice..eth"],
    ["a dot at the end", "alice.eth."],
    ["a space", "ali ce.eth"],
    ["a line break", "alice.eth\n"],
    ["the character for broken text", "\ufffd.eth"],
    ["a control character", "ali\u0000ce.eth"],
    ["markup", "<script>.eth"],
    ["nothing", ""],
    ["a code point more than is published", `${"a".repeat(97)}.eth`],
    ["256 bytes", `${"\u{1f984}".repeat(63)}.eth`],
  ])("drops %s, even though it leads back", async (_why, name) => {
    expect(await nameOfAlice(agreeing(name))).toBeUndefined();
  });

  it("compares addresses whatever the spelling of the answer", async () => {
    const ens = fakeEns();
    ens.reverse(ALICE, textAnswer("alice.eth"));
    ens.forward("alice.eth", { answer: `0x${word(ALICE.slice(2)).toUpperCase()}` });
    expect(await nameOfAlice(ens)).toBe("alice.eth");
  });

  it.each<readonly [why: string, forward: Said | undefined]>([
    ["leads to somebody else", addressAnswer(MALLORY)],
    ["leads to nobody", addressAnswer(`0x${"0".repeat(40)}`)],
    ["has no resolver", undefined],
    ["has a resolver that wants us to fetch an address (CCIP-Read)", OFFCHAIN_LOOKUP],
    ["has a resolver that is no contract", { answer: "0x" }],
    ["gets an address with dirt before it", { answer: `0x${"f".repeat(24)}${ALICE.slice(2)}` }],
    ["gets half a word", { answer: `0x${ALICE.slice(2)}` }],
    ["gets two words", { answer: `0x${word(ALICE.slice(2))}${word("0")}` }],
    ["gets no hex", { answer: "0xzz" }],
  ])("drops a name that %s", async (_why, forward) => {
    const ens = fakeEns();
    ens.reverse(ALICE, textAnswer("alice.eth"));
    if (forward !== undefined) ens.forward("alice.eth", forward);
    expect(await nameOfAlice(ens)).toBeUndefined();
  });

  it.each<readonly [why: string, reverse: Said | undefined]>([
    ["no reverse record", undefined],
    ["an empty one", textAnswer("")],
    ["one behind CCIP-Read", OFFCHAIN_LOOKUP],
    ["a resolver that is no contract", { answer: "0x" }],
    ["an odd number of digits", { answer: "0x1" }],
    ["one word", { answer: `0x${word("20")}` }],
    ["an offset that leads elsewhere", { answer: `0x${word("40")}${word("9")}${ALICE_ETH}` }],
    ["a length past the end", { answer: `0x${word("20")}${word("21")}${"61".repeat(32)}` }],
    ["a length beyond all numbers", { answer: `0x${word("20")}${"f".repeat(63)}9${ALICE_ETH}` }],
    ["bytes that are no UTF-8", textAnswer(Uint8Array.of(0xff, 0x2e, 0x65, 0x74, 0x68))],
    ["a byte order mark before the name", textAnswer("\ufeffalice.eth")],
  ])("gives nothing for %s", async (_why, reverse) => {
    const ens = fakeEns();
    ens.forward("alice.eth", addressAnswer(ALICE));
    if (reverse !== undefined) ens.reverse(ALICE, reverse);
    expect(await nameOfAlice(ens)).toBeUndefined();
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

  it.each<readonly [why: string, breaks: (ens: ReturnType<typeof fakeEns>) => void]>([
    [
      "the registry, of the address",
      (ens) => ens.registry(`${ALICE.slice(2)}.addr.reverse`, { fault: true }),
    ],
    ["the resolver of the address", (ens) => ens.reverse(ALICE, { fault: true })],
    ["the registry, of the name", (ens) => ens.registry("alice.eth", { fault: true })],
    ["the resolver of the name", (ens) => ens.forward("alice.eth", { fault: true })],
  ])("keeps nothing where asking fails: %s", async (_why, breaks) => {
    const ens = agreeing("alice.eth");
    ens.reverse(MALLORY, textAnswer("mallory.eth"));
    ens.forward("mallory.eth", addressAnswer(MALLORY));
    breaks(ens);
    expect([...(await keptOf(ens, [ALICE, MALLORY]))]).toEqual([[MALLORY, "mallory.eth"]]);
  });
});

describe("keepNames", () => {
  const addressOf = (number: number) => `0x${number.toString(16).padStart(40, "0")}`;
  const ask = (
    reader: ContractReader,
    addresses: readonly string[],
    keep: Parameters<typeof keepNames>[2] = () => {},
  ) => keepNames(reader, addresses, keep, () => {});

  it.each([
    ["one group", 400, [400]],
    ["one more than a group", 401, [400, 1]],
  ])("asks in groups: %s", async (_why, count, rounds) => {
    const ens = fakeEns();
    const addresses = Array.from({ length: count }, (_, index) => addressOf(index + 1));
    const kept: unknown[] = [];
    const asked = await ask(ens.reader, addresses, (...all) => void kept.push(all));
    // Nobody has a reverse record: the second round of a group has no questions.
    expect(ens.rounds.map((round) => round.length).filter((length) => length > 0)).toEqual(rounds);
    expect(asked).toEqual({ found: 0, without: count, failed: 0, trouble: undefined });
    expect(kept).toEqual(addresses.map((address) => [address, undefined]));
  });

  it("counts a refusal as no name, and a fault as failed", async () => {
    const ens = agreeing("alice.eth");
    ens.reverse(ALICE, { revert: "0x556f1830" });
    ens.reverse(MALLORY, { fault: true });
    const counts = { found: 0, without: 1, failed: 1 };
    expect(await ask(ens.reader, [ALICE, MALLORY])).toMatchObject(counts);
  });

  it("counts as failed what a reader throws at, and what could not be stored, which it says", async () => {
    const failed = { found: 0, without: 0, failed: 1 };
    const read = () => Promise.reject(new TypeError("x"));
    const reader = { read, isAway: () => false, trouble: () => undefined };
    expect(await ask(reader, [ALICE])).toEqual({ ...failed, trouble: undefined });
    const broken = () => {
      throw new Error("disk I/O error");
    };
    const trouble = "some names could not be stored";
    expect(await ask(agreeing("alice.eth").reader, [ALICE], broken)).toEqual({ ...failed, trouble });
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
