import { JSDOM } from "jsdom";
import { describe, expect, it } from "vitest";
import { htmlText } from "../../../../pipeline/readers/html.ts";
import { qualityPage } from "../../../../pipeline/readers/report/quality-page.ts";
import type { UnscoredReason } from "../../../../snapshots/format/dao.ts";
import { reportData } from "./report-stage.ts";

/** What the page says of a DAO without a score for this reason. */
function reasonShown(scope: UnscoredReason["scope"]): string | undefined {
  const data = reportData(false);
  const unscored = data.unscored.map((dao) => ({
    ...dao,
    reasons: [{ scope, code: "NO_POWER", message: "No ballot has voting power." }],
  }));
  const { document } = new JSDOM(htmlText(qualityPage({ ...data, unscored }).body)).window;
  return document.querySelector("td li")?.textContent ?? undefined;
}

describe("why a DAO has no score", () => {
  it.each([
    { why: "it concerns the whole DAO", scope: "dao", shown: "No ballot has voting power." },
    { why: "one component", scope: "dei", shown: "Decentralisation: No ballot has voting power." },
    { why: "another one", scope: "gpi", shown: "Process: No ballot has voting power." },
  ] as const)("is told in words where $why", ({ scope, shown }) => {
    expect(reasonShown(scope)).toBe(shown);
  });
});
