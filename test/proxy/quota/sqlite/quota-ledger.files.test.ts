import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openQuotaLedger, type QuotaFile } from "../../../../proxy/quota/sqlite/quota-ledger.ts";
import { openSqlite } from "../../../../snapshots/base/sqlite.ts";
import { commitRequests } from "../../../support/commit-requests.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const folder = temporaryFolder();
const DAYS: Readonly<Record<string, string>> = {
  today: "2026-04-01",
  tomorrow: "2026-04-02",
  after: "2026-04-03",
};
const LIMIT = 10;
const COUNTER = /^quota\.db/;
const LOG = /-wal$/;

/** What the log says of each of the ledger's own codes. */
const MESSAGES: Readonly<Record<string, RegExp>> = {
  QUOTA_FILE_CHANGED:
    /^(what lies there is not the counter that was counted in|the counter was taken away while it counted)$/,
  QUOTA_WENT_BACK: /^quota\.db holds an older state than was counted in before$/,
  QUOTA_DAY_GONE: /^that day was counted in a file that is gone$/,
};

type Seen = number | string | boolean | undefined;

/** A home with a running counter, and the other programs that have its file open. */
interface Stage {
  readonly home: string;
  readonly path: string;
  readonly ledger: QuotaFile;
  other: QuotaFile | undefined;
  lock: { close(): unknown } | undefined;
  /** Bytes of the file that were looked at. */
  bytes: Buffer | undefined;
}

/** The result, or the code of the refusal without its prefix: `CHANGED`, `WENT_BACK`, `DAY_GONE`. */
async function codeOf(action: () => Seen | Promise<Seen>): Promise<Seen> {
  try {
    return (await action()) ?? "none";
  } catch (error) {
    const { code, message } = error as { readonly code?: string; readonly message: string };
    if (code === undefined) return message;
    expect(message).toMatch(MESSAGES[code] ?? /./);
    return code.replace(/^QUOTA_(FILE_)?/, "");
  }
}

/** How many of so many units for each of the days are granted in one turn. */
function grantedBy(ledger: QuotaFile, count: string, days: readonly string[]): number {
  const requests = (days.length === 0 ? ["today"] : days).flatMap((day) =>
    Array.from({ length: Number(count) }, () => ({ account: "acme", day: DAYS[day] ?? "", limit: LIMIT })),
  );
  return commitRequests(ledger, requests).filter(({ isGranted }) => isGranted).length;
}

/** Moves what matches, over whatever lies there. */
function move(from: string, to: string, what: RegExp): void {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from).filter((name) => what.test(name)))
    renameSync(join(from, name), join(to, name));
}

const remove = (path: string, what = COUNTER): void => {
  for (const end of ["", "-wal", "-shm"])
    if (what.test(`quota.db${end}`)) rmSync(path + end, { recursive: true, force: true });
};

/** By a program of its own. */
const run = (sql: string) => (stage: Stage) => void openSqlite(stage.path).exec(sql).close();
const numberIn = ({ path }: Stage, sql: string) => {
  const database = openSqlite(path, { readonly: true });
  const value = database.prepare<[], number>(sql).pluck().get();
  database.close();
  return value;
};

