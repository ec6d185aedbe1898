import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { EXIT } from "../../pipeline/cli/terminal/exit-codes.ts";
import { readRegistry } from "../../pipeline/home/read-registry.ts";
import { queriesOf } from "../../pipeline/sources/estimate.ts";
import { STOP_DEADLINE_MS } from "../../proxy/server/limits.ts";
import { SETTINGS } from "../../proxy/settings.ts";
import { OPT_OUTS_ERROR_CODES } from "../../snapshots/optouts/opt-out-store.ts";
import { SNAPSHOT_ERROR_CODES } from "../../snapshots/store/read/snapshot-error.ts";
import { PROJECT, sourceFiles } from "../rules/source-files.ts";
import { runFolder } from "../support/run-folder.ts";
import { deployFile, textOf } from "./guide.ts";

const GUIDE = textOf("pipeline/OPERATING.md");
const ALARMS = GUIDE.split("\n## Alarms\n")[1] ?? "";

/** What the entries of the lists are about: every name in code before the colon. */
const named = [...ALARMS.matchAll(/^- ((?:`[^`]+`(?:, )?)+)/gm)].flatMap(([, names = ""]) =>
  [...names.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name),
);

/** What only publishing runs into; a reader never says so. */
const OF_PUBLISHING = ["DOCUMENT_INVALID", "PUBLISH_LOCKED", "PUBLISH_FAILED"];

/** Messages of these levels in the proxy's code. */
function logMessages(): readonly string[] {
  const all = sourceFiles(["proxy"]).map(({ text }) => text);
  return all
    .flatMap((text) => [...text.matchAll(/\blog\.(?:warn|error)\((?:[^()"]|\([^()]*\))*"([^"]+)"/g)])
    .map(([, message = ""]) => message);
}

describe("the lists of alarms name", () => {
  it("every alarm of the proxy's page, and no other", () => {
    const alerts = [...deployFile("alerts.yml").matchAll(/- alert: (\w+)/g)].map(([, name = ""]) => name);
    expect(alerts.length).toBeGreaterThan(5);
    expect(named.filter((name) => name.startsWith("Govdata"))).toEqual(alerts);
  });

  it("every reason that /readyz can give", () => {
    const reasons = [
      ...SNAPSHOT_ERROR_CODES.filter((code) => !OF_PUBLISHING.includes(code)),
      ...OPT_OUTS_ERROR_CODES,
      ...[
        "RELOAD_FAILED",
        "SNAPSHOT_STALE",
        "SHUTTING_DOWN",
        "KEYS_DOWN",
        "QUOTA_DOWN",
        "QUOTA_COUNT_INVALID",
      ],
    ];
    expect(named.filter((name) => /^[A-Z]+(_[A-Z]+)+$/.test(name)).sort()).toEqual([...reasons].sort());
  });

  it("every warning and error that the proxy logs", () => {
    const messages = logMessages();
    expect(messages).toEqual(expect.arrayContaining(["store failed", "request failed"]));
    expect(messages.filter((message) => !named.includes(message))).toEqual([]);
    expect(named, "made of two parts in the code").toContain("snapshot refused");
  });

  it("every exit code", () => {
    expect(named.filter((name) => /^\d+$/.test(name)).map(Number)).toEqual(Object.values(EXIT));
  });
});

/** Blocks without a language, or of `sh`. */
function shellBlocksOf(text: string): readonly string[] {
  const blocks = [...text.matchAll(/^( *)```(\w*)\n([\s\S]*?)^\1```$/gm)];
  return blocks
    .filter(([, , language = ""]) => ["", "sh"].includes(language))
    .map(([, , , block = ""]) => block);
}

describe.each(["pipeline/OPERATING.md", "proxy/PRODUCTION.md", "proxy/CALLING.md"])("%s", (file) => {
  const text = textOf(file);

  it("has shell lines that a shell can read", () => {
    const blocks = shellBlocksOf(text);
    expect(blocks.length).toBeGreaterThan(0);
    execFileSync("sh", ["-n"], { input: blocks.join("\n") });
  });
});

it("every place that the guides name is the one of the units", () => {
  const units = ["proxy/systemd/govdata-proxy.service", "pipeline/systemd/govdata-run.service"]
    .map(textOf)
    .join("\n");
  for (const text of [GUIDE, textOf("proxy/PRODUCTION.md")])
    for (const [, name = "", value = ""] of text.matchAll(/\b(GOVDATA_\w+)=(\/[\w/.-]+)/g))
      expect(units, name).toContain(`Environment=${name}=${value}\n`);
});

const UNIT = textOf("pipeline/systemd/govdata-run.service");
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
