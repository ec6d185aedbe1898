import { methodologyConstants } from "../../../../pipeline/cli/commands/methodology.ts";
import {
  CAPTURE_CUTS,
  DELEGATE_HHI_CUTS,
  LABEL_CUTS,
  RISK_LEVEL_CUTS,
  VELOCITY_CUTS,
  WEIGHT_TIER_CUTS,
} from "../../../../snapshots/format/value-sets.ts";
import { markdownTable } from "../../../documents/markdown-table.ts";
import { fieldsBlock } from "./published-fields.ts";
import { exampleBlocks } from "./worked-example.ts";

/** The constants of one group, each with its value from the code. */
function constantsOf(group: string): string {
  const values = methodologyConstants()
    .constants.filter(({ name }) => name.startsWith(`${group}.`))
    .map(({ name, value }) => `\`${name}\` ${value}`);
  return `Constants: ${values.join(", ")}.`;
}

function cutsTable(): string {
  return markdownTable(
    ["field", "words, and where each begins or ends"],
    [
      ["`label`", LABEL_CUTS.map(({ label, from }) => `${label} ≥ ${from}`).join(", ")],
      [
        "`risk_level`",
        [...RISK_LEVEL_CUTS.map(({ level, below }) => `${level} < ${below}`), "critical"].join(", "),
      ],
      [
        "`governance_capture_risk`, K",
        [...CAPTURE_CUTS.map(({ level, upToK }) => `${level} ≤ ${upToK}`), "low"].join(", "),
      ],
      [
        "`delegate_centralization`, HHI points",
        [...DELEGATE_HHI_CUTS.map(({ level, below }) => `${level} < ${below}`), "critical"].join(", "),
      ],
      [
        "`proposal_velocity`, Σω a month",
        [
          "dormant = 0",
          ...VELOCITY_CUTS.map(({ velocity, below }) => `${velocity} < ${below}`),
          "very_high",
        ].join(", "),
      ],
      [
        "`weight_tier`, votes of the total",
        [...WEIGHT_TIER_CUTS.map(({ tier, times }) => `${tier} ≥ 1/${times}`), "T3"].join(", "),
      ],
    ],
  );
}

/** Every generated part of METHODOLOGY.md, by the name in its marks. */
export async function methodologyBlocks(): Promise<ReadonlyMap<string, string>> {
  const { version, constants } = methodologyConstants();
  const groups = new Set(constants.map(({ name }) => name.split(".")[0] ?? ""));
  return new Map([
    ["version", `Method version **${version}**.`],
    ...[...groups].map((group) => [`constants ${group}`, constantsOf(group)] as const),
    ["words", cutsTable()],
    ["fields", fieldsBlock()],
    ...(await exampleBlocks()),
  ]);
}
