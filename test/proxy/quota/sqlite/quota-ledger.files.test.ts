import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openQuotaLedger, type QuotaFile } from "../../../../proxy/quota/sqlite/quota-ledger.ts";
import { openSqlite } from "../../../../snapshots/base/sqlite.ts";
import { commitRequests } from "../../../support/commit-requests.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const folder = temporaryFolder();
const [TODAY, TOMORROW, AFTER] = ["2026-04-01", "2026-04-02", "2026-04-03"];
const LIMIT = 10;
const [CHANGED, BACK, GONE] = ["QUOTA_FILE_CHANGED", "QUOTA_WENT_BACK", "QUOTA_DAY_GONE"];
const COUNTER = /^quota\.db/;

/** A home with a running counter, and what else has the file open. */
interface Stand {
  readonly home: string;
  readonly path: string;
  readonly ledger: QuotaFile;
  readonly open: { close(): unknown }[];
}

/** Something that happens; what it gives is seen by the table. */
type Step = (setup: Stand) => number | string | boolean | undefined;

function codeOf(action: () => number | string | undefined): number | string | undefined {
  try {
    return action();
  } catch (error) {
    return (error as { readonly code?: string }).code ?? String(error);
  }
}

/** How many of so many units for each of the days are granted in one turn, or the code of the refusal. */
const grantedBy = (ledger: QuotaFile, count: number, days: readonly string[]) =>
  codeOf(() => {
    const requests = days.flatMap((day) =>
      Array.from({ length: count }, () => ({ account: "acme", day, limit: LIMIT })),
    );
    return commitRequests(ledger, requests).filter(({ isGranted }) => isGranted).length;
  });

const ask =
  (count: number, ...days: readonly string[]): Step =>
  ({ ledger }) =>
    grantedBy(ledger, count, days.length === 0 ? [TODAY] : days);

/** The same of another process that starts now. */
const otherAsks =
  (count: number, day = TODAY): Step =>
  ({ path, open }) => {
    const other = openQuotaLedger(path);
    open.push(other);
    return grantedBy(other, count, [day]);
  };

const refund =
  (day = TODAY): Step =>
  ({ ledger }) =>
    codeOf(() => commitRequests(ledger, [], [{ account: "acme", day }]).length);

const used =
  (day = TODAY): Step =>
  ({ ledger }) =>
    codeOf(() => ledger.usage("acme", day).find((row) => row.day === day)?.used);

const closedThrough: Step = ({ ledger }) => codeOf(ledger.closedThrough);
const isThere: Step = ({ path }) => existsSync(path);

/** An event that gives nothing to see. */
const event =
  (happens: (setup: Stand) => unknown): Step =>
  (setup) => {
    happens(setup);
    return undefined;
  };

/** Moves what matches, over whatever lies there. */
function move(from: string, to: string, what: RegExp): void {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from).filter((name) => what.test(name)))
    renameSync(join(from, name), join(to, name));
}
const away = (what = COUNTER) => event(({ home }) => move(home, join(home, "away"), what));
const back = (what = COUNTER) =>
  event(({ home, path }) => {
    for (const end of ["", "-wal", "-shm"])
      if (what.test(`quota.db${end}`)) rmSync(path + end, { recursive: true, force: true });
    move(join(home, "away"), home, what);
  });
const LOG = /-wal$/;

const close = event(({ ledger }) => ledger.close());

/** Keeps the state of a counter that nobody has open. */
const save = (name: string) => event(({ path, home }) => copyFileSync(path, join(home, name)));

/** Writes a kept state into the file that lies there, as `cp` does. */
const load = (name: string) =>
  event(({ path, home }) => {
    copyFileSync(join(home, name), path);
    for (const end of ["-wal", "-shm"]) rmSync(path + end, { force: true });
  });

/** By a program of its own. */
const run = (sql: string) => event(({ path }) => openSqlite(path).exec(sql).close());
/** As another process would, without waiting until all of it stands in the file itself. */
const closeToday = run(`INSERT INTO closed VALUES (1, '${TODAY}')`);
const openToday = run("DELETE FROM closed");

const locked = event(({ path, open }) => {
  const other = openSqlite(path);
  other.exec("BEGIN EXCLUSIVE");
  open.push(other);
});
const othersEnd = event(({ open }) => {
  for (const other of open.splice(0)) other.close();
});
const freed = event(({ open }) => open.pop()?.close());

interface Scenario {
  readonly why: string;
  readonly steps: readonly Step[];
  readonly seen: readonly unknown[];
}

function play({ steps, seen }: Scenario): void {
  const home = mkdtempSync(join(folder, "home-"));
  const path = join(home, "quota.db");
  const setup: Stand = { home, path, ledger: openQuotaLedger(path), open: [] };
  const given = steps.map((step) => step(setup)).filter((path) => path !== undefined);
  for (const ledger of setup.open) ledger.close();
  setup.ledger.close();
  expect(given).toEqual(seen);
}

