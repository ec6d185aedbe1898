import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { EXIT } from "../../pipeline/cli/terminal/exit-codes.ts";
import { readRegistry } from "../../pipeline/home/home.ts";
import { queriesOf } from "../../pipeline/sources/hub/estimate.ts";
import { PROJECT } from "../rules/source-files.ts";

const textOf = (file: string) => readFileSync(join(PROJECT, file), "utf8");
const UNIT = textOf("pipeline/systemd/govdata-run.service");
const GUIDE = textOf("pipeline/OPERATING.md");
const settingOf = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(UNIT)?.[1] ?? "";
const hoursOf = (name: string) => Number(/^(\d+)h$/.exec(settingOf(name))?.[1]);

it("a first fetch of the curated list fits twice into the time that the unit gives a run, and a run into a day", () => {
  const { daos } = readRegistry({
    homeDirectory: "/nowhere",
    snapshotsDirectory: "/nowhere",
    registryPath: undefined,
    packageDirectory: PROJECT,
  });
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

it("the keys of the hub and the nodes are readable to root and the program, not to its group, in which the proxy is", () => {
  const made = /^ *install (.*) \/dev\/null (\S+)$/m.exec(GUIDE);
  expect(made?.slice(1)).toEqual(["-m 0600 -o govdata", settingOf("EnvironmentFile").replace(/^-/, "")]);
  expect(textOf("proxy/systemd/govdata-proxy.service")).toContain(
    `SupplementaryGroups=${settingOf("Group")}\n`,
  );
});
