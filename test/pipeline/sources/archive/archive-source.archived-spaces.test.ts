import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { TrackedDao } from "../../../../pipeline/facts/tracked.ts";
import { archivedSpaces, hasArchivedChain } from "../../../../pipeline/sources/archive/archive-source.ts";

const root = mkdtempSync(join(tmpdir(), "govdata-spaces-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let archives = 0;

function archiveOf(...files: readonly string[]): string {
  archives += 1;
  const directory = join(root, String(archives));
  for (const file of files) {
    mkdirSync(dirname(join(directory, file)), { recursive: true });
    writeFileSync(join(directory, file), "");
  }
  return directory;
}

describe("the spaces of an archive", () => {
  it.each([
    { why: "no folder at all", files: [], is: [] },
    { why: "a space object", files: ["spaces/b.eth.json"], is: ["b.eth"] },
    {
      why: "each once and in order, whatever there is of it",
      files: ["votes/b.eth.ndjson", "proposals/b.eth.ndjson", "proposals/a.eth.ndjson"],
      is: ["a.eth", "b.eth"],
    },
    { why: "delegates alone", files: ["delegates/c.eth/2026-01-01.json"], is: ["c.eth"] },
    {
      why: "files of another kind",
      files: ["spaces/readme.txt", "registry.yaml", "proposals/x.json"],
      is: [],
    },
  ])("$why", ({ files, is }) => {
    expect(archivedSpaces(archiveOf(...files))).toEqual(is);
  });
});

describe("the chain of a DAO in an archive", () => {
  const token = `0x${"4".repeat(40)}`;
  const dao = {
    spaceId: "a.eth",
    name: "A",
    category: "defi",
    governor: { chainId: 7, token, kind: "erc20votes", decimals: 18, clock: "blocknumber" },
  } as unknown as TrackedDao;

  it.each([
    { why: "logs of its token", file: `logs/7-${token}.ndjson`, is: true },
    { why: "what its node said", file: "chains/7/a.eth.ndjson", is: true },
    { why: "logs of another chain", file: `logs/8-${token}.ndjson`, is: false },
    { why: "what a node said of another DAO", file: "chains/7/b.eth.ndjson", is: false },
  ])("$why", ({ file, is }) => {
    const directory = archiveOf(file);
    expect(hasArchivedChain(directory, dao)).toBe(is);
    expect(hasArchivedChain(directory, { ...dao, governor: undefined } as TrackedDao)).toBe(false);
  });
});
