import { wrap } from "../../../snapshots/base/command-line/table.ts";
import type { Diagnosis } from "../../upkeep/doctor.ts";
import type { InitResult } from "../../upkeep/init.ts";
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
