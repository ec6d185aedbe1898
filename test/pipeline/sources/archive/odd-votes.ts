import fc from "fast-check";
import { anyText } from "../../../support/any-text.ts";

/** One time in so many; otherwise nothing. */
const nowAndThen = <Value>(times: number, arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> =>
  fc.oneof({ weight: times - 1, arbitrary: fc.constant(null) }, { weight: 1, arbitrary });

/** One of the words of a text. */
const wordOf = (words: string) => fc.constantFrom(...words.split(" "));

/** Raw JSON, and what is nearly JSON, of numbers that a vote may hold. */
const numberText = fc.oneof(
  fc.nat(5).map(String),
  fc.double({ min: 0, noNaN: true }).map((value) => JSON.stringify(value)),
  fc.double({ min: 0, max: 1e7, noNaN: true }).map((value) => JSON.stringify(value)),
  fc
    .tuple(fc.bigInt({ min: 0n, max: 10n ** 24n }), fc.stringMatching(/^(\.\d{1,24})?([eE][+-]?\d{1,3})?$/))
    .map(([whole, rest]) => `${whole}${rest}`),
  wordOf("-0 0.0 1e309 1E-400 01 1. .5 +1 -5 NaN 1e 1e+ 0x10 00 1.e5"),
);

const secondsText = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 1_649_999_990, max: 1_650_100_010 }).map(String) },
  wordOf("0 1420070399 1420070400 4102444799 4102444800 1650000000.0 1650000000.5 1.65e9"),
  numberText,
);

const hex = (digits: number) => fc.stringMatching(new RegExp(`^0x[0-9a-fA-F]{${digits}}$`));
/** Few addresses, so that some vote twice; most of them spelled in both cases. */
const voterText = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom("ab", "AB", "0f", "12").map((pair) => JSON.stringify(`0x${pair.repeat(20)}`)),
  },
  fc.constantFrom("ab", "Ab").map((pair) => JSON.stringify(`0x${pair.repeat(32)}`)),
  hex(40).map((text) => JSON.stringify(text)),
  fc.constantFrom('"0x12"', '"vitalik.eth"', "5", "null", `"0X${"ab".repeat(20)}"`, `"0x${"ag".repeat(20)}"`),
  fc.constant(`"0x${"ab".repeat(19)}\\u0061b"`),
);

const idText = fc.oneof(
  hex(64).map((text) => JSON.stringify(text.toLowerCase())),
  hex(64).map((text) => JSON.stringify(text)),
  fc.constantFrom(`"0x${"0".repeat(64)}"`, `"0x${"f".repeat(64)}"`, `"${"a".repeat(128)}"`, '"a b"'),
  wordOf(`"Qm1" "a.b:c_d-e" "_a" null "" 7 "${"a".repeat(129)}" "a\\u0062" "é"`),
);

const choiceText = fc.oneof(
  { weight: 4, arbitrary: fc.nat(4).map(String) },
  numberText,
  fc.array(fc.nat(4), { maxLength: 4 }).map((value) => JSON.stringify(value)),
  fc.dictionary(fc.constantFrom("1", "2", "3", "x"), fc.nat(3)).map((value) => JSON.stringify(value)),
  fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value)),
  fc.constantFrom('{"1": 0.5, "2" :0.5}', "[ 1 , 2 ]"),
  wordOf('{"1":1,} [1,] [01] {"1":1,"1":2} {"__proto__":1} "0xsealed" null true {"a]":1}'),
  wordOf('[1} {1] [[1]] ["\\u0031"] {"1":"}"}'),
);

const textText = fc.oneof(
  anyText({ maxLength: 12 }).map((value) => JSON.stringify(value)),
  fc.constantFrom(
    '" "',
    '"\\n\\t"',
    '"\\u00a0"',
    '"\u00a0"',
    '"\ufeff"',
    '"\\u2028 x"',
    '"tab\t"',
    '"\u0000"',
  ),
  wordOf('"" "because" null 1 "\\x" "\\u12" "\\u12G4" "\\ "\\ud800" "a\\"b" "\\\\" "\u007f"'),
);

const proposalText = fc.oneof(
  { weight: 5, arbitrary: wordOf('"0xp1" "0xp2" {"id":"0xp1"} {"id":"0xweights"}') },
  fc.constant('{ "id" : "0xp2" }'),
  wordOf('"0xnone" "__proto__" null {} {"id":"0xp1","x":1} {"id":"0xp1","id":"0xp2"}'),
  wordOf('"0x\\u00701" {"id":5} {"id":"0xp1" ["0xp1"] "" "0xp1é"'),
);

/** What a field may hold, and what it mostly does: a row with two odd fields tells of neither. */
const FIELDS: Readonly<
  Record<string, { readonly usual: fc.Arbitrary<string>; readonly odd: fc.Arbitrary<string> }>
