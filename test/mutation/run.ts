import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { z } from "zod";

// `npm run test:mutation [-- ROOM…]`: changes the code of each room in every way Stryker knows, and counts how many of
// the changes the room's own tests notice. A room at a time, as a mutant loads all of the tests that judge it.
interface Room {
  readonly mutate: string;
  /** Those that start processes or wait for the clock stay out: every mutant would wait for them. */
  readonly tests: readonly string[];
}

const ROOMS: Readonly<Record<string, Room>> = {
  optouts: {
    mutate: "snapshots/optouts/**/*.ts",
    tests: ["test/snapshots/optouts/**/*.test.ts", "test/proxy/snapshot/snapshot-source.opt-outs.test.ts"],
  },
  keys: {
    mutate: "proxy/keys/**/*.ts",
    tests: ["test/proxy/keys/**/*.test.ts", "test/proxy/server/open-stores.when-free.test.ts"],
  },
  quota: {
    mutate: "proxy/quota/**/!(edit-counts).ts",
    tests: ["test/proxy/quota/**/!(quota-ledger.processes|quota-ledger.flush|edit-counts).test.ts"],
  },
  score: {
    mutate: "pipeline/score/@(components|frame|method|ranking)/*.ts",
    tests: [
      "test/pipeline/score/@(components|frame|method|ranking)/*.test.ts",
      "test/pipeline/score/measure-dao.test.ts",
    ],
  },
  store: {
    mutate: "snapshots/store/read/*.ts",
    tests: [
      "test/snapshots/store/read/*.test.ts",
      "test/snapshots/store/maintain/@(compare-files|prune-versions|rollback-version|verify-snapshot).test.ts",
      "test/snapshots/store/write/@(publish-snapshot|render-documents).test.ts",
      "test/pipeline/home/choose-version.test.ts",
      "test/proxy/snapshot/snapshot-source*.test.ts",
    ],
  },
  fleet: {
    mutate: "proxy/fleet/{keys,quota}/**/*.ts",
    tests: ["test/proxy/fleet/{keys,quota}/**/*.test.ts"],
  },
  request: {
    mutate: "proxy/request/**/*.ts",
    tests: [
      "test/proxy/request/!(*.simulation).test.ts",
      "test/proxy/server/@(build-app|wire|wire.requests|open-routes.large-answers).test.ts",
      "test/proxy/openapi/docs-page.test.ts",
    ],
  },
};
/** Mutants that are known to survive, by room, each with the reason; the run prints them beside what it finds. */
const KNOWN_SURVIVORS: readonly (readonly [room: string, mutant: string, why: string])[] = [
  [
    "all",
    '`{ bigint: true }` of `statSync`, `"utf8"` of a digest',
    "same result on every file system and Node we know",
  ],
  [
    "all",
    "`fsync` of a folder, closing it in `finally`",
    "only a power cut tells; `test/faults` simulates it",
  ],
  [
    "all",
    '`code !== "EEXIST"` where an empty file is made',
    "the next line opens the file and meets any other fault",
  ],
  ["all", "`?.close` of something always present", "the types require it"],
  ["optouts", "`OPT_OUTS_MAX` ± 1", "needs a list of a million"],
  [
    "optouts",
    "a reader opened as a writer",
    "it never writes; `query_only` is tested where the file is opened",
  ],
  ["optouts", '`isBusy(error)` always true, `"code" in error` of a non-error', "the same message results"],
  [
    "keys",
    "a remembered pepper that is not there; two programs taking an empty store at once",
    "asserts against our own bug, and a race of two processes",
  ],
  [
    "keys",
    "`PRAGMA synchronous` is not what was set",
    "asserts against another binding; `test/proxy/keys` asks the open store",
  ],
  ["keys", "when opened keys are forgotten", "costs memory or time; each is asked again after 250 ms"],
  ["keys", "shape of a key judged by fewer characters", "its checksum refuses it too"],
  ["keys", "the store reopened for each request", "as right, and slower"],
  [
    "quota",
    '`<=` for `<` between days, other words for "none"',
    "a day replaces itself; any word that is no number means nothing is there",
  ],
  [
    "quota",
    "what flushes or empties the log, and what a failed flush leads to",
    "its tests, and those of `edit-counts.ts`, start processes, in which no mutant is switched on",
  ],
  ["quota", "a probe that asks for units of no account", "the types forbid it"],
  ["quota", "a group that is not gathered, a day formatted again", "costs time"],
  [
    "quota",
    "the call of `assertDurable`",
    "needs a file system without shared memory; its refusal is tested",
  ],
  ["score", "guards before sums of nothing, ties between equals", "the same result"],
  ["score", "what one moment keeps for the next (`isSame`)", "costs time"],
  [
    "store",
    "an index opened again by its trace, or replaced while it is opened; no free descriptor",
    "needs a thread or a race (`test/proxy/snapshot`, `test/proxy/server`)",
  ],
  ["store", "levels of compression, sizes of pieces", "costs time or memory"],
  ["store", "guards before a value of JSON is looked at", "what follows refuses it too"],
  [
    "request",
    "what is prepared when the server starts: standard lines, envelopes, CORS",
    "servers start before the tests of a file, where a mutant is not seen; each answer's headers are checked",
  ],
  ["request", "lengths of raw header lists and names", "Node gives pairs; the length only saves work"],
  ["request", "HEAD sends a body", "Node sends none"],
  [
    "request",
    "defaults for what Node always gives, separators of what is refused anyway",
    "no request can tell",
  ],
  ["request", "a word for a status that does not occur", "asserts against our own bug"],
  ["request", 'prepared headers not reused, `typeof body === "string"` always true', "same bytes"],
  [
    "request",
    "an unmatched path under `/v1` goes on to the key",
    "same answer by another way (`test/proxy/request-table`)",
  ],
  ["request", "the store's name in an error line", "the test of the log asks for the line"],
  ["request", "remaining units after a refund with a lowered limit", "one header of a failed answer"],
];

