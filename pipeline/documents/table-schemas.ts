import { DaoSummary } from "../../snapshots/format/dao.ts";
import type { TableSchema } from "../../snapshots/format/data-package.ts";
import type { FileKind } from "../../snapshots/format/documents.ts";
import {
  type Column,
  DAO_COLUMNS,
  DELEGATE_COLUMNS,
  DELEGATE_DAY_COLUMNS,
  PROPOSAL_COLUMNS,
} from "./columns.ts";

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
  const columns = DAO_COLUMNS.filter(({ name }) => name === key);
  return key === COMPONENTS_FIELD.name ? [COMPONENTS_FIELD] : columns.map(fieldOf);
});

const schemaOf = (fields: TableField[]): TableSchema => ({ fields, missingValues: [""] });
const withoutSpace = (columns: readonly Column[]) =>
  columns.filter(({ name }) => name !== "space_id").map(fieldOf);

/** The fields of the files that are tables as they lie there; whose they are is in their path and no field. */
export const TABLE_SCHEMAS: Partial<Readonly<Record<FileKind, TableSchema>>> = {
  wholeListing: schemaOf(withoutSpace(DELEGATE_COLUMNS)),
  delegateDays: schemaOf(DELEGATE_DAY_COLUMNS.map(fieldOf)),
  proposals: schemaOf(withoutSpace(PROPOSAL_COLUMNS)),
  daos: schemaOf(DAO_FIELDS),
};
