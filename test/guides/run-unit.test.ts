import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { EXIT } from "../../pipeline/cli/terminal/exit-codes.ts";
import { readRegistry } from "../../pipeline/home/read-registry.ts";
import { queriesOf } from "../../pipeline/sources/hub/estimate.ts";
import { STOP_DEADLINE_MS } from "../../proxy/server/limits.ts";
import { SETTINGS } from "../../proxy/settings.ts";
import { PROJECT } from "../rules/source-files.ts";
import { runFolder } from "../support/run-folder.ts";

const textOf = (file: string) => readFileSync(join(PROJECT, file), "utf8");
const UNIT = textOf("pipeline/systemd/govdata-run.service");
const GUIDE = textOf("pipeline/OPERATING.md");
const settingOf = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(UNIT)?.[1] ?? "";
const hoursOf = (name: string) => Number(/^(\d+)h$/.exec(settingOf(name))?.[1]);

it("a first fetch of the curated list fits twice into the time that the unit gives a run, and a run into a day", () => {
  const registry = readRegistry({
    homeDirectory: "/nowhere",
    snapshotsDirectory: "/nowhere",
    registryPath: undefined,
    packageDirectory: PROJECT,
  });
  // Those that vote on a chain alone are not asked for there.
  const daos = registry.daos.filter(({ snapshot }) => snapshot !== "none");
  const size = { proposalsCount: 1_000, votesCount: 200_000 };
  const queries = daos.length * queriesOf(size);
  const words = (text: string) => text.replaceAll(/\n#? ?/g, " ");
  const said = `${daos.length} spaces of 1,000 proposals and 200,000 votes each are ${queries.toLocaleString("en")} queries`;
  expect(words(UNIT)).toContain(said);
  expect(words(GUIDE)).toContain(said);
  expect(hoursOf("TimeoutStartSec") * 3_600).toBeGreaterThan(2 * queries);
  expect(hoursOf("TimeoutStartSec")).toBeLessThan(24);
  expect(GUIDE).toContain(`timeout ${settingOf("TimeoutStartSec")} `);
});

it("a run that fails is tried again a few times, unless it needs a person, and tomorrow's timer finds it ready", () => {
  expect(settingOf("Restart")).toBe("on-failure");
  expect(settingOf("RestartPreventExitStatus").split(" ").map(Number)).toEqual([EXIT.usage, EXIT.refused]);
  expect(settingOf("SuccessExitStatus")).toBe(String(EXIT.partial));
  expect(Number(settingOf("StartLimitBurst"))).toBeLessThanOrEqual(5);
  expect(hoursOf("StartLimitIntervalSec")).toBeLessThan(24);
  const [, settings = ""] = UNIT.split("[Unit]");
  expect(settings.split("[Service]")[0], "systemd ignores it elsewhere").toContain("StartLimitBurst=");
});

it.each([
  { why: "published", result: { EXIT_CODE: "exited", EXIT_STATUS: "0" }, want: 0, isAlarm: false },
  {
    why: "some DAOs failed",
    result: { EXIT_CODE: "exited", EXIT_STATUS: "3" },
    want: EXIT.partial,
    isAlarm: false,
  },
  {
    why: "a gate refused",
    result: { EXIT_CODE: "exited", EXIT_STATUS: "6" },
    want: EXIT.refused,
    isAlarm: true,
  },
  {
    why: "the unit's time was over",
    result: { EXIT_CODE: "killed", EXIT_STATUS: "KILL" },
    want: 130,
    isAlarm: true,
  },
])("a night leaves its exit code to the alarm: $why", ({ result, want, isAlarm }) => {
  const folder = mkdtempSync(join(runFolder(), "run-unit-"));
  const [, script = ""] = /^-\/bin\/sh -c '(.*)'$/.exec(settingOf("ExecStopPost")) ?? [];
  execFileSync("sh", ["-c", script], {
    env: { ...result, PATH: "/usr/bin:/bin", RUNTIME_DIRECTORY: folder },
  });
  expect(readdirSync(folder)).toEqual(["run.prom"]);
  expect(readFileSync(join(folder, "run.prom"), "utf8")).toBe(`govdata_run_exit_code ${want}\n`);
  expect(statSync(join(folder, "run.prom")).mode & 0o777, "another user reads it").toBe(0o644);
  const [, rule = ""] =
    /alert: GovdataRunFailed\n +expr: (.*)\n/.exec(textOf("proxy/deploy/alerts.yml")) ?? [];
  const quiet = [...rule.matchAll(/govdata_run_exit_code != (\d+)/g)].map(([, code]) => Number(code));
  expect(!quiet.includes(want)).toBe(isAlarm);
  expect(GUIDE).toContain(`--collector.textfile.directory=/run/${settingOf("RuntimeDirectory")}`);
});

it("the proxy's unit allows the time that its comment says a stop takes", () => {
  const unit = textOf("proxy/systemd/govdata-proxy.service");
  const drainSeconds = Number(SETTINGS.table.GOVDATA_PROXY_DRAIN_SECONDS.otherwise);
  expect(unit).toContain(
    `# Drain (${drainSeconds} s) and the answers under way (${STOP_DEADLINE_MS / 1000} s) must fit.`,
  );
  const allowed = Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]);
  expect(allowed).toBeGreaterThan(drainSeconds + STOP_DEADLINE_MS / 1000);
});

it("the aliases run commands on the files of the units, the list of opt-outs too", () => {
  for (const [program, file] of [
    ["govdata", "pipeline/systemd/govdata-run.service"],
    ["govdata-proxy", "proxy/systemd/govdata-proxy.service"],
  ] as const) {
    const [, alias = ""] = new RegExp(`^ *alias ${program}='(.*)'$`, "m").exec(GUIDE) ?? [];
    const places = textOf(file).matchAll(/^Environment=(GOVDATA_\w+=\/.*)$/gm);
    for (const [, place = ""] of places) expect(alias.split(" "), program).toContain(place);
    expect(alias, "the group may read the opt-outs").toMatch(/-u govdata env|-g govdata env/);
  }
});

it("the keys of the hub and the nodes are readable to root and the program, not to its group, in which the proxy is", () => {
  const made = /^ *install (.*) \/dev\/null (\S+)$/m.exec(GUIDE);
  expect(made?.slice(1)).toEqual(["-m 0600 -o govdata", settingOf("EnvironmentFile").replace(/^-/, "")]);
  expect(textOf("proxy/systemd/govdata-proxy.service")).toContain(
    `SupplementaryGroups=${settingOf("Group")}\n`,
  );
});