const REPORT = ".stryker-tmp/mutants.json";
const LEAST_KILLED_PCT = 90;

const Position = z.object({ line: z.int(), column: z.int() });
const Report = z.object({
  files: z.record(
    z.string(),
    z.object({
      source: z.string(),
      mutants: z.array(
        z.object({
          status: z.string(),
          mutatorName: z.string(),
          replacement: z.string().optional(),
          location: z.object({ start: Position, end: Position }),
        }),
      ),
    }),
  ),
});

const KILLED = new Set(["Killed", "Timeout"]);
const SURVIVED = new Set(["Survived", "NoCoverage"]);
const total = { killed: 0, survived: 0 };

function tell({ files }: z.infer<typeof Report>): void {
  for (const [path, { source, mutants }] of Object.entries(files)) {
    const lines = source.split("\n");
    for (const { status, mutatorName, replacement = "", location } of mutants) {
      if (KILLED.has(status)) total.killed += 1;
      if (!SURVIVED.has(status)) continue;
      total.survived += 1;
      const { line, column } = location.start;
      const end = location.end.line === line ? location.end.column - 1 : undefined;
      const was = lines[line - 1]?.slice(column - 1, end) ?? "";
      process.stdout.write(
        `${path}:${line} ${mutatorName}: ${was} -> ${replacement.replaceAll("\n", " ")}\n`,
      );
    }
  }
}

for (const name of process.argv.length > 2 ? process.argv.slice(2) : Object.keys(ROOMS)) {
  const room = ROOMS[name];
  if (room === undefined) throw new Error(`${name} is none of ${Object.keys(ROOMS).join(", ")}`);
  rmSync(REPORT, { force: true });
  const env = { ...process.env, MUTATION_TESTS: room.tests.join(" ") };
  spawnSync("npx", ["stryker", "run", ".stryker.json", "--mutate", room.mutate], { stdio: "inherit", env });
  if (!existsSync(REPORT)) throw new Error(`there is no report on ${name}`);
  process.stdout.write(`\n${name}: known survivors\n`);
  for (const [folder, mutant, why] of KNOWN_SURVIVORS)
    if (folder === name || folder === "all") process.stdout.write(`${mutant}: ${why}\n`);
  process.stdout.write(`\n${name}: what no test noticed\n`);
  tell(Report.parse(JSON.parse(readFileSync(REPORT, "utf8"))));
}
const killedPct = (100 * total.killed) / (total.killed + total.survived);
process.stdout.write(
  `\n${total.killed} killed, ${total.survived} survived: ${killedPct.toFixed(1)} % (at least ${LEAST_KILLED_PCT})\n`,
);
if (!(killedPct >= LEAST_KILLED_PCT)) process.exitCode = 1;
