import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { compileCopy } from "../../support/compiled-copy.ts";
import { beginGovernor, block } from "./chain-events.ts";
import { address, factsOf, fetchInto, fillSample, transfer } from "./sample-facts.ts";
import { createWarehouseHome, type WarehouseHome } from "./warehouse-home.ts";

const CHILD = fileURLToPath(new URL("./crash-child.ts", import.meta.url));

let home: WarehouseHome;
beforeEach(() => {
  home = createWarehouseHome();
});
afterEach(() => home.remove());

/** Runs a fetch in a process of its own, which is killed at `moment`. */
function crash(moment: "before-commit" | "after-commit" | "after-page" | "after-keep"): void {
  const { signal, stderr } = spawnSync(process.execPath, [compileCopy(CHILD), home.path, moment], {
    encoding: "utf8",
  });
  expect(signal, stderr).toBe("SIGKILL");
}

describe("a process killed in a fetch", () => {
  it("leaves the old facts whole when it had not committed", () => {
    const first = home.open();
    fetchInto(first, "a.eth", fillSample("a.eth"));
    const before = [factsOf(first, "a.eth"), first.fetchRecords(), first.rejections()];
    first.close();

    crash("before-commit");
    expect(statSync(`${home.path}-wal`).size, "the crash came too early to prove anything").toBeGreaterThan(
      1e6,
    );
    const after = home.open();
    expect([factsOf(after, "a.eth"), after.fetchRecords(), after.rejections()]).toEqual(before);
    fetchInto(after, "b.eth", (sink) => expect(sink.internVoter(address(77))).toBe(3));
  });

  it("has kept everything when it had committed", () => {
    crash("after-commit");
    const after = home.open();
    const facts = factsOf(after, "a.eth");
    expect(facts.proposals).toHaveLength(6_002);
    expect(facts.lastCompleteFetchMs).toBe(2_000);
    fetchInto(after, "b.eth", (sink) =>
      expect([1, 2_999, 7_777].map((n) => sink.internVoter(address(n)))).toEqual([1, 2_002, 2_003]),
    );
  });

  it("has kept the pages it had fetched, and nothing else of an unfinished fetch", () => {
    const first = home.open();
    fetchInto(first, "a.eth", fillSample("a.eth"));
    const before = [factsOf(first, "a.eth"), first.fetchRecords(), first.rejections()];
    first.close();

    crash("after-page");
    const after = home.open();
    expect([factsOf(after, "a.eth"), after.fetchRecords(), after.rejections()]).toEqual(before);
    const attempt = { spaceId: "a.eth", sourceId: "snapshot-hub", fetchedAtMs: 3_000 };
    const fetch = after.beginSpaceFetch(attempt);
    expect(fetch.memory?.resumedPage("half", 0)).toBe("kept");
    expect(fetch.internVoter(`0x${"f".repeat(40)}`)).toBe(3);
  });

  it("has kept the logs it had read, shows none of them, and no longer those that it took back; and its names", () => {
    const first = home.open();
    const governor = beginGovernor(first);
    for (const number of [1, 2, 3]) governor.tokenMemory.keep([transfer(number, 0)], block(number));
    governor.commit();
    const before = [first.fetchRecords(), first.holdings()];
    first.close();

    crash("after-keep");
    const after = home.open();
    expect([after.fetchRecords(), after.holdings()]).toEqual(before);
    const facts = factsOf(after, "a.eth");
    expect(facts.proposals).toEqual([]);
    expect(facts.delegationEvents).toEqual([transfer(1, 0), transfer(2, 0)]);
    expect([...facts.names]).toEqual([[address(1), "one.eth"]]);
    const next = beginGovernor(after);
    expect(next.tokenMemory.heldThrough()).toEqual([block(3, "b"), block(2), block(1)]);
    next.commit();
    expect(factsOf(after, "a.eth").delegationEvents).toEqual([
      transfer(1, 0),
      transfer(2, 0),
      transfer(3, 1),
    ]);
  });
});
