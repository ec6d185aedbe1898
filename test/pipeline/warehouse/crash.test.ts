import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { address, factsOf, fetchInto, fillSample } from "./sample-facts.ts";
import { createWarehouseHome, type WarehouseHome } from "./warehouse-home.ts";

const CHILD = fileURLToPath(new URL("./crash-child.ts", import.meta.url));

let home: WarehouseHome;
beforeEach(() => {
  home = createWarehouseHome();
});
afterEach(() => home.remove());

/** Runs a fetch in a process of its own, which is killed at `moment`. */
function crash(moment: "before-commit" | "after-commit" | "after-page"): void {
  const { signal, stderr } = spawnSync(process.execPath, ["--import", "tsx", CHILD, home.path, moment], {
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
    const facts = factsOf(home.open(), "a.eth");
    expect(facts.proposals).toHaveLength(6_002);
    expect(facts.lastCompleteFetchMs).toBe(2_000);
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
});
