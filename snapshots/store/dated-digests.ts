import { setImmediate as pause } from "node:timers/promises";
import type Database from "better-sqlite3";
import { sha256Hex } from "../format/canonical-json.ts";
import type { ManifestFile } from "../format/manifest.ts";

/** What stands for the dated listings of one DAO: how many there are, and a hash over date, path, hash and size of each. */
export interface DatedDigest {
  readonly count: number;
  readonly sha256: string;
}

/** The dated listings of a version by space; some bytes for each space, however many days there are. */
export type DatedDigests = ReadonlyMap<string, DatedDigest>;

const DATED = /^delegates\/([^/]+)\/(\d{4}-\d{2}-\d{2})\.json$/;

/** Spaces looked up before others may work. */
const SPACES_AT_A_TIME = 32;

/** Collects the dated listings among files that come in the order of their paths. */
export function createDatedDigests(): {
  readonly add: (file: ManifestFile) => void;
  readonly end: () => DatedDigests;
} {
  const digests = new Map<string, DatedDigest>();
  let spaceId = "";
  let lines: string[] = [];
  const endSpace = () => {
    if (lines.length > 0) digests.set(spaceId, { count: lines.length, sha256: sha256Hex(lines.join("\n")) });
    lines = [];
  };
  return {
    add({ path, sha256, bytes }) {
      const [, space, date] = DATED.exec(path) ?? [];
      if (space === undefined) return;
      if (space !== spaceId) endSpace();
      spaceId = space;
      lines.push(`${date} ${path} ${sha256} ${bytes}`);
    },
    end() {
      endSpace();
      return digests;
    },
  };
}

const COUNT = "SELECT count(*) FROM dated_listings";
// The lines are put together where they lie: a row for each of them would take five times as long.
const LINES = `SELECT count(*) AS count, group_concat(line, char(10)) AS lines FROM (
  SELECT date || ' ' || path || ' ' || sha256 || ' ' || bytes AS line
  FROM dated_listings WHERE space_id = ? ORDER BY date)`;

/**
 * Whether an index leads to the very dated listings that the manifest names, and to each of them. As many lines as rows
 * leave no room for a line break inside one, and so for no other row that reads the same.
 */
export async function holdsDated(index: Database.Database, digests: DatedDigests): Promise<boolean> {
  const expected = [...digests.values()].reduce((sum, { count }) => sum + count, 0);
  if (index.prepare<[], number>(COUNT).pluck().get() !== expected) return false;
  const find = index.prepare<[string], { count: number; lines: string | null }>(LINES);
  let looked = 0;
  for (const [spaceId, digest] of digests) {
    const found = find.get(spaceId);
    if (found?.count !== digest.count || sha256Hex(found.lines ?? "") !== digest.sha256) return false;
    looked += 1;
    if (looked % SPACES_AT_A_TIME === 0) await pause();
  }
  return true;
}
