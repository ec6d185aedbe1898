import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { INK, svgFile } from "../../../../pipeline/tools/drawing.ts";
import { html } from "../../../../pipeline/tools/html.ts";

const SHEET = readFileSync(new URL("../../../../pipeline/tools/report/report.css", import.meta.url), "utf8");

/** The colours of each scheme, as the sheet sets them: the dark ones replace the light ones. */
const [light = {}, dark = {}] = [...SHEET.matchAll(/:root \{([^}]*)\}/g)].map(([, block = ""]) =>
  Object.fromEntries([...block.matchAll(/--(\w+): (#[0-9a-f]{6});/g)].map(([, name, hex]) => [name, hex])),
);
const SCHEMES = { light, dark: { ...light, ...dark } };

/** Relative luminance of `#rrggbb`, as WCAG 2 defines it. */
function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const share = Number.parseInt(hex.slice(start, start + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

const nameOf = (value: string): string => /var\(--(\w+)\)/.exec(value)?.[1] ?? value;

/** What the sheet and the charts draw with; grid lines may be faint, as no number needs them. */
const DRAWN = new Set([
  ...[...SHEET.matchAll(/(?:fill|stroke): (var\(--\w+\))/g)].map(([, value = ""]) => nameOf(value)),
  ...[INK.accent, INK.soft].map(nameOf),
]);

it("measures contrast as WCAG does", () => {
  expect(contrast("#000000", "#ffffff")).toBe(21);
  expect(contrast("#ffffff", "#777777")).toBeCloseTo(4.48, 2);
  expect(contrast("#123456", "#123456")).toBe(1);
});

it.each(Object.entries(SCHEMES))("bands, bars and rails stand out from the ground in %s", (_, colours) => {
  expect([...DRAWN]).toEqual(expect.arrayContaining(["accent", "bar", "muted", "soft"]));
  const { paper = "", shade = "" } = colours;
  for (const name of DRAWN)
    for (const ground of [paper, shade])
      expect(contrast(colours[name] ?? "", ground), `${name} on ${ground}`).toBeGreaterThanOrEqual(3);
});

it.each(Object.entries(SCHEMES))("lines and ticks stand out from their band in %s", (_, colours) => {
  const { ink = "", soft = "" } = colours;
  expect(contrast(ink, soft)).toBeGreaterThanOrEqual(3);
});

it.each(Object.entries(SCHEMES))("text can be read in %s", (_, colours) => {
  const { paper = "", shade = "" } = colours;
  for (const name of ["ink", "muted", "accent"])
    for (const ground of [paper, shade])
      expect(contrast(colours[name] ?? "", ground), `${name} on ${ground}`).toBeGreaterThanOrEqual(4.5);
});

it("a picture in a file of its own has the light colours", () => {
  for (const value of Object.values(INK))
    expect(svgFile(html`<svg fill="${value}"></svg>`)).toContain(`fill="${light[nameOf(value)]}"`);
});
