import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Pointer } from "../../snapshots/format/manifest.ts";

/** Every file below a directory, by relative path. */
export function filesUnder(directory: string): ReadonlyMap<string, Buffer> {
  const paths = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  return new Map(paths.map((path) => [path.slice(directory.length + 1), readFileSync(path)] as const));
}

/** Files that differ between two publishes of the same data, because they contain wall time or such a file's hash. */
export const FILES_OF_THE_RUN: readonly string[] = ["manifest.json", "run.json", "datapackage.json"];

/** The current version of a snapshot root: name, sequence and files, read without the store's code. */
export interface PublishedFiles {
  readonly version: string;
  readonly sequence: number;
  readonly paths: readonly string[];
  bytes(path: string): Buffer;
  json(path: string): unknown;
  /** The dated listings of a DAO by day; the lines of its months are in the order of `days.csv`. */
  dated(spaceId: string): ReadonlyMap<string, unknown>;
}

/** Reads the current version of a snapshot root from its files. */
export function publishedFiles(root: string): PublishedFiles {
  const pointer = Pointer.parse(JSON.parse(readFileSync(join(root, "current.json"), "utf8")));
  const files = filesUnder(join(root, pointer.version));
  const bytes = (path: string) => {
    const file = files.get(path);
    if (file === undefined) throw new Error(`${path} is not published`);
    return file;
  };
  return {
    version: pointer.version,
    sequence: pointer.sequence,
    paths: [...files.keys()],
    bytes,
    json: (path) => JSON.parse(bytes(path).toString("utf8")),
    dated: (spaceId) => {
      const folder = `delegates/${spaceId}/`;
      if (!files.has(`${folder}days.csv`)) return new Map();
      const linesOf = (path: string) => bytes(path).toString("utf8").trimEnd().split("\n");
      const lines = [...files.keys()]
        .filter((path) => path.startsWith(folder) && path.endsWith(".ndjson"))
        .toSorted()
        .flatMap(linesOf);
      const [, ...rows] = linesOf(`${folder}days.csv`);
      return new Map(rows.map((row, index) => [row.split(",")[0] ?? "", JSON.parse(lines[index] ?? "null")]));
    },
  };
}
