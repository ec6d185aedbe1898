import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEMO_END_DAY, DEMO_SEED, writeWorld } from "../../../../fixtures/world.ts";
import { createDaoMeasurer } from "../../../../pipeline/score/measure-dao.ts";
import type { Mark } from "../../../../pipeline/score/method/marks.ts";
import { type DaoMeasures, weightAt } from "../../../../pipeline/score/method/measures.ts";
import { METHODOLOGY } from "../../../../pipeline/score/method/methodology.ts";
import { weightedMedian } from "../../../../pipeline/score/method/statistics.ts";
import { type DaoScore, scoreMeasures } from "../../../../pipeline/score/score-measures.ts";
import { DAY_MS } from "../../../../snapshots/base/days.ts";
import { COMPONENT_KEYS } from "../../../../snapshots/format/value-sets.ts";
import { markdownTable } from "../../../documents/documents.ts";
import { readArchive } from "../../../real/archive-facts.ts";

/** The smallest DAO of the invented world that has a score. */
const EXAMPLE = "second-breakfast.example";

/** What is measured of the example, and what follows from it. */
interface Assessed {
  readonly measures: DaoMeasures;
  readonly score: DaoScore;
}

/** The example as of the last day of the world that `npm run demo` shows. */
async function assessExample(): Promise<Assessed> {
  const directory = mkdtempSync(join(tmpdir(), "govdata-example-"));
  try {
    const { asOf } = writeWorld({ directory, seed: DEMO_SEED, endDay: DEMO_END_DAY, spaceIds: [EXAMPLE] });
    const reader = readArchive(directory);
    const measurer = createDaoMeasurer(await reader.factsOf(EXAMPLE), reader.entityIdOfWallet);
    const measures = measurer.measureAt(Date.parse(asOf));
    return { measures, score: scoreMeasures(measures) };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const fixed = (value: number | undefined, decimals: number): string =>
  value === undefined ? "not known" : value.toFixed(decimals);
const ends = (mark: Mark | undefined): string =>
  mark === undefined ? "not known" : [...new Set(mark.map((end) => end.toFixed(4)))].join(" to ");

function proposalsTable({ measures }: Assessed): string {
  return markdownTable(
    ["proposal", "ended", "votes", "S", "ω", "w", "effective", "majority", "top", "loyalty"],
    measures.proposals.map((line) => [
      `\`${line.proposalId.slice(0, 8)}…\``,
      new Date(line.endMs).toISOString().slice(0, 10),
      String(line.votes),
      fixed(line.power, 1),
      fixed(line.attention, 4),
      fixed(weightAt(line, measures.asOfMs), 4),
      ends(line.marks.effective),
      ends(line.marks.majority),
      ends(line.marks.top),
      ends(line.marks.loyalty),
    ]),
    true,
  );
}

function indicatorsTable({ score }: Assessed): string {
  return markdownTable(
    ["component", "indicator", "k", "low", "high"],
    COMPONENT_KEYS.flatMap((key) =>
      score.components[key].indicators.map(({ id, mark: [low, high], weight }) => [
        key,
        id,
        fixed(weight, 4),
        fixed(low, 4),
        fixed(high, 4),
      ]),
    ),
    true,
  );
}

function scoresTable({ score }: Assessed): string {
  const { components, gvs, risk, knownShare, presence } = score;
  return markdownTable(
    ["step", "low", "point", "high"],
    [
      ["presence", fixed(presence[0], 4), "", fixed(presence[1], 4)],
      ...[...COMPONENT_KEYS.map((key) => [key, components[key]] as const), ["gvs", gvs] as const].map(
        ([name, { low, point, high }]) => [name, fixed(low, 4), fixed(point, 4), fixed(high, 4)],
      ),
      ["risk", fixed(risk?.score.low, 2), fixed(risk?.score.point, 2), fixed(risk?.score.high, 2)],
      ["known share", "", fixed(knownShare, 4), ""],
    ],
    true,
  );
}

/** How a person writes the sizes in a sentence: commas between thousands. */
const written = (value: number | undefined): string =>
  value === undefined
    ? "not known"
    : value.toLocaleString("en-US", { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** How the weights of proposals, and an indicator of them, are computed by hand. */
function proposalWords({ measures: { proposals, asOfMs } }: Assessed): string {
  const { attentionFloor } = METHODOLOGY.frame;
  const { fullMarksVoters } = METHODOLOGY.decentralization;
  const last = proposals.at(-1);
  if (last === undefined) throw new Error("the example has no proposals");
  const scale = written(weightedMedian(proposals.map(({ power = 0 }) => ({ value: power, weight: power }))));
  const [mark] = last.marks.effective ?? [0];
  const voters = (fullMarksVoters ** mark).toFixed(2);
  const weights = proposals.map((line) => weightAt(line, asOfMs));
  const k = weights.reduce((sum, weight) => sum + weight, 0);
  const marked = proposals.reduce(
    (sum, { marks }, at) => sum + (marks.effective?.[0] ?? 0) * (weights[at] ?? 0),
    0,
  );
  const [sum, all] = [marked.toFixed(3), (k + 2).toFixed(3)];
  return `**Weights.** Half of all power lies in proposals of up to ${scale}, the scale. The last proposal drew
${written(last.power)}: ω = (${written(last.power)} / ${scale} − ${attentionFloor}) / ${1 - attentionFloor} = ${last.attention.toFixed(3)}. It ended ${((asOfMs - last.endMs) / DAY_MS).toFixed(1)} days ago: w = ${weightAt(last, asOfMs).toFixed(3)}. The weights add
up to k = ${k.toFixed(3)}.

**One indicator.** The last ballot is worth ${voters} equal voters: ln ${voters} / ln ${fullMarksVoters} = ${mark.toFixed(3)}. Over the four ballots Σw·m =
${sum}, so \`effective\` lies between ${sum} / ${all} = ${(marked / (k + 2)).toFixed(3)} and (${sum} + 2) / ${all} = ${((marked + 2) / (k + 2)).toFixed(3)}.`;
}

/** How a component is computed by hand from its indicators. */
function componentWords({ measures, score }: Assessed): string {
  const { low, point, high, indicators } = score.components.dei;
  const lows = indicators.map(({ mark }) => mark[0].toFixed(4)).join(" + ");
  return `\`loyalty\` has a small *k*: of the earlier ballots with a total ω of 10, at most ${fixed(measures.proposals.at(-1)?.loyaltyAttention, 2)} are there.

**One component.** DEI's low end is 10 · (${lows}) / 3 = ${low.toFixed(2)} and its high end ${high.toFixed(2)}, so the point is
√(${(1 + low).toFixed(2)} · ${(1 + high).toFixed(2)}) − 1 = ${point.toFixed(2)}.`;
}

/** How the score, the risk and the weight in the index are computed by hand from the components. */
function scoreWords({
  measures,
  score: { components, gvs, knownShare, risk, indexWeight },
}: Assessed): string {
  const { weights } = METHODOLOGY.components;
  const factors = COMPONENT_KEYS.map((key) => `${(1 + components[key].point).toFixed(3)}^${weights[key]}`);
  const ends = `${(1 + gvs.high).toFixed(3)} / ${(1 + gvs.low).toFixed(3)}`;
  const top = Math.max(...measures.proposals.map(({ concentration }) => concentration?.topShare ?? 0));
  const share = knownShare.toFixed(3);
  return `**The score.** ${factors.join(" · ")} − 1 = ${gvs.point.toFixed(2)}. Known share: 1 − ln(${ends}) / ln 11 =
${share}. **Risk:** no ballot has a voter with more than ${(100 * top).toFixed(1)} %, so it is 100 − 5 · (${components.dei.point.toFixed(2)} + ${gvs.point.toFixed(2)}) = ${fixed(risk?.score.point, 1)}.
**In the index** it weighs v = 2 · ${share} − 1 = ${indexWeight.toFixed(2)}.`;
}

/** The generated parts of the worked example, by name. */
export async function exampleBlocks(): Promise<readonly (readonly [name: string, block: string])[]> {
  const assessed = await assessExample();
  return [
    ["example proposals", `${proposalsTable(assessed)}\n\n${proposalWords(assessed)}`],
    ["example indicators", `${indicatorsTable(assessed)}\n\n${componentWords(assessed)}`],
    ["example scores", `${scoresTable(assessed)}\n\n${scoreWords(assessed)}`],
  ];
}
