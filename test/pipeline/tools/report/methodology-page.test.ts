import { JSDOM } from "jsdom";
import { describe, expect, it } from "vitest";
import { htmlText } from "../../../../pipeline/tools/html.ts";
import { methodologyPage } from "../../../../pipeline/tools/report/methodology-page.ts";
import { reportData } from "./report-stage.ts";

const DATA = reportData(false);

/** The page of a text, without its frame and the list of its parts. */
function markdown(methodology: string): string {
  const body = htmlText(methodologyPage({ ...DATA, methodology }).body);
  const [, before = "", after = ""] =
    /^<article class="method">(.*)\n<nav.*?<\/nav>\n(.*)<\/article>\n$/s.exec(body) ?? [];
  return before + after;
}

describe("markdown", () => {
  it.each([
    { why: "bold with code in it", text: "**a `b`**", is: "<p><strong>a <code>b</code></strong></p>\n" },
    { why: "italics", text: "so *it* is", is: "<p>so <em>it</em> is</p>\n" },
    { why: "a product is no italics", text: "2 * 3 * 4", is: "<p>2 * 3 * 4</p>\n" },
    { why: "a tag is text", text: "a <b> c", is: "<p>a &lt;b&gt; c</p>\n" },
    { why: "code keeps its marks", text: "`**x** <i>`", is: "<p><code>**x** &lt;i&gt;</code></p>\n" },
    { why: "a place on the page", text: "[a](#b)", is: '<p><a href="#b">a</a></p>\n' },
    { why: "the web", text: "[a](https://b.example)", is: '<p><a href="https://b.example">a</a></p>\n' },
    { why: "a script is no link", text: "[a](javascript:alert`1`)", is: "<p>a</p>\n" },
    { why: "nor a file of the repository", text: "[a](../b.md)", is: "<p>a</p>\n" },
    { why: "a block of HTML is text", text: "<p onclick=x>\n", is: "&lt;p onclick=x&gt;\n" },
    { why: "a picture is its words", text: "![a](https://b.example/c.png)", is: "<p>a</p>\n" },
    { why: "a comment is gone", text: "<!-- x -->\na", is: "<p>a</p>\n" },
    { why: "a heading has its place", text: "## Risk (HPR)", is: '<h2 id="risk-hpr">Risk (HPR)</h2>\n' },
    {
      why: "lines of one item are one",
      text: "- a\n  b\n- c",
      is: "<ul>\n<li>a\nb</li>\n<li>c</li>\n</ul>\n",
    },
    { why: "a formula", text: "```\na < b\n```", is: "<pre><code>a &lt; b</code></pre>\n" },
    { why: "a numbered list", text: "1. a\n2. b", is: "<ol>\n<li>a</li>\n<li>b</li>\n</ol>\n" },
  ])("$why", ({ text, is }) => {
    expect(markdown(text)).toBe(is);
  });

  it("stands below a list of its parts", () => {
    const methodology = "# A\n\nB\n\n## C `d`\n\n## E & f";
    const body = htmlText(methodologyPage({ ...DATA, methodology }).body);
    const { document } = new JSDOM(body).window;
    const links = [...document.querySelectorAll("nav a")];
    expect(links.map((link) => link.textContent)).toEqual(["C d", "E & f"]);
    for (const link of links)
      expect(document.getElementById(link.getAttribute("href")!.slice(1))).not.toBeNull();
    expect(document.querySelector("nav")?.previousElementSibling?.textContent).toBe("B");
  });

  it("makes a table with its alignment, and a bar in a cell", () => {
    const { document } = new JSDOM(markdown("| a | b |\n|---|--:|\n| `x\\|y` | 2 |")).window;
    expect([...document.querySelectorAll("thead th")].map((element) => element.textContent)).toEqual([
      "a",
      "b",
    ]);
    expect(document.querySelector("tbody th")?.textContent).toBe("x|y");
    expect(document.querySelector("td")?.className).toBe("number");
  });

  it("holds the whole method: every link of it leads somewhere, no mark is left over", () => {
    const { document } = new JSDOM(markdown(DATA.methodology)).window;
    const links = [...document.querySelectorAll('a[href^="#"]')].map((a) => a.getAttribute("href") ?? "");
    expect(links.length).toBeGreaterThan(10);
    expect(links.filter((href) => document.getElementById(href.slice(1)) === null)).toEqual([]);
    for (const code of document.querySelectorAll("code")) code.remove();
    expect(document.body.textContent).not.toMatch(/\*\*|\]\(|\|---|^#/m);
  });
});