/** What can happen. Steps that are seen have a result; events have none. */
const STEPS: Readonly<Record<string, (stage: Stage, ...words: string[]) => unknown>> = {
  ask: ({ ledger }, count = "", ...days) => codeOf(() => grantedBy(ledger, count, days)),
  /** The same of another process, which starts with its first request. */
  other: (stage, count = "", ...days) => {
    stage.other ??= openQuotaLedger(stage.path);
    const { other } = stage;
    return codeOf(() => grantedBy(other, count, days));
  },
  refund: ({ ledger }, day = "today", account = "acme") =>
    codeOf(() => {
      commitRequests(ledger, [], [{ account, day: DAYS[day] ?? "" }]);
      return "done";
    }),
  /** A unit comes back and another is taken, in one turn. */
  swap: ({ ledger }) => {
    const unit = { account: "acme", day: DAYS["today"] ?? "" };
    return codeOf(() => commitRequests(ledger, [{ ...unit, limit: LIMIT }], [unit]).length);
  },
  probe: ({ ledger }, day = "today") => codeOf(() => ledger.probe(DAYS[day] ?? "").then(() => "done")),
  used: ({ ledger }, day = "today") =>
    codeOf(() => ledger.usage("acme", DAYS[day] ?? "").find((row) => row.day === DAYS[day])?.used),
  closed: ({ ledger }) => codeOf(ledger.closedThrough),
  settled: (stage) => numberIn(stage, "SELECT count FROM settled"),
  rows: (stage) => numberIn(stage, "SELECT count(*) FROM quota"),
  exists: ({ path }) => existsSync(path),
  size: ({ path }) => statSync(path).size,
  look: (stage) => {
    stage.bytes = readFileSync(stage.path);
  },
  same: ({ path, bytes }) => bytes !== undefined && readFileSync(path).equals(bytes),

  close: ({ ledger }) => ledger.close(),
  away: ({ home }, what) => move(home, join(home, "away"), what === "log" ? LOG : COUNTER),
  "away-too": ({ home }) => move(home, join(home, "away-too"), COUNTER),
  back: ({ home, path }, what) => {
    remove(path, what === "log" ? LOG : COUNTER);
    move(join(home, "away"), home, what === "log" ? LOG : COUNTER);
  },
  remove: ({ path }, what) => (what === "file" ? rmSync(path) : remove(path)),
  /** A sound counter in which nothing was counted. */
  fresh: ({ path }) => openQuotaLedger(path).close(),
  folder: ({ path }) => void mkdirSync(path),
  "empty-log": ({ path }) => writeFileSync(`${path}-wal`, ""),
  truncate: ({ path }) => truncateSync(path, 0),
  garble: ({ path }) => writeFileSync(path, Buffer.alloc(statSync(path).size, 7)),
  /** Keeps the state of a counter that nobody has open. */
  save: ({ path, home }, name = "") => copyFileSync(path, join(home, name)),
  /** Writes a kept state into the file that lies there, as `cp` does. */
  load: ({ path, home }, name = "") => {
    copyFileSync(join(home, name), path);
    for (const end of ["-wal", "-shm"]) rmSync(path + end, { force: true });
  },
  lock: (stage) => {
    const database = openSqlite(stage.path);
    database.exec("BEGIN EXCLUSIVE");
    stage.lock = database;
  },
  unlock: (stage) => void stage.lock?.close(),
  "other-ends": (stage) => {
    stage.other?.close();
    stage.other = undefined;
  },
  // As another process would, without waiting until all of it stands in the file itself.
  "close-today": run(`INSERT INTO closed VALUES (1, '${DAYS["today"]}')`),
  "open-today": run("DELETE FROM closed"),
  "ignore-inserts": run("CREATE TRIGGER mute BEFORE INSERT ON quota BEGIN SELECT RAISE(IGNORE); END"),
  "wipe-settled": run("DELETE FROM settled"),
  "reset-settled": run("UPDATE settled SET count = 0"),
  "drop-settled": run("DROP TABLE settled"),
};

/** Scenarios of a text: a line that says what holds, and below it the steps, with `=` before what is seen of one. */
const scenarios = (text: string) =>
  text
    .trim()
    .split(/\n(?=\S)/)
    .map((part) => {
      const [why = "", ...lines] = part.split("\n");
      return { why, script: lines.map((line) => line.trim()).join(" ") };
    });

async function play({ script }: { readonly script: string }): Promise<void> {
  const home = mkdtempSync(join(folder, "home-"));
  const path = join(home, "quota.db");
  const stage: Stage = {
    home,
    path,
    ledger: openQuotaLedger(path),
    other: undefined,
    lock: undefined,
    bytes: undefined,
  };
  const played: string[] = [];
  for (const step of script.split("; ")) {
    const [words = ""] = step.split(" = ");
    const [name = "", ...rest] = words.split(" ");
    const seen = await STEPS[name]?.(stage, ...rest);
    played.push(seen === undefined ? words : `${words} = ${seen}`);
  }
  stage.other?.close();
  stage.ledger.close();
  expect(played.join("; ")).toBe(script);
}

