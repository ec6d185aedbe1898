import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { JSDOM } from "jsdom";
import { COMPONENT_TEXTS } from "../../pipeline/score/method/indicators.ts";
import { COMPONENT_KEYS, type ComponentKey } from "../../snapshots/format/value-sets.ts";
import { readVersion, type WholeVersion } from "../../snapshots/store/read/read-documents.ts";
import { readPointer } from "../../snapshots/store/read/read-pointer.ts";
import type { CommandEnd } from "./run-in-process.ts";

/** Words that are true only of what is known exactly, and names of trends that read the other way round beside a risk. */
const CLAIMS =
  /\b(?:never|nobody|no one|none of its|hardly|improving|declining)\b|\bno (?:votes?|voters?|delegates?)\b/i;

/** What a page says of itself and not of a DAO. */
const GENERAL = [
  "none is surely the strongest or the weakest",
  "no longer votes or of which too little is known",
  "Reported, never scored",
];

const DATE = String.raw`(\d{4}-\d{2}-\d{2})`;

/** Sentences and cells of a page, without titles of proposals, which are their authors' words. */
function sentencesOf(page: string): readonly string[] {
  const { document } = new JSDOM(page).window;
  for (const element of document.querySelectorAll("script, style, svg, footer, header")) element.remove();
  return [...document.querySelectorAll("p, td, th, dd, dt, li, figcaption, summary, h2")].flatMap((element) =>
    (element.textContent ?? "").split(/(?<=[.:;])\s+/),
  );
}

/** Cells of a page's table of proposals that say 0 votes. */
function zeroVotesOn(page: string): number {
  const { document } = new JSDOM(page).window;
  return [...document.querySelectorAll(`[aria-labelledby="proposals"] table`)].reduce((sum, table) => {
    const index = [...table.querySelectorAll("thead th")].findIndex(
      ({ textContent }) => textContent === "Votes",
    );
    const cells = [...table.querySelectorAll("tbody tr")].map((row) =>
      row.children[index]?.textContent?.trim(),
    );
    return sum + cells.filter((text) => text === "0").length;
  }, 0);
}

type Dao = WholeVersion["set"]["evidence"][number]["evidence"];

const isStrongest = ({ components }: Dao, key: ComponentKey): boolean =>
  COMPONENT_KEYS.every((other) => other === key || components[key].low >= components[other].high - 0.005);
const isWeakest = ({ components }: Dao, key: ComponentKey): boolean =>
  COMPONENT_KEYS.every((other) => other === key || components[key].high <= components[other].low + 0.005);

/** What sentences claim although the version does not show it; `dao` is whom the page is about. */
function faultsIn(
  sentences: readonly string[],
  whole: WholeVersion,
  dao: Dao | undefined,
): readonly string[] {
  const asOf = whole.manifest.as_of.slice(0, 10);
  const titles = new Set(whole.set.evidence.flatMap(({ proposals }) => proposals.map(({ title }) => title)));
  const names = new Map(
    [...whole.set.daos, ...whole.set.unscored].map(({ name, space_id: spaceId }) => [name, spaceId]),
  );
  const evidence = new Map(
    whole.set.evidence.map((document) => [document.evidence.space_id, document.evidence]),
  );
  const untilOf = (about: Dao | undefined): string | undefined => {
    const fetched = about?.measures.fetched_at?.slice(0, 10);
    return fetched === undefined || fetched < asOf ? fetched : asOf;
  };
  return sentences.flatMap((sentence) => {
    if (titles.has(sentence.trim())) return [];
    const faults: string[] = [];
    const claim = CLAIMS.exec(sentence)?.[0];
    if (claim !== undefined && !GENERAL.some((known) => sentence.includes(known))) faults.push(claim);
    const [, named, until] = new RegExp(`[Vv]otes (?:of (.+) )?are known until ${DATE}`).exec(sentence) ?? [];
    const about = named === undefined ? dao : evidence.get(names.get(named) ?? named);
    if (until !== undefined && about !== undefined && until !== untilOf(about)) faults.push(until);
    for (const [, date = ""] of sentence.matchAll(
      new RegExp(`(?:as of|known until|fetched on|last vote) ${DATE}`, "g"),
    ))
      if (date > asOf) faults.push(date);
    for (const key of COMPONENT_KEYS) {
      const { name } = COMPONENT_TEXTS[key];
      if (dao === undefined) continue;
      if (sentence.includes(`strongest component is ${name}`) && !isStrongest(dao, key))
        faults.push(`strongest ${name}`);
      if (sentence.includes(`weakest is ${name}`) && !isWeakest(dao, key)) faults.push(`weakest ${name}`);
    }
    return faults.map((fault) => `${dao?.space_id ?? "all"}: ${fault} in “${sentence.trim()}”`);
  });
}

/**
 * Reads what the report, `explain` and `diff` say of the current version, and returns each sentence that claims more than the
 * version shows, with the number of sentences read.
 */
export async function falseWords(
  snapshots: string,
  govdata: (...args: readonly string[]) => Promise<CommandEnd>,
): Promise<{ readonly faults: readonly string[]; readonly read: number }> {
  const whole = readVersion(snapshots, readPointer(snapshots).version);
  const evidence = new Map(
    whole.set.evidence.map((document) => [document.evidence.space_id, document.evidence]),
  );
  const folder = mkdtempSync(join(tmpdir(), "govdata-words-"));
  const linesOf = new Map(
    whole.set.evidence.map((document) => [document.evidence.space_id, document.proposals]),
  );
  const texts: { readonly sentences: readonly string[]; readonly dao: Dao | undefined }[] = [];
  const miscounted: string[] = [];
  const run = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await govdata(...args);
    if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${stderr}`);
    return stdout;
  };
  try {
    await run("report", "--full", "-o", join(folder, "report"));
    const pages = readdirSync(join(folder, "report"), { recursive: true, encoding: "utf8" });
    // The method's page speaks of no DAO.
    for (const path of pages.filter((page) => page.endsWith(".html") && page !== "methodology.html")) {
      const spaceId = /^daos.(.+)\.html$/.exec(path)?.[1];
      const page = readFileSync(join(folder, "report", path), "utf8");
      const sentences = sentencesOf(page);
      texts.push({ sentences, dao: spaceId === undefined ? undefined : evidence.get(spaceId) });
      const unvoted = (linesOf.get(spaceId ?? "") ?? []).filter(
        ({ votes, declared_votes: declared }) => Math.max(votes ?? 0, declared ?? 0) === 0,
      );
      if (zeroVotesOn(page) > unvoted.length) miscounted.push(`${path}: 0 votes where some are declared`);
    }
    for (const [spaceId, dao] of evidence) {
      const said = (await run("explain", spaceId)).replaceAll(/\s+/g, " ");
      texts.push({ sentences: said.split(/(?<=[.:;])\s+/), dao });
    }
    const moved = (await run("diff", "--days", "30")).replaceAll(/\s+/g, " ");
    texts.push({ sentences: moved.split(/(?<=[.:;])\s+/), dao: undefined });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const faults = texts.flatMap(({ sentences, dao }) => faultsIn(sentences, whole, dao));
  return {
    faults: [...new Set(faults), ...miscounted],
    read: texts.reduce((sum, { sentences }) => sum + sentences.length, 0),
  };
}
