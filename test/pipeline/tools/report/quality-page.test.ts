import { JSDOM } from "jsdom";
import { expect, it } from "vitest";
import { htmlText } from "../../../../pipeline/tools/html.ts";
import { qualityPage } from "../../../../pipeline/tools/report/quality-page.ts";
import { reportData } from "./report-stage.ts";

it("folds findings and rejected rows by their kind", () => {
  const data = reportData(false);
  const finding = { space_id: "orchard", message: "differs" };
  const findings = ["B", "A", "B"].map((code) => ({ code, ...finding }));
  const body = htmlText(qualityPage({ ...data, run: { ...data.run, findings } }).body);
  const { document } = new JSDOM(body).window;
  const kinds = [...document.querySelectorAll("[aria-labelledby=findings] details")].map((fold) => [
    fold.querySelector("summary")?.textContent,
    fold.querySelectorAll("tbody tr").length,
  ]);
  expect(kinds).toEqual([
    ["B (2)", 2],
    ["A (1)", 1],
  ]);
  const rejected = document.querySelector("[aria-labelledby=rejected] tbody tr");
  expect([...(rejected?.children ?? [])].map((cell) => cell.textContent)).toEqual([
    "orchard",
    "votes.csv, line 7",
    "has no voter",
  ]);
});
