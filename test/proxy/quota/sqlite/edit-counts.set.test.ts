import { join } from "node:path";
import { expect, it } from "vitest";
import { closeDays, openDays, setCount } from "../../../../proxy/quota/sqlite/edit-counts.ts";
import { openQuotaLedger } from "../../../../proxy/quota/sqlite/quota-ledger.ts";
import { commitRequests } from "../../../support/commit-requests.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const folder = temporaryFolder();
const DAY = "2026-04-01";
const LATER = "2026-04-02";
let files = 0;

/** A counter in which `acme` used two units, which a server has open. */
function setup() {
  files += 1;
  const path = join(folder, `quota-${files}.db`);
  let ledger = openQuotaLedger(path);
  const ask = (account = "acme", day = DAY, limit = 5) => {
    const [answer] = commitRequests(ledger, [{ account, day, limit }]);
    return `${answer?.isGranted === true ? "granted" : "refused"} ${answer?.remaining}`;
  };
  ask();
  ask();
  return {
    path,
    ask,
    isOpened: (account: string) => ledger.isOpened(account, DAY),
    close: () => ledger.close(),
    /** What a restore does, which needs the file to itself. */
    change: (work: () => void) => {
      ledger.close();
      work();
      ledger = openQuotaLedger(path);
    },
  };
}

it.each([
  { why: "lower", used: 1, want: "granted 3" },
  { why: "none", used: 0, want: "granted 4" },
  { why: "the last but one", used: 4, want: "granted 0" },
  { why: "at the limit", used: 5, want: "refused 0" },
  { why: "above it", used: 1_000_000, want: "refused 0" },
])("sets a count under a server that runs: $why", ({ used, want }) => {
  const { path, ask, close } = setup();
  expect(setCount(path, { account: "acme", day: DAY, used })).toBe(2);
  expect(ask()).toBe(want);
  expect(ask("other")).toBe("granted 4");
  close();
});

it("opens a closed day for this account, and for no other and no other day", () => {
  const { path, ask, isOpened, change, close } = setup();
  change(() => closeDays(path, LATER));
  expect([ask(), ask("acme", LATER), ask("other")]).toEqual(["refused 0", "refused 0", "refused 0"]);
  expect(setCount(path, { account: "acme", day: DAY, used: 3 })).toBe(2);
  expect([ask(), ask("acme", LATER), ask("other")]).toEqual(["granted 1", "refused 0", "refused 0"]);
  expect([isOpened("acme"), isOpened("other")]).toEqual([true, false]);
  close();
});

it("sets the count of an account that nobody counted yet", () => {
  const { path, ask, close } = setup();
  expect(setCount(path, { account: "new", day: DAY, used: 4 })).toBe(0);
  expect(ask("new")).toBe("granted 0");
  close();
});

it("is forgotten by the next restore: what it brings may lack units again", () => {
  const { path, ask, change, close } = setup();
  change(() => closeDays(path, DAY));
  setCount(path, { account: "acme", day: DAY, used: 0 });
  change(() => closeDays(path, DAY));
  expect(ask()).toBe("refused 0");
  setCount(path, { account: "acme", day: DAY, used: 0 });
  change(() => {
    openDays(path);
    closeDays(path, DAY);
  });
  expect(ask()).toBe("refused 0");
  close();
});

it("makes no counter where none is", () => {
  expect(() => setCount(join(folder, "none.db"), { account: "acme", day: DAY, used: 0 })).toThrow(
    expect.objectContaining({ code: "STORE_UNUSABLE" }),
  );
});
