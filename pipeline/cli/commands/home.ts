import {
  formatBytes,
  formatCount,
  formatTable,
  right,
  wrap,
} from "../../../snapshots/base/command-line/table.ts";
import type { Diagnosis } from "../../upkeep/doctor.ts";
import type { InitResult } from "../../upkeep/init.ts";
import type { Status } from "../../upkeep/status.ts";
import { type CommandContext, command } from "../options/command-context.ts";
import { maxAgeHoursOf } from "../options/parse-options.ts";
import { sourcesOfVariables } from "../options/source-options.ts";
import { EXIT } from "../terminal/exit-codes.ts";

/** With `--quiet` prints only problems of the home. */
function formatInit(made: InitResult, { settings, isQuiet }: CommandContext): string {
  const open = made.isOpenToOthers ? `other users can enter the home: chmod 700 ${made.home}\n` : "";
  if (isQuiet) return open;
  const { registryPath, snapshotsDirectory } = settings;
  const isIgnored = made.registryWasThere && registryPath !== undefined && registryPath !== made.registry;
  const kept = isIgnored
    ? "kept the existing registry, not the one of --registry:"
    : "kept the existing registry";
  return `home ${made.home}
${made.registryWasThere ? kept : "created a registry to edit:"} ${made.registry}
${open}next: govdata run --source archive --from FOLDER
      fetches the DAOs of the registry and publishes a version into ${snapshotsDirectory}
`;
}

export const initCommand = command({
  name: "init",
  description: "create the home, with a registry to edit",
  details: "Also creates an empty list of live opt-outs.",
  example: "govdata init --home /var/lib/govdata",
  run: async ({ settings }: CommandContext) => (await import("../../upkeep/init.ts")).initHome(settings),
  text: formatInit,
});

export const signKeyCommand = command({
  name: "sign-key",
  description: "print the public key that verifies versions; create a key pair if there is none",
  example: 'GOVDATA_PUBLIC_KEY="$(govdata sign-key)" govdata verify',
  takes: (made) =>
    made
      .option("--rotate", "create a new key; give it to readers before the next publish")
      .option("--deployment <name>", "sign for this deployment only (readers of 0.6 refuse such versions)"),
  async run({ settings, terminal }: CommandContext, flags: { rotate?: boolean; deployment?: string }) {
    const { rotate, deployment } = flags;
    const { runSignKey } = await import("../../home/signing-key.ts");
    const key = runSignKey(settings, { isRotation: rotate === true, deployment });
    if (key.isNew) terminal.err("created a key; versions are signed with it from the next publish on\n");
    return key;
  },
  text: ({ publicKey }) => `${publicKey}\n`,
  json: ({ publicKey, isNew }) => ({ publicKey, isNew }),
});

const AREA_COLUMNS = 10;

function formatDiagnosis({ checks }: Diagnosis): string {
  const lines = checks.map(({ area, verdict, message, next }) => {
    const header = `${verdict.padEnd(4)}  ${area.padEnd(AREA_COLUMNS)}  `;
    const text = message
      .split("\n")
      .map((line, index) => wrap(line, index === 0 ? header : " ".repeat(header.length)))
      .join("");
    return next === undefined ? text : `${text}${wrap(next, `${" ".repeat(header.length)}-> `)}`;
  });
  const count = (wanted: string): number => checks.filter(({ verdict }) => verdict === wanted).length;
  return `${lines.join("")}\n${count("ok")} ok, ${count("warn")} warn, ${count("fail")} fail\n`;
}

export const doctorCommand = command({
  name: "doctor",
  description: "check everything a run needs and say what to do; exit 1 on a failure",
  details:
    "Checks Node, permissions, disk, registry, sources (one request to the hub and to each chain node), stores, the published version, the last run and the clock. Changes nothing.",
  example:
    "govdata doctor --max-age 26\n  govdata doctor --json | jq '.checks[] | select(.verdict != \"ok\")'",
  takes: (made) => made.option("--max-age <hours>", "highest allowed age of the current version"),
  async run({ settings, nowMs, environment }: CommandContext, flags: { maxAge?: string }) {
    const maxAgeHours = maxAgeHoursOf(flags);
    const { runDoctor } = await import("../../upkeep/doctor.ts");
    return runDoctor(settings, {
      nowMs: nowMs(),
      maxAgeHours,
      namedSources: () => sourcesOfVariables(environment),
    });
  },
  text: formatDiagnosis,
  exit: ({ worst }) => (worst === "fail" ? EXIT.failed : EXIT.done),
});

