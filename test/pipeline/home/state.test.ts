import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
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
import { testHome } from "./test-home.ts";

const NOTHING = { opted_out_entities: null, live_opt_outs: null, last_outcome: null, last_run: null };
const OUTCOME = { ended_at: "2026-11-21T19:26:00.000Z", error: "GATE_REFUSED", gates: ["VOTES_FELL"] };

const fileOf = ({ homeDirectory }: Settings, name = "state.json") => join(homeDirectory, name);
const filesOf = ({ homeDirectory }: Settings) => readdirSync(homeDirectory);

describe("the state of a home", () => {
  it("is empty at first, and reading it creates nothing", () => {
    const home = testHome();
    expect(readState(home)).toEqual(NOTHING);
    expect(filesOf(home)).toEqual([]);
  });

  it("is changed part by part, in one file for its owner alone", () => {
    // The second file is the rest of an interrupted write.
    const home = testHome({ "state.json.new": '{"opted_' });
    updateState(home, { opted_out_entities: 7 });
    updateState(home, { live_opt_outs: 2, last_outcome: OUTCOME });
    updateState(home, { opted_out_entities: 0 });
    const known = { opted_out_entities: 0, live_opt_outs: 2, last_outcome: OUTCOME };
    expect(readState(home)).toEqual({ ...NOTHING, ...known });
    expect(filesOf(home)).toEqual(["state.json"]);
    expect(statSync(fileOf(home)).mode & 0o777).toBe(0o600);
  });

  it("may be of a release that did not store what a run needs", () => {
    const { last_run: _, ...before } = { ...NOTHING, opted_out_entities: 7 };
    const home = testHome({ "state.json": JSON.stringify(before) });
    expect(readState(home)).toEqual({ ...before, last_run: null });
  });

  const whole = JSON.stringify({ ...NOTHING, opted_out_entities: 7 });
  it.each([
    { why: "empty", text: "" },
    { why: "cut off", text: whole.slice(0, 20) },
    { why: "no number", text: whole.replace("7", '"7"') },
    { why: "below zero", text: whole.replace("7", "-1") },
    { why: "no whole number", text: whole.replace("7", "1.5") },
    { why: "incomplete", text: "{}" },
    { why: "more than it should be", text: whole.replace("{", '{"wallet":"x",') },
  ])("is neither zero nor overwritten if its file cannot be read: $why", ({ text }) => {
    const home = testHome({ "state.json": text });
    const refusal = expect.objectContaining({
      code: "HOME_INVALID",
      message: "state.json in the home cannot be read",
      hint: expect.stringContaining("opt-outs by hand"),
    });
    expect(() => readState(home)).toThrow(refusal);
    expect(() => updateState(home, { opted_out_entities: 1 })).toThrow(refusal);
    expect(readFileSync(fileOf(home), "utf8")).toBe(text);
  });

  it("stays unchanged if it cannot be written", () => {
    const home = testHome();
    updateState(home, { opted_out_entities: 7 });
    mkdirSync(fileOf(home, "state.json.new"));
    expect(() => updateState(home, { opted_out_entities: 1 })).toThrow(
      expect.objectContaining({ code: "HOME_INVALID" }),
    );
    expect(readState(home).opted_out_entities).toBe(7);
  });
});

describe("the three files of 0.6.0", () => {
  const earlier = {
    "last-run.json": '{"opted_out_entities":7}\n',
    "live-opt-outs.json": '{"live_opt_outs":3}\n',
    "last-outcome.json": `${JSON.stringify(OUTCOME)}\n`,
  };
  const known = { ...NOTHING, opted_out_entities: 7, live_opt_outs: 3 };

  it("are read, and replaced by the first write", () => {
    const home = testHome(earlier);
    expect(readState(home)).toEqual(known);
    expect(filesOf(home)).toEqual(Object.keys(earlier).sort());
    updateState(home, { last_outcome: { ...OUTCOME, error: null, gates: [] } });
    expect(readState(home)).toMatchObject({ opted_out_entities: 7, live_opt_outs: 3 });
    expect(filesOf(home)).toEqual(["state.json"]);
  });

  it.each(["last-run.json", "live-opt-outs.json"] as const)(
    "may be %s alone; if it cannot be read, that is no zero",
    (name) => {
      const text = earlier[name];
      expect(readState(testHome({ [name]: text }))).toEqual({ ...NOTHING, ...JSON.parse(text) });
      for (const damaged of ["", "{}", '{"opted_out_entities":"7"}', '{"live_opt_outs":-1}']) {
        const home = testHome({ ...earlier, [name]: damaged });
        expect(() => updateState(home, { last_outcome: OUTCOME })).toThrow(
          expect.objectContaining({ code: "HOME_INVALID", message: `${name} in the home cannot be read` }),
        );
        expect(existsSync(fileOf(home))).toBe(false);
      }
    },
  );

  it("do not count beside a state, and are deleted by its next write", () => {
    const home = testHome({ ...earlier, "state.json": JSON.stringify({ ...known, opted_out_entities: 9 }) });
    expect(readState(home).opted_out_entities).toBe(9);
    updateState(home, { live_opt_outs: 4 });
    expect(readState(home)).toEqual({ ...known, opted_out_entities: 9, live_opt_outs: 4 });
    expect(filesOf(home)).toEqual(["state.json"]);
  });
});

const runHome = testHome();
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
    why: "an unexpected error",
    action: () => {
      throw new Error("at some place");
    },
    says: `failed at ${AT}: UNEXPECTED`,
  },
])("stores how the last run ended, and passes it on: $why", async ({ action, says }) => {
  await recordingOutcome(runHome, effects, async () => action()).catch(() => undefined);
  const outcome = readLastOutcome(runHome);
  expect(outcome === undefined ? "nothing" : outcomeText(outcome)).toBe(says);
});

it("a run that found another one active leaves the outcome of the one before", async () => {
  await recordingOutcome(runHome, effects, async () => "done");
  const before = readFileSync(fileOf(runHome), "utf8");
  const locked = pipelineFailure("PUBLISH_LOCKED", "another");
  await expect(recordingOutcome(runHome, effects, () => Promise.reject(locked))).rejects.toBe(locked);
  expect(readFileSync(fileOf(runHome), "utf8")).toBe(before);
});

it("a run that failed while another one is active leaves the state to that one", async () => {
  await recordingOutcome(runHome, effects, async () => "done");
  await whileLocked(runHome, async () => {
    const failed = recordingOutcome(runHome, effects, () => Promise.reject(new Error("before the lock")));
    await expect(failed).rejects.toThrow("before the lock");
  });
  expect(readLastOutcome(runHome)).toMatchObject({ error: null });
});

it("a home that cannot store an outcome fails no run, and an invalid state has no outcome", async () => {
  const gone = { ...runHome, homeDirectory: join(runHome.homeDirectory, "not", "there") };
  expect(await recordingOutcome(gone, effects, async () => "done")).toBe("done");
  expect(readLastOutcome(gone)).toBeUndefined();
  writeFileSync(fileOf(runHome), "{}");
  expect(readLastOutcome(runHome)).toBeUndefined();
});