describe("a counter whose file stays", () => {
  it.each<Scenario>([
    { why: "the same file is counted on", steps: [ask(4), ask(4), ask(4)], seen: [4, 4, 2] },
    {
      why: "days stand apart, in whatever order a turn names them",
      steps: [ask(6, TOMORROW, TODAY), ask(6, TODAY, AFTER), used(), used(TOMORROW), used(AFTER)],
      seen: [12, 10, 10, 6, 6],
    },
    {
      why: "a unit of a day that is over is given back to that day",
      steps: [ask(4), ask(4, TOMORROW), refund(), used(), used(TOMORROW)],
      seen: [4, 4, 0, 3, 4],
    },
    {
      why: "one that was closed, even twice, is opened again where it lies",
      steps: [ask(4), close, close, ask(10)],
      seen: [4, 6],
    },
    { why: "also to tell what was used", steps: [ask(4), close, used()], seen: [4, 4] },
    {
      why: "and which days are closed",
      steps: [closeToday, close, closedThrough],
      seen: [TODAY],
    },
    {
      why: "a program that holds it is waited for, and the handle stays",
      steps: [ask(4), locked, ask(1), ask(1), freed, ask(10)],
      seen: [4, "SQLITE_BUSY", "SQLITE_BUSY", 6],
    },
    {
      why: "to have waited over midnight puts no day in doubt",
      steps: [ask(4), locked, ask(1), freed, ask(1, TOMORROW), ask(10), refund(), used()],
      seen: [4, "SQLITE_BUSY", 1, 6, 0, 9],
    },
    {
      why: "a grant of which nothing comes back lets nobody in",
      steps: [
        run(`CREATE TRIGGER mute BEFORE INSERT ON quota BEGIN SELECT RAISE(IGNORE); END`),
        ask(1),
        used(),
      ],
      seen: ["Error: invariant: a grant would raise the count above the limit"],
    },
    {
      why: "a day that another process closes is closed at once, and until it is opened",
      steps: [
        ask(4),
        closeToday,
        closedThrough,
        ask(1),
        ask(1, TOMORROW),
        refund(),
        ask(1),
        openToday,
        closedThrough,
        ask(10),
      ],
      seen: [4, TODAY, 0, 1, 0, 0, 7],
    },
  ])("$why", play);
});

