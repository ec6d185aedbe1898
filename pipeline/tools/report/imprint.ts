import { type Html, html, outsideLink } from "../html.ts";
import { spell } from "../spell.ts";
import type { DaoReport, ReportData } from "./report-data.ts";

export const INVENTED = "The DAOs and organisations here are invented, and so is every number.";

/** On every page of an invented world, and on no other. */
export const banner = ({ imprint: { invented } }: ReportData): Html =>
  invented ? html`<aside class="banner" aria-label="Invented data">${INVENTED}</aside>\n` : html``;

/** The score of a DAO with its interval, as it is cited. */
export const scoreWords = ({ dao, interval }: DaoReport): string =>
  `Governance Vitality Score ${spell.score(dao.gvs)}${spell.ends(interval?.gvs)} of 10`;

/** What a page is called, and the number that it is about. */
interface Cited {
  readonly title: string;
  readonly cited?: string;
}

/** Who says what, as of when, by which method, in which version. */
export function citation(data: ReportData, { title, cited }: Cited): string {
  const { imprint, asOf, methodologyVersion, version } = data;
  const publisher = imprint.contributors?.[0];
  return [
    ...(publisher === undefined ? [] : [publisher.title]),
    "govdata",
    title,
    ...(cited === undefined ? [] : [cited]),
    ...(imprint.invented ? ["invented data"] : []),
    `as of ${spell.day(asOf)}`,
    `method ${methodologyVersion}`,
    `version ${version}`,
    ...(publisher?.path === undefined ? [] : [publisher.path]),
  ].join(", ");
}

/** Who publishes, as a link if there is one; nothing where nobody says. */
export function publisherName({ imprint: { contributors } }: ReportData): Html | undefined {
  const publisher = contributors?.[0];
  if (publisher === undefined) return undefined;
  const { title, path } = publisher;
  return path === undefined ? html`${title}` : outsideLink(path, title);
}

export function licenseName({ imprint: { licenses } }: ReportData): Html | undefined {
  const license = licenses?.[0];
  if (license === undefined) return undefined;
  const name = license.title ?? license.name;
  return license.path === undefined ? html`${name}` : outsideLink(license.path, name);
}

/** A link to write to the publisher about something; nothing where there is no address. */
export function contactLink(
  { version, imprint: { contributors } }: ReportData,
  words: string,
): Html | undefined {
  const publisher = contributors?.[0];
  if (publisher?.contact !== undefined) return outsideLink(publisher.contact, words);
  if (publisher?.email === undefined) return undefined;
  const subject = encodeURIComponent(`${words} (govdata, version ${version})`);
  return html`<a href="mailto:${publisher.email}?subject=${subject}">${words}</a>`;
}

/** The foot of a page: how to cite it, who publishes it, whom to write to. */
export function imprint(data: ReportData, page: Cited, root: string): Html {
  const [publisher, license] = [publisherName(data), licenseName(data)];
  const parts = [
    publisher && html`Published by ${publisher}`,
    license && html`licence of the numbers: ${license}`,
    contactLink(data, "Report an error"),
    contactLink(data, "Opt out"),
    html`<a href="${root}about.html#corrections">Corrections: ${data.corrections.length}</a>`,
  ].filter((part) => part !== undefined);
  return html`<p>Cite as: ${citation(data, page)}</p>
<p>${parts.map((part, index) => (index === 0 ? part : html` · ${part}`))}</p>
`;
}
