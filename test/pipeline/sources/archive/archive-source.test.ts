import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { VOTE_FLAGS } from "../../../../pipeline/facts/proposal-votes.ts";
import type { TrackedDao } from "../../../../pipeline/facts/tracked.ts";
import {
  archivedSpaces,
  createArchiveSource,
  hasArchivedChain,
} from "../../../../pipeline/sources/archive/archive-source.ts";
import { memorySink } from "../memory-sink.ts";
import { fetchFrom, many, ndjson, proposalRow, SPACE, TRIED_DAO, voteRow } from "./small-archive.ts";

const VOTES = `votes/${SPACE}.ndjson`;
const PROPOSALS = `proposals/${SPACE}.ndjson`;
const LISTS = `delegates/${SPACE}`;

const listOf = (delegates: readonly unknown[], change: object = {}) =>
  JSON.stringify({
    as_of: "2025-03-01T00:00:00Z",
    source: "made up",
    complete: true,
    ens_confirmed: true,
    delegates,
    ...change,
  });
const delegate = (n: number, change: object = {}) => ({
  address: `0x${n.toString(16).padStart(40, "0")}`,
  votes: `${n}.5`,
  delegators: n,
  ...change,
});

describe("what an archive may lack", () => {
  it("fails for a DAO of which it holds nothing", async () => {
    await expect(fetchFrom({ "spaces/other.example.json": "{}" })).rejects.toMatchObject({
      code: "SOURCE_FAILED",
      message: `the archive holds nothing for ${SPACE}`,
    });
  });

  it.each([
    { why: "a space alone", files: { [`spaces/${SPACE}.json`]: `{"id":"${SPACE}"}` } },
    { why: "proposals alone", files: { [PROPOSALS]: [proposalRow(1)] } },
    { why: "an empty proposals file", files: { [PROPOSALS]: "" } },
    { why: "delegates alone", files: { [`${LISTS}/2025-03-01.json`]: listOf([delegate(1)]) } },
  ])("is content with $why", async ({ files }) => {
    const sink = await fetchFrom(files);
    expect(sink.rejections).toEqual([]);
    expect(sink.ballots).toEqual([]);
  });

  it("looks for no logs where the registry names no token", async () => {
    const logs = { [`logs/5-${TRIED_DAO.governor?.token}.ndjson`]: [{}] };
    const dao = { ...TRIED_DAO, governor: undefined };
    await expect(fetchFrom(logs, dao)).rejects.toMatchObject({ code: "SOURCE_FAILED" });
  });
});

describe("votes", () => {
  it("come in any order of proposals, with addresses joined in lower case", async () => {
    const shouted = `0x${"AB".repeat(20)}`;
    const sink = await fetchFrom({
      [PROPOSALS]: [proposalRow(1), proposalRow(2), proposalRow(3)],
      [VOTES]: [
        voteRow(1, { voter: shouted }),
        voteRow(2, { proposal: { id: "0xp2" }, voter: shouted.toLowerCase() }),
        voteRow(3, { vp: undefined, reason: "because", vp_state: "pending" }),
        voteRow(4, { voter: `0x${"0f".repeat(32)}`, created: null, created_date: "2022-01-02", reason: " " }),
      ],
    });
    expect(sink.rejections).toEqual([]);
    expect([...sink.voters.keys()][0]).toBe(shouted.toLowerCase());
    expect(sink.ballots.map(({ proposalId, count }) => [proposalId, count])).toEqual([
      ["0xp1", 3],
      ["0xp2", 1],
    ]);
    const { powerKnown, timeKnown, dayKnown, reasonKnown, reasonGiven, final } = VOTE_FLAGS;
    expect([...(sink.ballots[0]?.flags ?? [])]).toEqual([
      powerKnown | timeKnown | final,
      timeKnown | reasonKnown | reasonGiven,
      powerKnown | dayKnown | reasonKnown | final,
    ]);
  });

  it("may be followed by blank lines, Windows line ends and a byte order mark", async () => {
    const text = `\uFEFF${ndjson([voteRow(1), voteRow(2)]).replaceAll("\n", "\r\n")}\r\n\n`;
    const sink = await fetchFrom({ [PROPOSALS]: [proposalRow(1)], [VOTES]: text });
    expect([sink.ballots[0]?.count, sink.rejections.length]).toEqual([2, 0]);
  });
});

