import { describe, expect, it } from "vitest";
import { formatVerification } from "../../../../pipeline/cli/commands/verify.ts";
import { problemWith, type SnapshotProblem } from "../../../../snapshots/store/read/snapshot-error.ts";

const NAME = "20260401T010000Z-0123abcd";

function linesOf(problems: readonly SnapshotProblem[]): readonly string[] {
  const counts = { files: 3, bytes: 21, documents: 2 };
  const text = formatVerification({ version: NAME, sequence: 1, ...counts, problems }, NAME);
  return text.trimEnd().split("\n");
}

const problemsOf = (count: number): SnapshotProblem[] =>
  Array.from({ length: count }, (_, index) => {
    const path = `daos/dao-${index}.json`;
    return { path, code: "FILE_MISSING" as const, message: `${path}: is missing` };
  });

describe("formatVerification", () => {
  it("says that a version is whole", () => {
    expect(linesOf([])).toEqual([`${NAME} is intact: 3 files, 21 bytes`]);
  });

  it.each([
    { why: "one", count: 1, verdict: "1 problem", more: undefined },
    { why: "as many as are shown", count: 100, verdict: "100 problems", more: undefined },
    { why: "one more than that", count: 101, verdict: "101 problems", more: "and 1 more; --json lists all" },
    {
      why: "far more than anybody reads",
      count: 120_594,
      verdict: "120594 problems",
      more: "and 120494 more; --json lists all",
    },
  ])("shows no more than a hundred problems: $why", ({ count, verdict, more }) => {
    const lines = linesOf(problemsOf(count));
    expect(lines.filter((line) => line.startsWith("FILE_MISSING "))).toHaveLength(Math.min(count, 100));
    expect(lines[0]).toBe("FILE_MISSING daos/dao-0.json: is missing");
    expect(lines.slice(Math.min(count, 100))).toEqual([
      ...(more === undefined ? [] : [more]),
      `${NAME} is damaged: ${verdict}`,
    ]);
  });

  it("names the file where the message does not", () => {
    const [line] = linesOf([{ path: "index.sqlite", code: "INDEX_DIFFERS", message: "a row is missing" }]);
    expect(line).toBe("INDEX_DIFFERS index.sqlite: a row is missing");
  });

  it("prints a file that is named to steer a terminal, or to add a line, on one line", () => {
    const path = "daos/\u001B[2J\u202E\nit is intact";
    const lines = linesOf([problemWith(path, "FILE_NOT_LISTED", "is not in the manifest")]);
    expect(lines[0]).toBe("FILE_NOT_LISTED daos/?[2J??it is intact: is not in the manifest");
    expect(lines).toHaveLength(2);
    expect(linesOf([{ path, code: "FILE_MISSING", message: "is missing" }])[0]).toMatch(
      /^FILE_MISSING daos.*: is missing$/,
    );
  });
});
