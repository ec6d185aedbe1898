import { isUtf8 } from "node:buffer";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Proposal } from "../../../../pipeline/facts/proposal.ts";
import { collectVotes } from "../../../../pipeline/sources/archive/collect-votes.ts";
import { parseJson } from "../../../../pipeline/sources/archive/read-document.ts";
import { scanNumber } from "../../../../pipeline/sources/archive/scan-json.ts";
import { isRowFailure, rowFailure } from "../../../../pipeline/sources/upstream/row-error.ts";
import { addressAt, sampleProposal } from "../../facts/sample-votes.ts";
import { oddVoteLine, plainVoteLine } from "./odd-votes.ts";
import { fetchFrom, many, ndjson, proposalRow, SPACE, voteRow } from "./small-archive.ts";

const PROPOSALS: ReadonlyMap<string, Proposal> = new Map(
  [
    sampleProposal({ proposalId: "0xp1" }),
    sampleProposal({ proposalId: "0xp12" }),
    sampleProposal({ proposalId: "0xp2", votingType: "approval" }),
    sampleProposal({ proposalId: "0xweights", votingType: "weighted" }),
  ].map((proposal) => [proposal.proposalId, proposal]),
);

/** A line as it stands in a file: its line feed after it, another line after that. */
const inFile = (line: Uint8Array): Buffer =>
  Buffer.concat([line, Buffer.from("\n"), line, Buffer.alloc(128, '"}')]);

/** Takes lines as a file would be taken; `isScanned` false: all of them the plain way. */
function taken(lines: readonly Uint8Array[], isScanned: boolean) {
  const { take, scan, voters, finished } = collectVotes(PROPOSALS);
  const rejected: (readonly [line: number, code: string, message: string])[] = [];
  let scanned = 0;
  for (const [index, bytes] of lines.entries()) {
    const line = index + 1;
    const next = isScanned ? scan(inFile(bytes), 0, bytes.length + 1, line) : -1;
    if (next !== -1) {
      expect(next).toBe(bytes.length + 1);
      scanned += 1;
      continue;
    }
    try {
      if (!isUtf8(bytes)) throw rowFailure("BAD_JSON", "it is not UTF-8");
      take(parseJson(Buffer.from(bytes).toString()), line);
    } catch (error) {
      if (!isRowFailure(error)) throw error;
      rejected.push([line, error.code, error.message]);
    }
  }
  const list = voters();
  const addresses = Array.from({ length: list.count }, (_, index) => addressAt(list, index));
  return { facts: { ballots: [...finished()], rejected, addresses }, scanned };
}