describe("a file that is not trusted", () => {
  const proposals = { [PROPOSALS]: [proposalRow(1)] };
  const good = (count: number) => many(count, voteRow);
  it.each([
    { why: "two malformed rows of twenty are one in ten", rows: [...good(18), "{", "{"], fails: false },
    { why: "three of twenty are more", rows: [...good(17), "{", "{", "{"], fails: true },
    { why: "nothing parses", rows: ["<html>", "rate limited"], fails: true },
    {
      why: "every time in milliseconds",
      rows: many(20, (n) => voteRow(n, { created: 1_640_995_200_000 })),
      fails: true,
    },
    {
      why: "half of the powers negative: each counted",
      rows: [...good(10), ...many(10, (n) => voteRow(n, { vp: -1 }))],
      fails: false,
    },
    {
      why: "votes on proposals we do not hold",
      rows: many(20, (n) => voteRow(n, { proposal: "0xelse" })),
      fails: false,
    },
    { why: "nothing but repeats", rows: many(20, () => voteRow(1)), fails: false },
  ])("$why", async ({ rows, fails }) => {
    const fetching = fetchFrom({ ...proposals, [VOTES]: rows });
    if (!fails) return void (await fetching);
    await expect(fetching).rejects.toMatchObject({
      code: "SOURCE_FAILED",
      message: expect.stringContaining(VOTES),
    });
  });

  it.each([
    { why: "a space that is cut off", files: { [`spaces/${SPACE}.json`]: '{"id": "tri' } },
    { why: "another space's object", files: { [`spaces/${SPACE}.json`]: '{"id":"other.example"}' } },
    { why: "a space that the hub deleted", files: { [`spaces/${SPACE}.json`]: "null" } },
    { why: "a delegate list that is cut off", files: { [`${LISTS}/2025-03-01.json`]: '{"as_of":' } },
    { why: "a folder where a file should be", files: { [`${VOTES}/inside`]: "" } },
  ])("$why fails the DAO and names the file", async ({ files }) => {
    const file = Object.keys(files)[0]?.replace("/inside", "") ?? "";
    await expect(fetchFrom({ ...proposals, ...files })).rejects.toMatchObject({
      code: "SOURCE_FAILED",
      message: expect.stringContaining(file),
    });
  });
});