describe("a counter whose file stays", () => {
  it.each(
    scenarios(`
counts on in the same file
  ask 4 = 4; ask 4 = 4; ask 4 = 2
keeps days apart, in whatever order a turn names them
  ask 6 tomorrow today = 12; ask 6 today after = 10; used = 10; used tomorrow = 6; used after = 6
gives a unit of a day that is over back to that day
  ask 4 = 4; ask 4 tomorrow = 4; refund = done; used = 3; used tomorrow = 4
is opened again where it lies when it was closed, even twice
  ask 4 = 4; close; close; ask 10 = 6
is opened again to tell what was used
  ask 4 = 4; close; used = 4
is opened again to tell which days are closed
  close-today; close; closed = 2026-04-01
waits for a program that holds the file, and keeps its handle
  ask 4 = 4; lock; ask 1 = SQLITE_BUSY; ask 1 = SQLITE_BUSY; unlock; ask 10 = 6
has no day in doubt after it waited over midnight
  ask 4 = 4; lock; ask 1 = SQLITE_BUSY; unlock; ask 1 tomorrow = 1; ask 10 = 6; refund = done; used = 9
lets nobody in by a grant of which nothing comes back
  ignore-inserts; ask 1 = invariant: a grant would raise the count above the limit; used = none
closes a day at once when another process closes it, until it is opened
  ask 4 = 4; close-today; closed = 2026-04-01; ask 1 = 0; ask 1 tomorrow = 1; refund = done; ask 1 = 0;
  open-today; closed = none; ask 10 = 7
is written only where a unit moves
  settled = 0; ask 10 = 10; settled = 1; ask 10 = 0; refund today nobody = done; settled = 1; refund = done; settled = 2;
  swap = 1; settled = 3
counts on in the file of an earlier version of this program
  ask 4 = 4; close; drop-settled; other 10 = 6
`),
  )("$why", play);
});

describe("a counter that is taken away", () => {
  it.each(
    scenarios(`
counts in vain once, until it is noticed, and on from there when it is put back
  ask 4 = 4; away; ask 1 = CHANGED; ask 1 = CHANGED; ask 1 = CHANGED; refund = CHANGED; back; ask 10 = 5; used = 10
leaves no day in doubt once it is put back
  ask 4 = 4; away; ask 1 = CHANGED; back; ask 1 = 1; ask 1 tomorrow = 1; ask 10 = 4; refund = done; used = 9
leaves its log behind
  ask 4 = 4; remove file; ask 1 = CHANGED; ask 1 = CHANGED; refund = CHANGED; ask 11 tomorrow = 10
leaves a folder in its place
  ask 4 = 4; away; folder; ask 1 = CHANGED; ask 1 = CHANGED; refund = CHANGED
is not missed where it was back before anybody asked
  ask 4 = 4; away; back; ask 10 = 6
without its log is an older state of itself
  ask 4 = 4; away log; ask 1 = CHANGED; ask 1 = CHANGED; ask 1 = CHANGED; back log; ask 10 = 5
with another log in its place is not that counter
  ask 4 = 4; away log; empty-log; ask 1 = CHANGED; ask 1 = CHANGED; back log; ask 10 = 5
is not taken for what another process counts in its place, log and all
  ask 4 = 4; away; other 1 = 1; ask 1 = CHANGED; ask 1 = CHANGED; ask 10 tomorrow = 10; ask 1 = DAY_GONE;
  used tomorrow = 10
does not touch the counter that lies in its place before the day is over
  ask 4 = 4; away; fresh; look; ask 1 = CHANGED; same = true; remove file; back; ask 10 = 5
counts nothing in vain with its handle closed
  ask 4 = 4; close; away; ask 1 = CHANGED; used = CHANGED; closed = CHANGED; exists = false; back; ask 10 = 6
takes a counter that settled more for as foreign as any, with its handle closed
  ask 4 = 4; close; away; other 1 = 1; other 1 = 1; other 1 = 1; ask 1 = CHANGED; ask 1 = CHANGED; used = CHANGED;
  other-ends; back; ask 10 = 6
begins the next day anew, and counts no earlier one any more
  ask 4 = 4; away; ask 1 = CHANGED; ask 11 tomorrow = 10; ask 1 = DAY_GONE; ask 1 tomorrow today = DAY_GONE;
  ask 1 after today = DAY_GONE; ask 1 after = 1
takes a turn over midnight for one of the day before, whichever comes first
  ask 4 = 4; away; ask 1 = CHANGED; ask 1 tomorrow today = CHANGED; ask 1 today tomorrow = CHANGED;
  ask 1 today tomorrow today = CHANGED; exists = false; ask 11 tomorrow = 10
doubts the latest day of a turn, where it comes last
  ask 1 today tomorrow = 2; away; ask 1 = CHANGED; ask 1 tomorrow = CHANGED; ask 11 after = 10
doubts the latest day of a turn, where it comes first
  ask 1 tomorrow today = 2; away; ask 1 = CHANGED; ask 1 tomorrow = CHANGED; ask 11 after = 10
doubts a day that was new when it was missed: another process may have counted it
  ask 4 = 4; other 10 tomorrow = 10; away; ask 1 tomorrow = CHANGED; ask 1 tomorrow = CHANGED; ask 11 after = 10
doubts such a day also where its handle was closed by then
  ask 4 = 4; close; away; ask 1 tomorrow = CHANGED; ask 1 tomorrow = CHANGED; exists = false; ask 11 after = 10
leaves refunds of a day before the new beginning to other processes, and books later ones
  ask 4 = 4; away; ask 1 = CHANGED; ask 3 tomorrow = 3; other 2 today = 2; refund today = done; refund tomorrow = done;
  used today = 2; used tomorrow = 2
waits for a counter on a new day that finds none either, and tries no earlier day
  ask 4 = 4; away; folder; ask 1 = CHANGED; ask 1 tomorrow = STORE_UNUSABLE; ask 1 = CHANGED;
  ask 1 tomorrow = STORE_UNUSABLE; remove; ask 1 = CHANGED; ask 11 tomorrow = 10
is watched like the first when it begins anew
  ask 4 = 4; away; ask 1 = CHANGED; ask 4 tomorrow = 4; away-too; ask 1 tomorrow = CHANGED; ask 1 tomorrow = CHANGED;
  ask 11 after = 10
gives nothing again by any of several processes
  ask 4 = 4; other 4 = 4; remove; ask 1 = CHANGED; other 1 = CHANGED; ask 7 tomorrow = 7; other 7 tomorrow = 3
`),
  )("$why", play);
});

