import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { INDICATORS } from "../../../../../../../pipeline/score/method/indicators.ts";

const FOLDER = new URL("../../../../../../../pipeline/tools/export/partitioned/sql/duckdb/", import.meta.url);

/** The indicators that a query writes out, each with its component. */
function indicatorsIn(file: string): readonly string[] {
  const sql = readFileSync(new URL(file, FOLDER), "utf8");
  const rows = sql.matchAll(/'(hpr|dei|pdi|gpi)'(?: AS component)?, '(\w+)'(?: AS indicator)?,/g);
  return [...rows].map(([, component, id]) => `${component} ${id}`);
}

it.each([
  { file: "marks.sql", isOfDao: false },
  { file: "components.sql", isOfDao: true },
])("$file has every indicator of its kind, in the order of publication", ({ file, isOfDao }) => {
  const wanted = INDICATORS.filter(({ of: subject }) => (subject === "dao") === isOfDao);
  expect(wanted.length).toBeGreaterThan(2);
  expect(indicatorsIn(file)).toEqual(wanted.map(({ id, component }) => `${component} ${id}`));
});
