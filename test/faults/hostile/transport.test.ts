import { describe, expect, it } from "vitest";
import { openDoor } from "./hostile-door.ts";
import { LIVE_SOURCES, useHostileStage } from "./hostile-stage.ts";
import { BODY_ROWS, HEAD_ROWS } from "./transport-rows.ts";

const stage = useHostileStage();
/** Gives an answer a fifth of a second; nothing that is expected to come is asked through it. */
const openHurried = () => openDoor({ attemptTimeoutMs: 200 });

describe.each(LIVE_SOURCES)("what a %s may do to a connection", (source) => {
  // The door's clock is the same whoever is behind it, and waiting takes its time: one source shows it.
  const rows = [...BODY_ROWS, ...HEAD_ROWS].filter(({ isSlow }) => isSlow !== true || source === "hub");
  it.each(rows)("$name: $why", async ({ send, says, requests, isSlow }) => {
    const before = stage.facts();
    stage.asked(source);
    stage.sendInstead(send);
    const hurried = isSlow === true ? openHurried() : undefined;
    const record = await stage.fetch(source, hurried);
    await hurried?.close();
    expect(record).toMatchObject({ status: "failed", error: { code: "SOURCE_FAILED" } });
    expect(record.error?.message).toMatch(says);
    expect(JSON.stringify(record)).not.toContain("secret-key");
    expect(stage.asked(source)).toBe(typeof requests === "number" ? requests : requests[source]);
    expect(stage.facts()).toEqual(before);
    stage.sendInstead(undefined);
    expect(await stage.fetch(source)).toMatchObject({ status: "complete", rejected: {} });
    expect(stage.facts()).toEqual(before);
  });
});