describe("a counter that goes back in time", () => {
  const wentBack = "ask 2 = 2; close; save older; ask 3 = 3; close; save right; load older";
  it.each(
    scenarios(`
is refused, lets go of the file by itself, and counts on when the right state is put back
  ${wentBack}; ask 1 = WENT_BACK; ask 1 = WENT_BACK; load right; ask 10 = 5
counts from the next day on, and drops refunds of the day before
  ${wentBack}; ask 1 = WENT_BACK; ask 11 tomorrow = 10; ask 1 = DAY_GONE; refund today = done; used today = 2
loses no day to a turn over midnight that was refused as well
  ${wentBack}; ask 1 = WENT_BACK; ask 1 today tomorrow = WENT_BACK; ask 11 tomorrow = 10
doubts a new day that finds it so: another process may have counted it
  ${wentBack}; ask 1 tomorrow = WENT_BACK; ask 1 tomorrow = WENT_BACK; ask 11 after = 10
is an older state where its count of transactions was wiped
  ask 2 = 2; wipe-settled; ask 1 = WENT_BACK; ask 1 = WENT_BACK; ask 11 tomorrow = 10
`),
  )("$why", play);
});

describe("a counter that is damaged", () => {
  it.each(
    scenarios(`
takes an emptied file for no counter
  ask 2 = 2; close; truncate; ask 1 = STORE_UNUSABLE; size = 0
counts on when damage was put right, with a handle that is new
  ask 4 = 4; close; save right; garble; ask 1 = STORE_UNUSABLE; load right; ask 10 = 6
`),
  )("$why", play);
});

describe("a probe of the counter", () => {
  it.each(
    scenarios(`
writes, and takes no unit of anybody
  probe = done; probe = done; settled = 2; ask 11 = 10; probe = done; settled = 4; used = 10; rows = 1
fails as a request does where the file is gone
  probe = done; remove; probe = CHANGED; ask 1 = CHANGED
fails as a request does where it went back
  probe = done; reset-settled; probe = WENT_BACK; ask 1 = WENT_BACK
goes on where the file lies there again
  ask 1 = 1; away; probe = CHANGED; back; probe = done; ask 10 = 9
doubts the day it was asked about: what was counted in it may be in what is gone
  remove; probe = CHANGED; ask 1 = CHANGED; probe tomorrow = done; ask 1 tomorrow = 1; ask 1 = DAY_GONE
`),
  )("$why", play);
});
