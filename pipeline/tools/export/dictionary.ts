import { type Column, VERSION_COLUMNS } from "../../documents/columns.ts";
import { DATASET_NAMES } from "./choices.ts";
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

function parts() {
  const datasets = DATASET_NAMES.map((name) => {
    const { description, madeOf, columns } = DATASETS[name];
    return { title: name, about: `${description} Made of \`${madeOf}\`.`, columns };
  });
  const about = "These three stand before the columns of every dataset.";
  return [...datasets, { title: "with --all-versions", about, columns: VERSION_COLUMNS }];
}
