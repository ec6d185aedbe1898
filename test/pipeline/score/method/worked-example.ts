import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEMO_END_DAY, DEMO_SEED } from "../../../../fixtures/demo/demo-world.ts";
import { writeWorld } from "../../../../fixtures/world.ts";
import { createDaoScorer, type DaoScorer } from "../../../../pipeline/score/dao-scorer.ts";
import type { ScoreOrGap } from "../../../../pipeline/score/method/dao-score.ts";
import { METHODOLOGY } from "../../../../pipeline/score/method/methodology.ts";
import { createXoshiro, wordsOfHash } from "../../../../pipeline/score/uncertainty/bootstrap.ts";
import { assessUncertainty, type Interval } from "../../../../pipeline/score/uncertainty/uncertainty.ts";
import { sha256Hex } from "../../../../snapshots/format/canonical-json.ts";
import { COMPONENT_KEYS } from "../../../../snapshots/format/value-sets.ts";
import { readArchive } from "../../../real/archive-facts.ts";

/** The smallest DAO of the invented world that has a score. */
export const EXAMPLE = "second-breakfast.example";

type Assessed = ReturnType<DaoScorer["assessAt"]>;

/** The example as of the last day of the world that `npm run demo` shows. */
export async function assessExample(): Promise<Assessed> {
  const directory = mkdtempSync(join(tmpdir(), "govdata-example-"));
  try {
    const { asOf } = writeWorld({ directory, seed: DEMO_SEED, endDay: DEMO_END_DAY, spaceIds: [EXAMPLE] });
    const reader = readArchive(directory);
    const scorer = createDaoScorer(await reader.factsOf(EXAMPLE), reader.entityIdOfWallet);
    return scorer.assessAt(Date.parse(asOf), false);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const fixed = (value: number | undefined, decimals: number): string =>
  value === undefined ? "gap" : value.toFixed(decimals);
const pointsOf = (score: ScoreOrGap, decimals = 2): string =>
  score.kind === "gap" ? "gap" : score.points.toFixed(decimals);
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");

function proposalsTable({ measures }: Assessed): string {
  return table(
    ["proposal", "ended", "votes", "power S", "ω", "N_eff", "K", "top share", "top choice", "with a reason"],
    measures.members.map((member) => [
      `\`${member.proposalId.slice(0, 8)}…\``,
      new Date(member.endMs).toISOString().slice(0, 10),
      String(member.countedVotes),
      fixed(member.power, 1),
      fixed(member.attention, 4),
      fixed(member.concentration?.effectiveVoters, 3),
      String(member.concentration?.nakamoto ?? "gap"),
      fixed(member.concentration?.topShare, 4),
      fixed(member.topChoiceShare, 4),
      fixed(member.rationaleShare, 4),
    ]),
  );
}

function indicatorsTable({ scored }: Assessed): string {
  return table(
    ["component", "indicator", "found", "marks (0–1)", "weight left"],
    COMPONENT_KEYS.flatMap((key) =>
      scored.components[key].indicators.map(({ id, role, raw, value, effectiveWeight }) => [
        key,
        id,
        fixed(raw, 4),
        fixed(value, 4),
        role === "factor" ? "factor" : fixed(effectiveWeight, 4),
      ]),
    ),
  );
}

function scoresTable({ scored, measures }: Assessed): string {
  const { components, gvs, risk, attentionSum, effectiveProposals, evidenceShare } = scored;
  return table(
    ["step", "number"],
    [
      ["Σω", fixed(attentionSum, 4)],
      ["n_e", fixed(effectiveProposals, 4)],
      ["λ = Σω / 20", fixed(evidenceShare, 4)],
      ["mean heads", fixed(scored.participation.headsMean, 4)],
      ["H(5)", fixed(measures.expectedHeads, 4)],
      ...COMPONENT_KEYS.map((key) => [
        `${key} before and after thin evidence`,
        `${pointsOf(components[key].before, 4)} → ${pointsOf(components[key].score, 4)}`,
      ]),
      ["gvs", pointsOf(gvs, 4)],
      ...(risk.kind === "gap"
        ? []
        : [
            [
              "risk: base, dominance, smallness",
              `${fixed(risk.base, 4)}, ${fixed(risk.dominance, 0)}, ${fixed(risk.smallness, 0)}`,
            ],
          ]),
      [
        "published: gvs, confidence, risk_score",
        `${pointsOf(gvs)}, ${scored.confidence}, ${risk.kind === "gap" ? "gap" : fixed(risk.score, 1)}`,
      ],
    ],
  );
}

/** The seed, what is drawn from it first, and the intervals that all draws end in. */
function resamplesTable({ scored, measures }: Assessed): string {
  const { members, spaceId, asOfMs } = measures;
  const seed = `${spaceId}|${new Date(asOfMs).toISOString().slice(0, 10)}|${METHODOLOGY.version}`;
  const words = wordsOfHash(sha256Hex(seed));
  const next = createXoshiro(words);
  const numbers = members.map(() => next());
  const places = numbers.map((number) => {
    let reached = 0;
    return members.findIndex(({ attention }) => {
      reached += attention;
      return reached > (number / 2 ** 32) * scored.attentionSum;
    });
  });
  const found = assessUncertainty([{ measures, scored }]).get(spaceId);
  const interval = (of: Interval | undefined) => `${fixed(of?.low, 4)} to ${fixed(of?.high, 4)}`;
  // Its bars would be borders of a table.
  return `Seed \`${seed}\`.\n\n${table(
    ["step", "found"],
    [
      ["its four words", words.map((word) => word.toString(16).padStart(8, "0")).join(" ")],
      ["first numbers", numbers.join(", ")],
      ["places drawn, from 1", places.map((place) => place + 1).join(", ")],
      ["resamples without a gap", String(found?.kept)],
      ...COMPONENT_KEYS.map((key) => [`${key}, in nine of ten`, interval(found?.components[key])]),
      ["gvs, in nine of ten", interval(found?.gvs)],
    ],
  )}`;
}

/** The generated parts of the worked example, by name. */
export async function exampleBlocks(): Promise<readonly (readonly [name: string, block: string])[]> {
  const assessed = await assessExample();
  return [
    ["example proposals", proposalsTable(assessed)],
    ["example indicators", indicatorsTable(assessed)],
    ["example scores", scoresTable(assessed)],
    ["example resamples", resamplesTable(assessed)],
  ];
}
