import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { pipelineFailure } from "../../../pipeline/facts/errors.ts";
import { requirePassed } from "../../../pipeline/gate/check-gates.ts";
import { whileLocked } from "../../../pipeline/home/lock.ts";
import type { Settings } from "../../../pipeline/home/settings.ts";
import {
  outcomeText,
  readLastOutcome,
  readState,
  recordingOutcome,
  updateState,
} from "../../../pipeline/home/state.ts";

const root = mkdtempSync(join(tmpdir(), "govdata-state-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let homes = 0;

/** Settings with a home of their own, in which these files lie. */
function settings(files: Readonly<Record<string, string>> = {}): Settings {
  homes += 1;
  const homeDirectory = join(root, `home-${homes}`);
  mkdirSync(homeDirectory);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(homeDirectory, name), text);
  return {
    homeDirectory,
    snapshotsDirectory: join(root, "published"),
    registryPath: undefined,
    packageDirectory: root,
  };
}

const NOTHING = { opted_out_entities: null, live_opt_outs: null, last_outcome: null, last_run: null };
const OUTCOME = { ended_at: "2026-11-21T19:26:00.000Z", error: "GATE_REFUSED", gates: ["VOTES_FELL"] };

describe("what a home remembers", () => {
  it("is nothing at first, and asking for it makes nothing", () => {
    const home = settings();
    expect(readState(home)).toEqual(NOTHING);
    expect(readdirSync(home.homeDirectory)).toEqual([]);
  });

  it("is kept one beside the other, in one file for its owner alone", () => {
    const home = settings();
    updateState(home, { opted_out_entities: 7 });
    updateState(home, { live_opt_outs: 2, last_outcome: OUTCOME });
    updateState(home, { opted_out_entities: 0 });
    expect(readState(home)).toEqual({
      ...NOTHING,
      opted_out_entities: 0,
      live_opt_outs: 2,
      last_outcome: OUTCOME,
    });
    expect(readdirSync(home.homeDirectory)).toEqual(["state.json"]);
    expect(statSync(join(home.homeDirectory, "state.json")).mode & 0o777).toBe(0o600);
  });

  it("is what a release wrote that did not keep yet what a run takes", () => {
    const { last_run: _, ...before } = { ...NOTHING, opted_out_entities: 7 };
    expect(readState(settings({ "state.json": JSON.stringify(before) }))).toEqual({
      ...before,
      last_run: null,
    });
  });

  const whole = JSON.stringify({ ...NOTHING, opted_out_entities: 7 });
  it.each([
    { why: "empty", text: "" },
    { why: "cut", text: whole.slice(0, 20) },
    { why: "no number", text: whole.replace("7", '"7"') },
    { why: "below none", text: whole.replace("7", "-1") },
    { why: "no whole number", text: whole.replace("7", "1.5") },
    { why: "nothing said", text: "{}" },
    { why: "something else beside it", text: whole.replace("{", '{"wallet":"x",') },
  ])("is no zero where it cannot be read, and is not written over: $why", ({ text }) => {
    const home = settings({ "state.json": text });
    const refusal = expect.objectContaining({
      code: "HOME_INVALID",
      message: "state.json in the home cannot be read",
      hint: expect.stringContaining("opt-outs by hand"),
    });
    expect(() => readState(home)).toThrow(refusal);
    expect(() => updateState(home, { opted_out_entities: 1 })).toThrow(refusal);
    expect(readFileSync(join(home.homeDirectory, "state.json"), "utf8")).toBe(text);
  });

  it("is a failure with a word where it cannot be kept, and then stays what it was", () => {
    const home = settings();
    updateState(home, { opted_out_entities: 7 });
    mkdirSync(join(home.homeDirectory, "state.json.new"));
    expect(() => updateState(home, { opted_out_entities: 1 })).toThrow(
      expect.objectContaining({ code: "HOME_INVALID" }),
    );
    expect(readState(home).opted_out_entities).toBe(7);
  });

  it("is written over what a write that was cut off left", () => {
    const home = settings({ "state.json.new": '{"opted_' });
    updateState(home, { opted_out_entities: 1 });
    expect(readdirSync(home.homeDirectory)).toEqual(["state.json"]);
  });
});

describe("a home of 0.6.0, which kept it in three files", () => {
  const earlier = {
    "last-run.json": '{"opted_out_entities":7}\n',
    "live-opt-outs.json": '{"live_opt_outs":3}\n',
    "last-outcome.json": `${JSON.stringify(OUTCOME)}\n`,
  };
  const known = { ...NOTHING, opted_out_entities: 7, live_opt_outs: 3 };

  it("is remembered but for how the last run ended, and changed by nobody who only reads", () => {
    const home = settings(earlier);
    expect(readState(home)).toEqual(known);
    expect(readdirSync(home.homeDirectory)).toEqual(Object.keys(earlier).sort());
  });

  it("loses nothing with the first write, after which the earlier files are gone", () => {
    const home = settings(earlier);
    updateState(home, { last_outcome: { ...OUTCOME, error: null, gates: [] } });
    expect(readState(home)).toMatchObject({ opted_out_entities: 7, live_opt_outs: 3 });
    expect(readdirSync(home.homeDirectory)).toEqual(["state.json"]);
  });

  it.each(["last-run.json", "live-opt-outs.json"] as const)(
    "has what it has where there is only %s",
    (name) => {
      const text = earlier[name];
      expect(readState(settings({ [name]: text }))).toEqual({ ...NOTHING, ...JSON.parse(text) });
    },
  );

  it.each(["last-run.json", "live-opt-outs.json"])("is no zero where %s cannot be read", (name) => {
    for (const text of ["", "{}", '{"opted_out_entities":"7"}', '{"live_opt_outs":-1}']) {
      const home = settings({ ...earlier, [name]: text });
      expect(() => updateState(home, { last_outcome: OUTCOME })).toThrow(
        expect.objectContaining({ code: "HOME_INVALID", message: `${name} in the home cannot be read` }),
      );
      expect(existsSync(join(home.homeDirectory, "state.json"))).toBe(false);
    }
  });

  it("counts no more once there is a state: what was cut off on the way is finished by the next write", () => {
    const home = settings({ ...earlier, "state.json": JSON.stringify({ ...known, opted_out_entities: 9 }) });
    expect(readState(home).opted_out_entities).toBe(9);
    updateState(home, { live_opt_outs: 4 });
    expect(readState(home)).toEqual({ ...known, opted_out_entities: 9, live_opt_outs: 4 });
    expect(readdirSync(home.homeDirectory)).toEqual(["state.json"]);
  });
});

const runHome = settings();
const AT = "2026-11-21T19:26:00.000Z";
const effects = { nowMs: () => Date.parse(AT) };
const finding = (code: "VOTES_FELL" | "DAO_COUNT_FELL") => ({
  code,
  severity: "refuse" as const,
  message: "fewer: than before",
});

it.each([
  { why: "it published", action: () => {}, says: `published at ${AT}` },
  {
    why: "gates refused it, one of them twice",
    action: () => {
      const findings = [finding("VOTES_FELL"), finding("VOTES_FELL"), finding("DAO_COUNT_FELL")];
      requirePassed({ findings, checked: undefined });
    },
    says: `refused at ${AT}: VOTES_FELL, DAO_COUNT_FELL`,
  },
  {
    why: "the hub was away",
    action: () => {
      throw pipelineFailure("NOTHING_FETCHED", "nothing");
    },
    says: `failed at ${AT}: NOTHING_FETCHED`,
  },
  {
    why: "a fault of ours",
    action: () => {
      throw new Error("at some place");
    },
    says: `failed at ${AT}: UNEXPECTED`,
  },
])("how the last run ended is noted where $why, and goes on as it was", async ({ action, says }) => {
  await recordingOutcome(runHome, effects, async () => action()).catch(() => undefined);
  const outcome = readLastOutcome(runHome);
  expect(outcome === undefined ? "nothing" : outcomeText(outcome)).toBe(says);
});

it("a run that found another at work leaves the note of the one before", async () => {
  await recordingOutcome(runHome, effects, async () => "done");
  const before = readFileSync(join(runHome.homeDirectory, "state.json"), "utf8");
  const locked = pipelineFailure("PUBLISH_LOCKED", "another");
  await expect(recordingOutcome(runHome, effects, () => Promise.reject(locked))).rejects.toBe(locked);
  expect(readFileSync(join(runHome.homeDirectory, "state.json"), "utf8")).toBe(before);
});

it("a run that failed while another is at work leaves what is remembered to that one", async () => {
  await recordingOutcome(runHome, effects, async () => "done");
  await whileLocked(runHome, async () => {
    const failed = recordingOutcome(runHome, effects, () => Promise.reject(new Error("before the lock")));
    await expect(failed).rejects.toThrow("before the lock");
  });
  expect(readLastOutcome(runHome)).toMatchObject({ error: null });
});

it("a home that takes no note fails no run, and what is no note says nothing", async () => {
  const gone = { ...runHome, homeDirectory: join(runHome.homeDirectory, "not", "there") };
  expect(await recordingOutcome(gone, effects, async () => "done")).toBe("done");
  expect(readLastOutcome(gone)).toBeUndefined();
  writeFileSync(join(runHome.homeDirectory, "state.json"), "{}");
  expect(readLastOutcome(runHome)).toBeUndefined();
});
