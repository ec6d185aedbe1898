import { Option } from "commander";
import { COMPONENT_KEYS, type ComponentKey } from "../../../snapshots/format/value-sets.ts";
import { PipelineError } from "../../facts/errors.ts";
import { type ExplainResult, runExplain } from "../../readers/explain/explain.ts";
import { type CommandContext, command } from "../options/command-context.ts";
import { asOfMsOf, versionOption } from "../options/parse-options.ts";
import { type Column, formatTable, indented, right, wrap } from "../terminal/table.ts";
import {
  formatChange,
  formatComponent,
  formatComponents,
  formatScore,
  shortId,
  spoken,
} from "./explain-scores.ts";

type Story = ExplainResult["story"];
type Moving = Story["proposals"][number];

/** What would be shown as nothing. */
const LEAST_SHOWN = 0.005;

const dash = (value: number | undefined, write: (value: number) => string): string =>
  value === undefined ? "-" : write(value);

const tenth = (value: number): string => value.toFixed(1);

const heads = right<Moving>("heads", (proposal) => dash(proposal.heads, tenth));
const effective = right<Moving>("effective", ({ effectiveVoters }) => dash(effectiveVoters, tenth));
const majority = right<Moving>("majority", ({ nakamoto }) => dash(nakamoto, String));
const top = right<Moving>("top share", ({ topShare }) =>
  dash(topShare, (share) => `${tenth(100 * share)} %`),
);
const deliberated = right<Moving>("pdi", ({ deliberation }) =>
  dash(deliberation, (share) => `${Math.round(100 * share)} %`),
);
const quorum: Column<Moving> = {
  heading: "quorum",
  of: ({ isQuorumReached: isReached }) =>
    isReached === undefined ? "none" : isReached ? "reached" : "missed",
};

/** What is told of a proposal, for each score that it moves. */
const MEASURES: Readonly<Record<ComponentKey | "gvs", readonly Column<Moving>[]>> = {
  gvs: [heads, majority, top, deliberated],
  hpr: [heads],
  dei: [effective, majority, top],
  pdi: [deliberated],
  gpi: [quorum],
};

const range = ({ best, worst }: { readonly best: number; readonly worst: number }): string =>
  best === worst ? `${best}` : `${best} to ${worst}`;
const day = (at: string | undefined): string => at?.slice(0, 10) ?? "unknown";
const minute = (at: string): string => `${at.slice(0, 16).replace("T", " ")} UTC`;

interface ExplainFlags {
  readonly component?: ComponentKey;
  readonly version?: string;
  readonly asOf?: string;
}

/** `govdata explain SPACE --component C --version V | --as-of T` */
export const explainCommand = command({
  name: "explain",
  description: "why a DAO has its score, from published files alone",
  example:
    "govdata explain aave.eth --component dei\n  govdata explain aave.eth --as-of 2026-04-28 --json | jq .evidence.frame",
  takes: (made) =>
    made
      .argument("<space>")
      .addOption(new Option("--component <key>", "only one of the four components").choices(COMPONENT_KEYS))
      .addOption(versionOption())
      .option("--as-of <moment>", "the version of a day's end or UTC moment, or the one current then"),
  run({ settings, nowMs }: CommandContext, spaceId: string, flags: ExplainFlags) {
    const { component, version, asOf } = flags;
    if (version !== undefined && asOf !== undefined) {
      throw new PipelineError("BAD_OPTION", "--version and --as-of both say which version", {
        hint: "Give one of them.",
      });
    }
    const asOfMs = asOf === undefined ? undefined : asOfMsOf({ asOf }, nowMs);
    return runExplain(settings, { spaceId, component, version, asOfMs });
  },
  text: ({ story }) => formatExplained(story),
  json: ({ published }) => published,
});

/** The story of a score, 80 columns wide: the sum, its components, their indicators, the proposals, and how sure all of it is. */
function formatExplained(story: Story): string {
  const { component, components } = story;
  const shown = components.filter(({ key }) => component === undefined || key === component);
  const scores = [
    `${formatComponents(components)}${formatWeakest(story)}`,
    `${formatFrame(story)}${formatThin(story)}`,
    ...shown.map(formatComponent),
    formatProposals(story),
  ];
  const sections = [
    formatHead(story),
    formatTotal(story),
    ...(isNothing(story) ? [formatFrame(story)] : scores),
    formatLeftOut(story),
    ...(component === undefined && !isNothing(story) ? [formatCertainty(story)] : []),
  ];
  return sections.filter((section) => section !== "").join("\n");
}