describe("delegate lists", () => {
  it("are exact, in the smallest unit that the list needs", async () => {
    const sink = await fetchFrom({
      [`${LISTS}/2025-03-01.json`]: listOf([
        delegate(1, { votes: "7316058.51218245396535304", ens: "a.example" }),
        delegate(2, { votes: "12" }),
        delegate(3, { votes: "0" }),
      ]),
    });
    expect(sink.lists).toEqual([
      {
        spaceId: SPACE,
        date: "2025-03-01",
        asOfMs: Date.UTC(2025, 2, 1),
        fetchedAtMs: Date.UTC(2025, 2, 1),
        isComplete: true,
        decimals: 17,
        delegates: [
          {
            address: delegate(1).address,
            votes: 731605851218245396535304n,
            delegatorsCount: 1,
            ens: "a.example",
          },
          { address: delegate(2).address, votes: 1200000000000000000n, delegatorsCount: 2, ens: undefined },
          { address: delegate(3).address, votes: 0n, delegatorsCount: 3, ens: undefined },
        ],
      },
    ]);
  });

  it.each([
    {
      why: "an address twice, spelled otherwise",
      row: delegate(10, { address: delegate(10).address.replace("a", "A") }),
      code: "DELEGATE_DUPLICATE",
    },
    { why: "negative votes", row: delegate(21, { votes: "-1" }), code: "POWER_INVALID" },
    { why: "an exponent", row: delegate(21, { votes: "1e21" }), code: "POWER_INVALID" },
    {
      why: "31 digits after the point",
      row: delegate(21, { votes: `0.${"1".repeat(31)}` }),
      code: "POWER_INVALID",
    },
    { why: "votes as a number", row: delegate(21, { votes: 5 }), code: "BAD_SHAPE" },
    { why: "half a delegator", row: delegate(21, { delegators: 0.5 }), code: "BAD_SHAPE" },
    {
      why: "a Starknet address, which no listing can hold",
      row: delegate(21, { address: `0x${"0f".repeat(32)}` }),
      code: "ADDRESS_INVALID",
    },
  ])("leave out $why, and are complete no more", async ({ row, code }) => {
    const file = `${LISTS}/2025-03-01.json`;
    const sink = await fetchFrom({ [file]: listOf([...many(20, (n) => delegate(n)), row]) });
    expect(sink.rejections).toEqual([
      { file, line: undefined, code, message: expect.stringMatching(/^delegate 21: /) },
    ]);
    expect(sink.lists.map(({ isComplete, delegates }) => [isComplete, delegates.length])).toEqual([
      [false, 20],
    ]);
  });

  it.each([{}, { ens_confirmed: false }])("give no name that nobody confirmed: %j", async (change) => {
    const { delegates: rows, as_of, complete } = JSON.parse(listOf([delegate(1, { ens: "a.example" })]));
    const sink = await fetchFrom({
      [`${LISTS}/2025-03-01.json`]: JSON.stringify({ as_of, complete, delegates: rows, ...change }),
    });
    expect([sink.rejections, sink.lists[0]?.delegates[0]?.ens]).toEqual([[], undefined]);
  });

  it("drop a name that would have to be cleaned, and keep its delegate", async () => {
    const sink = await fetchFrom({
      [`${LISTS}/2025-03-01.json`]: listOf([delegate(1, { ens: "vi\u200Btalik.eth" })]),
    });
    expect(sink.rejections.map(({ code }) => code)).toEqual(["NAME_UNSAFE"]);
    expect(sink.lists[0]).toMatchObject({ isComplete: true, delegates: [{ ens: undefined }] });
  });

  it.each([
    { why: "a name that is no date", name: "latest.json" },
    { why: "a day that does not exist", name: "2025-02-30.json" },
    { why: "another day than as_of", name: "2025-03-02.json" },
  ])("are left out under $why", async ({ name }) => {
    const sink = await fetchFrom({
      [`${LISTS}/${name}`]: listOf([delegate(1)]),
      [`${LISTS}/2025-03-01.json`]: listOf([delegate(1)]),
      [`${LISTS}/.DS_Store`]: "",
    });
    expect(sink.lists.map(({ date }) => date)).toEqual(["2025-03-01"]);
    expect(sink.rejections.map(({ code }) => code)).toEqual(["LIST_DATE_INVALID"]);
  });
});

describe("regular files", () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "govdata-irregular-"));
    for (const folder of ["spaces", "proposals", "votes"]) mkdirSync(join(directory, folder));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  describe("a file that never ends", () => {
    it.each([
      { why: "a pipe nobody writes to", make: (path: string) => execFileSync("mkfifo", [path]) },
      { why: "a device", make: (path: string) => symlinkSync("/dev/zero", path) },
    ])("is refused by name and not waited for: $why", async ({ make }) => {
      for (const file of [`spaces/${SPACE}.json`, `votes/${SPACE}.ndjson`]) {
        rmSync(join(directory, file), { force: true });
        make(join(directory, file));
        const fetched = createArchiveSource({ directory }).fetchSpace(TRIED_DAO, memorySink());
        await expect(fetched).rejects.toMatchObject({
          code: "SOURCE_FAILED",
          message: `${file} is not a regular file`,
        });
        rmSync(join(directory, file));
      }
    });
  });
});

describe("archived spaces", () => {
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
});
