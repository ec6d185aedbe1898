import { JSDOM } from "jsdom";
import { describe, expect, it } from "vitest";
import { htmlText } from "../../../../pipeline/tools/html.ts";
import { qualityPage } from "../../../../pipeline/tools/report/quality-page.ts";
import { reportData } from "./report-stage.ts";

describe("a DAO without a score", () => {
  it("is told with the reason, what is known of it, and where the rest would come from", () => {
    const { document } = new JSDOM(htmlText(qualityPage(reportData(false)).body)).window;
    const cells = [...document.querySelectorAll("[aria-labelledby=unscored] tbody tr > *")].map(
      (cell) => cell.textContent?.trim() ?? "",
    );
    expect(cells).toEqual([
      "Quiet Reef",
      ...["0.75–8.50", "0.00–10.00", "0.00–10.00", "2.50–6.00", "3.00–4.25"],
      "1 of 15 indicators\ntop: the voting power of each vote",
      "Too little is known for a score.",
    ]);
  });
});
