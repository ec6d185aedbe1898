import { DaoSummary } from "../../../snapshots/format/dao.ts";
import type { TableSchema } from "../../../snapshots/format/data-package.ts";
import type { FileKind } from "../../../snapshots/format/documents.ts";
import { DATASET_NAMES } from "./choices.ts";
import { type Column, DELEGATE_DAY_COLUMNS, VERSION_COLUMNS } from "./columns.ts";
import { DATASETS } from "./datasets.ts";

/** The data dictionary as Markdown: every dataset with its columns, their types, units and nullability. */
export function dataDictionary(): string {
  return parts()
    .map(({ title, about, columns }) => columnSection(title, about, columns))
    .join("\n");
}

export function columnSection(title: string, about: string, columns: readonly Column[]): string {
  return [
    `## ${title}`,
    "",
    about,
    "",
    "| column | type | unit | null | what it is |",
    "|---|---|---|---|---|",
    ...columns.map(
      ({ name, type, unit, isNullable, description }) =>
        `| \`${name}\` | ${type} | ${unit} | ${isNullable ? "yes" : ""} | ${description} |`,
    ),
    "",
  ].join("\n");
}

/** The same dictionary as a value, for `--json`. */
export function dataDictionaryValue(): object {
  return Object.fromEntries(
    parts().map(({ title, columns }) => [
      title.replace("with --", "").replaceAll("-", "_"),
      columns.map(({ name, type, unit, isNullable, description }) => ({
        name,
        type,
        unit,
        nullable: isNullable,
        description,
      })),
    ]),
  );
}

/** The datasets, and what stands before the columns of each. */
function parts() {
  const datasets = DATASET_NAMES.map((name) => {
    const { description, madeOf, columns } = DATASETS[name];
    return { title: name, about: `${description} Made of \`${madeOf}\`.`, columns };
  });
  const about = "These three stand before the columns of every dataset.";
  return [...datasets, { title: "with --all-versions", about, columns: VERSION_COLUMNS }];
}

type TableField = TableSchema["fields"][number];

function fieldOf({ name, type, unit, description, isNullable }: Column): TableField {
  return {
    name,
    // Frictionless has another name for it.
    type: type === "timestamp" ? "datetime" : type,
    description,
    ...(unit === "" ? {} : { unit }),
    ...(isNullable ? {} : { constraints: { required: true } }),
  };
}

const COMPONENTS_FIELD: TableField = {
  name: "components",
  type: "object",
  description: "The four component scores: hpr, dei, pdi, gpi.",
  constraints: { required: true },
};

/** The dataset has columns of other files too, and in another order. */
const DAO_FIELDS: TableField[] = Object.keys(DaoSummary.shape).flatMap((key) => {
  const columns = DATASETS.daos.columns.filter(({ name }) => name === key);
  return key === COMPONENTS_FIELD.name ? [COMPONENTS_FIELD] : columns.map(fieldOf);
});

const schemaOf = (fields: TableField[]): TableSchema => ({ fields, missingValues: [""] });
const withoutSpace = (columns: readonly Column[]) =>
  columns.filter(({ name }) => name !== "space_id").map(fieldOf);

/** The fields of the files that are tables as they lie there; whose they are is in their path and no field. */
export const TABLE_SCHEMAS: Partial<Readonly<Record<FileKind, TableSchema>>> = {
  wholeListing: schemaOf(withoutSpace(DATASETS.delegates.columns)),
  delegateDays: schemaOf(DELEGATE_DAY_COLUMNS.map(fieldOf)),
  proposals: schemaOf(withoutSpace(DATASETS.proposals.columns)),
  daos: schemaOf(DAO_FIELDS),
};
