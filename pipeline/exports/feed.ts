import { cleanText } from "../../snapshots/format/text.ts";
import { type FeedMove, stableUrn } from "./feed-moves.ts";
import { FATE_WORDS } from "./report/fate-words.ts";
import { type Html, html, htmlText } from "./report/html.ts";
import { spell } from "./report/spell.ts";

/** What a feed is made of. */
export interface FeedPlan {
  /** The moment of the newest version. */
  readonly asOf: string;
  /** The newest first. */
  readonly moves: readonly FeedMove[];
  /** Where feed and report are on the web, ended by a slash; without it, links are relative to the feed. */
  readonly baseUrl: string | undefined;
}

/** How a feed is called beside the pages of a report. */
export const FEED_FILE = "feed.xml";

/** Stands for the address that nobody gave: the package writes none but absolute links. */
const NOWHERE = "https://feed.invalid/";

/** Two characters that names may hold and XML may not. */
const NOT_IN_XML = /[\uFFFE\uFFFF]/g;

const nameOf = ({ name, spaceId }: FeedMove): string => cleanText(name).replaceAll(NOT_IN_XML, "") || spaceId;

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
  const { rankBefore, rankAfter, mostly, asOf } = move;
  const rank =
    rankBefore === undefined || rankAfter === undefined || rankBefore === rankAfter
      ? ""
      : ` Rank ${rankBefore} → ${rankAfter}.`;
  const why = mostly === undefined ? "" : ` Mostly by ${mostly}.`;
  return html`<p><bdi>${nameOf(move)}</bdi> ${FATE_WORDS[move.fate]}: governance score ${scores(move)}.${rank}${why}</p><p>As of ${spell.moment(asOf)}.</p>`;
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
export async function atomFeed({ asOf, moves, baseUrl }: FeedPlan): Promise<string> {
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
