import { describe, expect, it, test } from "vitest";
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
    it("takes every measure by itself: decentralisation of DAOs that have no index of deliberation", async () => {
      const spaces = ["comp-vote.eth", "dimo.eth", "lido-snapshot.eth", "weatherxm.eth"];
      const calibrated = await calibrate(archive ?? "", spaces);
      const rows = calibrationRows(calibrated.flatMap(({ daos }) => daos));
      const row = (measure: string) => rows.find((candidate) => candidate.measure === measure);
      expect(calibrated.map(({ spaceId }) => spaceId)).toEqual(spaces);
      expect(row("dei")?.count).toBe(4);
      expect(row("pdi contestedness")?.count).toBe(4);
      expect(row("pdi")).toBeUndefined();
      expect(row("gvs")).toBeUndefined();
      expect(row("dei nakamoto")?.atNothing).toBe(0.25);
    });
  },
);