describe("votes from bytes", () => {
  it("are the votes, the voters and the rejections of the plain way, whatever stands in the lines", () => {
    fc.assert(
      fc.property(fc.array(oddVoteLine, { maxLength: 12 }), (lines) => {
        expect(taken(lines, true).facts).toEqual(taken(lines, false).facts);
      }),
      { numRuns: 200 },
    );
  });

  it("are taken so from any line that a hub gives, with the same facts", () => {
    fc.assert(
      fc.property(fc.array(plainVoteLine, { maxLength: 12 }), (lines) => {
        const { facts, scanned } = taken(lines, true);
        expect(scanned).toBe(lines.length);
        expect(facts).toEqual(taken(lines, false).facts);
      }),
      { numRuns: 75 },
    );
  });

  const voter = `0x${"ab".repeat(20)}`;
  const row = (members: string) => Buffer.from(`{"proposal":"0xp1","voter":"${voter}",${members}}`);
  it.each<readonly [isScanned: boolean, why: string, line: Buffer]>([
    [true, "the least there may be", row('"choice":1')],
    [true, "spaces where JSON has them", row(' "choice" : 1 ')],
    [
      true,
      "spaces after colons and commas, as Python writes them",
      Buffer.from(`{"id": "a", "voter": "${voter}", "choice": 1, "proposal": {"id": "0xp1"}}`),
    ],
    [true, "a Windows line end", Buffer.concat([row('"choice":1'), Buffer.from("\r")])],
    [true, "escapes in a reason", row('"choice":1,"reason":"a\\n\\u00e9"')],
    [false, "a reason that may be white space", row('"choice":1,"reason":"\\n"')],
    [false, "an escape that is none", row('"choice":1,"reason":"a\\u12G4"')],
    [false, "an escape in an id", row('"choice":1,"id":"\\u0061"')],
    [false, "a key that is not the hub's", row('"choice":1,"app":"x"')],
    [false, "a key twice", row('"choice":1,"choice":1')],
    [false, "no choice", row('"vp":1')],
    [false, "a sealed choice", row('"choice":"0x00"')],
    [false, "a list within a list", row('"choice":[[1]]')],
    [false, "a tab in a reason", row('"choice":1,"reason":"a\tb"')],
    [false, "a tab in a state", row('"choice":1,"vp_state":"a\tb"')],
    [false, "no infinite power", row('"choice":1,"vp":1e309')],
    [false, "a vertical tab between", row('\v"choice":1')],
    [false, "something after the object", Buffer.from(`${row('"choice":1')}1`)],
    [true, "a choice of 4,096 bytes", row(`"choice":[${"1,".repeat(2_046)}11]`)],
    [false, "a choice of one more", row(`"choice":[${"1,".repeat(2_046)}111]`)],
    [false, "a row of 64 KiB and more", row(`"choice":1,"reason":"${"x".repeat(65_536)}"`)],
    [
      false,
      "bytes that are not UTF-8",
      Buffer.from(row('"choice":1,"reason":"a\xff"').toString("utf8"), "latin1"),
    ],
  ])("from bytes %s: %s", (isScanned, _why, line) => {
    const result = taken([line], true);
    expect(result.scanned).toBe(isScanned ? 1 : 0);
    expect(result.facts).toEqual(taken([line], false).facts);
  });

  it("are those of the plain way when any byte of a row in the hub's order is another", () => {
    const members = `"created":1650000000,"choice":1,"vp":1.5,"vp_state":"final","reason":"a"`;
    const whole = `{"id":"0x${"c".repeat(64)}","voter":"${voter}",${members},"proposal":{"id":"0xp1"}}`;
    expect(taken([Buffer.from(whole)], true).scanned).toBe(1);
    for (const [offset, other] of [...whole].flatMap((_, index) =>
      ["x", " ", "2"].map((to) => [index, to] as const),
    )) {
      const line = Buffer.from(`${whole.slice(0, offset)}${other}${whole.slice(offset + 1)}`);
      expect(taken([line], true).facts, line.toString()).toEqual(taken([line], false).facts);
    }
  });

  it("leave a line whose end is not there yet", () => {
    const { scan } = collectVotes(PROPOSALS);
    const line = row('"choice":1');
    expect(scan(Buffer.concat([line, Buffer.from("\n"), Buffer.alloc(128)]), 0, line.length, 1)).toBe(-1);
  });

  it("tell a proposal from one whose id goes on", () => {
    const ids = ["0xp1", "0xp12", "0xp1", "0xp2", "0xp12"];
    const lines = ids.map((id) => Buffer.from(`{"proposal":"${id}","voter":"${voter}","choice":1}`));
    const { facts, scanned } = taken(lines, true);
    expect(scanned).toBe(5);
    expect(facts).toEqual(taken(lines, false).facts);
  });

  it("open no ballot for a vote that is not taken", () => {
    const { facts } = taken(
      [row('"choice":{"1":1,}'), Buffer.from(row('"choice":1').toString().replace("p1", "p2"))],
      true,
    );
    expect(facts.ballots.map(({ ballot }) => ballot.proposalId)).toEqual(["0xp2"]);
    expect(facts.rejected.map(([line, code]) => [line, code])).toEqual([[1, "BAD_JSON"]]);
  });

  it("tell a voter's last vote by its id as the plain way does, whatever form the ids have", () => {
    const ids = [
      null,
      `0x${"0".repeat(64)}`,
      `0x${"f".repeat(64)}`,
      `0x${"F".repeat(64)}`,
      "Qm1",
      `0x8${"0".repeat(63)}`,
    ];
    for (const [a, b] of ids.flatMap((one) =>
      ids.map((other) => [JSON.stringify(one), JSON.stringify(other)] as const),
    )) {
      const lines = [row(`"choice":1,"id":${a}`), row(`"choice":2,"id":${b}`)];
      expect(taken(lines, true)).toMatchObject({ scanned: 2, facts: taken(lines, false).facts });
    }
  });

  it("stand across the chunks in which a file is read", async () => {
    const votes = many(9_000, (n) =>
      voteRow(n, { id: `0x${n.toString(16).padStart(64, "0")}`, reason: n % 50 === 0 ? "\u00a0" : "é" }),
    );
    const sink = await fetchFrom({
      [`proposals/${SPACE}.ndjson`]: [proposalRow(1)],
      [`votes/${SPACE}.ndjson`]: ndjson(votes),
    });
    expect(sink.rejections).toEqual([]);
    expect(Array.from(sink.ballots[0]?.powers ?? [])).toEqual(votes.map(({ vp }) => vp));
  });
});

