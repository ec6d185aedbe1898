import { z } from "zod";
import { methodologyConstants } from "../../../../pipeline/cli/commands/program.ts";
import { INDICATORS } from "../../../../pipeline/score/method/indicators.ts";
import {
  DaoDetail,
  DaoHistory,
  DaoSummary,
  DgiHistory,
  PublishedDgi,
  RiskAssessment,
  UnscoredDao,
} from "../../../../snapshots/format/dao.ts";
import { DelegateListing, DelegationGraph } from "../../../../snapshots/format/delegates.ts";
import { Entity } from "../../../../snapshots/format/entity.ts";
import { ListMeta } from "../../../../snapshots/format/envelope.ts";
import { Evidence } from "../../../../snapshots/format/evidence.ts";
import { ProposalLine } from "../../../../snapshots/format/proposal-line.ts";
import { Ranking } from "../../../../snapshots/format/rankings.ts";
import {
  CAPTURE_CUTS,
  COMPONENT_KEYS,
  DELEGATE_HHI_CUTS,
  LABEL_CUTS,
  RISK_LEVEL_CUTS,
  VELOCITY_CUTS,
  WEIGHT_TIER_CUTS,
} from "../../../../snapshots/format/value-sets.ts";
import { anchorOf, markdownTable } from "../../../documents/documents.ts";
import { exampleBlocks } from "./worked-example.ts";

/** Every published document that holds numbers about DAOs, delegates or entities, by the name it is published under. */
const DOCUMENTS: Readonly<Record<string, z.ZodType>> = {
  meta: ListMeta,
  "daos.json": DaoSummary,
  "daos/<space_id>.json": DaoDetail,
  "risk/<space_id>.json": RiskAssessment,
  "rankings.json": Ranking,
  "dgi.json": PublishedDgi,
  "dgi-history.json": DgiHistory,
  "history/<space_id>.json": DaoHistory,
  "delegates/<space_id>/latest.json": DelegateListing,
  "graph/<space_id>.json": DelegationGraph,
  "entities/<entity_id>.json": Entity,
  "unscored.json": UnscoredDao,
  "evidence/<space_id>.json": Evidence,
  "proposals/<space_id>.ndjson": ProposalLine,
};

/** The names of the values in a shape, with dots; a list or a choice of shapes adds no name of its own. */
function namesIn(shape: unknown, path: readonly string[] = []): string[] {
  if (shape instanceof z.ZodObject) {
    return Object.entries(shape.shape).flatMap(([key, part]) => namesIn(part, [...path, key]));
  }
  if (shape instanceof z.ZodArray) return namesIn(shape.element, path);
  if (shape instanceof z.ZodOptional || shape instanceof z.ZodNullable) return namesIn(shape.unwrap(), path);
  if (shape instanceof z.ZodRecord) return namesIn(shape.valueType, path);
  if (shape instanceof z.ZodUnion) return shape.options.flatMap((option) => namesIn(option, path));
  return [path.join(".")];
}

const COMPONENT = new RegExp(`(^|\\.)(${COMPONENT_KEYS.join("|")})(?=\\.|$)`);
const MARK = new RegExp(`^(${INDICATORS.map(({ id }) => id).join("|")})(?=_(low|high)$)`);

/** `*` stands for each of the four components, of the indicators and of the columns that are added up. */
const collapsed = (name: string): string =>
  name
    .replace(COMPONENT, "$1*")
    .replace(MARK, "*")
    .replace(/^(majority_voters|hhi_points|gini)_(low|high)$/, "$1_*")
    .replace(/^empty_frame\..*/, "empty_frame.*")
    .replace(/^totals\.[a-z_]+/, "totals.*");

/** The section that explains a field: the first whose pattern is found in the document and the field. */
const SECTIONS: readonly (readonly [section: string, fields: RegExp])[] = [
  ["How to recompute", / empty_frame\./],
  ["Entities", /^entities| top_entities\./],
  ["Delegates", /^(delegates|graph)| measures\.delegation\./],
  [
    "Risk",
    /^risk\/.* (risk_|factors|trend)|risk_score$| risk\.| measures\.active| (top_share|merged_top_share|whale_share)$|majority_voters|concentration|hhi_points_|gini| hhi_points$/,
  ],
  ["Data completeness", /complete| (fetched_share|fields_share|declared_votes|declared_power)$/],
  [
    "Ranks, index and history",
    /^dgi|rank|delta_24h|history\.|points\.(date|gvs|components|index_weight)|index_weight$/,
  ],
  ["How to recompute", / totals\.|sha256$|\.indicators\./],
  ["Process (GPI)", /guardrails|authors| quorum(_power)?$/],
  ["Participation (HPR)", / loyalty_attention$/],
  [
    "What is counted",
    /^proposals.* (id|title|link|.*_at|state|scores_state|is_.*|unit|place|power|attention|weight|votes)$| frame\.|continuities\.|gvs_confidence/,
  ],
  [
    "From marks to a score",
    /^(daos|evidence|unscored).*[ .](gvs|components|presence|known_share|unscored|reason)|^proposals.* \*_|fetched_at$/,
  ],
  ["How to read a number", /interval|known_share|presence|not_known/],
];

/** Ids, names, times and links, which no method makes. */
const PLAIN = /links\.|_id$|name$|category$|as_of$|_version$|_at$|_calculated$| total$|^meta unscored$/;

/** The section that explains a field; none for a plain one. */
function sectionOf(document: string, field: string): string | undefined {
  const found = SECTIONS.find(([, fields]) => fields.test(`${document} ${field}`));
  if (found === undefined && !PLAIN.test(`${document} ${field}`))
    throw new Error(`METHODOLOGY.md has no section for ${field} of ${document}`);
  return found?.[0];
}

/** Fields under one name that one section explains, written once where they are several: `factors.*`. */
function shortened(own: readonly string[], all: readonly string[]): readonly string[] {
  const parentOf = (field: string): string => field.slice(0, field.lastIndexOf(".") + 1);
  const isOneSections = (parent: string): boolean =>
    parent !== "" &&
    own.filter((field) => field.startsWith(parent)).length >= 2 &&
    all.every((field) => !field.startsWith(parent) || own.includes(field));
  return [...new Set(own.map((field) => (isOneSections(parentOf(field)) ? `${parentOf(field)}*` : field)))];
}

/** The fields of each document, by the section that explains them. */
export function fieldsBlock(): string {
  const bySection = new Map<string, string[]>();
  for (const [document, shape] of Object.entries(DOCUMENTS)) {
    const all = [...new Set(namesIn(shape).map(collapsed))];
    for (const section of new Set(all.map((field) => sectionOf(document, field)))) {
      if (section === undefined) continue;
      const own = shortened(
        all.filter((field) => sectionOf(document, field) === section),
        all,
      );
      const cell = `\`${document}\`: ${own.map((field) => `\`${field}\``).join(" ")}`;
      bySection.set(section, [...(bySection.get(section) ?? []), cell]);
    }
  }
  return markdownTable(
    ["section", "fields"],
    [...bySection].map(([section, cells]) => [`[${section}](#${anchorOf(section)})`, cells.join("<br>")]),
  );
}

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
