import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  cleanLink,
  cleanText,
  cleanTitle,
  PlainText,
  PublicLink,
  PublicText,
  PublicTitle,
} from "../../../snapshots/format/text.ts";
import { anyText } from "../../support/any-text.ts";

describe("cleanText", () => {
  it.each([
    { why: "plain text", text: "Lantern Labs", want: "Lantern Labs" },
    { why: "spaces around", text: "  a  ", want: "a" },
    { why: "control characters", text: "a\0b\nc\u0085d", want: "abcd" },
    { why: "text that turns around", text: "abc\u202Etxt.exe", want: "abctxt.exe" },
    { why: "what cannot be seen", text: "a\u200Bb\uFEFFc", want: "abc" },
    { why: "half a character", text: "a\uD800", want: "a\uFFFD" },
    { why: "one spelling of an accent", text: "e\u0301", want: "\u00E9" },
    { why: "a soft hyphen and a filler that fills nothing", text: "pay\u00ADpal\u3164", want: "paypal" },
    { why: "tags, which spell unseen words", text: "a\u{E0068}\u{E0069}b\u{E0001}", want: "ab" },
    { why: "every sign that turns the writing", text: "a\u061C\u200E\u200F\u202A\u2066\u2069b", want: "ab" },
    { why: "the coloured form of a pictograph, kept", text: "love \u2764\uFE0F", want: "love \u2764\uFE0F" },
    { why: "the same sign after a letter", text: "a\uFE0F\u{E0100}b", want: "ab" },
    { why: "a family, as its members", text: "\u{1F468}\u200D\u{1F467}", want: "\u{1F468}\u{1F467}" },
    { why: "an accent behind what is not seen", text: "e\u200B\u0301", want: "\u00E9" },
    { why: "what is no character", text: "a\uFFFE\uFDD0b", want: "ab" },
    { why: "too long, in code points", text: "🌊".repeat(101), want: "🌊".repeat(100) },
    { why: "nothing that may be published", text: "\u200B\u202E", want: "" },
  ])("$why", ({ text, want }) => {
    expect(cleanText(text)).toBe(want);
  });

  it("leaves alone what it has cleaned, and gives nothing else to publish", () => {
    fc.assert(
      fc.property(anyText({ maxLength: 300 }), (text) => {
        const cleaned = cleanText(text);
        expect(cleanText(cleaned)).toBe(cleaned);
        expect([...cleaned].length).toBeLessThanOrEqual(100);
        expect(PublicText.safeParse(cleaned).success).toBe(cleaned !== "");
      }),
    );
  });
});

/** Any characters, the unseen, joining and marking ones more often than chance has it, and what looks like an account. */
const unkindText = fc
  .array(
    fc.oneof(
      anyText({ maxLength: 5 }),
      fc.constantFrom(
        "\u200B",
        "\u200D",
        "\uFE0F",
        "\u00AD",
        "\u{E0041}",
        "\u2764",
        "e",
        "\u0301",
        " ",
        "\n",
        "=",
      ),
      fc.constantFrom("0x", "ent_", "[", "\u2026", "abcdefghijklmnopqrstuvwxyz"),
      fc.stringMatching(/^[0-9a-f]{1,41}$/),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(""));

const UNSEEN =
  /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]|(?<!\p{Extended_Pictographic})\p{Default_Ignorable_Code_Point}|(?!\uFE0F)\p{Default_Ignorable_Code_Point}/u;
const WALLET = `0x${"aB".repeat(20)}`;

describe("cleanTitle", () => {
  it.each([
    { why: "lines", text: " A\tB\r\n C\u2028D ", want: "A B C D" },
    { why: "a wallet", text: `Pay ${WALLET}!`, want: "Pay […]!" },
    {
      why: "a wallet with something unseen in it",
      text: `Pay ${WALLET.slice(0, 9)}\u200B${WALLET.slice(9)}`,
      want: "Pay […]",
    },
    { why: "a wallet without its mark", text: WALLET.slice(2), want: "[…]" },
    { why: "a wallet that an earlier cut went through", text: `Pay ${WALLET.slice(0, 30)}`, want: "Pay […]" },
    { why: "the id of an entity", text: `ent_${"0a".repeat(13)}`, want: "[…]" },
    { why: "a shortened wallet, kept", text: "Pay 0x1234…abcd", want: "Pay 0x1234…abcd" },
    { why: "too long, in code points", text: "🌊".repeat(201), want: "🌊".repeat(200) },
    {
      why: "a wallet at the end, before the cut",
      text: `${"a ".repeat(90)}${WALLET}`,
      want: `${"a ".repeat(90)}[…]`,
    },
  ])("$why", ({ text, want }) => {
    expect(cleanTitle(text)).toBe(want);
  });

  it("leaves alone what it has cleaned, shows nothing unseen and no account", () => {
    fc.assert(
      fc.property(unkindText, (text) => {
        const title = cleanTitle(text);
        expect(cleanTitle(title)).toBe(title);
        expect(cleanText(cleanText(text))).toBe(cleanText(text));
        expect([...title].length).toBeLessThanOrEqual(200);
        expect(title).not.toMatch(UNSEEN);
        expect(title).not.toMatch(/0x[0-9a-f]{40}|ent_[0-9a-z]{26}/i);
        expect(PublicTitle.safeParse(title).success).toBe(title !== "");
      }),
    );
  });
});

describe("cleanLink", () => {
  const id = `0x${"ab".repeat(32)}`;

  it.each([
    { text: "https://example.org", want: "https://example.org/" },
    {
      text: " http://Example.org/a b\u202E?q='<\">#ü ",
      want: "http://example.org/a%20b%E2%80%AE?q=%27%3C%22%3E#%C3%BC",
    },
    {
      text: `https://vote.example/#/s:a.eth/proposal/${id}`,
      want: `https://vote.example/#/s:a.eth/proposal/${id}`,
    },
    ...[
      "",
      "example.org",
      "javascript:alert(1)",
      "data:text/html,a",
      "ftp://example.org/",
      "https://user:word@example.org/",
      "https://user@example.org/",
      `https://example.org/${"a".repeat(500)}`,
      `https://example.org/${"ü".repeat(200)}`,
      `https://scan.example/address/${WALLET}`,
      `https://vote.example/0x${"cd".repeat(32)}`,
    ].map((text) => ({ text, want: undefined })),
  ])("$text", ({ text, want }) => {
    expect(cleanLink(text, id)).toBe(want);
  });

  it("is ASCII and leaves alone what it has cleaned", () => {
    const tails = fc.oneof(
      fc.webUrl({ withFragments: true, withQueryParameters: true }),
      unkindText.map((text) => `https://a.example/${text}`),
    );
    fc.assert(
      fc.property(tails, (text) => {
        const link = cleanLink(text);
        if (link === undefined) return;
        expect(link).toMatch(/^https?:\/\/[!-~]+$/);
        expect(cleanLink(link)).toBe(link);
        expect(PublicLink.safeParse(link).success).toBe(true);
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