/** The number that begins a text, and what was left of the text. */
function scanned(text: string): { readonly number: number; readonly rest: string } | undefined {
  const into = { number: -1 };
  const end = scanNumber(Buffer.from(`${text}\n`), 0, into);
  return end === -1 ? undefined : { number: into.number, rest: text.slice(end) };
}

describe("scanNumber", () => {
  const WHOLE = "0 7 9007199254740991 9007199254740992 9007199254740993";
  const LONG = "123456789012345678901 1234567890123456789012 12345678901234567890123 17976931348623157";
  const PARTS = "0.0 0.1 1561.074266678488 381.40619467738727 900719925474099.1 0.30000000000000004";
  // The sum of both parts, each rounded, is the double above or below.
  const BETWEEN = "28.8049525169956606 14.3197920575568718 9007199254740993.0000000000000000000001";
  const EXPONENTS = "0.00000000000000000000001 1e21 1E-7 2.5e+3 5e-324 1e-400 1e309";
  it.each([
    ...[WHOLE, LONG, PARTS, BETWEEN, EXPONENTS].flatMap((texts) => texts.split(" ")),
    "1".repeat(400),
    `0.${"0".repeat(30)}1`,
  ])("reads %s as JSON.parse does", (text) => {
    expect(scanned(text)).toEqual({ number: JSON.parse(text), rest: "" });
  });

  it.each(["", "-1", "+1", ".5", "1.", "1.e5", "01", "00", "1e", "1e+", "NaN", "x"])(
    "reads no number in %j",
    (text) => {
      expect(scanned(text)).toBeUndefined();
    },
  );

  it.each(["1|,2", "1.5|.5", "1|-2", "1e5|e5", "0|x10"])("ends before what is no part of it: %s", (text) => {
    expect(scanned(text.replace("|", ""))?.rest).toBe(text.split("|")[1]);
  });

  it("reads any double back, in the shortest form and in others", () => {
    const double = fc.oneof(
      fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }),
      fc.double({ min: 0, max: 1e9, noNaN: true }),
      fc.double({ min: 1e13, max: 1e18, noNaN: true }),
    );
    fc.assert(
      fc.property(double, fc.integer({ min: 1, max: 25 }), (value, digits) => {
        for (const text of [JSON.stringify(value), value.toPrecision(digits), value.toFixed(digits % 20)]) {
          expect(scanned(text)).toEqual({ number: Number(text), rest: "" });
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it("rounds as JSON.parse does next to the middle between two doubles", () => {
    const far = fc.record({
      double: fc.double({ min: 2 ** 40, max: 2 ** 62, noNaN: true }),
      nudge: fc.constantFrom("", "0000001", "9"),
    });
    fc.assert(
      fc.property(far, ({ double, nudge }) => {
        // The middle has one more binary digit: a whole number and a fraction of at most 13 bits, which ends.
        const ulp = 2 ** (Math.floor(Math.log2(double)) - 52);
        const whole = BigInt(Math.floor(double));
        const fraction = double - Math.floor(double) + ulp / 2;
        const [, decimals = ""] = fraction.toFixed(20).split(".");
        const middle = `${whole + BigInt(Math.floor(fraction))}.${decimals.replace(/0+$/, "")}${nudge}`;
        const text = middle.endsWith(".") ? `${middle}0` : middle;
        expect(scanned(text)).toEqual({ number: Number(text), rest: "" });
      }),
      { numRuns: 1_000 },
    );
  });
});
