import fc from "fast-check";
import { expect, it } from "vitest";
import { csvText, escapeFormulas, unescapeFormulas } from "../../../snapshots/base/csv.ts";
import { printable, printableLine } from "../../../snapshots/base/plain-text.ts";

it.each([
  { why: "plain", text: "a: b\n\tc\n", lines: "a: b\n\tc\n", line: "a: b??c?" },
  { why: "words of other scripts", text: "Δᾱο 道 é\n", lines: "Δᾱο 道 é\n", line: "Δᾱο 道 é?" },
  {
    why: "an escape, of seven bits and of eight",
    text: "\u001B[2J\u009B1m",
    lines: "?[2J?1m",
    line: "?[2J?1m",
  },
  { why: "back to the start of the line", text: "failed\rdone", lines: "failed?done", line: "failed?done" },
  { why: "another direction", text: "\u202Egpj.exe\u2066", lines: "?gpj.exe?", line: "?gpj.exe?" },
  { why: "nothing to be seen", text: "a\u200Bb\u2028c\u0000", lines: "a?b?c?", line: "a?b?c?" },
  { why: "half a character", text: "a\uD800", lines: "a\uFFFD", line: "a\uFFFD" },
])("replaces what would steer a terminal, and in a line also its end: $why", ({ text, lines, line }) => {
  expect(printable(text)).toBe(lines);
  expect(printableLine(text)).toBe(line);
});

it.each([
  { why: "equals", cell: "=1+1", is: "'=1+1" },
  { why: "plus", cell: "+1", is: "'+1" },
  { why: "minus", cell: "-1.5", is: "'-1.5" },
  { why: "at", cell: "@SUM", is: "'@SUM" },
  { why: "a tab", cell: "\t=1", is: "'\t=1" },
  { why: "a return", cell: "\r=1", is: `"'\r=1"` },
  { why: "full width", cell: "＝1", is: "'＝1" },
  { why: "after a semicolon", cell: "a;=1;b; -2", is: "a;'=1;b;' -2" },
  { why: "after a semicolon, at the start", cell: ";@x", is: ";'@x" },
  { why: "what looks escaped", cell: "'=1", is: "''=1" },
  { why: "in quotes", cell: '=A("x")', is: `"'=A(""x"")"` },
  { why: "a number below 0", cell: -1.5, is: "-1.5" },
  { why: "a small number", cell: -1e-9, is: "-1e-9" },
  { why: "no value", cell: null, is: "" },
  { why: "a truth", cell: true, is: "true" },
  { why: "an ordinary name", cell: "it's-a=b+c@d; e", is: "it's-a=b+c@d; e" },
  { why: "an address", cell: "0xabc", is: "0xabc" },
])("writes $why so that no spreadsheet runs it, and leaves the rest", ({ cell, is }) => {
  expect(csvText([["x", cell]])).toBe(`x,${is}\n`);
  expect(csvText([{ b: cell, a: "x" }], ["a", "b"])).toBe(`x,${is}\n`);
});

it("an escaped text is read back as it was, and begins no field with a formula", () => {
  const text = fc.string({ unit: fc.constantFrom(..."';=+-@ a\t\r＝"), maxLength: 12 });
  fc.assert(
    fc.property(text, (before) => {
      const escaped = escapeFormulas(before);
      expect(unescapeFormulas(escaped)).toBe(before);
      expect(escaped.split(";").filter((field) => /^\s*[=+\-@\t\r＝]/.test(field))).toEqual([]);
    }),
  );
});
