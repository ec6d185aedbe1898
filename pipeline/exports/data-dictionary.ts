import type { Column } from "./column.ts";
import { VERSION_COLUMNS } from "./columns/version-columns.ts";
import { DATASET_NAMES, DATASETS } from "./datasets.ts";

/** One part of the dictionary: a dataset, or what stands before the columns of each. */
interface Part {
  readonly title: string;
  readonly about: string;
  readonly columns: readonly Column[];
}

function parts(): readonly Part[] {
  const datasets = DATASET_NAMES.map((name) => {
    const { description, madeOf, columns } = DATASETS[name];
    return { title: name, about: `${description} Made of \`${madeOf}\`.`, columns };
  });
  const about = "These three stand before the columns of every dataset.";
  return [...datasets, { title: "with --all-versions", about, columns: VERSION_COLUMNS }];
}

function line({ name, type, unit, isNullable, description }: Column): string {
  return `| \`${name}\` | ${type} | ${unit} | ${isNullable ? "yes" : ""} | ${description} |`;
}

/** The data dictionary as Markdown: every dataset with every column, its type, its unit and whether it may be null. */
export function dataDictionary(): string {
  return parts()
    .map(({ title, about, columns }) =>
      [
        `## ${title}`,
        "",
        about,
        "",
        "| column | type | unit | null | what it is |",
        "|---|---|---|---|---|",
        ...columns.map(line),
        "",
      ].join("\n"),
    )
    .join("\n");
}

/** The same dictionary as a value, for machines. */
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
