import { DaoSummary } from "../../snapshots/format/dao.ts";
import type { TableSchema } from "../../snapshots/format/data-package.ts";
import { PATHS } from "../../snapshots/format/paths.ts";
import type { Column, ColumnType } from "./column.ts";
import { DELEGATE_DAY_COLUMNS } from "./columns/delegate-day-columns.ts";
import { DATASETS } from "./datasets.ts";
import { spaceOfPath } from "./files-of-dataset.ts";

type TableField = TableSchema["fields"][number];

/** What Frictionless calls our types. */
const FIELD_TYPES: Readonly<Record<ColumnType, TableField["type"]>> = {
  string: "string",
  integer: "integer",
  number: "number",
  boolean: "boolean",
  date: "date",
  timestamp: "datetime",
};

function fieldOf({ name, type, unit, description, isNullable }: Column): TableField {
  return {
    name,
    type: FIELD_TYPES[type],
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

function fieldsOf(path: string): TableField[] {
  const spaceId = spaceOfPath(path);
  const withoutSpace = (columns: readonly Column[]) => columns.filter(({ name }) => name !== "space_id");
  if (path === PATHS.wholeListing(spaceId)) return withoutSpace(DATASETS.delegates.columns).map(fieldOf);
  if (path === PATHS.delegateDays(spaceId)) return DELEGATE_DAY_COLUMNS.map(fieldOf);
  if (path === PATHS.proposals(spaceId)) return withoutSpace(DATASETS.proposals.columns).map(fieldOf);
  return path === PATHS.daos ? DAO_FIELDS : [];
}

/** The fields of the files that are tables as they lie there; whose they are is in their path and no field. */
export function tableSchemaOf(path: string): TableSchema | undefined {
  const fields = fieldsOf(path);
  return fields.length === 0 ? undefined : { fields, missingValues: [""] };
}
