import { describe, expect, it } from "vitest";
import type { z } from "zod";
import {
  type Column,
  type ColumnType,
  columnsOf,
  DELEGATE_DAY_COLUMNS,
} from "../../../../pipeline/documents/columns.ts";
import { fieldsShareOf } from "../../../../pipeline/score/components/completeness.ts";
import { METHODOLOGY } from "../../../../pipeline/score/method/methodology.ts";
import { DATASET_NAMES } from "../../../../pipeline/tools/export/choices.ts";
import { DATASETS, dataDictionary, dataDictionaryValue } from "../../../../pipeline/tools/export/datasets.ts";
import { DaoSummary, Dgi, DgiPoint, HistoryPoint, RiskAssessment } from "../../../../snapshots/format/dao.ts";
import { DelegateDay, DelegateItem } from "../../../../snapshots/format/delegates.ts";
import { ProposalLine } from "../../../../snapshots/format/proposal-line.ts";
import { COMPONENT_KEYS } from "../../../../snapshots/format/value-sets.ts";
import { sampleProposal } from "../../score/sample-facts.ts";

describe("the data dictionary", () => {
  it.each(["a text - A.", "a string - ", "a-b string - A.", "a string"])(
    "has no column written %j",
    (line) => {
      expect(() => columnsOf(line)).toThrow("no column");
    },
  );

  it("tells of every column, as text and as a value", () => {
    const value = dataDictionaryValue() as Record<string, { readonly name: string }[]>;
    expect(Object.keys(value)).toEqual([...DATASET_NAMES, "all_versions"]);
    for (const name of DATASET_NAMES) {
      const names = DATASETS[name].columns.map((column) => column.name);
      expect(value[name]?.map((field) => field.name)).toEqual(names);
      expect(new Set(names).size, "no name twice").toBe(names.length);
      for (const name of names) expect(dataDictionary()).toContain(`| \`${name}\` |`);
    }
  });

  it("holds the numbers of the method", () => {
    const { highConfidenceProposals: enough, horizonDays } = METHODOLOGY.frame;
    // One field of nine is not known.
    const almost = sampleProposal("0x1", { scoresTotal: 1, votesCount: undefined });
    expect(fieldsShareOf(almost)).toBe(8 / 9);
    for (const says of [
      `at least ${enough} eligible proposals, of which those of the last ${horizonDays} days`,
      `known part of nine fields: author,`,
      `a known ballot of the last ${METHODOLOGY.risk.activityDays} days`,
      `at most ${METHODOLOGY.participation.loyaltyAttention}`,
    ]) {
      expect(dataDictionary()).toContain(says);
    }
  });

  it("needs no escaping in a table, has empty units, and says something of everything", () => {
    for (const { description, unit, name } of DATASET_NAMES.flatMap((dataset) => DATASETS[dataset].columns)) {
      expect(`${description}${unit}`, name).not.toMatch(/[|\n]|-$/);
      expect(description, name).toMatch(/^[A-Za-z].*\.$/);
    }
  });
});

/** What the published shape says of a field, in the words of a column. */
function typeOfShape(shape: z.ZodType): { readonly type: ColumnType; readonly isNullable: boolean } {
  const definition = shape.def as unknown as {
    readonly type: string;
    readonly innerType?: z.ZodType;
    readonly format?: string;
    readonly checks?: readonly { readonly _zod: { readonly def: { readonly format?: string } } }[];
  };
  if (definition.innerType !== undefined) return { ...typeOfShape(definition.innerType), isNullable: true };
  const formats = [definition.format, ...(definition.checks ?? []).map((check) => check._zod.def.format)];
  const is = (format: string) => formats.includes(format);
  if (definition.type === "number") {
    return { type: is("safeint") ? "integer" : "number", isNullable: false };
  }
  if (definition.type === "boolean") return { type: "boolean", isNullable: false };
  return { type: is("datetime") ? "timestamp" : is("date") ? "date" : "string", isNullable: false };
}

const told = ({ name, type, isNullable }: Column) => ({ name, type, isNullable });

/** Columns of `daos` from details, risks and evidence. */
const OF_OTHER_FILES = [
  "data_completeness",
  ...["risk_score", "risk_level", "risk_trend", ...Object.keys(RiskAssessment.shape.factors.shape)],
  ...["gvs", ...COMPONENT_KEYS, "risk", "presence"].flatMap((name) => [`${name}_low`, `${name}_high`]),
  ...["nakamoto", "hhi_points", "gini"].flatMap((name) => [name, `${name}_low`, `${name}_high`]),
  ...["known_share", "rank_best", "rank_worst", "not_known", "website", "forum", "platform"],
];

describe("the columns are those of the published shapes, with their types", () => {
  it.each([
    { dataset: "daos", shape: DaoSummary, others: OF_OTHER_FILES },
    { dataset: "delegates", shape: DelegateItem, others: ["space_id"] },
    { dataset: "proposals", shape: ProposalLine, others: ["space_id"] },
    { dataset: "history", shape: HistoryPoint, others: ["space_id"] },
  ] as const)("$dataset", ({ dataset, shape, others }) => {
    const { columns } = DATASETS[dataset];
    const added: readonly string[] = others;
    const original = columns.filter(({ name }) => !added.includes(name));
    const wanted = Object.entries<z.ZodType>(shape.shape).flatMap(
      ([name, field]): ReturnType<typeof told>[] =>
        name === "components"
          ? COMPONENT_KEYS.map((key) => ({ name: key, type: "number", isNullable: false }))
          : [{ name, ...typeOfShape(field) }],
    );
    const byName = (a: { readonly name: string }, b: { readonly name: string }) => (a.name < b.name ? -1 : 1);
    expect(original.map(told).sort(byName)).toEqual(wanted.sort(byName));
  });

  it("the days of rankings, whose schema is their only dictionary", () => {
    expect(DELEGATE_DAY_COLUMNS.map(told)).toEqual(
      Object.entries<z.ZodType>(DelegateDay.shape).map(([name, field]) => ({ name, ...typeOfShape(field) })),
    );
  });

  it("dgi, in which a day and the current point have what the other has not", () => {
    const ends = ["composite_low", "composite_high"];
    const fields = [...Object.keys(DgiPoint.shape), ...Object.keys(Dgi.shape), ...COMPONENT_KEYS, ...ends];
    const wanted = new Set([
      ...fields.filter((name) => name !== "interval" && name !== "components"),
      "point",
    ]);
    expect(DATASETS.dgi.columns.map(({ name }) => name).sort()).toEqual([...wanted].sort());
  });
});
