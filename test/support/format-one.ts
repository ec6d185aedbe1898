import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openSqlite } from "../../snapshots/base/sqlite.ts";
import { sha256Hex } from "../../snapshots/format/canonical-json.ts";
import { lineSpans } from "../../snapshots/format/delegate-months.ts";
import { identifyFile } from "../../snapshots/format/documents.ts";
import type { ManifestFile } from "../../snapshots/format/manifest.ts";
import { PATHS } from "../../snapshots/format/paths.ts";
import { replaceFile, reseal } from "../snapshots/store/temporary-root.ts";

/** Converts the current version to format 1: one file per dated listing, and an index that refers to them. */
export function makeFormatOne(root: string): void {
  reseal(root, ({ files }, directory) => {
    const daily: ManifestFile[] = [];
    for (const { path } of files) {
      const { kind, id = "", month = "" } = identifyFile(path) ?? {};
      if (kind !== "delegateMonth") continue;
      const dates = readFileSync(join(directory, PATHS.delegateDays(id)), "utf8")
        .split("\n")
        .filter((line) => line.startsWith(month))
        .map((line) => line.slice(0, 10));
      const bytes = readFileSync(join(directory, path));
      for (const [at, span] of lineSpans(bytes).entries()) {
        const line = bytes.subarray(span.offset, span.offset + span.bytes);
        const file = `delegates/${id}/${dates[at]}.json`;
        replaceFile(join(directory, file), line);
        daily.push({
          path: file,
          bytes: line.length,
          sha256: sha256Hex(line),
          records: 1,
          media_type: "application/json",
        });
      }
      rmSync(join(directory, path));
    }
    makeIndexOne(join(directory, PATHS.index), daily);
    const kept = files.filter(({ path }) => identifyFile(path)?.kind !== "delegateMonth");
    return { format: 1, files: [...kept, ...daily].toSorted((a, b) => (a.path < b.path ? -1 : 1)) };
  });
}

function makeIndexOne(path: string, daily: readonly ManifestFile[]): void {
  const database = openSqlite(readFileSync(path));
  database.exec(`DROP TABLE dated_listings; PRAGMA user_version = 1; CREATE TABLE dated_listings (
    space_id TEXT NOT NULL, date TEXT NOT NULL, path TEXT NOT NULL, sha256 TEXT NOT NULL, bytes INTEGER NOT NULL,
    PRIMARY KEY (space_id, date)) STRICT, WITHOUT ROWID`);
  const insert = database.prepare("INSERT INTO dated_listings VALUES (?, ?, ?, ?, ?)");
  for (const file of daily) {
    const [, spaceId, name = ""] = file.path.split("/");
    insert.run(spaceId, name.slice(0, 10), file.path, file.sha256, file.bytes);
  }
  replaceFile(path, database.serialize());
  database.close();
}
