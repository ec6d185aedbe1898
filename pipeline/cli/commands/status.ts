import { formatBytes, formatCount, formatTable, right } from "../../../snapshots/base/command-line/table.ts";
import type { Status } from "../../upkeep/status.ts";
import { type CommandContext, command } from "../options/command-context.ts";
import { maxAgeHoursOf } from "../options/parse-options.ts";

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
