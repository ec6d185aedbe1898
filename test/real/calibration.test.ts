import { readFileSync } from "node:fs";
import { describe, expect, it, test } from "vitest";
import { METHODOLOGY_PATH } from "../pipeline/score/method/generated-blocks.ts";
import { realArchive, WITHOUT_REAL_DATA } from "../support/real-archive.ts";
import { calibrate, calibrationRows, calibrationTable } from "./calibration.ts";

const archive = realArchive();

test("a row of the table: quartiles of what was found, shares of marks at the ends", () => {
  const found = [4, 1, 3, 2, 5].map((raw) => ({ measure: "sample", raw, marks: (raw - 1) / 4 }));
  const [row] = calibrationRows(found);
  expect(row).toEqual({
    measure: "sample",
    count: 5,
    min: 1,
    quartiles: [2, 3, 4],
    max: 5,
    medianMarks: 0.5,
    atNothing: 0.2,
    atFull: 0.2,
  });
  expect(
    calibrationTable(row === undefined ? [] : [row], "DAOs")
      .split("\n")
      .at(-1),
  ).toBe("| sample | 5 | 1 | 2 | 3 | 4 | 5 | 0.50 | 20 % | 20 % |");
});

test("gap: what earns no marks has none", () => {
  const [row] = calibrationRows([{ measure: "sample", raw: 7, marks: undefined }]);
  expect([row?.medianMarks, row?.atNothing, row?.atFull]).toEqual([undefined, undefined, undefined]);
});

describe.skipIf(archive === undefined)(
  `how the scales fall${archive === undefined ? ` (${WITHOUT_REAL_DATA})` : ""}`,
  () => {
    it("takes every measure by itself: decentralisation of eight DAOs, six of which have no index of deliberation", async () => {
      const spaces = [
        "aave-governance-v3",
        "arbitrumfoundation.eth",
        "comp-vote.eth",
        "dimo.eth",
        "lido-snapshot.eth",
        "snapshot.dcl.eth",
        "uniswapgovernance.eth",
        "weatherxm.eth",
      ];
      const calibrated = await calibrate(archive ?? "", spaces);
      expect(calibrated.map(({ spaceId }) => spaceId)).toEqual(spaces);
      const rows = calibrationRows(calibrated.flatMap(({ daos }) => daos));
      const row = (measure: string) => rows.find((candidate) => candidate.measure === measure);
      expect([row("dei")?.count, row("pdi contestedness")?.count, row("gvs")?.count]).toEqual([8, 8, 2]);

      // The text for readers prints these rows: they must be what is found.
      const text = readFileSync(METHODOLOGY_PATH, "utf8");
      for (const { label, measure } of [
        { label: "dei effective voters", measure: "dei effective_voters" },
        { label: "dei nakamoto", measure: "dei nakamoto" },
        { label: "dei top share", measure: "dei top_share" },
        { label: "**dei**", measure: "dei" },
        { label: "pdi contestedness, top choice", measure: "pdi contestedness" },
      ]) {
        const printed = text.split("\n").find((line) => line.startsWith(`| ${label} |`));
        const cells = (printed ?? "")
          .split("|")
          .slice(2, 8)
          .map((cell) => cell.trim());
        const found = row(measure);
        const values = [found?.count ?? 0, found?.min ?? 0, ...(found?.quartiles ?? []), found?.max ?? 0];
        cells.forEach((cell, place) => {
          const unit = 10 ** -(cell.split(".")[1]?.length ?? 0);
          expect(Math.abs(Number(cell) - (values[place] ?? Number.NaN)), `${label} ${cell}`).toBeLessThan(
            0.51 * unit,
          );
        });
      }
    });
  },
);
