import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { compileCopy } from "../../support/compiled-copy.ts";

const PROCESS = join(import.meta.dirname, "ending-threads-process.mjs");
const SQLITE = compileCopy("snapshots/base/sqlite.ts");

function endThreads(...words: readonly (string | number | boolean)[]) {
  const { status, signal, stdout, stderr } = spawnSync(
    process.execPath,
    [PROCESS, SQLITE, ...words.map(String)],
    {
      encoding: "utf8",
    },
  );
  return { status, signal, stdout, stderr };
}

// better-sqlite3 12 aborts Node 24 here, by the fifteenth end in each of six tries, and 13 ends Node 20 before the first thread.
it.each([
  { why: "the main thread uses SQLite too", isMainUser: true },
  { why: "only the threads load the native module, so that it is unloaded with the last", isMainUser: false },
])("a process survives 100 ends of threads with open statements: $why", ({ isMainUser }) => {
  expect(endThreads(isMainUser, "threads", 100, 3)).toEqual({
    status: 0,
    signal: null,
    stdout: "100 ended\n",
    stderr: "",
  });
});

it.each([...Array(8).keys()])(
  "a process that exits while threads use SQLite exits with its own code: %i",
  () => {
    expect(endThreads(true, "exit", 3, 3)).toEqual({ status: 0, signal: null, stdout: "", stderr: "" });
  },
);
