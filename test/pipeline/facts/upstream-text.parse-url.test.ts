import { describe, expect, it } from "vitest";
import { parseUrl } from "../../../pipeline/facts/upstream-text.ts";

describe("parseUrl", () => {
  it.each([
    { why: "a link", text: "https://forum.example/t/1", href: "https://forum.example/t/1" },
    { why: "a host beyond ASCII", text: "http://bücher.example/t", href: "http://xn--bcher-kva.example/t" },
    { why: "no scheme", text: "forum.example", href: undefined },
    { why: "nothing", text: "", href: undefined },
    { why: "no host", text: "https://", href: undefined },
  ])("$why", ({ text, href }) => {
    expect(parseUrl(text)?.href).toBe(href);
  });

  it("resolves against a base where it is given one", () => {
    expect(parseUrl("/b", "https://a.example/x")?.href).toBe("https://a.example/b");
  });

  it("judges a text the same way however often it is asked", () => {
    const asked = Array.from({ length: 20_000 }, () => parseUrl("http://bücher.example/") !== undefined);
    expect(asked.filter((isUrl) => !isUrl)).toEqual([]);
  });
});
