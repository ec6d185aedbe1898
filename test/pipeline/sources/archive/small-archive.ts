import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TrackedDao } from "../../../../pipeline/facts/tracked.ts";
import { createArchiveSource } from "../../../../pipeline/sources/archive/archive-source.ts";
import { type MemorySink, memorySink } from "../memory-sink.ts";

export const SPACE = "tried.example";
export const TOKEN = `0x${"70".repeat(20)}`;
export const VOTER = `0x${"ab".repeat(20)}`;

/** A DAO whose delegation is on `TOKEN`. */
export const TRIED_DAO: TrackedDao = {
  spaceId: SPACE,
  name: "Tried",
  category: "defi",
  governor: {
    chainId: 5,
    token: TOKEN,
    kind: "erc20votes",
    decimals: 18,
    clock: "blocknumber",
    isSelfByDefault: false,
    firstBlock: 1,
    governor: undefined,
  },
};

/** Files of an archive by path: text as it stands, or rows that become one JSON a line. */
export type Files = Readonly<Record<string, string | Uint8Array | readonly unknown[]>>;

/** Rows as NDJSON; a text among them is a line as it stands. */
export function ndjson(rows: readonly unknown[]): string {
  return rows.map((row) => `${typeof row === "string" ? row : JSON.stringify(row)}\n`).join("");
}

/** A new folder with these files. */
export function archiveOf(files: Files): string {
  const directory = mkdtempSync(join(tmpdir(), "govdata-archive-"));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    const isText = typeof content === "string" || content instanceof Uint8Array;
    writeFileSync(join(directory, path), isText ? content : ndjson(content));
  }
  return directory;
}

/** Fetches `TRIED_DAO` from an archive of these files, which is gone afterwards. */
export async function fetchFrom(files: Files, dao: TrackedDao = TRIED_DAO): Promise<MemorySink> {
  const directory = archiveOf(files);
  const sink = memorySink();
  try {
    await createArchiveSource({ directory }).fetchSpace(dao, sink);
  } finally {
    rmSync(directory, { recursive: true });
  }
  return sink;
}

/** The n-th proposal: two options, a vote in the first week of 2022. */
export function proposalRow(n: number, change: object = {}): Record<string, unknown> {
  const start = Date.UTC(2022, 0, 1) / 1000;
  return {
    id: `0xp${n}`,
    title: `Proposal ${n}`,
    start,
    end: start + 604_800,
    choices: ["yes", "no"],
    type: "basic",
    ...change,
  };
}

/** The n-th voter's vote on the first proposal. */
export function voteRow(n: number, change: object = {}): Record<string, unknown> {
  const voter = `0x${n.toString(16).padStart(40, "0")}`;
  return { proposal: "0xp1", voter, created: Date.UTC(2022, 0, 2) / 1000, choice: 1, vp: n, ...change };
}

/** Rows 1 to `count`. */
export const many = <Row>(count: number, row: (n: number) => Row): Row[] =>
  Array.from({ length: count }, (_, index) => row(index + 1));
