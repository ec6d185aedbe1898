import { describe, expect, it } from "vitest";
import type { HubProposal, HubVote } from "../../fixtures/world/hub-objects.ts";
import { Manifest, RunReport } from "../../snapshots/format/manifest.ts";
import { LEAF, makeStands, type Stand, TOAST } from "../pipeline/cli/stand.ts";
import { appendLines, editFile, rowsOf } from "../support/journey/stage.ts";
import { publishedFiles } from "../support/published-files.ts";

const VOTES = `votes/${LEAF}.ndjson`;
const PROPOSALS = `proposals/${LEAF}.ndjson`;

const { published } = await makeStands();
const unchanged = published();
const before = publishedFiles(unchanged.snapshots);
const reportOf = (stand: Stand) => RunReport.parse(publishedFiles(stand.snapshots).json("run.json"));
const lastOf = <Row>(path: string) => rowsOf<Row>(unchanged.archive, path).at(-1) as Row;
const proposal = lastOf<HubProposal>(PROPOSALS);
const vote = lastOf<HubVote>(VOTES);

const text = (value: object) => JSON.stringify(value);
const stranger = (digit: number) => `0xf1c7${String(digit).repeat(36)}`;
const fresh = { ...vote, proposal: proposal.id, voter: stranger(9), id: `0x${"9".repeat(64)}` };
const inTime = { ...fresh, created: proposal.start };
const withPower = (power: string) => text(fresh).replace(/"vp":[^,]+/, `"vp":${power}`);
const another = { ...proposal, id: `0x${"1".repeat(64)}` };

/** Rows that cannot be taken: the code of the rejection, why, and the line. */
const VOTE_ROWS: readonly (readonly [code: string, why: string, line: string])[] = [
  ["BAD_JSON", "NaN is no JSON", withPower("NaN")],
  ["BAD_JSON", "half a row, in the middle of the file", text(fresh).slice(0, 90)],
  ["POWER_INVALID", "1e309 is infinite", withPower("1e309")],
  ["POWER_INVALID", "negative power", withPower("-5")],
  ["BAD_SHAPE", "power as text", withPower('"many"')],
  ["BAD_SHAPE", "a time as text", text({ ...fresh, created: "noon" })],
  ["BAD_SHAPE", "no object", "[1,2]"],
  ["ADDRESS_INVALID", "an address cut short", text({ ...fresh, voter: "0x12" })],
  ["PROPOSAL_UNKNOWN", "a proposal that does not exist", text({ ...fresh, proposal: `0x${"0".repeat(64)}` })],
  ["TIME_IMPOSSIBLE", "a time in 1970", text({ ...fresh, created: 3 })],
  ["DUPLICATE_VOTE", "an earlier vote of the same voter", text({ ...vote, created: vote.created - 1 })],
  [
    "VOTE_OUTSIDE_WINDOW",
    "cast before the vote began",
    text({ ...fresh, voter: stranger(8), created: proposal.start - 1 }),
  ],
  ["CHOICE_UNREADABLE", "an option that is not offered", text({ ...inTime, voter: stranger(7), choice: 99 })],
];
const PROPOSAL_ROWS: typeof VOTE_ROWS = [
  ["ENDS_BEFORE_START", "ends before it starts", text({ ...another, end: proposal.start - 1 })],
  ["PROPOSAL_DUPLICATE", "the same proposal twice", text(proposal)],
  ["BAD_SHAPE", "of the wrong type", text({ ...proposal, id: 7 })],
];

describe("a row that cannot be taken", () => {
  it("is counted and named by file, line and reason, without its content", async () => {
    const stand = published();
    const linesOf = (rows: typeof VOTE_ROWS) => rows.map(([, , line]) => line);
    const firstVote = appendLines(stand.archive, VOTES, linesOf(VOTE_ROWS));
    const firstProposal = appendLines(stand.archive, PROPOSALS, linesOf(PROPOSAL_ROWS));
    expect(await stand.run()).toMatchObject({ code: 0 });
    const report = reportOf(stand);
    const rejected = report.rejected.map(({ file, line, code }) => ({ file, line, code }));
    for (const [index, [code, why]] of VOTE_ROWS.entries())
      expect(rejected, why).toContainEqual({ file: VOTES, line: firstVote + index, code });
    for (const [index, [code, why]] of PROPOSAL_ROWS.entries())
      expect(rejected, why).toContainEqual({ file: PROPOSALS, line: firstProposal + index, code });
    expect(report.rejected_total).toBe(report.rejected.length);
    expect(text(report)).not.toContain(stranger(9));
    expect(text(report)).not.toContain(stand.directory);
  });

  it("is not one with an unknown type of choice", async () => {
    const stand = published();
    editFile(stand.archive, PROPOSALS, (all) =>
      all.replaceAll('"type":"single-choice"', '"type":"sortition"'),
    );
    expect(await stand.run("--allow", "score-jump")).toMatchObject({ code: 0 });
    expect(reportOf(stand).rejected).toEqual([]);
  });
});

describe("a DAO that cannot be fetched is published from its last good data, with exit code 3", () => {
  it.each([
    {
      why: "its votes are cut to garbage",
      file: VOTES,
      edit: (all: string) => all.replaceAll("{", ""),
      code: "BAD_JSON",
    },
    {
      why: "a fifth of its rows are broken",
      file: VOTES,
      edit: (all: string) => all.replaceAll(/^\{"id":"0x[0-3]/gm, '["'),
      code: "BAD_JSON",
    },
    {
      why: "its votes end in the middle of a row",
      file: VOTES,
      edit: (all: string) => all.slice(0, -40),
    },
    {
      why: "its space is no object",
      spaceId: TOAST,
      file: `spaces/${TOAST}.json`,
      edit: () => "7",
      code: "BAD_SHAPE",
    },
  ])("$why", async ({ spaceId = LEAF, file, edit, code }) => {
    const stand = published();
    editFile(stand.archive, file, edit);
    const end = await stand.run();
    expect(end).toMatchObject({ code: 3 });
    expect(end.stdout).toContain(`${spaceId}: the last fetch failed`);
    const after = publishedFiles(stand.snapshots);
    expect(after.sequence).toBe(before.sequence + 1);
    for (const path of [`daos/${spaceId}.json`, "daos.json"])
      expect(after.bytes(path), path).toEqual(before.bytes(path));
    const { sources } = Manifest.parse(after.json("manifest.json"));
    expect(sources, "its data are still counted").toMatchObject([{ source_id: "archive", spaces: 2 }]);
    const report = reportOf(stand);
    const fetch = report.fetches.find((each) => each.space_id === spaceId);
    expect(fetch).toMatchObject({ status: "failed", votes: 0, error: { code: "SOURCE_FAILED" } });
    const [rejection] = report.rejected.filter((row) => row.space_id === spaceId);
    expect([rejection?.file, rejection?.code]).toEqual([code && file, code]);
    expect(fetch?.error?.message).toContain(file);
    expect(fetch?.error?.message).not.toContain(stand.directory);
  });
});