function formatHead(story: Story): string {
  const { name, spaceId, category, version, isCurrent, asOf, methodologyVersion } = story;
  return [
    wrap(`${name} (${spaceId}, ${spoken(category)})`),
    wrap(
      `as of ${minute(asOf)}, method ${methodologyVersion}, version ${version}${isCurrent ? "" : ", not the current one"}`,
    ),
  ].join("");
}

/** Nothing of it could be scored, for one and the same reason. */
function isNothing({ gvs, components }: Story): boolean {
  return (
    !("points" in gvs) && components.every(({ score }) => "reason" in score && score.reason === gvs.reason)
  );
}

function formatTotal(story: Story): string {
  const { gvs, rank, confidence, components, certainty } = story;
  if ("points" in gvs) {
    const place = rank === undefined ? "" : `, rank ${rank.place} of ${rank.total}`;
    const sure =
      certainty.gvs === undefined
        ? ""
        : ` Had chance picked other proposals of its kind: ${certainty.gvs.low.toFixed(2)} to ${certainty.gvs.high.toFixed(2)}.`;
    return wrap(`GVS ${formatScore(gvs)} of 10, ${gvs.label}${place}, confidence ${confidence}.${sure}`);
  }
  if (isNothing(story)) return [wrap(`No score. ${gvs.message}`), wrap(`Needed: ${gvs.need}.`)].join("");
  const rows = components.flatMap(({ key, score }) =>
    "points" in score ? [] : [wrap(`${key} is missing. ${score.message} Needed: ${score.need}.`, "  - ")],
  );
  return `${wrap("No score, and no rank: a DAO is scored when all four components are known.")}${rows.join("")}`;
}

function formatWeakest({ gvs, components }: Story): string {
  if (!("points" in gvs)) return "";
  const [weakest] = components.toSorted((a, b) => (b.gvsPerPoint ?? 0) - (a.gvsPerPoint ?? 0));
  if (weakest?.gvsPerPoint === undefined) return "";
  return wrap(
    `The gvs is a geometric mean, so that the lowest weighs most. Most would be won in ${weakest.key}: one more point there adds ${weakest.gvsPerPoint.toFixed(2)}.`,
  );
}

function formatThin({ thin, components }: Story): string {
  const full = `its proposals weigh ${thin.attentionSum.toFixed(1)}, and ${thin.attentionFull} are full evidence`;
  if (thin.share >= 1) return wrap(`Evidence is full: ${full}.`);
  const touched = components.some(
    ({ before, score }) => "points" in before && "points" in score && before.points !== score.points,
  );
  if (!touched) return wrap(`Evidence is thin (${full}), which lowers points above 5; none is.`);
  const without =
    thin.gvsWithout === undefined ? "" : ` Without that the gvs would be ${thin.gvsWithout.toFixed(2)}.`;
  return wrap(
    `Evidence is thin (${full}): ${Math.round(100 * (1 - thin.share))} % of what components have above 5 is not counted.${without}`,
  );
}

function formatFrame({ frame }: Story): string {
  const clusters =
    frame.clusters === 0
      ? ""
      : ` ${frame.clusteredWallets} wallets look coordinated and count as ${frame.clusters === 1 ? "one head" : `${frame.clusters} heads`}.`;
  if (frame.members === 0) {
    return frame.known === 0
      ? wrap("No proposal of it is known.")
      : wrap(`Of ${frame.known.toLocaleString("en")} known proposals none can be looked at.`);
  }
  return wrap(
    `It rests on ${frame.members} of ${frame.known.toLocaleString("en")} known proposals, ended ${day(frame.firstEndedAt)} to ${day(frame.lastEndedAt)}; weighed, they are worth ${frame.effectiveProposals.toFixed(1)} equal ones, with ${frame.headsMean.toFixed(1)} heads on average.${clusters}`,
  );
}

