import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../proxy/support/temporary-folder.ts";
import { deployFile, placeOf, replaced, textOf } from "../guide.ts";

const folder = temporaryFolder();
const DAY_S = 86_400;

/** Runs the page's night with a program that ends with this code, over backups of 40 and of 20 days ago. */
function night(exitCode: number): { status: number | null; left: string[] } {
  const place = mkdtempSync(join(folder, "backups-"));
  for (const days of [40, 20]) {
    const backup = join(place, `${days}-days-old`);
    mkdirSync(backup);
    writeFileSync(join(backup, "keys.db"), "");
    const madeAtS = Date.now() / 1000 - days * DAY_S;
    utimesSync(backup, madeAtS, madeAtS);
  }
  const program = join(folder, `ends-with-${exitCode}`);
  writeFileSync(
    program,
    `#!/bin/sh\n[ "$1" = backup ] && [ ${exitCode} = 0 ] && mkdir "$2"\nexit ${exitCode}\n`,
  );
  chmodSync(program, 0o700);
  // As cron reads it: five times, a user, and an escaped percent sign.
  const [, command = ""] = /^(?:\S+ ){5}govdata-proxy (.*)$/m.exec(deployFile("backup.cron")) ?? [];
  const run = replaced(command, {
    "\\%": "%",
    "/usr/local/bin/govdata-proxy": program,
    "/var/backups/govdata-proxy": place,
  });
  const { status } = spawnSync("sh", ["-c", run], { stdio: "ignore" });
  const left = readdirSync(place).map((name) => (/^\d{4}-\d\d-\d\d$/.test(name) ? "tonight's" : name));
  return { status, left: left.sort() };
}

describe("the page's backup of each night", () => {
  it.each([
    {
      why: "makes one, and deletes what is older than a month",
      exitCode: 0,
      left: ["20-days-old", "tonight's"],
    },
    { why: "fails, and deletes nothing", exitCode: 1, left: ["20-days-old", "40-days-old"] },
  ])("$why", ({ exitCode, left }) => {
    expect(night(exitCode)).toEqual({ status: exitCode, left });
  });
});

describe("the page's look into the log", () => {
  it.skipIf(placeOf("jq") === undefined)("goes past lines that are no JSON (needs jq)", () => {
    const [, command = ""] =
      /`journalctl -u govdata-proxy -o cat \| (jq [^`]*)`/.exec(textOf("proxy/PRODUCTION.md")) ?? [];
    const input = [
      "Started govdata-proxy.service.",
      '{"status":200,"reqId":"fine"}',
      '{"level":"error","msg":"store failed"}',
      "(node:7) Warning: not JSON either",
      '{"status":503,"reqId":"failed"}',
      "",
    ].join("\n");
    const said = spawnSync("sh", ["-c", `${command} -c`], { input, encoding: "utf8" });
    expect([said.status, said.stdout]).toEqual([0, '{"status":503,"reqId":"failed"}\n']);
  });
});