describe("a counter that is taken away", () => {
  it.each<Scenario>([
    {
      why: "counts in vain once, until it is noticed, and on from there when it is put back",
      steps: [ask(4), away(), ask(1), ask(1), ask(1), refund(), back(), ask(10), used()],
      seen: [4, CHANGED, CHANGED, CHANGED, CHANGED, 5, 10],
    },
    {
      why: "leaves no day in doubt once it is put back",
      steps: [ask(4), away(), ask(1), back(), ask(1), ask(1, TOMORROW), ask(10), refund(), used()],
      seen: [4, CHANGED, 1, 1, 4, 0, 9],
    },
    {
      why: "leaves its log behind",
      steps: [ask(4), event(({ path }) => rmSync(path)), ask(1), ask(1), refund(), ask(11, TOMORROW)],
      seen: [4, CHANGED, CHANGED, CHANGED, 10],
    },
    {
      why: "leaves a folder in its place",
      steps: [ask(4), away(), event(({ path }) => mkdirSync(path)), ask(1), ask(1), refund()],
      seen: [4, CHANGED, CHANGED, CHANGED],
    },
    {
      why: "is not missed where it was back before anybody asked",
      steps: [ask(4), away(), back(), ask(10)],
      seen: [4, 6],
    },
    {
      why: "without its log it is an older state of itself",
      steps: [ask(4), away(LOG), ask(1), ask(1), ask(1), back(LOG), ask(10)],
      seen: [4, CHANGED, CHANGED, CHANGED, 5],
    },
    {
      why: "and another log in its place is not that log",
      steps: [
        ask(4),
        away(LOG),
        event(({ path }) => writeFileSync(`${path}-wal`, "")),
        ask(1),
        ask(1),
        back(LOG),
        ask(10),
      ],
      seen: [4, CHANGED, CHANGED, 5],
    },
    {
      why: "what another process counts in its place, log and all, is not taken for it",
      steps: [ask(4), away(), otherAsks(1), ask(1), ask(1), ask(10, TOMORROW), ask(1), used(TOMORROW)],
      seen: [4, 1, CHANGED, CHANGED, 10, GONE, 10],
    },
    {
      why: "with its handle closed nothing is counted in vain",
      steps: [ask(4), close, away(), ask(1), used(), closedThrough, isThere, back(), ask(10)],
      seen: [4, CHANGED, CHANGED, CHANGED, false, 6],
    },
    {
      why: "with its handle closed a counter that settled more is as foreign as any",
      steps: [
        ask(4),
        close,
        away(),
        otherAsks(1),
        otherAsks(1),
        otherAsks(1),
        ask(1),
        ask(1),
        used(),
        othersEnd,
        back(),
        ask(10),
      ],
      seen: [4, 1, 1, 1, CHANGED, CHANGED, CHANGED, 6],
    },
    {
      why: "the next day begins anew, and no earlier one is counted any more",
      steps: [
        ask(4),
        away(),
        ask(1),
        ask(11, TOMORROW),
        ask(1),
        ask(1, TOMORROW, TODAY),
        ask(1, AFTER, TODAY),
        ask(1, AFTER),
      ],
      seen: [4, CHANGED, 10, GONE, GONE, GONE, 1],
    },
    {
      why: "a turn over midnight is of the day before, whichever comes first",
      steps: [
        ask(4),
        away(),
        ask(1),
        ask(1, TOMORROW, TODAY),
        ask(1, TODAY, TOMORROW),
        ask(1, TODAY, TOMORROW, TODAY),
        isThere,
        ask(11, TOMORROW),
      ],
      seen: [4, CHANGED, CHANGED, CHANGED, CHANGED, false, 10],
    },
    {
      why: "the latest day of a turn is in doubt, where it comes last",
      steps: [ask(1, TODAY, TOMORROW), away(), ask(1), ask(1, TOMORROW), ask(11, AFTER)],
      seen: [2, CHANGED, CHANGED, 10],
    },
    {
      why: "the latest day of a turn is in doubt, where it comes first",
      steps: [ask(1, TOMORROW, TODAY), away(), ask(1), ask(1, TOMORROW), ask(11, AFTER)],
      seen: [2, CHANGED, CHANGED, 10],
    },
    {
      why: "a day that was new when it was missed may have been counted by another process",
      steps: [ask(4), otherAsks(10, TOMORROW), away(), ask(1, TOMORROW), ask(1, TOMORROW), ask(11, AFTER)],
      seen: [4, 10, CHANGED, CHANGED, 10],
    },
    {
      why: "the same where its handle was closed by then",
      steps: [ask(4), close, away(), ask(1, TOMORROW), ask(1, TOMORROW), isThere, ask(11, AFTER)],
      seen: [4, CHANGED, CHANGED, false, 10],
    },
    {
      why: "refunds of a day before the new beginning are another process's units, later ones are ours",
      steps: [
        ask(4),
        away(),
        ask(1),
        ask(3, TOMORROW),
        otherAsks(2, TODAY),
        refund(TODAY),
        refund(TOMORROW),
        used(TODAY),
        used(TOMORROW),
      ],
      seen: [4, CHANGED, 3, 2, 0, 0, 2, 2],
    },
    {
      why: "a new day that finds no counter either waits for one, and no earlier day is tried",
      steps: [
        ask(4),
        away(),
        event(({ path }) => mkdirSync(path)),
        ask(1),
        ask(1, TOMORROW),
        ask(1),
        ask(1, TOMORROW),
        event(({ path }) => rmSync(path, { recursive: true })),
        ask(1),
        ask(11, TOMORROW),
      ],
      seen: [4, CHANGED, "STORE_UNUSABLE", CHANGED, "STORE_UNUSABLE", CHANGED, 10],
    },
    {
      why: "one that begins anew is watched like the first",
      steps: [
        ask(4),
        away(),
        ask(1),
        ask(4, TOMORROW),
        event(({ home }) => move(home, join(home, "away-too"), COUNTER)),
        ask(1, TOMORROW),
        ask(1, TOMORROW),
        ask(11, AFTER),
      ],
      seen: [4, CHANGED, 4, CHANGED, CHANGED, 10],
    },
  ])("$why", play);
});

describe("a counter that goes back in time", () => {
  const wentBack = [ask(2), close, save("older"), ask(3), close, save("right"), load("older")];
  it.each<Scenario>([
    {
      why: "is refused, lets go of the file by itself, and counts on when the right state is put back",
      steps: [...wentBack, ask(1), ask(1), load("right"), ask(10)],
      seen: [2, 3, BACK, BACK, 5],
    },
    {
      why: "counts from the next day on, and refunds of the day before are dropped",
      steps: [...wentBack, ask(1), ask(11, TOMORROW), ask(1), refund(TODAY), used(TODAY)],
      seen: [2, 3, BACK, 10, GONE, 0, 2],
    },
    {
      why: "loses no day to a turn over midnight that was refused as well",
      steps: [...wentBack, ask(1), ask(1, TODAY, TOMORROW), ask(11, TOMORROW)],
      seen: [2, 3, BACK, BACK, 10],
    },
    {
      why: "a new day that finds it so may have been counted by another process",
      steps: [...wentBack, ask(1, TOMORROW), ask(1, TOMORROW), ask(11, AFTER)],
      seen: [2, 3, BACK, BACK, 10],
    },
    {
      why: "a count of transactions that was wiped is an older state",
      steps: [ask(2), run("DELETE FROM settled"), ask(1), ask(1), ask(11, TOMORROW)],
      seen: [2, BACK, BACK, 10],
    },
  ])("$why", play);
});
