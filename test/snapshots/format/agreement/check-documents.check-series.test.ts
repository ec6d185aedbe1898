import { describe, expect, it } from "vitest";
import { type Change, changeAt, changed } from "../../changed-set.ts";

describe("checkSeries", () => {
  it.each<{ why: string; change: Change; message: RegExp }>([
    {
      why: "a DGI of more DAOs than there are",
      change: (set) => ({ dgi: { ...set.dgi!, dao_count: 4 } }),
      message: /dao_count exceeds/,
    },
    {
      why: "a short DGI history",
      change: (set) => ({ dgiHistory: { ...set.dgiHistory!, period: "30d" } }),
      message: /is not the history of 365 days/,
    },
    {
      why: "a DGI day given twice",
      change: (set) => ({
        dgiHistory: { period: "365d", values: [...set.dgiHistory!.values, set.dgiHistory!.values.at(-1)!] },
      }),
      message: /dates are not ascending/,
    },
    {
      why: "a DGI day that has not ended",
      change: (set) => ({
        dgiHistory: { period: "365d", values: [{ ...set.dgiHistory!.values[0]!, date: "2026-04-01" }] },
      }),
      message: /outside the 365/,
    },
    {
      why: "a DGI day 365 days before the last",
      change: (set) => ({
        dgiHistory: { period: "365d", values: [{ ...set.dgiHistory!.values[0]!, date: "2025-03-31" }] },
      }),
      message: /outside the 365/,
    },
    {
      why: "a history of tomorrow",
      change: (set) => ({
        histories: changeAt(set.histories, 0, (history) => ({
          ...history,
          points: [{ ...history.points[0]!, date: "2026-04-01" }],
        })),
      }),
      message: /had not ended/,
    },
  ])("refuses $why", ({ change, message }) => {
    expect(changed(change)).toThrow(message);
  });
});
