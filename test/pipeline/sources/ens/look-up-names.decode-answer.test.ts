import { describe, expect, it } from "vitest";
import { decodeText } from "../../../../pipeline/sources/ens/look-up-names.ts";
import { textAnswer } from "./fake-ens.ts";

const answerOf = (text: string): string => {
  const said = textAnswer(text);
  return "answer" in said ? said.answer : "";
};

describe("decodeText", () => {
  it.each([
    { why: "nothing", text: "", want: undefined },
    { why: "one byte", text: "a", want: "a" },
    { why: "exactly a word", text: "a".repeat(32), want: "a".repeat(32) },
    { why: "the longest name of DNS", text: "a".repeat(255), want: "a".repeat(255) },
    { why: "a byte more", text: "a".repeat(256), want: undefined },
    { why: "255 characters of two bytes each", text: "\u00e9".repeat(255), want: undefined },
  ])("reads $why", ({ text, want }) => {
    expect(decodeText(answerOf(text))).toBe(want);
  });

  it("takes digits in capitals, and padding up to its cap and not beyond", () => {
    const answer = answerOf("alice.eth");
    const roomBytes = 4096 - (answer.length - 2) / 2;
    expect(decodeText(`0x${answer.slice(2).toUpperCase()}`)).toBe("alice.eth");
    expect(decodeText(answer + "00".repeat(roomBytes))).toBe("alice.eth");
    expect(decodeText(answer + "00".repeat(roomBytes + 1))).toBeUndefined();
  });
});
