import { cleanText } from "../../../snapshots/format/text.ts";
import { type KeptVersion, keptVersions, ofLastMethod } from "../../../snapshots/store/read/kept-versions.ts";
import { readVersion, type WholeVersion } from "../../../snapshots/store/read/read-documents.ts";
import { PipelineError } from "../../facts/errors.ts";
import { assertFree, type OutputFile, writeOutput } from "../../home/atomic-write.ts";
import type { Settings } from "../../home/settings.ts";
import { withStore } from "../../home/store-errors.ts";
import { type Html, html, htmlText, spell } from "../html.ts";
import { diffChanges, FATE_WORDS, type FeedMove, type FeedStep, movesOf, stableUrn } from "./moves.ts";

/** How a feed is called beside the pages of a report. */
export const FEED_FILE = "feed.xml";

/** Stands for the address that nobody gave: the package writes none but absolute links. */
const NOWHERE = "https://feed.invalid/";

const nameOf = ({ name, spaceId }: FeedMove): string => cleanText(name) || spaceId;

function scores({ gvsBefore, gvsAfter }: FeedMove): string {
  if (gvsBefore === undefined) return gvsAfter === undefined ? "" : spell.score(gvsAfter);
  if (gvsAfter === undefined) return `${spell.score(gvsBefore)} before`;
  const change = spell.change(gvsAfter - gvsBefore);
  return `${spell.score(gvsBefore)} → ${spell.score(gvsAfter)} (${change})`;
}

function titleOf(move: FeedMove): Html {
  const words = move.fate === "moved" ? "" : ` ${FATE_WORDS[move.fate]}`;
  return html`${nameOf(move)}${words}: ${scores(move)}`;
}

function contentOf(move: FeedMove): Html {
  const { rankBefore, rankAfter, interval, mostly, asOf } = move;
  const between = interval === undefined ? "" : `, between ${interval.map(spell.score).join(" and ")}`;
  const rank =
    rankBefore === undefined || rankAfter === undefined || rankBefore === rankAfter
      ? ""
      : ` Rank ${rankBefore} → ${rankAfter}.`;
  const why = mostly === undefined ? "" : ` Mostly by ${mostly}.`;
  return html`<p><bdi>${nameOf(move)}</bdi> ${FATE_WORDS[move.fate]}: governance score ${scores(move)}${between}.${rank}${why}</p><p>As of ${spell.moment(asOf)}.</p>`;
}

/** The page of a report that tells more. */
function pageOf({ fate, gvsAfter, spaceId }: FeedMove): string {
  if (fate === "vanished") return "changes.html";
  // A DAO without a score has no page of its own.
  return gvsAfter === undefined ? "quality.html" : `daos/${encodeURIComponent(spaceId)}.html`;
}

/**
 * The moves as an Atom feed; the same bytes for the same moves. Titles and contents are HTML in which every name is
 * escaped, so that no name can end the section it stands in.
 */
export async function atomFeed(
  /** The moment of the newest version. */
  asOf: string,
  /** The newest first. */
  moves: readonly FeedMove[],
  /** Where feed and report are on the web, ended by a slash; without it, links are relative to the feed. */
  baseUrl: string | undefined,
): Promise<string> {
  const { Feed } = await import("feed");
  const base = baseUrl ?? NOWHERE;
  const feed = new Feed({
    id: baseUrl === undefined ? stableUrn("govdata feed") : `${baseUrl}${FEED_FILE}`,
    title: "govdata: scores that moved",
    description: "Governance scores of DAOs, from 0 to 10, whenever one moves from one version to the next.",
    updated: new Date(asOf),
    generator: "govdata",
    author: { name: "govdata" },
    ...(baseUrl === undefined ? {} : { link: baseUrl, feed: `${baseUrl}${FEED_FILE}` }),
  });
  for (const move of moves) {
    feed.addItem({
      id: move.id,
      title: htmlText(titleOf(move)),
      link: `${base}${pageOf(move)}`,
      date: new Date(move.asOf),
      content: htmlText(contentOf(move)),
    });
  }
  return `${feed.atom1().replaceAll(`href="${NOWHERE}`, 'href="')}\n`;
}

/** What each version changed of the one before it, the newest first. Two are in memory at a time. */
function stepsOf(root: string, kept: readonly KeptVersion[], minDelta: number): readonly FeedStep[] {
  const steps: FeedStep[] = [];
  let before: WholeVersion | undefined;
  for (const { version } of kept) {
    const after = readVersion(root, version);
    if (before !== undefined) {
      const { sequence, created_at: createdAt, as_of: asOf } = after.manifest;
      const { daos } = diffChanges(before, after, { isFull: false, minDelta });
      steps.push({ sequence, createdAt, asOf, daos });
    }
    before = after;
  }
  return steps.toReversed();
}

function whyEmpty(versions: number, minDelta: number): string {
  if (versions === 1)
    return "the feed is empty: one version is kept, and nothing before it to compare it with";
  return `the feed is empty: no gvs moved by ${minDelta} between the newest ${versions} kept versions (--min-delta, --steps)`;
}

/**
 * `govdata feed`: the scores that moved from version to version, as Atom, `written` where it goes to a file, and why it tells
 * of none. It names DAOs and nobody else. Throws `PipelineError`.
 */
export async function runFeed(
  settings: Settings,
  request: {
    /** So many steps from one kept version to the next, the newest ones. */
    readonly stepsMax: number;
    /** Points of the gvs, as in `diff`. */
    readonly minDelta: number;
    readonly baseUrl: string | undefined;
    /** `undefined` gives the text back alone. */
    readonly file: OutputFile | undefined;
  },
) {
  const { stepsMax, minDelta, baseUrl, file } = request;
  if (file !== undefined) assertFree(file);
  const root = settings.snapshotsDirectory;
  const kept = await withStore(() => ofLastMethod(keptVersions(root)).slice(-(stepsMax + 1)));
  const newest = kept.at(-1);
  if (newest === undefined) throw new PipelineError("SNAPSHOT_MISSING", "no version is kept");
  const moves = movesOf(await withStore(() => stepsOf(root, kept, minDelta)));
  const { version, manifest } = newest;
  const text = await atomFeed(manifest.as_of, moves, baseUrl);
  const written = file && writeOutput(file, [Buffer.from(text, "utf8")]);
  const why = moves.length === 0 ? whyEmpty(kept.length, minDelta) : undefined;
  return { version, asOf: manifest.as_of, moves, why, text, written };
}
