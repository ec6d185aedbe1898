import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanText, PlainText, PublicText } from "../../../snapshots/format/text.ts";

describe("cleanText", () => {
  it.each([
    { why: "plain text", text: "Lantern Labs", want: "Lantern Labs" },
    { why: "spaces around", text: "  a  ", want: "a" },
    { why: "control characters", text: "a\0b\nc\u0085d", want: "abcd" },
    { why: "text that turns around", text: "abc\u202Etxt.exe", want: "abctxt.exe" },
    { why: "what cannot be seen", text: "a\u200Bb\uFEFFc", want: "abc" },
    { why: "half a character", text: "a\uD800", want: "a\uFFFD" },
    { why: "one spelling of an accent", text: "e\u0301", want: "\u00E9" },
    { why: "too long, in code points", text: "🌊".repeat(101), want: "🌊".repeat(100) },
    { why: "nothing that may be published", text: "\u200B\u202E", want: "" },
  ])("$why", ({ text, want }) => {
    expect(cleanText(text)).toBe(want);
  });

  it("leaves alone what it has cleaned, and gives nothing else to publish", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
        const cleaned = cleanText(text);
        expect(cleanText(cleaned)).toBe(cleaned);
        expect([...cleaned].length).toBeLessThanOrEqual(100);
        expect(PublicText.safeParse(cleaned).success).toBe(cleaned !== "");
      }),
    );
  });
});

describe("PublicText", () => {
  it.each(["", " a", "a\n", "a\u202E", "a".repeat(101), "e\u0301"])("refuses %j", (text) => {
    expect(PublicText.safeParse(text).success).toBe(false);
  });
});

describe("PlainText", () => {
  it.each(["a", " a ", "e\u0301", "a".repeat(101)])("takes %j", (text) => {
    expect(PlainText.safeParse(text).success).toBe(true);
  });

  it.each(["", "a\n", "\u001B[2J", "a\0", "a\u202E", "a\u200Bb"])("refuses %j", (text) => {
    expect(PlainText.safeParse(text).success).toBe(false);
  });
});
