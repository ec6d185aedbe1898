import { expect, it } from "vitest";
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
