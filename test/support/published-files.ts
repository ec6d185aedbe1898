import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Pointer } from "../../snapshots/format/manifest.ts";

/** Every file below a directory, by its path in it. */
export function filesUnder(directory: string): ReadonlyMap<string, Buffer> {
  const paths = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  return new Map(paths.map((path) => [path.slice(directory.length + 1), readFileSync(path)] as const));
}

/** What holds wall time or the hash of what does: not the same from one publish of the same data to the next. */
export const FILES_OF_THE_RUN: readonly string[] = ["manifest.json", "run.json", "datapackage.json"];

/** The version that a snapshot root points at: its name, sequence and files, read as an analyst would. */
export interface PublishedFiles {
  readonly version: string;
  readonly sequence: number;
  readonly paths: readonly string[];
  bytes(path: string): Buffer;
  json(path: string): unknown;
}

/** Reads the current version of a snapshot root from its files alone. */
export function publishedFiles(root: string): PublishedFiles {
  const pointer = Pointer.parse(JSON.parse(readFileSync(join(root, "current.json"), "utf8")));
  const files = filesUnder(join(root, pointer.version));
  const bytes = (path: string) => {
    const found = files.get(path);
    if (found === undefined) throw new Error(`${path} is not published`);
    return found;
  };
  return {
    version: pointer.version,
    sequence: pointer.sequence,
    paths: [...files.keys()],
    bytes,
    json: (path) => JSON.parse(bytes(path).toString("utf8")),
  };
}
