import type { ExplainResult } from "../../readers/explain/explain.ts";
import { type Column, formatTable, indented, wrap } from "../terminal/table.ts";
import { formatChange } from "./explain-scores.ts";

type Story = ExplainResult["story"];
type Moving = Story["proposals"][number];

/** Ids are up to 66 characters; this much of one finds it. */
const ID_COLUMNS = 14;

/** The beginning of a long id. */
export function shortId(id: string): string {
  return id.length <= ID_COLUMNS ? id : `${id.slice(0, ID_COLUMNS - 1)}…`;
}

/** What would be shown as nothing. */
const LEAST_SHOWN = 0.005;

const dash = (value: number | undefined, write: (value: number) => string): string =>
  value === undefined ? "-" : write(value);

const HEADS: Column<Moving> = {
  heading: "heads",
  of: ({ heads }) => dash(heads, (value) => value.toFixed(1)),
  align: "right",
};
const TOP: Column<Moving> = {
  heading: "top share",
  of: ({ topShare }) => dash(topShare, (value) => `${(100 * value).toFixed(1)} %`),
  align: "right",
};
const DELIBERATED: Column<Moving> = {
  heading: "pdi",
  of: ({ deliberation }) => dash(deliberation, (value) => `${Math.round(100 * value)} %`),
  align: "right",
};
const EFFECTIVE: Column<Moving> = {
  heading: "effective",
  of: ({ effectiveVoters }) => dash(effectiveVoters, (value) => value.toFixed(1)),
  align: "right",
};
const MAJORITY: Column<Moving> = {
  heading: "majority",
  of: ({ nakamoto }) => dash(nakamoto, String),
  align: "right",
};
const QUORUM: Column<Moving> = {
  heading: "quorum",
  of: ({ isQuorumReached }) =>
    isQuorumReached === undefined ? "none" : isQuorumReached ? "reached" : "missed",
};

const MEASURES: Readonly<Record<NonNullable<Story["component"]> | "gvs", readonly Column<Moving>[]>> = {
  gvs: [HEADS, MAJORITY, TOP, DELIBERATED],
  hpr: [HEADS],
  dei: [EFFECTIVE, MAJORITY, TOP],
  pdi: [DELIBERATED],
  gpi: [QUORUM],
};

/** The proposals that move the score most. */
export function formatProposals({ proposals, component }: Story): string {
  if (proposals.length === 0) return "";
  const what = component ?? "gvs";
  const isMoving = proposals.some(({ lift }) => lift !== undefined);
  const table = formatTable<Moving>(
    [
      { heading: "proposal", of: ({ id }) => shortId(id) },
      { heading: "ended", of: ({ endedAt }) => endedAt?.slice(0, 10) ?? "unknown" },
      { heading: "weight", of: ({ attention }) => attention.toFixed(2), align: "right" },
      ...(isMoving
        ? [{ heading: what, of: ({ lift }: Moving) => dash(lift, formatChange), align: "right" as const }]
        : []),
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
  return `${wrap(head)}${indented(table)}${legend}`;
}

/** What is not in the frame, and why. */
export function formatLeftOut({ leftOut }: Story): string {
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
