import { readFileSync } from "node:fs";
import { JSDOM } from "jsdom";
import { expect, it } from "vitest";
import { htmlText } from "../../../../pipeline/tools/html.ts";
import { markdown } from "../../../../pipeline/tools/report/methodology-page.ts";

/** What the page shows of a block of TeX. */
const formulaText = (tex: string) =>
  new JSDOM(htmlText(markdown(`\`\`\`math\n${tex}\n\`\`\``))).window.document.querySelector("pre code")
    ?.textContent;

it.each([
  { why: "a fraction of sums", tex: "\\frac{\\sum v \\cdot x}{\\sum v}", is: "(Σ v · x) / (Σ v)" },
  { why: "plain parts need no brackets", tex: "J = \\frac{same}{2}", is: "J = same / 2" },
  { why: "a half", tex: "\\tfrac{1}{2} r", is: "½ r" },
  {
    why: "names and fractions inside others",
    tex: "\\omega = \\mathrm{clamp}\\left(\\frac{S/\\mathrm{scale} - 0.25}{0.75}\\right)",
    is: "ω = clamp((S/scale - 0.25) / 0.75)",
  },
  { why: "raised and lowered", tex: "m_{\\mathrm{low}} + (1 + x)^{0.3}", is: "m_low + (1 + x)^0.3" },
  { why: "a root", tex: "\\sqrt{(1 + a)(1 + b)} - 1", is: "√((1 + a)(1 + b)) - 1" },
  { why: "two formulas", tex: "a = 1\n\\qquad\nb = 2\n", is: "a = 1\nb = 2" },
  { why: "words", tex: "D\n\\quad\\text{with}\\quad k", is: "D with k" },
  {
    why: "blanks and lines in names",
    tex: "\\mathrm{age\\ in\\ days} \\, \\mathrm{a\\_b}",
    is: "age in days a_b",
  },
])("$why", ({ tex, is }) => {
  expect(formulaText(tex)).toBe(is);
});

it("leaves nothing of TeX in the formulas of the method", () => {
  const path = new URL("../../../../pipeline/score/METHODOLOGY.md", import.meta.url);
  const formulas = [...readFileSync(path, "utf8").matchAll(/```math\n([\s\S]*?)```/g)];
  expect(formulas.length).toBeGreaterThan(10);
  for (const [, tex = ""] of formulas) expect(formulaText(tex)).not.toMatch(/[\\{}]/);
});
