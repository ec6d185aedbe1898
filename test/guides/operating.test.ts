import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { EXIT } from "../../pipeline/cli/terminal/exit-codes.ts";
import { OPT_OUTS_ERROR_CODES } from "../../snapshots/optouts/opt-out-store.ts";
import { SNAPSHOT_ERROR_CODES } from "../../snapshots/store/read/snapshot-error.ts";
import { PROJECT, sourceFiles } from "../rules/source-files.ts";
import { deployFile, PAGE as PRODUCTION } from "./production/production-page.ts";

const textOf = (file: string) => readFileSync(join(PROJECT, file), "utf8");
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
  for (const text of [GUIDE, PRODUCTION])
    for (const [, name = "", value = ""] of text.matchAll(/\b(GOVDATA_\w+)=(\/[\w/.-]+)/g))
      expect(units, name).toContain(`Environment=${name}=${value}\n`);
});