/** The proposals that move the score most. */
function formatProposals({ proposals, component }: Story): string {
  if (proposals.length === 0) return "";
  const what = component ?? "gvs";
  const isMoving = proposals.some(({ lift }) => lift !== undefined);
  const table = formatTable<Moving>(
    [
      { heading: "proposal", of: ({ id }) => shortId(id) },
      { heading: "ended", of: ({ endedAt }) => endedAt?.slice(0, 10) ?? "unknown" },
      { heading: "weight", of: ({ attention }) => attention.toFixed(2), align: "right" },
      ...(isMoving ? [right<Moving>(what, ({ lift }) => dash(lift, formatChange))] : []),
      ...MEASURES[what],
    ],
    proposals,
  );
  const isStill = proposals.every(({ lift }) => Math.abs(lift ?? 1) < LEAST_SHOWN);
  const head = isStill
    ? `No proposal alone moves the ${what} by ${LEAST_SHOWN}; some of its proposals`
    : isMoving
      ? `The proposals that move the ${what} most: what it has more, or less, for each (heads, H(5), proposers and active voters held as they are)`
      : "The proposals of the most weight";
  const legend =
    what === "gvs" || what === "dei"
      ? wrap("majority: the fewest heads with more than half of the power", "  ")
      : "";
  const titles = proposals.flatMap(({ id, title }) =>
    title === undefined ? [] : wrap(`${shortId(id)}: ${title}`, "  "),
  );
  return `${wrap(head)}${indented(table)}${legend}${titles.join("")}`;
}

/** What is not in the frame, and why. */
function formatLeftOut({ leftOut }: Story): string {
  if (leftOut.length === 0) return "";
  const rows = leftOut.map(({ count, reason, sentence, examples }) =>
    wrap(
      `${reason}: ${sentence} (${count > examples.length ? "as " : ""}${examples.map(shortId).join(", ")})`,
      `${count.toLocaleString("en").padStart(7)}  `,
    ),
  );
  const total = leftOut.reduce((sum, { count }) => sum + count, 0);
  return `${wrap(`Left out: ${total.toLocaleString("en")} ${total === 1 ? "proposal" : "proposals"}`)}${rows.join("")}`;
}

function formatRisk({ risk }: Story): string {
  if (risk.kind === "gap") {
    return wrap(`Risk is not assessed.${"points" in risk.why ? "" : ` ${risk.why.message}`}`);
  }
  const all = risk.sources.map(({ name, points }) => `${points.toFixed(1)} (${name})`);
  const sources = `${all.slice(0, -1).join(", ")} and ${all.at(-1) ?? ""}`;
  return [
    wrap(`RISK ${risk.score.toFixed(1)} of 100, ${risk.level}: the largest of ${sources}`),
    ...risk.factors.map(({ name, value }) => `  - ${name}: ${value}\n`),
  ].join("");
}

function formatSureness({ certainty, rank }: Story): string {
  const { resamples, kept, gvs, weights } = certainty;
  const lines: string[] = [];
  if (gvs !== undefined && certainty.rank !== undefined && rank !== undefined) {
    const lost = resamples === kept ? "" : ` (${resamples - kept} of them had a gap)`;
    lines.push(
      `${resamples.toLocaleString("en")} draws of as many proposals${lost}: gvs ${gvs.low.toFixed(2)} to ${gvs.high.toFixed(2)}, rank ${range(certainty.rank)} of ${rank.total}, in nine of ten.`,
    );
  }
  if (gvs !== undefined) {
    lines.push(
      "How many heads come again is held in these draws while their mean is drawn, so that the interval of hpr, and with it that of the gvs, is wide.",
    );
  }
  if (weights !== undefined) {
    const most =
      weights.most === undefined
        ? ""
        : `, most for the weight of ${weights.most.of} (${range(weights.most)})`;
    lines.push(`Each weight a quarter less or more, one at a time: rank ${range(weights)}${most}.`);
  }
  return lines.map((line) => wrap(line, "  - ")).join("");
}

function formatCompleteness({ certainty }: Story): string {
  const { completenessPct, parts } = certainty;
  if (completenessPct === undefined) return wrap("Completeness of the data: nothing to count.", "  - ");
  const written = parts
    .filter(({ value }) => value !== undefined)
    .map(({ asks, value }) => `${((value ?? 0) * 100).toFixed(1)} % ${asks}`);
  return wrap(`Data are ${completenessPct.toFixed(1)} % complete: ${written.join("; ")}.`, "  - ");
}

/** Risk, how sure all of it is, and what nobody looked at. */
function formatCertainty(story: Story): string {
  const { notAssessed, diagnostics } = story.certainty;
  const unseen = notAssessed.map(({ what, why }) => wrap(`${what.join(", ")}: ${why}`, "  - ")).join("");
  const shown = diagnostics.map(({ name, value }) => `${name} ${value.toFixed(value < 10 ? 2 : 0)}`);
  const sections = [
    formatRisk(story),
    `How sure is that?\n${formatSureness(story)}${formatCompleteness(story)}`,
    unseen === "" ? "" : `Not assessed\n${unseen}`,
    shown.length === 0 ? "" : wrap(`Reported, never scored (medians): ${shown.join(", ")}.`),
  ];
  return sections.filter((section) => section !== "").join("\n");
}
