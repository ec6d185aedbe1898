import fc from "fast-check";
import { JSDOM } from "jsdom";
import { describe, expect, it } from "vitest";
import { type HtmlValue, html, htmlText } from "../../../pipeline/tools/html.ts";
import { anyText } from "../../support/any-text.ts";

const { document } = new JSDOM("").window;

describe("a template", () => {
  it.each<{ why: string; value: HtmlValue; text: string }>([
    { why: "no tag begins, and an entity stays text", value: "<b>&lt;", text: "&lt;b&gt;&amp;lt;" },
    { why: "no attribute ends, in either quotes", value: `"'`, text: "&quot;&#39;" },
    { why: "a number is itself, also nothing", value: 0, text: "0" },
    { why: "what is absent is nothing, and no word", value: undefined, text: "" },
    { why: "markup goes through once", value: html`<b>${"<"}</b>`, text: "<b>&lt;</b>" },
    { why: "lists are joined, each escaped", value: ["<", html`<i></i>`, ">"], text: "&lt;<i></i>&gt;" },
  ])("$why", ({ value, text }) => {
    expect(htmlText(html`${value}`)).toBe(text);
  });

  it("gives back any text as it was, between tags and in an attribute", () => {
    fc.assert(
      // A parser turns other line ends and NUL into its own; published text has neither.
      fc.property(
        anyText().filter((text) => !/[\r\0]/.test(text)),
        (text) => {
          const element = document.createElement("div");
          element.innerHTML = htmlText(html`<p title="${text}">_${text}</p>`);
          expect(element.children).toHaveLength(1);
          expect(element.firstElementChild?.textContent).toBe(`_${text}`);
          expect(element.firstElementChild?.getAttribute("title")).toBe(text);
          expect(element.firstElementChild?.children).toHaveLength(0);
        },
      ),
      { numRuns: 60 },
    );
  });
});
