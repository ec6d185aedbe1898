import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { methodologyConstants } from "../../../../pipeline/cli/commands/methodology.ts";
import {
  CAPTURE_CUTS,
  DELEGATE_HHI_CUTS,
  LABEL_CUTS,
  RISK_LEVEL_CUTS,
  VELOCITY_CUTS,
  WEIGHT_TIER_CUTS,
} from "../../../../snapshots/format/value-sets.ts";
import { markdownTable } from "./markdown-table.ts";
import { fieldsBlock } from "./published-fields.ts";
import { exampleBlocks } from "./worked-example.ts";

/** The text for readers. */
export const METHODOLOGY_PATH = fileURLToPath(
  new URL("../../../../pipeline/score/METHODOLOGY.md", import.meta.url),
);

/** The constants of one group, each with its value from the code. */
function constantsOf(group: string): string {
  const values = methodologyConstants()
    .constants.filter(({ name }) => name.startsWith(`${group}.`))
    .map(({ name, value }) => `\`${name}\` ${value}`);
  return `Constants: ${values.join(", ")}.`;
}

function cutsTable(): string {
  return markdownTable(
    ["word of", "words, each with where it begins or ends"],
    [
      ["`label`, from points", LABEL_CUTS.map(({ label, from }) => `${label} ≥ ${from}`).join(", ")],
      [
        "`risk_level`, below",
        [...RISK_LEVEL_CUTS.map(({ level, below }) => `${level} < ${below}`), "critical"].join(", "),
      ],
      [
        "`governance_capture_risk`, K up to",
        [...CAPTURE_CUTS.map(({ level, upToK }) => `${level} ≤ ${upToK}`), "low"].join(", "),
      ],
      [
        "`delegate_centralization`, HHI points below",
        [...DELEGATE_HHI_CUTS.map(({ level, below }) => `${level} < ${below}`), "critical"].join(", "),
      ],
      [
        "`proposal_velocity`, Σω a month below",
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

/** Every generated part of the text, by the name in its marks. */
export async function generatedBlocks(): Promise<ReadonlyMap<string, string>> {
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

/** The text with what stands between its marks made anew; names a mark that nothing is made for. */
export function withBlocks(text: string, blocks: ReadonlyMap<string, string>): string {
  return text.replaceAll(
    /<!-- generated: ([^>]+) -->\n(?:(?!<!-- generated)[\s\S])*?<!-- end -->/g,
    (_, name: string) => {
      const block = blocks.get(name);
      if (block === undefined) throw new Error(`METHODOLOGY.md asks for "${name}", which nothing makes`);
      return `<!-- generated: ${name} -->\n${block}\n<!-- end -->`;
    },
  );
}

/** `npx tsx test/pipeline/score/method/generated-blocks.ts` writes the generated parts anew. */
async function main(): Promise<void> {
  const text = readFileSync(METHODOLOGY_PATH, "utf8");
  writeFileSync(METHODOLOGY_PATH, withBlocks(text, await generatedBlocks()));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
