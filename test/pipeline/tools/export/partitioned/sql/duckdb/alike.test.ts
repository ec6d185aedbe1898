import { expect, it } from "vitest";
import { inDuckdb, statementsIn } from "../in-duckdb.ts";

/** Shares of one voter on consecutive proposals; a negative one made the second choice in place of the first. */
type Shares = readonly number[];
const sharesOf = (count: number, share: number): Shares => Array.from({ length: count }, () => share);

/** A voting type, and the form and the texts of the two choices. */
type Choices = readonly [type: string, kind: string, first: string, second: string];

/** Who passes what to whom, by the number of the voter. */
async function alikeOf(
  voters: readonly Shares[],
  [type, kind, first, second]: Choices = ["basic", "single", "1", "2"],
): Promise<unknown> {
  const votes = voters.flatMap((shares, index) =>
    shares.map(
      (share, position) => `(${position + 1}, ${index + 1}, ${Math.abs(share)}, ${share < 0 ? 2 : 1})`,
    ),
  );
  const given = [
    "voter AS SELECT 1 AS entity_no, 0 AS is_labelled",
    "member AS SELECT 1 AS frame_no, UNNEST(range(1, 21)) AS proposal_no, 1.0 AS attention",
    `voter_share AS SELECT * FROM (VALUES ${votes.join(", ")}) AS votes(proposal_no, entity_no, share, choice_index)`,
    "own_share AS SELECT proposal_no, share, choice_index, choice_index AS choice_no FROM voter_share",
    `proposal AS SELECT UNNEST(range(1, 21)) AS proposal_no, '${type}' AS voting_type`,
    `choice AS SELECT * FROM (VALUES (1, '${kind}', '${first}'), (2, '${kind}', '${second}')) AS choices(choice_no, choice_kind, choice_text)`,
  ].map((table) => `CREATE TABLE ${table}`);
  const optionShare = statementsIn("votes.sql").filter((sql) => sql.includes("TABLE option_share"));
  expect(optionShare).toHaveLength(1);
  const measures = [...statementsIn("choices.sql"), ...optionShare, ...statementsIn("alike.sql")];
  return inDuckdb(async (connection) => {
    for (const statement of [...given, ...measures]) await connection.run(statement);
    const orders = await connection.runAndReadAll(
      "SELECT entity_no, receiver_no, part FROM alike ORDER BY 1",
    );
    return orders.getRows().map(([giver, receiver, part]) => [giver, receiver, Number(part).toFixed(6)]);
  });
}

it.each([
  { why: "five ballots prove nothing", voters: [sharesOf(5, 0.5), sharesOf(5, 0.1)], rows: [] },
  { why: "six do: 6/11", voters: [sharesOf(6, 0.5), sharesOf(6, 0.1)], rows: [[2, 1, "0.227273"]] },
  {
    why: "12 of 19 with one more",
    voters: [sharesOf(12, 0.5), sharesOf(14, 0.1)],
    rows: [[2, 1, "0.657895"]],
  },
  { why: "never half of 12 and 19", voters: [sharesOf(12, 0.5), sharesOf(19, 0.1)], rows: [] },
  { why: "another choice on all", voters: [sharesOf(12, 0.5), sharesOf(12, -0.1)], rows: [] },
  {
    why: "of two as large, the one with the larger first share is the larger voter",
    voters: [
      [...sharesOf(6, 0.25), ...sharesOf(6, 0.5)],
      [...sharesOf(6, 0.5), ...sharesOf(6, 0.25)],
    ],
    rows: [[1, 2, "1.000000"]],
  },
  {
    why: "the same choices of two that are equally alike, the larger",
    voters: [sharesOf(12, 0.5), sharesOf(12, 0.25), sharesOf(12, 0.1)],
    rows: [
      [2, 1, "1.000000"],
      [3, 1, "1.000000"],
    ],
  },
])("finds voters that vote alike: $why", async ({ voters, rows }) => {
  expect(await alikeOf(voters)).toEqual(rows);
});

it.each<{ why: string; choices: Choices; rows: unknown }>([
  {
    why: "other weights for the same option",
    choices: ["weighted", "weights", '{"1":1}', '{"1":9}'],
    rows: [[2, 1, "1.000000"]],
  },
  {
    why: "nine tenths: 18/25",
    choices: ["quadratic", "weights", '{"1":9,"2":1}', '{"1":3}'],
    rows: [[2, 1, "1.000000"]],
  },
  {
    why: "approvals: three of four named options: 15/25",
    choices: ["approval", "list", "[1,2,3]", "[1,2,3,4]"],
    rows: [[2, 1, "0.500000"]],
  },
  { why: "approvals: half", choices: ["approval", "list", "[1,2]", "[1]"], rows: [] },
  {
    why: "rankings with the same first option",
    choices: ["ranked-choice", "list", "[12,1]", "[12,3]"],
    rows: [[2, 1, "1.000000"]],
  },
  { why: "with another", choices: ["copeland", "list", "[1,2]", "[12,1]"], rows: [] },
  {
    why: "of an unknown type, as far as either allows",
    choices: ["unknown", "list", "[1,2]", "[2,1]"],
    rows: [[2, 1, "1.000000"]],
  },
  {
    why: "abstentions with the only side",
    choices: ["basic", "single", "1", "3"],
    rows: [[2, 1, "1.000000"]],
  },
  {
    why: "half an abstention, of which the sides get 21/22 and 1/22: (1/4 + 21/44) · 20/25",
    choices: ["fractional", "weights", '{"1":1}', '{"1":1,"2":1,"3":2}'],
    rows: [[2, 1, "0.409091"]],
  },
  { why: "option 3 is a side by another type", choices: ["single-choice", "single", "1", "3"], rows: [] },
])("finds voters whose choices agree: $why", async ({ choices, rows }) => {
  expect(await alikeOf([sharesOf(20, 0.5), sharesOf(20, -0.1)], choices)).toEqual(rows);
});
