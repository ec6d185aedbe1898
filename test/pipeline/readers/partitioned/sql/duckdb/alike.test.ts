import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { SQL_FOLDER, statementsOf } from "../../../../../support/duckdb-scores.ts";

/** Shares of one voter on consecutive proposals; a negative one chose option 2 in place of 1. */
type Shares = readonly number[];
const of = (count: number, share: number): Shares => Array.from({ length: count }, () => share);

/** Who passes what to whom, by the number of the voter. */
async function alikeOf(voters: readonly Shares[]): Promise<unknown> {
  const votes = voters.flatMap((shares, index) =>
    shares.map((share, at) => `(${at + 1}, ${index + 1}, ${Math.abs(share)}, ${share < 0 ? 2 : 1})`),
  );
  const instance = await DuckDBInstance.create(":memory:", { threads: "1" });
  const connection = await instance.connect();
  await connection.run("CREATE TABLE voter AS SELECT 1 AS entity_no, 0 AS is_labelled");
  await connection.run(
    "CREATE TABLE member AS SELECT 1 AS frame_no, UNNEST(range(1, 21)) AS proposal_no, 1.0 AS attention",
  );
  await connection.run(
    `CREATE TABLE voter_share AS SELECT * FROM (VALUES ${votes.join(", ")}) AS votes(proposal_no, entity_no, share, choice_index)`,
  );
  for (const statement of statementsOf(readFileSync(join(SQL_FOLDER, "alike.sql"), "utf8")))
    await connection.run(statement);
  const found = await connection.runAndReadAll("SELECT entity_no, receiver_no, part FROM alike ORDER BY 1");
  const rows = found.getRows().map(([giver, receiver, part]) => [giver, receiver, Number(part).toFixed(6)]);
  connection.closeSync();
  instance.closeSync();
  return rows;
}

it.each([
  { why: "five ballots prove nothing", voters: [of(5, 0.5), of(5, 0.1)], rows: [] },
  { why: "six do: 6/11", voters: [of(6, 0.5), of(6, 0.1)], rows: [[2, 1, "0.227273"]] },
  { why: "12 of 19 with one more", voters: [of(12, 0.5), of(14, 0.1)], rows: [[2, 1, "0.657895"]] },
  { why: "never half of 12 and 19", voters: [of(12, 0.5), of(19, 0.1)], rows: [] },
  { why: "another choice on all", voters: [of(12, 0.5), of(12, -0.1)], rows: [] },
  {
    why: "of two as large, the one with the larger first share is the larger voter",
    voters: [
      [...of(6, 0.25), ...of(6, 0.5)],
      [...of(6, 0.5), ...of(6, 0.25)],
    ],
    rows: [[1, 2, "1.000000"]],
  },
  {
    why: "the same choices of two that are equally alike, the larger",
    voters: [of(12, 0.5), of(12, 0.25), of(12, 0.1)],
    rows: [
      [2, 1, "1.000000"],
      [3, 1, "1.000000"],
    ],
  },
])("finds voters that vote alike: $why", async ({ voters, rows }) => {
  expect(await alikeOf(voters)).toEqual(rows);
});
