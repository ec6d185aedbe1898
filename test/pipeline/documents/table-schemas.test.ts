import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { describe, expect, it } from "vitest";
import { DataPackage, TableSchema } from "../../../snapshots/format/data-package.ts";
import { publishedFiles } from "../../support/published-files.ts";
import { LEAF, makeStands, TOAST } from "../cli/stand.ts";

/** Has delegates, as the others have not. */
const TIDE = "tidewater-credit.example";
const { published } = await makeStands([LEAF, TOAST, TIDE]);
const { snapshots } = published();
const files = publishedFiles(snapshots);
const directory = join(snapshots, files.version);
const { resources } = DataPackage.parse(files.json("datapackage.json"));
const tables = resources.flatMap(({ path, schema: at }) =>
  typeof at === "string" ? [{ path, schema: TableSchema.parse(files.json(at)) }] : [],
);

type Row = Readonly<Record<string, unknown>>;

const NUMBER = /^-?\d+(\.\d+)?(e[+-]\d+)?$/i;
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/** What a value of each type looks like in JSON, and as a text of CSV. */
const HOLDS: Readonly<Record<TableSchema["fields"][number]["type"], (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  integer: (value) => Number.isInteger(value) || /^-?\d+$/.test(String(value)),
  number: (value) => typeof value === "number" || NUMBER.test(String(value)),
  boolean: (value) => typeof value === "boolean" || value === "true" || value === "false",
  date: (value) => /^\d{4}-\d{2}-\d{2}$/.test(String(value)),
  datetime: (value) => MOMENT.test(String(value)),
  object: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
};

async function csvRows(path: string): Promise<readonly Row[]> {
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  const source = `read_csv('${join(directory, path)}', all_varchar = true, header = true)`;
  return (await connection.runAndReadAll(`SELECT * FROM ${source}`)).getRowObjects();
}

async function rowsOf(path: string): Promise<readonly Row[]> {
  if (path.endsWith(".csv")) return csvRows(path);
  const text = readFileSync(join(directory, path), "utf8");
  if (path.endsWith(".json")) return JSON.parse(text);
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

describe("the fields of a published version", () => {
  it("are told of its lists, rankings, their days and proposals", () => {
    expect(tables.map(({ path }) => path)).toEqual(
      [
        "daos.json",
        `delegates/${TIDE}/all.csv`,
        `delegates/${TIDE}/days.csv`,
        ...[LEAF, TIDE, TOAST].map((spaceId) => `proposals/${spaceId}.ndjson`),
      ].toSorted(),
    );
  });

  it("are written once for all tables of a kind", () => {
    const schemas = ["daos", "delegates-all", "delegates-days", "proposals"].map(
      (name) => `schemas/${name}.json`,
    );
    expect(files.paths.filter((path) => path.startsWith("schemas/"))).toEqual(schemas);
    expect([...new Set(resources.flatMap(({ schema = [] }) => schema))].toSorted()).toEqual(schemas);
  });

  it.each(tables)("are in every row of $path, in their order, of their type", async ({ path, schema }) => {
    const rows = await rowsOf(path);
    expect(rows.length).toBeGreaterThan(0);
    const names = schema.fields.map(({ name }) => name);
    for (const row of rows) {
      expect(Object.keys(row)).toEqual(names);
      const wrong = schema.fields.filter(({ name, type, constraints }) => {
        const value = row[name];
        const isMissing = value === null || value === "";
        return isMissing ? constraints?.required === true : !HOLDS[type](value);
      });
      expect(
        wrong.map(({ name, type }) => `${name} is no ${type}: ${String(row[name])}`),
        JSON.stringify(row),
      ).toEqual([]);
    }
  });
});