> = {
  id: {
    usual: fc.constantFrom(...[1, 8, 15].map((digit) => `"0x${digit.toString(16).repeat(64)}"`)),
    odd: idText,
  },
  voter: {
    usual: fc.constantFrom("ab", "AB", "0f", "12").map((pair) => `"0x${pair.repeat(20)}"`),
    odd: voterText,
  },
  created: { usual: fc.constantFrom("1650000000", "1650000001", "1650100001"), odd: secondsText },
  choice: { usual: fc.constantFrom("1", "2", "9", "[1]", '{"1":1}'), odd: choiceText },
  vp: { usual: fc.constantFrom("0", "5", "1561.074266678488", "381.40619467738725"), odd: numberText },
  vp_state: {
    usual: fc.constantFrom('"final"', '"pending"'),
    odd: fc.constantFrom('"final "', "null", '"f\\u0069nal"', '"é"', "1", '"fin', '"a\tb"'),
  },
  reason: { usual: fc.constantFrom('""', '"because"', '" "'), odd: textText },
  proposal: { usual: fc.constantFrom('"0xp1"', '{"id":"0xp1"}', '"0xweights"'), odd: proposalText },
};
const strange: fc.Arbitrary<readonly [string, fc.Arbitrary<string>]> = fc.constantFrom(
  ["created_date", fc.constant('"2022-04-15"')],
  ["__proto__", fc.constantFrom('{"voter":"0x1"}', "null")],
  ["ipfs", textText],
  ["vp_by_strategy", choiceText],
  ["v\\u0070", numberText],
  ["", numberText],
  ["vot", voterText],
  ["reason", textText],
  ["choice", choiceText],
  ["vp", numberText],
);

const space = fc.constantFrom(" ", "\t", "\r", "  ", "\u00a0", "\v", "\f", "\0");

/**
 * The text of one row: the hub's keys in any order, now and then one of them missing, one of them odd, one that is not the
 * hub's or comes twice, and one stretch of white space, of JSON's or not.
 */
const rowText = fc
  .record({
    keys: fc.shuffledSubarray(Object.keys(FIELDS), { minLength: 7 }),
    odd: fc.option(fc.constantFrom(...Object.keys(FIELDS)), { freq: 3 }),
    other: nowAndThen(6, strange),
    gap: nowAndThen(4, fc.tuple(space, fc.nat(40))),
  })
  .chain(({ keys, odd, other, gap }) => {
    const pairs = keys.flatMap((key) => {
      const field = FIELDS[key];
      return field === undefined ? [] : [[key, key === odd ? field.odd : field.usual] as const];
    });
    const all = other === null ? pairs : [...pairs, other];
    const members = all.map(([key, value]) => value.map((text) => [`"${key}"`, ":", text, ","]));
    return fc.tuple(...members).map((parts) => {
      const pieces = ["{", ...parts.flat().slice(0, -1), "}"];
      if (gap !== null) pieces.splice(gap[1] % (pieces.length + 1), 0, gap[0]);
      return pieces.join("");
    });
  });

/** Where a byte is changed, and how. */
interface Damage {
  readonly kind: string;
  readonly share: number;
  readonly byte: number;
}
const damage: fc.Arbitrary<Damage> = fc.record({
  kind: fc.constantFrom("replace", "insert", "remove", "cut", "append"),
  share: fc.double({ min: 0, max: 1, noNaN: true }),
  byte: fc.oneof(fc.constantFrom(0x22, 0x5c, 0x2c, 0x7d, 0x80, 0xff, 0x00, 0x30), fc.nat(255)),
});

function damaged(text: string, change: Damage | null): Uint8Array {
  const bytes = [...Buffer.from(text)];
  if (change === null) return Uint8Array.from(bytes);
  const offset = Math.floor(change.share * bytes.length);
  if (change.kind === "cut") bytes.length = offset;
  else if (change.kind === "append") bytes.push(change.byte);
  else if (change.kind === "insert") bytes.splice(offset, 0, change.byte);
  else if (change.kind === "remove") bytes.splice(offset, 1);
  else bytes.splice(offset, 1, change.byte);
  return Uint8Array.from(bytes, (byte) => (byte === 10 ? 11 : byte));
}
/** The bytes of a line of a file of votes, right or wrong; without a line feed. */
export const oddVoteLine: fc.Arbitrary<Uint8Array> = fc
  .tuple(rowText, nowAndThen(4, damage))
  .map(([text, change]) => damaged(text, change));

/** A line of which every field is one that a hub gives. */
export const plainVoteLine: fc.Arbitrary<Uint8Array> = fc
  .record({
    id: hex(64),
    voter: hex(40),
    created: fc.integer({ min: 1_650_000_000, max: 1_650_100_000 }),
    choice: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.constantFrom([1, 2], { "1": 1 })),
    vp: fc.double({ min: 0, max: 1e9, noNaN: true }),
    vp_state: fc.constantFrom("final", "pending"),
    reason: fc.constantFrom("", "because", "déjà vu", 'a "quote"\n'),
    proposal: fc.constantFrom("0xp1", { id: "0xp2" }),
  })
  .map((row) => Buffer.from(JSON.stringify(row).replace(":-0,", ":0,")));