/** Shown if none of the published DAOs is tracked, usually because --registry was forgotten. */
const UNTRACKED = "           It tracks none of the published DAOs: --registry (GOVDATA_REGISTRY)?";

/** `own` bytes are freed by deleting the version; `shared` ones also belong to other versions. */
function formatDiskUse({ version, versions, totalBytes }: NonNullable<Status["published"]>): string {
  const table = formatTable(versions, [
    { heading: "kept version", cell: (row: (typeof versions)[number]) => row.version },
    right("files", ({ files }) => String(files)),
    right("own", ({ ownBytes }) => formatBytes(ownBytes)),
    right("shared", ({ sharedBytes }) => formatBytes(sharedBytes)),
    { heading: "", cell: (row) => (row.version === version ? "current" : "") },
  ]);
  return `${table}${formatBytes(totalBytes)} in all\n`;
}

function nextRunText({ isRunning, startsAt, endsAt }: NonNullable<Status["nextRun"]>): string {
  const minute = (moment: string) => `${moment.slice(0, 16)}Z`;
  const start = isRunning ? "running since" : "if the timer is on,";
  return `${start} ${minute(startsAt)} until about ${minute(endsAt)}`;
}

async function formatStatus(status: Status, { columns }: CommandContext): Promise<string> {
  const { outcomeText } = await import("../../home/state.ts");
  const { registryText } = await import("../../upkeep/check-home.ts");
  const { ageText } = await import("../../upkeep/check-published.ts");
  const { published, daos, registry, lastRun, nextRun } = status;
  const version =
    published === undefined
      ? ["nothing is published yet"]
      : [
          `version    ${published.version} (sequence ${published.sequence})`,
          `published  ${published.publishedAt}, ${ageText(published.ageHours, "hours")}`,
          `as of      ${published.asOf}`,
          `DAOs       ${published.daosScored} scored, ${published.daosUnscored} unscored`,
          `findings   ${published.findings}`,
          `signed     ${published.isSigned ? "yes" : "no"}`,
        ];
  const count = new Set(daos.map(({ spaceId }) => spaceId)).size;
  const header = [
    ...version,
    ...(lastRun === undefined ? [] : [`last run   ${outcomeText(lastRun)}`]),
    ...(nextRun === undefined ? [] : [`next run   ${nextRunText(nextRun)}`]),
    `registry   ${registryText(registry)}, ${formatCount(count, "DAO")}`,
    ...(published?.daosTracked === 0 ? [UNTRACKED] : []),
    "",
    ...(published === undefined ? [] : [formatDiskUse(published)]),
  ].join("\n");
  const table = formatTable(
    daos,
    [
      { heading: "space", cell: (row: Status["daos"][number]) => row.spaceId },
      { heading: "source", cell: ({ record }) => record?.sourceId ?? "" },
      { heading: "last fetch", cell: ({ record }) => record?.status ?? "never" },
      {
        heading: "at",
        cell: ({ record }) =>
          record === undefined ? "" : `${new Date(record.fetchedAtMs).toISOString().slice(0, 19)}Z`,
      },
      right("votes", ({ record }) => String(record?.votes ?? ""), "drop"),
      {
        heading: "error",
        cell: ({ record }) =>
          record?.error === undefined ? "" : `${record.error.code} ${record.error.message}`,
        fit: "spill",
      },
    ],
    columns,
  );
  return `${header}\n${table}`;
}

export const statusCommand = command({
  name: "status",
  description: "print what is published and what was fetched",
  details: "Also prints when the current run, or the next one of the timer, should end.",
  example: "govdata status --max-age 26",
  takes: (made) => made.option("--max-age <hours>", "exit 1 if the current version is older"),
  async run({ settings, nowMs }: CommandContext, flags: { maxAge?: string }) {
    const maxAgeHours = maxAgeHoursOf(flags);
    const { readStatus } = await import("../../upkeep/status.ts");
    return readStatus(settings, { nowMs: nowMs(), maxAgeHours });
  },
  text: formatStatus,
});
