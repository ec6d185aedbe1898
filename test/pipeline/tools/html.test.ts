import fc from "fast-check";
import { JSDOM } from "jsdom";
import { describe, expect, it } from "vitest";
import { type HtmlValue, html, htmlText } from "../../../pipeline/tools/html.ts";
import { anyText } from "../../support/any-text.ts";

const { document } = new JSDOM("").window;

describe("a template", () => {
  it.each<{ why: string; value: HtmlValue; text: string }>([
    { why: "plain words stay", value: "Moss & Ember", text: "Moss &amp; Ember" },
    {
      why: "no tag begins",
      value: "<script>alert(1)</script>",
      text: "&lt;script&gt;alert(1)&lt;/script&gt;",
    },
    { why: "no attribute ends", value: `" onload="x`, text: "&quot; onload=&quot;x" },
    { why: "nor one in single quotes", value: "' onload='x", text: "&#39; onload=&#39;x" },
    { why: "an entity stays text", value: "&lt;b&gt;", text: "&amp;lt;b&amp;gt;" },
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
